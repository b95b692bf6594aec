#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bench/sampling.hpp"
#include "apps/bench/table.hpp"
#include "matrix/coo.hpp"
#include "matrix/formats/conversions.hpp"

namespace spsolve::bench {

/// One row of results.
struct ConversionRow {
  std::string matrix;
  Index rows = 0, columns = 0, entries = 0;
  Conversion conversion;
  int threads = 1;
  std::optional<Sampled> sampled;
  std::int64_t bytes = 0;         ///< of the result
  std::string refused;            ///< why there are no samples
  std::optional<double> speedup;  ///< seconds of the quadratic way to the same format / own seconds
};

/// The columns of `spbench convert`.
std::span<const Column<ConversionRow>> conversion_columns();

struct ConversionPlan {
  std::vector<int> threads{1};
  SamplingOptions sampling;
  double most_steps = 2e10;  ///< quadratic conversions that need more steps are refused
};

/// Samples every conversion of the table on `entries` with every thread count.
std::vector<ConversionRow> sample_conversions(
    const std::string& name, const Coo& entries, const ConversionPlan& plan,
    const std::function<void(const ConversionRow&)>& on_row);

}  // namespace spsolve::bench
