#include "choice/iteration_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/tuning.hpp"
#include "matrix/facts/diagonal_probe.hpp"
#include "matrix/facts/elliptic.hpp"
#include "sparse/ordering/ordering.hpp"

namespace spsolve::inline choice {

namespace {

/// Counts non-zeros off the diagonal.
bool is_like_a_solid(const Csr<double>& matrix) {
  Index most = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    most = std::max(most, matrix.row_offsets[i + 1] - matrix.row_offsets[i] - 1);
  }
  const double mean = static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows) - 1;
  return has_degrees_of_solids(mean, static_cast<double>(most));
}

/// Seconds of what is not shared out to the threads evenly.
double held_up(int threads) {
  return std::pow(std::max(1, threads), -host_tuning.power_of_threads);
}

/// At least so many seconds of an elimination.
struct SecondsOfElimination {
  double analysis = 0;     ///< once
  double of_a_system = 0;  ///< factors and estimates
};

SecondsOfElimination seconds_of_factors(double flops, double entries, double analysis,
                                        bool estimates, int threads) {
  return {
      analysis,
      predicted_seconds(flops, static_cast<Index>(entries), threads) +
          (estimates ? host_tuning.seconds_of_entry_in_estimates * entries * held_up(threads) : 0)};
}

double seconds_of_analysis(const Csr<double>& matrix, int threads) {
  const bool dissects = matrix.rows > host_tuning.most_by_minimum_degree;
  return (host_tuning.seconds_of_analysed_nonzero * static_cast<double>(matrix.nonzeros()) +
          (dissects ? host_tuning.seconds_of_analysed_row * static_cast<double>(matrix.rows) : 0)) *
         held_up(threads);
}

SecondsOfElimination seconds_of_elimination(const Csr<double>& matrix, bool symmetric,
                                            bool estimates, int threads) {
  const auto n = static_cast<double>(matrix.rows);
  const auto nonzeros = static_cast<double>(matrix.nonzeros());
  const double analysis = seconds_of_analysis(matrix, threads);
  constexpr double least_width = 0.5;  // of a solid: 0.75 of grid3d, 2.8 of grid3d27
  if (static_cast<double>(width_of_graph(matrix)) < least_width * std::cbrt(n * n)) {
    return {analysis, analysis};
  }
  // Grids of 7 points come to 2.4 n^2 flops and 4.6 n^(4/3) entries of L; more neighbours to more.
  const double neighbours = (nonzeros / n - 1) / 6;
  const double halves = symmetric ? 1 : 2;
  const double flops = halves * 2.4 * n * n * std::pow(neighbours, 0.8);
  const double entries = halves * 4.6 * std::pow(n, 4.0 / 3) * std::sqrt(neighbours);
  return seconds_of_factors(flops, entries, analysis, estimates, threads);
}

/// The same with has_hubs(): what is eliminated last is dense, 0.24 n rows of power_law:8000:4.
SecondsOfElimination seconds_with_hubs(const Csr<double>& matrix, bool symmetric, bool estimates,
                                       int threads) {
  const double core = 0.2 * static_cast<double>(matrix.rows), halves = symmetric ? 1 : 2;
  return seconds_of_factors(halves * core * core * core / 3, halves * core * core / 2,
                            seconds_of_analysis(matrix, threads), estimates, threads);
}

}  // namespace

bool looks_elliptic(const Csr<double>& matrix, double sign) {
  constexpr double dominance = 0.95, most_rows = 0.95;
  const EllipticRows rows = elliptic_rows(matrix, dominance, sign);
  return rows.positive &&
         static_cast<double>(rows.count) >= most_rows * static_cast<double>(matrix.rows);
}

Index width_of_graph(const Csr<double>& matrix) {
  Index widest = 0;
  LocalIndex start = 0;
  std::vector<LocalIndex> level, next;
  for (int round = 0; round < 2; ++round) {
    std::vector<char> seen(static_cast<std::size_t>(matrix.rows), 0);
    widest = 0;
    level.assign(matrix.rows > 0 ? 1 : 0, start);
    if (!level.empty()) seen[start] = 1;
    while (!level.empty()) {
      widest = std::max(widest, static_cast<Index>(level.size()));
      start = level.back();
      next.clear();
      for (const LocalIndex row : level) {
        for (const LocalIndex column : matrix.row_columns(row)) {
          if (seen[column] != 0) continue;
          seen[column] = 1;
          next.push_back(column);
        }
      }
      std::swap(level, next);
    }
  }
  return widest;
}

bool has_hubs(const Csr<double>& matrix) {
  constexpr double share_in_hubs = 0.15;
  const double mean = static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows) - 1;
  Index in_hubs = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    const Index neighbours = matrix.row_offsets[i + 1] - matrix.row_offsets[i] - 1;
    if (static_cast<double>(neighbours) > 2 * mean) in_hubs += neighbours;
  }
  return mean >= host_tuning.degree_of_solids &&
         static_cast<double>(in_hubs) >= share_in_hubs * mean * static_cast<double>(matrix.rows);
}

IterationEstimate estimate_iteration(const Csr<double>& matrix, const SymmetryFacts& facts,
                                     bool estimates, int threads, Index systems) {
  constexpr int steps = 8;
  constexpr double hopeless = 0.35, slowest = 0.67;
  const bool hubs = has_hubs(matrix);
  if (!hubs && (systems > 1 || !is_like_a_solid(matrix))) return {};
  // -A is looked at where the diagonal is negative.
  const bool negative = facts.nearly_symmetric && !facts.positive_diagonal;
  if (negative && !elliptic_rows(matrix, 0, -1).positive) return {};
  const double rate = probe_diagonal(matrix, steps, hopeless).rate();
  if (rate > slowest) return {};
  const auto units = static_cast<double>(matrix.nonzeros() + 5 * matrix.rows);
  IterationEstimate iteration;
  iteration.negative = negative;
  iteration.method = facts.nearly_symmetric ? Method::cg : Method::bicgstab;
  const double sign = negative ? -1 : 1;
  if (!hubs && facts.nearly_symmetric && matrix.rows >= host_tuning.least_order_for_multigrid &&
      looks_elliptic(matrix, sign)) {
    iteration.steps = host_tuning.steps_of_trial;
    iteration.seconds = (host_tuning.seconds_of_setup + host_tuning.seconds_of_iteration +
                         (estimates ? host_tuning.seconds_of_estimates : 0)) *
                        std::pow(0.5, -host_tuning.power_of_threads) * units * held_up(threads);
  } else {
    // Incomplete factors take a third of the steps of the diagonal, and a step three times as long.
    const double expected = host_tuning.logarithm_of_steps / -std::log(std::max(rate, 1e-3));
    const double of_step = facts.nearly_symmetric ? host_tuning.seconds_of_symmetric_step
                                                  : host_tuning.seconds_of_unsymmetric_step;
    const bool diagonal = hubs && facts.nearly_symmetric;
    if (diagonal) iteration.preconditioner = Preconditioner::jacobi;
    iteration.steps = std::min(host_tuning.steps_of_trial,
                               static_cast<Index>((diagonal ? 3 : 1) * expected) + 10);
    iteration.seconds = ((diagonal ? 0 : host_tuning.seconds_of_incomplete) +
                         expected * of_step * (estimates ? 1 : 0.25)) *
                        units * held_up(threads);
  }
  const bool symmetric = facts.nearly_symmetric;
  const SecondsOfElimination elimination =
      hubs ? seconds_with_hubs(matrix, symmetric, estimates, threads)
           : seconds_of_elimination(matrix, symmetric, estimates, threads);
  const auto count = static_cast<double>(systems);
  const bool pays =
      count * iteration.seconds <=
      host_tuning.worthwhile_estimate * (elimination.analysis + count * elimination.of_a_system);
  return pays ? iteration : IterationEstimate{};
}

IterationEstimate estimate_iteration_on_gpu(const MatrixShape& shape, bool estimates) {
  if (shape.rows < gpu_tuning.least_order_for_iteration) return {};
  return {Method::cg, host_tuning.steps_of_trial,
          seconds_of_multigrid_on_gpus(shape, 1, estimates)};
}

double seconds_of_multigrid_on_gpus(const MatrixShape& shape, int gpus, bool estimates) {
  const auto units = static_cast<double>(shape.nonzeros + 5 * shape.rows);
  return gpu_tuning.seconds_of_setup * units / gpus + gpu_tuning.seconds_of_solves +
         (estimates ? gpu_tuning.seconds_of_estimates : 0);
}

}  // namespace spsolve::choice
