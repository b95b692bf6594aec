#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/table.hpp"
#include "core/statistics.hpp"
#include "core/types.hpp"
#include "eliminate/eliminate.hpp"

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
  Statistics eliminate;           ///< seconds from the dense matrix to the factors
  Statistics total;               ///< and through the solution of one right-hand side
  double backward_error = 0;      ///< normwise, without refinement
  double gemm_gflops = 0;         ///< rate of a large matrix product measured in the same run
  std::optional<double> speedup;  ///< median over rounds of the first peer's total / own total

  /// 2/3 n^3 / median total, 10^9 a second.
  double gflops() const;
};

/// The columns of `spbench eliminate`.
std::span<const Column<EliminationRow>> elimination_columns();

struct EliminationPlan {
  std::vector<Index> orders;
  std::vector<Method> methods{Method::lu};
  std::vector<Index> blocks{0};  ///< 0: chosen by itself
  Pivoting pivoting = Pivoting::automatic;
  Precision precision = Precision::float64;
  bool peers = true;
  int threads = 1;
  int samples = 5;
};

/// What one elimination took, and how good its answer is.
struct EliminationRun {
  double eliminate = 0;  ///< seconds from the dense matrix to the factors; 0: not told
  double total = 0;      ///< seconds through the solution of one right-hand side
  double backward_error = 0;
};

/// An elimination or a peer: its words in the table, and what runs it on the system
/// random_dense:ORDER:seed=SEED with the right-hand side random_multivector(order, 1, seed).
struct EliminationContender {
  EliminationRow row;
  bool peer = false;
  std::function<EliminationRun(Index seed)> run;
};

/// Where eliminations are timed.
class EliminationContest {
 public:
  virtual ~EliminationContest() = default;

  /// Those that `plan` asks for; the first peer is the one that others are compared with.
  virtual std::vector<EliminationContender> contenders(const EliminationPlan& plan,
                                                       Index order) = 0;

  /// The rate of a large matrix product in double, 10^9 flops a second.
  virtual double gemm_gflops() = 0;
};

/// The processors of this host beside LAPACK's dgesv.
class HostContest final : public EliminationContest {
 public:
  std::vector<EliminationContender> contenders(const EliminationPlan& plan, Index order) override;
  double gemm_gflops() override;

 private:
  std::shared_ptr<const struct HostSystem> system(Index order, Index seed);

  std::shared_ptr<const HostSystem> latest_;
};

/// The contenders of this program that `plan` asks for, their runs still empty.
std::vector<EliminationContender> own_contenders(const EliminationPlan& plan, Index order,
                                                 BandMemory memory,
                                                 std::vector<EliminationChoice>& choices);

/// Eliminates random matrices, uniform in [-1, 1). In every round each method and peer runs once,
/// one after another on the same system, so that the machine's moods meet all of them alike.
std::vector<EliminationRow> sample_eliminations(EliminationContest& contest,
                                                const EliminationPlan& plan);

}  // namespace spsolve::bench
