#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/table.hpp"
#include "core/statistics.hpp"
#include "core/types.hpp"
#include "eliminate/options.hpp"

namespace spsolve::bench {

/// One row of results: an elimination of this program, or a peer, on one random system.
struct EliminationRow {
  Index order = 0;
  std::string method;  ///< lu, gauss, gauss_jordan; or the peer: dgesv
  std::string pivoting;
  std::string precision;
  Index block = 0;  ///< of lu
  int threads = 1;
  Statistics eliminate;           ///< seconds from the dense matrix to the factors
  Statistics total;               ///< and through the solution of one right-hand side
  double backward_error = 0;      ///< normwise, without refinement
  double gemm_gflops = 0;         ///< rate of a large matrix product measured in the same run
  std::optional<double> speedup;  ///< median over rounds of dgesv's total / own total

  /// 2/3 n^3 / median total, 10^9 a second.
  double gflops() const;
};

/// The columns of `spbench eliminate`.
std::span<const Column<EliminationRow>> elimination_columns();

struct EliminationPlan {
  std::vector<Index> orders;
  std::vector<Method> methods{Method::lu};
  std::vector<Index> blocks{0};  ///< 0: chosen by itself
  Precision precision = Precision::float64;
  bool peers = true;
  int threads = 1;
  int samples = 5;
};

/// Eliminates random matrices, uniform in [-1, 1). In every round each method and peer runs once,
/// one after another on the same system, so that the machine's moods meet all of them alike.
std::vector<EliminationRow> sample_eliminations(const EliminationPlan& plan);

}  // namespace spsolve::bench
