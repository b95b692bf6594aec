#pragma once

#include <string>
#include <vector>

#include "sparse/analysis/analysis.hpp"
#include "sparse/ranks/proportional_mapping.hpp"

namespace spsolve::inline sparse {

/// The rates that predictions reckon with.
struct RankSpeed {
  std::vector<double> work;  ///< nanoseconds of each front on one rank
  MemoryKind memory = MemoryKind::host;
  double bytes_per_second = 0;    ///< that reach a rank
  double seconds_of_message = 0;  ///< until a short message has come
};
RankSpeed speed_of_hosts(const Fronts& fronts, Factorization kind, int threads);
RankSpeed speed_of_gpus(const Fronts& fronts, Factorization kind);

/// An elimination by so many ranks as it was simulated: each rank's clock goes through its own
/// fronts, and those of a shared front wait for one another.
struct SimulatedElimination {
  double seconds = 0;                   ///< until the last rank is done
  double own_seconds = 0;               ///< of the rank whose own fronts take longest
  double message_seconds = 0;           ///< that the last rank to finish was waiting for messages
  double shared_flops = 0;              ///< of the fronts that several ranks share
  std::int64_t factor_bytes = 0;        ///< of the rank that has most, in double
  std::int64_t contribution_bytes = 0;  ///< to shared fronts, of the rank with most
};
SimulatedElimination simulate(const SparseAnalysis& analysis, Factorization kind, int ranks,
                              const RankSpeed& speed);

/// Lines of text for 1, 2, 4, ... and `most` ranks: memory, seconds, and what limits.
std::string ranks_table(const SparseAnalysis& analysis, Factorization kind, int most,
                        const RankSpeed& speed);

}  // namespace spsolve::sparse
