#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/bench/contest.hpp"
#include "core/timer.hpp"
#include "core/types.hpp"
#include "dense/choice.hpp"
#include "solve/inverse.hpp"

namespace spsolve::bench {

/// The columns of `spbench eliminate`.
Columns elimination_columns();

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

/// Where eliminations are timed. Over several ranks every call, those of contenders included, is
/// collective.
class EliminationContest {
 public:
  virtual ~EliminationContest() = default;

  /// The contenders that `plan` asks for; the first peer is the one that others are compared with.
  /// Their turns are on the system random_dense:ORDER:seed=ROUND, shifted, with the right-hand side
  /// random_multivector(order, 1, ROUND).
  virtual std::vector<Contender> contenders(const EliminationPlan& plan, Index order) = 0;

  /// The rate of a large matrix product in double, 10^9 flops a second, the mean of the ranks where
  /// each makes one of its own.
  virtual double gemm_gflops() = 0;
};

/// The processors of this host compared with LAPACK's dgesv.
class HostContest final : public EliminationContest {
 public:
  std::vector<Contender> contenders(const EliminationPlan& plan, Index order) override;
  double gemm_gflops() override;

 private:
  struct HostSystem& system(Index order, Index seed, double shift);

  std::shared_ptr<HostSystem> latest_;
};

/// The contenders of this program that `plan` asks for on so many ranks; turn_of() makes their
/// turns.
std::vector<Contender> own_contenders(
    const EliminationPlan& plan, Index order, MemoryKind memory, int ranks,
    const std::function<std::function<void(Turn&)>(const EliminationChoice&)>& turn_of);

/// A library's solver with partial pivoting.
Contender dense_peer(const std::string& device, const std::string& method, Precision precision,
                     std::function<void(Turn&)> turn);

/// Eliminates the matrix that `inverse` has prepared, solves for b, and takes the figures that a
/// run tells of it in addition to its backward error. `begun` runs since the elimination began.
/// Collective.
void time_elimination(Inverse& inverse, const Vectors& b, Vectors& x, const Timer& begun,
                      Turn& turn);

/// The figures of refinement in mixed precision; one round in double is worth knowing of.
void set_mixed(Row& row, int steps, bool fell_back);

/// ||A|| ||A^-1|| in the infinity norm for ||A|| = `norm`, by estimate_one_norms(). Collective.
double estimated_condition(SystemMatrix& matrix, Inverse& inverse, double norm);

/// Eliminates random matrices, each method and peer in turns. A refusal ends the contest.
std::vector<Row> sample_eliminations(Team& team, EliminationContest& contest,
                                     const EliminationPlan& plan);

}  // namespace spsolve::bench
