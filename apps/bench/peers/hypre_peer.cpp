// hypre: PCG, of unsymmetric systems GMRES(30), with BoomerAMG (Henson and Yang 2002).

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/mpi_ranks.hpp"
#include "apps/bench/peers/peers.hpp"
#include "core/error.hpp"

#if __has_include(<HYPRE_parcsr_ls.h>)
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#endif

namespace spsolve::bench {

namespace {

#ifdef HYPRE_RELEASE_VERSION

#define SPSOLVE_HYPRE(FUNCTION) SPSOLVE_LOADED(hypre(), HYPRE_##FUNCTION)

SharedLibrary& hypre() {
  static SharedLibrary loaded{"libHYPRE-" HYPRE_RELEASE_VERSION ".so", "libHYPRE.so"};
  return loaded;
}

std::string missing() {
  return hypre().problem();
}

class HypreIteration final : public ColumnwiseIteration {
 public:
  HypreIteration(const IterativeSystem& system, Team& team)
      : ColumnwiseIteration(system),
        unknowns_(std::max<Index>(1, system.coordinates.dimensions)),
        ranks_(ranks_for_peer(team.size() > 1)),
        own_(system.bands.band(team.rank())) {
    static const int begun = SPSOLVE_HYPRE(Init)();
    check(begun);
    if (system.bands.rows > std::numeric_limits<HYPRE_Int>::max()) {
      fail(ExitCode::input, "it was built for 32-bit numbers");
    }
    const IntRows rows(system.rows, {});
    const auto first = static_cast<HYPRE_BigInt>(own_.first);
    const auto last = static_cast<HYPRE_BigInt>(own_.last) - 1;
    check(SPSOLVE_HYPRE(IJMatrixCreate)(ranks_, first, last, first, last, &matrix_));
    check(SPSOLVE_HYPRE(IJMatrixSetObjectType)(matrix_, HYPRE_PARCSR));
    check(SPSOLVE_HYPRE(IJMatrixInitialize)(matrix_));
    std::vector<HYPRE_BigInt> numbers, columns(rows.columns.begin(), rows.columns.end());
    std::vector<HYPRE_Int> counts;
    for (Index i = 0; i < own_.size(); ++i) {
      numbers.push_back(static_cast<HYPRE_BigInt>(own_.first + i));
      counts.push_back(rows.offsets[i + 1] - rows.offsets[i]);
    }
    check(SPSOLVE_HYPRE(IJMatrixSetValues)(matrix_, static_cast<HYPRE_Int>(own_.size()),
                                           counts.data(), numbers.data(), columns.data(),
                                           system.rows.values.data()));
    check(SPSOLVE_HYPRE(IJMatrixAssemble)(matrix_));
    check(SPSOLVE_HYPRE(IJMatrixGetObject)(matrix_, reinterpret_cast<void**>(&a_)));
    rows_ = std::move(numbers);
    for (IJ* vector : {&right_, &left_}) {
      check(SPSOLVE_HYPRE(IJVectorCreate)(ranks_, first, last, &vector->whole));
      check(SPSOLVE_HYPRE(IJVectorSetObjectType)(vector->whole, HYPRE_PARCSR));
      set(*vector, std::vector<double>(static_cast<std::size_t>(own_.size())));
    }
  }

  ~HypreIteration() override {
    if (krylov_ != nullptr) {
      (symmetric_ ? SPSOLVE_HYPRE(ParCSRPCGDestroy) : SPSOLVE_HYPRE(ParCSRGMRESDestroy))(krylov_);
    }
    if (multigrid_ != nullptr) SPSOLVE_HYPRE(BoomerAMGDestroy)(multigrid_);
    for (IJ* vector : {&right_, &left_}) {
      if (vector->whole != nullptr) SPSOLVE_HYPRE(IJVectorDestroy)(vector->whole);
    }
    if (matrix_ != nullptr) SPSOLVE_HYPRE(IJMatrixDestroy)(matrix_);
  }

  /// The defaults of BoomerAMG: HMIS, extended+i interpolation, one sweep of l1-Gauss-Seidel.
  void set_up() override {
    check(SPSOLVE_HYPRE(BoomerAMGCreate)(&multigrid_));
    check(SPSOLVE_HYPRE(BoomerAMGSetTol)(multigrid_, 0));
    check(SPSOLVE_HYPRE(BoomerAMGSetMaxIter)(multigrid_, 1));
    check(SPSOLVE_HYPRE(BoomerAMGSetNumFunctions)(multigrid_, static_cast<HYPRE_Int>(unknowns_)));
    const auto solve = reinterpret_cast<HYPRE_PtrToSolverFcn>(SPSOLVE_HYPRE(BoomerAMGSolve));
    const auto set_up = reinterpret_cast<HYPRE_PtrToSolverFcn>(SPSOLVE_HYPRE(BoomerAMGSetup));
    constexpr int most = 2000, restart = 30;
    if (symmetric_) {
      check(SPSOLVE_HYPRE(ParCSRPCGCreate)(ranks_, &krylov_));
      check(SPSOLVE_HYPRE(PCGSetTol)(krylov_, tolerance_));
      check(SPSOLVE_HYPRE(PCGSetMaxIter)(krylov_, most));
      check(SPSOLVE_HYPRE(PCGSetTwoNorm)(krylov_, 1));
      check(SPSOLVE_HYPRE(PCGSetPrecond)(krylov_, solve, set_up, multigrid_));
      check(SPSOLVE_HYPRE(ParCSRPCGSetup)(krylov_, a_, right_.values, left_.values));
    } else {
      check(SPSOLVE_HYPRE(ParCSRGMRESCreate)(ranks_, &krylov_));
      check(SPSOLVE_HYPRE(GMRESSetTol)(krylov_, tolerance_));
      check(SPSOLVE_HYPRE(GMRESSetMaxIter)(krylov_, most));
      check(SPSOLVE_HYPRE(GMRESSetKDim)(krylov_, restart));
      check(SPSOLVE_HYPRE(GMRESSetPrecond)(krylov_, solve, set_up, multigrid_));
      check(SPSOLVE_HYPRE(ParCSRGMRESSetup)(krylov_, a_, right_.values, left_.values));
    }
  }

 private:
  struct IJ {
    HYPRE_IJVector whole = nullptr;
    HYPRE_ParVector values = nullptr;
  };

  std::pair<Index, bool> solve_for(std::vector<double>& column) override {
    set(left_, std::vector<double>(column.size()));
    set(right_, column);
    (symmetric_ ? SPSOLVE_HYPRE(ParCSRPCGSolve) : SPSOLVE_HYPRE(ParCSRGMRESSolve))(
        krylov_, a_, right_.values, left_.values);
    SPSOLVE_HYPRE(ClearAllErrors)();  // of no convergence, which the next lines ask for
    HYPRE_Int steps = 0, converged = 0;
    (symmetric_ ? SPSOLVE_HYPRE(PCGGetNumIterations) : SPSOLVE_HYPRE(GMRESGetNumIterations))(
        krylov_, &steps);
    (symmetric_ ? SPSOLVE_HYPRE(PCGGetConverged) : SPSOLVE_HYPRE(GMRESGetConverged))(krylov_,
                                                                                     &converged);
    check(SPSOLVE_HYPRE(IJVectorGetValues)(left_.whole, static_cast<HYPRE_Int>(rows_.size()),
                                           rows_.data(), column.data()));
    return {steps, converged != 0};
  }

  static void check(int status) {
    if (status == 0) return;
    SPSOLVE_HYPRE(ClearAllErrors)();
    fail(ExitCode::internal, "it returns status {}", status);
  }

  void set(IJ& vector, const std::vector<double>& values) {
    check(SPSOLVE_HYPRE(IJVectorInitialize)(vector.whole));
    check(SPSOLVE_HYPRE(IJVectorSetValues)(vector.whole, static_cast<HYPRE_Int>(rows_.size()),
                                           rows_.data(), values.data()));
    check(SPSOLVE_HYPRE(IJVectorAssemble)(vector.whole));
    check(SPSOLVE_HYPRE(IJVectorGetObject)(vector.whole, reinterpret_cast<void**>(&vector.values)));
  }

  Index unknowns_;
  MPI_Comm ranks_;
  Range own_;
  std::vector<HYPRE_BigInt> rows_;
  HYPRE_IJMatrix matrix_ = nullptr;
  HYPRE_ParCSRMatrix a_ = nullptr;
  IJ right_, left_;
  HYPRE_Solver multigrid_ = nullptr, krylov_ = nullptr;
};

std::unique_ptr<IterativeContender> make(const IterativeSystem& system, const PeerTeam& team) {
  return std::make_unique<HypreIteration>(system, team.team);
}

#else

std::string missing() {
  return "spbench was compiled without HYPRE_parcsr_ls.h (Debian: libhypre-dev)";
}

constexpr decltype(IterativePeer::make) make = nullptr;

#endif

}  // namespace

const IterativePeer hypre_peer{
    "hypre",
    "PCG, of unsymmetric systems GMRES(30), with BoomerAMG as it is by default",
    true,
    missing,
    takes_real_systems,
    make};

}  // namespace spsolve::bench
