#include "matrix/compressed_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "matrix/convert.hpp"

namespace spsolve::inline matrix {

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

/// Whether low <= value <= high, of an integer of any type.
template <typename T>
bool is_within(T value, Index low, Index high) {
  if constexpr (std::is_integral_v<T>) {
    return std::cmp_greater_equal(value, low) && std::cmp_less_equal(value, high);
  } else {
    return false;
  }
}

/// Copies numbers that `good` takes; hands back the place of the first one that it does not, or
/// `none`.
template <typename To, typename Good>
Index copy_checked(const Numbers& from, To* to, const Good& good) {
  return visit_numbers(from, [&](const auto& at) {
    Index first_bad = none;
#pragma omp parallel for schedule(static) reduction(min : first_bad) if (from.count > 10000)
    for (Index k = 0; k < from.count; ++k) {
      const auto value = at(k);
      if (!good(value)) first_bad = std::min(first_bad, k);
      to[k] = static_cast<To>(value);
    }
    return first_bad;
  });
}

void require_integers(const Numbers& numbers, std::string_view what, const std::string& name) {
  if (is_integer(numbers.type)) return;
  fail(ExitCode::input, "{}: {} are of type {}; they must be integers", name, what,
       spsolve::name(numbers.type));
}

void require_sizes(Index rows, Index columns, const std::string& name) {
  if (rows < 0 || columns < 0) {
    fail(ExitCode::input, "{}: a matrix of {} x {} cannot be", name, rows, columns);
  }
  if (columns > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::resources, "{}: the matrix has {} columns, and spsolve handles at most {}", name,
         columns, std::numeric_limits<LocalIndex>::max());
  }
}

/// Indices of `what` below `size`; entries are counted from `before` on, here and below.
template <typename To>
std::vector<To> checked_indices(const Numbers& numbers, Index size, std::string_view what,
                                const std::string& name, Index before = 0) {
  std::vector<To> indices(static_cast<std::size_t>(numbers.count));
  const Index bad = copy_checked(numbers, indices.data(),
                                 [size](auto value) { return is_within(value, 0, size - 1); });
  if (bad != none) {
    visit_numbers(numbers, [&](const auto& at) {
      fail(ExitCode::input,
           "{}: entry {} has the {} index {}, which must be from 0 to {} in a matrix of so many "
           "{}s",
           name, before + bad, what, at(bad), size - 1, what);
    });
  }
  return indices;
}

/// Of complex numbers the parts in turn.
std::vector<double> checked_values(const Numbers& numbers, const std::string& name,
                                   Index before = 0) {
  const Numbers parts = numbers.in_parts();
  std::vector<double> values(static_cast<std::size_t>(parts.count));
  const Index bad = copy_checked(
      parts, values.data(), [](auto value) { return std::isfinite(static_cast<double>(value)); });
  if (bad != none) {
    fail(ExitCode::input, "{}: the value of entry {}, counted from 0, is not finite", name,
         before + (has_two_parts(numbers.type) ? bad / 2 : bad));
  }
  return values;
}

/// Gives a list of entries their values.
void set_values(Coo& list, std::vector<double>&& values, NumberType type) {
  list.is_complex = has_two_parts(type);
  if (!list.is_complex) {
    list.value = std::move(values);
    return;
  }
  const std::size_t count = values.size() / 2;
  list.value.resize(count);
  list.imaginary.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    list.value[k] = values[2 * k];
    list.imaginary[k] = values[2 * k + 1];
  }
}

[[noreturn]] void fail_offsets(Index entries, const std::string& name) {
  fail(ExitCode::input, "{}: offsets must ascend from 0 to {}, the number of entries", name,
       entries);
}

std::vector<Index> checked_offsets(const Numbers& numbers, Index entries, const std::string& name) {
  std::vector<Index> offsets(static_cast<std::size_t>(numbers.count));
  const Index bad = copy_checked(numbers, offsets.data(),
                                 [entries](auto value) { return is_within(value, 0, entries); });
  const bool ascending = bad == none && offsets.front() == 0 && offsets.back() == entries &&
                         std::ranges::is_sorted(offsets);
  if (!ascending) fail_offsets(entries, name);
  return offsets;
}

void require_equal(Index places, Index values, std::string_view what, const std::string& name) {
  if (places == values) return;
  fail(ExitCode::input, "{}: there are {} values for {} {} indices", name, values, places, what);
}

/// The numbers of the lines of which the entries are.
std::vector<Index> lines_of(const std::vector<Index>& offsets) {
  std::vector<Index> lines(static_cast<std::size_t>(offsets.back()));
  const auto count = static_cast<Index>(offsets.size()) - 1;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < count; ++i) {
    std::fill(lines.begin() + offsets[i], lines.begin() + offsets[i + 1], i);
  }
  return lines;
}

bool rows_ascend(const Csr<double>& matrix) {
  bool ascending = true;
#pragma omp parallel for schedule(static) reduction(&& : ascending)
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto columns = matrix.row_columns(i);
    ascending =
        ascending && std::ranges::adjacent_find(columns, std::greater_equal<>{}) == columns.end();
  }
  return ascending;
}

/// Sums of duplicates may overflow.
Csr<double> compressed(Coo&& entries, const std::string& name) {
  Csr<double> matrix = csr_from_coo(std::move(entries));
  const auto bad =
      std::ranges::find_if_not(matrix.values, [](double v) { return std::isfinite(v); });
  if (bad == matrix.values.end()) return matrix;
  fail(ExitCode::input,
       "{}: entries that are named more than once add up to where no double "
       "holds them",
       name);
}

}  // namespace

namespace {

/// The rows with these offsets, of entries from `before` on.
Csr<double> rows_of(const StoredRows& stored, std::vector<Index>&& offsets, Index before,
                    const std::string& name) {
  const Index entries = offsets.back();
  Csr<double> matrix;
  matrix.rows = static_cast<Index>(offsets.size()) - 1;
  matrix.columns = stored.columns;
  matrix.row_offsets = std::move(offsets);
  matrix.column_indices = checked_indices<LocalIndex>(stored.indices.part(before, entries),
                                                      stored.columns, "column", name, before);
  matrix.values = checked_values(stored.values.part(before, entries), name, before);
  if (!has_two_parts(stored.values.type) && rows_ascend(matrix)) return matrix;
  Coo list{matrix.rows, matrix.columns, Symmetry::general, {}, {}, {}};
  list.row = lines_of(matrix.row_offsets);
  list.column.assign(matrix.column_indices.begin(), matrix.column_indices.end());
  set_values(list, std::move(matrix.values), stored.values.type);
  return compressed(std::move(list), name);
}

}  // namespace

void check_counts(const CompressedArrays& arrays, const std::string& name) {
  require_sizes(arrays.rows, arrays.columns, name);
  const std::string_view line = arrays.by_columns ? "column" : "row";
  const std::string_view index = arrays.by_columns ? "row" : "column";
  require_equal(arrays.indices.count, arrays.values.count, index, name);
  require_integers(arrays.offsets, "offsets", name);
  const Index lines = arrays.by_columns ? arrays.columns : arrays.rows;
  if (arrays.offsets.count - 1 != lines) {
    fail(ExitCode::input, "{}: there are {} offsets, and {} {}s need {}", name,
         arrays.offsets.count, lines, line, static_cast<std::uint64_t>(lines) + 1);
  }
  require_integers(arrays.indices, fmt::format("indices of {}s", index), name);
}

void check_counts(const EntryArrays& arrays, const std::string& name) {
  require_sizes(arrays.rows, arrays.columns, name);
  require_equal(arrays.row.count, arrays.values.count, "row", name);
  require_equal(arrays.column.count, arrays.values.count, "column", name);
  require_integers(arrays.row, "indices of rows", name);
  require_integers(arrays.column, "indices of columns", name);
}

Index check_offsets(const Numbers& part, Range allowed, Index entries, const std::string& name) {
  return visit_numbers(part, [&](const auto& at) {
    Index before = allowed.first;
    for (Index k = 0; k < part.count; ++k) {
      if (!is_within(at(k), before, allowed.last)) fail_offsets(entries, name);
      before = static_cast<Index>(at(k));
    }
    return before;
  });
}

void check_indices(const Numbers& part, Index size, std::string_view what, const std::string& name,
                   Index before) {
  checked_indices<Index>(part, size, what, name, before);
}

double check_values(const Numbers& part, const std::string& name, Index before) {
  double largest = 0;
  for (const double value : checked_values(part, name, before)) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

StoredRows stored_rows(const CompressedArrays& arrays, const std::string& name) {
  check_counts(arrays, name);
  return {arrays.rows, arrays.columns, checked_offsets(arrays.offsets, arrays.values.count, name),
          arrays.indices, arrays.values};
}

Csr<double> csr_from_rows(StoredRows&& stored, Range wanted, const std::string& name) {
  if (wanted.size() != stored.rows) return csr_from_rows(std::as_const(stored), wanted, name);
  return rows_of(stored, std::move(stored.offsets), 0, name);
}

Csr<double> csr_from_rows(const StoredRows& stored, Range wanted, const std::string& name) {
  const Index before = stored.offsets[wanted.first];
  std::vector<Index> offsets;
  offsets.reserve(static_cast<std::size_t>(wanted.size()) + 1);
  for (Index i = wanted.first; i <= wanted.last; ++i) {
    offsets.push_back(stored.offsets[i] - before);
  }
  return rows_of(stored, std::move(offsets), before, name);
}

Csr<double> csr_from_arrays(const CompressedArrays& arrays, const std::string& name) {
  if (!arrays.by_columns) {
    return csr_from_rows(stored_rows(arrays, name), {0, arrays.rows}, name);
  }
  check_counts(arrays, name);
  const std::vector<Index> offsets = checked_offsets(arrays.offsets, arrays.values.count, name);
  Coo entries{arrays.rows, arrays.columns, Symmetry::general, {}, {}, {}};
  entries.row = checked_indices<Index>(arrays.indices, arrays.rows, "row", name);
  entries.column = lines_of(offsets);
  set_values(entries, checked_values(arrays.values, name), arrays.values.type);
  return compressed(std::move(entries), name);
}

Csr<double> csr_from_entries(const EntryArrays& arrays, const std::string& name) {
  check_counts(arrays, name);
  Coo entries{arrays.rows, arrays.columns, Symmetry::general, {}, {}, {}};
  entries.row = checked_indices<Index>(arrays.row, arrays.rows, "row", name);
  entries.column = checked_indices<Index>(arrays.column, arrays.columns, "column", name);
  set_values(entries, checked_values(arrays.values, name), arrays.values.type);
  return compressed(std::move(entries), name);
}

}  // namespace spsolve::matrix
