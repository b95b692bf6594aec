#pragma once

#include <string>
#include <vector>

#include "apps/bench/contest.hpp"
#include "matrix/coo.hpp"

namespace spsolve::bench {

/// The columns of `spbench convert`.
Columns conversion_columns();

struct ConversionPlan {
  std::vector<int> threads{1};
  SamplingOptions sampling;
  double most_steps = 2e10;  ///< quadratic conversions that need more steps are refused
};

/// Samples every conversion of the table on `entries` with every thread count, in turns.
std::vector<Row> sample_conversions(const std::string& name, const Coo& entries,
                                    const ConversionPlan& plan);

}  // namespace spsolve::bench
