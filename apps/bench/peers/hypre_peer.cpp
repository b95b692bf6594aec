// hypre: PCG, of unsymmetric systems GMRES(30), with BoomerAMG (Henson and Yang 2002).

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/iterative_peers.hpp"
#include "apps/bench/peers/mpi_ranks.hpp"
#include "core/error.hpp"
#include "process/shared_library.hpp"

#if __has_include(<HYPRE_parcsr_ls.h>)
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#endif

namespace spsolve::bench {

namespace {

#ifdef HYPRE_RELEASE_VERSION

struct Hypre {
  SharedLibrary library{"libHYPRE-" HYPRE_RELEASE_VERSION ".so", "libHYPRE.so"};

#define SPSOLVE_HYPRE(name) \
  decltype(&HYPRE_##name) name = library.function<decltype(HYPRE_##name)>("HYPRE_" #name)
  SPSOLVE_HYPRE(Init);
  SPSOLVE_HYPRE(ClearAllErrors);
  SPSOLVE_HYPRE(IJMatrixCreate);
  SPSOLVE_HYPRE(IJMatrixSetObjectType);
  SPSOLVE_HYPRE(IJMatrixInitialize);
  SPSOLVE_HYPRE(IJMatrixSetValues);
  SPSOLVE_HYPRE(IJMatrixAssemble);
  SPSOLVE_HYPRE(IJMatrixGetObject);
  SPSOLVE_HYPRE(IJMatrixDestroy);
  SPSOLVE_HYPRE(IJVectorCreate);
  SPSOLVE_HYPRE(IJVectorSetObjectType);
  SPSOLVE_HYPRE(IJVectorInitialize);
  SPSOLVE_HYPRE(IJVectorSetValues);
  SPSOLVE_HYPRE(IJVectorGetValues);
  SPSOLVE_HYPRE(IJVectorAssemble);
  SPSOLVE_HYPRE(IJVectorGetObject);
  SPSOLVE_HYPRE(IJVectorDestroy);
  SPSOLVE_HYPRE(BoomerAMGCreate);
  SPSOLVE_HYPRE(BoomerAMGDestroy);
  SPSOLVE_HYPRE(BoomerAMGSetup);
  SPSOLVE_HYPRE(BoomerAMGSolve);
  SPSOLVE_HYPRE(BoomerAMGSetTol);
  SPSOLVE_HYPRE(BoomerAMGSetMaxIter);
  SPSOLVE_HYPRE(BoomerAMGSetNumFunctions);
  SPSOLVE_HYPRE(ParCSRPCGCreate);
  SPSOLVE_HYPRE(ParCSRPCGDestroy);
  SPSOLVE_HYPRE(ParCSRPCGSetup);
  SPSOLVE_HYPRE(ParCSRPCGSolve);
  SPSOLVE_HYPRE(PCGSetTol);
  SPSOLVE_HYPRE(PCGSetMaxIter);
  SPSOLVE_HYPRE(PCGSetTwoNorm);
  SPSOLVE_HYPRE(PCGSetPrecond);
  SPSOLVE_HYPRE(PCGGetNumIterations);
  SPSOLVE_HYPRE(PCGGetConverged);
  SPSOLVE_HYPRE(ParCSRGMRESCreate);
  SPSOLVE_HYPRE(ParCSRGMRESDestroy);
  SPSOLVE_HYPRE(ParCSRGMRESSetup);
  SPSOLVE_HYPRE(ParCSRGMRESSolve);
  SPSOLVE_HYPRE(GMRESSetTol);
  SPSOLVE_HYPRE(GMRESSetMaxIter);
  SPSOLVE_HYPRE(GMRESSetKDim);
  SPSOLVE_HYPRE(GMRESSetPrecond);
  SPSOLVE_HYPRE(GMRESGetNumIterations);
  SPSOLVE_HYPRE(GMRESGetConverged);
#undef SPSOLVE_HYPRE
};

Hypre& hypre() {
  static Hypre loaded;
  return loaded;
}

std::string missing() {
  return hypre().library.problem();
}

class HypreIteration final : public IterativeContender {
 public:
  HypreIteration(const IterativeSystem& system, Team& team)
      : symmetric_(system.symmetric),
        unknowns_(std::max<Index>(1, system.coordinates.dimensions)),
        tolerance_(system.tolerance),
        ranks_(ranks_for_peer(team.size() > 1)),
        own_(system.bands.band(team.rank())),
        b_(system.b),
        x_(system.b.rows, system.b.columns) {
    static const int begun = hypre().Init();
    check(begun);
    if (system.bands.rows > std::numeric_limits<HYPRE_Int>::max()) {
      fail(ExitCode::input, "it was built for 32-bit numbers");
    }
    const IntRows rows(system.rows, IntRows::Triangle::all);
    const auto first = static_cast<HYPRE_BigInt>(own_.first);
    const auto last = static_cast<HYPRE_BigInt>(own_.last) - 1;
    check(hypre().IJMatrixCreate(ranks_, first, last, first, last, &matrix_));
    check(hypre().IJMatrixSetObjectType(matrix_, HYPRE_PARCSR));
    check(hypre().IJMatrixInitialize(matrix_));
    std::vector<HYPRE_BigInt> numbers, columns(rows.columns.begin(), rows.columns.end());
    std::vector<HYPRE_Int> counts;
    for (Index i = 0; i < own_.size(); ++i) {
      numbers.push_back(static_cast<HYPRE_BigInt>(own_.first + i));
      counts.push_back(rows.offsets[i + 1] - rows.offsets[i]);
    }
    check(hypre().IJMatrixSetValues(matrix_, static_cast<HYPRE_Int>(own_.size()), counts.data(),
                                    numbers.data(), columns.data(), system.rows.values.data()));
    check(hypre().IJMatrixAssemble(matrix_));
    check(hypre().IJMatrixGetObject(matrix_, reinterpret_cast<void**>(&a_)));
    rows_ = std::move(numbers);
    for (IJ* vector : {&right_, &left_}) {
      check(hypre().IJVectorCreate(ranks_, first, last, &vector->whole));
      check(hypre().IJVectorSetObjectType(vector->whole, HYPRE_PARCSR));
      set(*vector, std::vector<double>(static_cast<std::size_t>(own_.size())));
    }
  }
  HypreIteration(const HypreIteration&) = delete;
  HypreIteration& operator=(const HypreIteration&) = delete;

  ~HypreIteration() override {
    if (krylov_ != nullptr) {
      (symmetric_ ? hypre().ParCSRPCGDestroy : hypre().ParCSRGMRESDestroy)(krylov_);
    }
    if (multigrid_ != nullptr) hypre().BoomerAMGDestroy(multigrid_);
    for (IJ* vector : {&right_, &left_}) {
      if (vector->whole != nullptr) hypre().IJVectorDestroy(vector->whole);
    }
    if (matrix_ != nullptr) hypre().IJMatrixDestroy(matrix_);
  }

  /// The defaults of BoomerAMG: HMIS, extended+i interpolation, one sweep of l1-Gauss-Seidel.
  void set_up() override {
    check(hypre().BoomerAMGCreate(&multigrid_));
    check(hypre().BoomerAMGSetTol(multigrid_, 0));
    check(hypre().BoomerAMGSetMaxIter(multigrid_, 1));
    check(hypre().BoomerAMGSetNumFunctions(multigrid_, static_cast<HYPRE_Int>(unknowns_)));
    const auto solve = reinterpret_cast<HYPRE_PtrToSolverFcn>(hypre().BoomerAMGSolve);
    const auto set_up = reinterpret_cast<HYPRE_PtrToSolverFcn>(hypre().BoomerAMGSetup);
    constexpr int most = 2000, restart = 30;
    if (symmetric_) {
      check(hypre().ParCSRPCGCreate(ranks_, &krylov_));
      check(hypre().PCGSetTol(krylov_, tolerance_));
      check(hypre().PCGSetMaxIter(krylov_, most));
      check(hypre().PCGSetTwoNorm(krylov_, 1));
      check(hypre().PCGSetPrecond(krylov_, solve, set_up, multigrid_));
      check(hypre().ParCSRPCGSetup(krylov_, a_, right_.values, left_.values));
    } else {
      check(hypre().ParCSRGMRESCreate(ranks_, &krylov_));
      check(hypre().GMRESSetTol(krylov_, tolerance_));
      check(hypre().GMRESSetMaxIter(krylov_, most));
      check(hypre().GMRESSetKDim(krylov_, restart));
      check(hypre().GMRESSetPrecond(krylov_, solve, set_up, multigrid_));
      check(hypre().ParCSRGMRESSetup(krylov_, a_, right_.values, left_.values));
    }
  }

  void solve() override {
    figures_ = {0, true, {}, {}};
    std::vector<double> column(static_cast<std::size_t>(own_.size()));
    for (Index c = 0; c < b_.columns; ++c) {
      set(left_, column = std::vector<double>(column.size()));
      for (Index i = 0; i < b_.rows; ++i) column[i] = b_(i, c);
      set(right_, column);
      (symmetric_ ? hypre().ParCSRPCGSolve : hypre().ParCSRGMRESSolve)(krylov_, a_, right_.values,
                                                                       left_.values);
      hypre().ClearAllErrors();  // of no convergence, which the next line asks for
      HYPRE_Int steps = 0, converged = 0;
      (symmetric_ ? hypre().PCGGetNumIterations : hypre().GMRESGetNumIterations)(krylov_, &steps);
      (symmetric_ ? hypre().PCGGetConverged : hypre().GMRESGetConverged)(krylov_, &converged);
      figures_.steps = std::max<Index>(figures_.steps, steps);
      figures_.converged = figures_.converged && converged != 0;
      check(hypre().IJVectorGetValues(left_.whole, static_cast<HYPRE_Int>(rows_.size()),
                                      rows_.data(), column.data()));
      for (Index i = 0; i < x_.rows; ++i) x_(i, c) = column[i];
    }
  }

  Dense<double> solution() const override { return x_; }
  IterationFigures figures() const override { return figures_; }

 private:
  struct IJ {
    HYPRE_IJVector whole = nullptr;
    HYPRE_ParVector values = nullptr;
  };

  static void check(int status) {
    if (status == 0) return;
    hypre().ClearAllErrors();
    fail(ExitCode::internal, "it returns status {}", status);
  }

  void set(IJ& vector, const std::vector<double>& values) {
    check(hypre().IJVectorInitialize(vector.whole));
    check(hypre().IJVectorSetValues(vector.whole, static_cast<HYPRE_Int>(rows_.size()),
                                    rows_.data(), values.data()));
    check(hypre().IJVectorAssemble(vector.whole));
    check(hypre().IJVectorGetObject(vector.whole, reinterpret_cast<void**>(&vector.values)));
  }

  bool symmetric_;
  Index unknowns_;
  double tolerance_;
  MPI_Comm ranks_;
  Range own_;
  const Dense<double>& b_;
  Dense<double> x_;
  std::vector<HYPRE_BigInt> rows_;
  HYPRE_IJMatrix matrix_ = nullptr;
  HYPRE_ParCSRMatrix a_ = nullptr;
  IJ right_, left_;
  HYPRE_Solver multigrid_ = nullptr, krylov_ = nullptr;
  IterationFigures figures_;
};

std::unique_ptr<IterativeContender> make(const IterativeSystem& system, Team& team) {
  return std::make_unique<HypreIteration>(system, team);
}

#else

std::string missing() {
  return "spbench was compiled without HYPRE_parcsr_ls.h (Debian: libhypre-dev)";
}

constexpr decltype(IterativePeer::make) make = nullptr;

#endif

}  // namespace

const IterativePeer hypre_peer{
    "hypre", "PCG, of unsymmetric systems GMRES(30), with BoomerAMG as it is by default", missing,
    make};

}  // namespace spsolve::bench
