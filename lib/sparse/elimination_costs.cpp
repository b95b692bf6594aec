#include "sparse/elimination_costs.hpp"

#include <algorithm>
#include <limits>

#include "core/tuning.hpp"
#include "sparse/ordering/ordering.hpp"

namespace spsolve::inline sparse {

double EliminationCosts::of_threshold() const {
  constexpr double of_first = 4;  // it takes so many times as long
  return of_first * predicted_seconds(flops, numbers, 1);
}

bool EliminationCosts::threshold_is_soon() const {
  constexpr double soon = 1;
  return of_threshold() <= soon;
}

bool EliminationCosts::is_too_small_to_try() const {
  constexpr int few_steps = 8;
  return memory == MemoryKind::gpu && !over_ranks &&
         of_threshold() < few_steps * gpu_tuning.seconds_of_gmres_step;
}

int EliminationCosts::most_steps() const {
  constexpr int few_steps = 6, unbounded = std::numeric_limits<int>::max();
  if (memory == MemoryKind::gpu || over_ranks) return unbounded;
  const double of_step =
      host_tuning.seconds_of_entry_in_estimates * static_cast<double>(std::max<Index>(1, numbers));
  const double steps = of_threshold() / of_step;
  return steps < unbounded ? std::max(few_steps, static_cast<int>(steps)) : unbounded;
}

double EliminationCosts::of_matching(Index rows_and_nonzeros) {
  return host_tuning.seconds_of_matched_entry * static_cast<double>(rows_and_nonzeros);
}

double EliminationCosts::of_gmres(int steps) const {
  constexpr int solves = 2;  // one is refined
  const double of_step = memory == MemoryKind::gpu
                             ? solves * gpu_tuning.seconds_of_gmres_step
                             : host_tuning.seconds_of_entry_in_gmres * static_cast<double>(numbers);
  return steps * of_step;
}

bool EliminationCosts::is_mostly_gmres(int steps) const {
  constexpr double most = 4;
  return memory == MemoryKind::gpu ||
         of_gmres(steps) >= most * predicted_seconds(flops, numbers, 1);
}

}  // namespace spsolve::sparse
