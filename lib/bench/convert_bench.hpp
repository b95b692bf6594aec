#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/sampling.hpp"
#include "bench/table.hpp"
#include "matrix/coo.hpp"

namespace spsolve::bench {

/// A way from one storage format to another.
struct ConversionCase {
  std::string name;      ///< unique
  std::string from, to;  ///< formats
  std::string sentence;
  bool quadratic = false;  ///< rows x entries steps: the published baseline
  /// Converts with as many threads as OpenMP gives, throws the result away.
  std::function<void(const Coo&)> run;
};

/// All conversions that start from a list of entries.
std::vector<ConversionCase> conversion_cases();

/// One row of results.
struct ConversionRow {
  std::string matrix;
  Index rows = 0, columns = 0, entries = 0;
  ConversionCase conversion;
  int threads = 1;
  std::optional<Sampled> sampled;
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

/// Samples every conversion on `entries` with every thread count.
std::vector<ConversionRow> sample_conversions(
    const std::string& name, const Coo& entries, const ConversionPlan& plan,
    const std::function<void(const ConversionRow&)>& on_row);

}  // namespace spsolve::bench
