#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "matrix/coo.hpp"
#include "matrix/csr.hpp"
#include "matrix/formats/ellpack.hpp"

namespace spsolve::inline matrix {

/// The conversions of Capotombolo, Zarrelli 2023, section 2, from a list of entries. The rules of
/// csr_from_coo() for duplicates, mirrored entries and the order of sums hold for all, and their
/// results are the same, bit for bit, for every number of threads.

/// By scanning: every row looks at all entries for its own, rows in parallel. The published first
/// version, kept as the baseline of the benchmark. Cost: rows * entries.
/// Throws Error(resources) where a column does not fit LocalIndex.
Csr<double> csr_by_scanning(const Coo& coo);
Ellpack<double> ellpack_by_scanning(const Coo& coo);  ///< and padding_problem()'s refusal
UnpaddedEllpack<double> unpadded_ellpack_by_scanning(const Coo& coo);

/// Through csr_from_coo(), whose arrays become the result's. Cost: linear.
UnpaddedEllpack<double> unpadded_ellpack_from_coo(const Coo& coo);

/// The cost and the result of one run of a conversion.
struct ConversionResult {
  double seconds = 0;
  std::int64_t bytes = 0;  ///< of the result
};

/// One row of the table of conversions.
struct Conversion {
  std::string_view name;  ///< unique
  std::string_view from;
  std::string_view to;
  std::string_view sentence;
  bool quadratic;  ///< takes rows * entries steps: small matrices only
  /// Converts `coo` with OpenMP's number of threads and frees the result outside of the time.
  ConversionResult (*run)(const Coo& coo);
};

/// All conversions; the benchmark and the tests read this table.
std::span<const Conversion> conversions();

}  // namespace spsolve::matrix
