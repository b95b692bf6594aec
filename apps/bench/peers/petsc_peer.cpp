// PETSc: CG with GAMG, smoothed aggregation; of unsymmetric systems GMRES(30) with ILU(0), over
// ranks in each rank's block, as it is by default (Balay and others).

#include <limits>

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/mpi_ranks.hpp"
#include "apps/bench/peers/peers.hpp"
#include "core/error.hpp"
#include "process/shared_library.hpp"

namespace spsolve::bench {

namespace {

/// The library in double with 32-bit numbers, by declarations of its own: no header is wanted.
struct Petsc {
  using Object = void*;

  SharedLibrary library{"libpetsc_real.so", "libpetsc.so", "libpetsc_real.so.3.18",
                        "libpetsc.so.3.18"};

#define SPSOLVE_PETSC(name, ...) \
  int (*name)(__VA_ARGS__) = library.function<int(__VA_ARGS__)>(#name)
  SPSOLVE_PETSC(PetscInitializeNoArguments);
  SPSOLVE_PETSC(PetscDataTypeGetSize, int type, std::size_t* size);
  SPSOLVE_PETSC(PetscOptionsSetValue, Object options, const char* name, const char* value);
  SPSOLVE_PETSC(PetscOptionsClear, Object options);
  SPSOLVE_PETSC(MatCreate, MPI_Comm ranks, Object* a);
  SPSOLVE_PETSC(MatSetSizes, Object a, int m, int n, int rows, int columns);
  SPSOLVE_PETSC(MatSetBlockSize, Object a, int size);
  SPSOLVE_PETSC(MatSetType, Object a, const char* type);
  SPSOLVE_PETSC(MatSeqAIJSetPreallocationCSR, Object a, const int* i, const int* j,
                const double* values);
  SPSOLVE_PETSC(MatMPIAIJSetPreallocationCSR, Object a, const int* i, const int* j,
                const double* values);
  SPSOLVE_PETSC(MatSetNearNullSpace, Object a, Object space);
  SPSOLVE_PETSC(MatNullSpaceCreateRigidBody, Object coordinates, Object* space);
  SPSOLVE_PETSC(MatNullSpaceDestroy, Object* space);
  SPSOLVE_PETSC(MatDestroy, Object* a);
  SPSOLVE_PETSC(VecCreateMPIWithArray, MPI_Comm ranks, int block, int n, int rows,
                const double* values, Object* x);
  SPSOLVE_PETSC(VecDestroy, Object* x);
  SPSOLVE_PETSC(KSPCreate, MPI_Comm ranks, Object* ksp);
  SPSOLVE_PETSC(KSPSetOperators, Object ksp, Object a, Object p);
  SPSOLVE_PETSC(KSPSetTolerances, Object ksp, double relative, double absolute, double divergence,
                int most);
  SPSOLVE_PETSC(KSPSetFromOptions, Object ksp);
  SPSOLVE_PETSC(KSPSetUp, Object ksp);
  SPSOLVE_PETSC(KSPSetUpOnBlocks, Object ksp);
  SPSOLVE_PETSC(KSPSolve, Object ksp, Object b, Object x);
  SPSOLVE_PETSC(KSPGetIterationNumber, Object ksp, int* steps);
  SPSOLVE_PETSC(KSPGetConvergedReason, Object ksp, int* reason);
  SPSOLVE_PETSC(KSPDestroy, Object* ksp);
#undef SPSOLVE_PETSC
};

Petsc& petsc() {
  static Petsc loaded;
  return loaded;
}

std::string missing() {
  return petsc().library.problem();
}

class PetscIteration final : public ColumnwiseIteration {
 public:
  PetscIteration(const IterativeSystem& system, Team& team)
      : ColumnwiseIteration(system), ranks_(ranks_for_peer(team.size() > 1)) {
    static const int begun = petsc().PetscInitializeNoArguments();
    check(begun);
    constexpr int type_of_numbers = 16;  // PETSC_INT
    std::size_t size = 0;
    check(petsc().PetscDataTypeGetSize(type_of_numbers, &size));
    if (size != sizeof(int) || system.bands.rows > std::numeric_limits<int>::max()) {
      fail(ExitCode::input, "only its 32-bit numbers are known here");
    }
    const IntRows rows(system.rows, {});
    const auto own = static_cast<int>(system.rows.rows);
    const auto all = static_cast<int>(system.bands.rows);
    const auto block = static_cast<int>(std::max<Index>(1, system.coordinates.dimensions));
    check(petsc().MatCreate(ranks_, &matrix_));
    check(petsc().MatSetSizes(matrix_, own, own, all, all));
    check(petsc().MatSetBlockSize(matrix_, block));
    check(petsc().MatSetType(matrix_, "aij"));
    for (const auto& fill :
         {petsc().MatSeqAIJSetPreallocationCSR, petsc().MatMPIAIJSetPreallocationCSR}) {
      check(fill(matrix_, rows.offsets.data(), rows.columns.data(), system.rows.values.data()));
    }
    if (block > 1) keep_rigid_bodies(system, team, block);
    column_of_b_.resize(static_cast<std::size_t>(own));
    column_of_x_.resize(static_cast<std::size_t>(own));
    check(petsc().VecCreateMPIWithArray(ranks_, block, own, all, column_of_b_.data(), &right_));
    check(petsc().VecCreateMPIWithArray(ranks_, block, own, all, column_of_x_.data(), &left_));
  }

  ~PetscIteration() override {
    petsc().KSPDestroy(&ksp_);
    petsc().VecDestroy(&right_);
    petsc().VecDestroy(&left_);
    petsc().MatDestroy(&matrix_);
  }

  void set_up() override {
    const auto option = [](const char* name, const char* value) {
      check(petsc().PetscOptionsSetValue(nullptr, name, value));
    };
    check(petsc().PetscOptionsClear(nullptr));
    option("-ksp_type", symmetric_ ? "cg" : "gmres");
    option("-ksp_norm_type", "unpreconditioned");
    if (symmetric_) {
      option("-pc_type", "gamg");
    } else {
      option("-ksp_pc_side", "right");
    }
    check(petsc().KSPCreate(ranks_, &ksp_));
    check(petsc().KSPSetOperators(ksp_, matrix_, matrix_));
    check(petsc().KSPSetTolerances(ksp_, tolerance_, 1e-50, 1e10, 2000));
    check(petsc().KSPSetFromOptions(ksp_));
    check(petsc().KSPSetUp(ksp_));
    check(petsc().KSPSetUpOnBlocks(ksp_));
  }

 private:
  std::pair<Index, bool> solve_for(std::vector<double>& column) override {
    column_of_b_ = column;
    check(petsc().KSPSolve(ksp_, right_, left_));
    int steps = 0, reason = 0;
    check(petsc().KSPGetIterationNumber(ksp_, &steps));
    check(petsc().KSPGetConvergedReason(ksp_, &reason));
    column = column_of_x_;
    return {steps, reason > 0};
  }

  static void check(int status) {
    if (status != 0) fail(ExitCode::internal, "it returns status {}", status);
  }

  void keep_rigid_bodies(const IterativeSystem& system, Team& team, int block) {
    SystemMatrix matrix(team, system.bands, Csr<double>(system.rows));
    read_coordinates(system.coordinates, matrix);
    places_ = matrix.coordinates().values;
    Petsc::Object coordinates = nullptr, space = nullptr;
    check(petsc().VecCreateMPIWithArray(ranks_, block, static_cast<int>(places_.size()),
                                        static_cast<int>(system.bands.rows), places_.data(),
                                        &coordinates));
    check(petsc().MatNullSpaceCreateRigidBody(coordinates, &space));
    check(petsc().MatSetNearNullSpace(matrix_, space));
    check(petsc().MatNullSpaceDestroy(&space));
    check(petsc().VecDestroy(&coordinates));
  }

  MPI_Comm ranks_;
  std::vector<double> places_, column_of_b_, column_of_x_;
  Petsc::Object matrix_ = nullptr, right_ = nullptr, left_ = nullptr, ksp_ = nullptr;
};

}  // namespace

const IterativePeer petsc_peer{
    "petsc",
    "CG with GAMG, of unsymmetric systems GMRES(30) with ILU(0) of each rank",
    true,
    missing,
    takes_real_systems,
    [](const IterativeSystem& system, const PeerTeam& team) -> std::unique_ptr<IterativeContender> {
      return std::make_unique<PetscIteration>(system, team.team);
    }};

}  // namespace spsolve::bench
