#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/bench/multiply/multiply_bench.hpp"
#include "distribute/halo/halo_device.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "team/team.hpp"

namespace spsolve::bench {

/// The columns of `spbench multiply` over several ranks.
Columns distributed_columns();

/// Measures every kernel of the plan on one matrix, which lies in bands, in one round; each rank
/// compares its rows with the serial product of them. `make_backend` is called
/// for each number of threads. Every rank gets all rows. Collective.
std::vector<Row> sample_distributed(
    Team& team, const std::string& name, const BandedMatrix& matrix, const MultiplyPlan& plan,
    const std::function<std::unique_ptr<ProductBackend>(int threads)>& make_backend);

}  // namespace spsolve::bench
