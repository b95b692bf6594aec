#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bench/table.hpp"
#include "core/statistics.hpp"
#include "core/timer.hpp"
#include "core/types.hpp"
#include "dense/choice.hpp"
#include "solve/inverse.hpp"

namespace spsolve::bench {

/// One row of results: an elimination of this program, or a peer, on one random system.
struct EliminationRow {
  Index order = 0;
  std::string device;  ///< host or cuda
  std::string method;  ///< lu, gauss, gauss_jordan; or the peer: dgesv, cusolver_getrf, ...
  std::string pivoting;
  std::string precision;
  Index block = 0;  ///< of lu
  int threads = 1;
  int ranks = 1;                     ///< that share the matrix
  std::string transport = "none";    ///< how rows travel between them
  Statistics eliminate;              ///< seconds from the dense matrix to the factors
  Statistics total;                  ///< and through the solution of one right-hand side
  double backward_error = 0;         ///< normwise, without refinement
  double gemm_gflops = 0;            ///< rate of a rank's large matrix product in the same run
  std::optional<double> speedup;     ///< median over rounds of the first peer's total / own total
  double shift = 0;                  ///< of the random matrices, see EliminationPlan
  std::string factors;               ///< float or double: what x was solved with; empty: not told
  std::optional<int> steps;          ///< of refinement in mixed precision, the most of the rounds
  std::optional<double> condition;   ///< estimate of ||A|| ||A^-1||, infinity norms, first round
  std::optional<LuSeconds> seconds;  ///< medians of the parts

  /// 2/3 n^3 / median total, 10^9 a second, by all ranks and by each of them.
  double gflops() const;
  double gflops_per_rank() const { return gflops() / ranks; }
};

/// The columns of `spbench eliminate`.
std::span<const Column<EliminationRow>> elimination_columns();

struct EliminationPlan {
  std::vector<Index> orders;
  std::vector<Method> methods{Method::lu};
  std::vector<Index> blocks{0};  ///< 0: chosen by itself
  Pivoting pivoting = Pivoting::automatic;
  std::vector<Precision> precisions{Precision::float64};
  /// Matrices are uniform in [-1, 1) with shift sqrt(n / 3) added to the diagonal: see
  /// shifted_diagonal().
  double shift = 0;
  bool condition = false;  ///< whether condition numbers are estimated, outside of the time
  bool peers = true;
  int threads = 1;
  int samples = 5;
};

/// The shift that is added to the diagonal of a matrix of order n: shift sqrt(n / 3), as sqrt(n /
/// 3) is the radius of the disk that the eigenvalues of a matrix uniform in [-1, 1) fill. With z =
/// shift > 1 the singular values lie, for large n, between the roots of (sqrt(1 + 8 z^2) -+ 3)^3 /
/// (8 (sqrt(1 + 8 z^2) -+ 1)) times that radius (Bai and Silverstein, Annals of Probability 26,
/// 1998), so that the 2-norm condition number does not depend on n: 4.8 for z = 2, 190 for z =
/// 1.05, 4e3 for z = 1.007; without a shift it is about 2 n and varies much.
double shifted_diagonal(double shift, Index order);

/// The times of one elimination, and the quality of its answer.
struct BenchRun {
  /// Seconds from the dense matrix to the factors, and in mixed precision through their trial; 0:
  /// not told.
  double eliminate = 0;
  double total = 0;  ///< seconds through the solution of one right-hand side
  double backward_error = 0;
  std::string factors;
  std::optional<int> steps;
  std::optional<double> condition;
  std::optional<LuSeconds> seconds;
};

/// An elimination or a peer: its words in the table, and what runs it on the system
/// random_dense:ORDER:seed=SEED, shifted, with the right-hand side random_multivector(order, 1,
/// seed).
struct EliminationContender {
  EliminationRow row;
  bool peer = false;
  std::function<BenchRun(Index seed)> run;
};

/// Where eliminations are timed. Over several ranks every call, those of contenders included, is
/// collective, and rank 0's results count.
class EliminationContest {
 public:
  virtual ~EliminationContest() = default;

  /// The contenders that `plan` asks for; the first peer is the one that others are compared with.
  virtual std::vector<EliminationContender> contenders(const EliminationPlan& plan,
                                                       Index order) = 0;

  /// The rate of a large matrix product in double, 10^9 flops a second, the mean of the ranks where
  /// each makes one of its own.
  virtual double gemm_gflops() = 0;
};

/// The processors of this host compared with LAPACK's dgesv.
class HostContest final : public EliminationContest {
 public:
  std::vector<EliminationContender> contenders(const EliminationPlan& plan, Index order) override;
  double gemm_gflops() override;

 private:
  std::shared_ptr<const struct HostSystem> system(Index order, Index seed, double shift);

  std::shared_ptr<const HostSystem> latest_;
};

/// The contenders of this program that `plan` asks for on so many ranks, their runs still empty.
std::vector<EliminationContender> own_contenders(const EliminationPlan& plan, Index order,
                                                 MemoryKind memory,
                                                 std::vector<EliminationChoice>& choices,
                                                 int ranks = 1);

/// Eliminates the matrix that `inverse` has prepared, solves for b, and takes the figures that a
/// run tells of it in addition to its backward error. `begun` runs since the elimination began.
/// Collective.
void time_elimination(Inverse& inverse, const Vectors& b, Vectors& x, const Timer& begun,
                      BenchRun& run);

/// ||A|| ||A^-1|| in the infinity norm for ||A|| = `norm`, by estimate_one_norms(). Collective.
double estimated_condition(SystemMatrix& matrix, Inverse& inverse, double norm);

/// Eliminates random matrices. In every round each method and peer runs once,
/// one after another on the same system, so that the machine's moods meet all of them alike.
std::vector<EliminationRow> sample_eliminations(EliminationContest& contest,
                                                const EliminationPlan& plan);

}  // namespace spsolve::bench
