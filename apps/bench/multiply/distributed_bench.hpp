#pragma once

#include <string>
#include <vector>

#include "apps/bench/multiply/multiply_bench.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "team/team.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::bench {

/// The columns of `spbench multiply` over several ranks.
Columns distributed_columns();

/// Measures every kernel of the plan on one matrix, which lies in bands, in one round; each rank
/// compares its rows with the serial product of them, computed in `memory`. Every rank gets all
/// rows. Collective.
std::vector<Row> sample_distributed(Team& team, const std::string& name, const BandedMatrix& matrix,
                                    const MultiplyPlan& plan, const VectorMemory& memory);

}  // namespace spsolve::bench
