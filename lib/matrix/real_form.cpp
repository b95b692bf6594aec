#include "matrix/real_form.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/scalar.hpp"
#include "core/worth_threads.hpp"

namespace spsolve::inline matrix {

namespace {

constexpr Index blocks = complex_parts * complex_parts;  ///< numbers of the form to one of A

void require_countable(Index rows, Index columns, Index entries) {
  constexpr Index column_limit = std::numeric_limits<LocalIndex>::max() / complex_parts;
  constexpr Index limit = std::numeric_limits<Index>::max() / blocks;
  if (rows > limit || columns > column_limit || entries > limit) {
    fail(ExitCode::resources,
         "a complex matrix of {} x {} with {} entries; spsolve handles at most {} columns of "
         "complex numbers, and {} rows and entries",
         rows, columns, entries, column_limit, limit);
  }
}

}  // namespace

MatrixShape of_real_form(MatrixShape shape) {
  require_countable(shape.rows, shape.columns, std::max(shape.entries, shape.nonzeros));
  shape.parts = complex_parts;
  shape.rows *= complex_parts;
  shape.columns *= complex_parts;
  shape.nonzeros *= blocks;
  shape.entries *= complex_parts;  // S and T take turns
  return shape;
}

Csr<double> real_form(const Csr<double>& s, const Csr<double>& t) {
  require_countable(s.rows, s.columns, s.nonzeros());
  Csr<double> form;
  form.rows = complex_parts * s.rows;
  form.columns = complex_parts * s.columns;
  form.row_offsets.resize(static_cast<std::size_t>(form.rows) + 1);
  const auto entries = static_cast<std::size_t>(blocks * s.nonzeros());
  form.column_indices.resize(entries);
  form.values.resize(entries);
  form.row_offsets[0] = 0;
#pragma omp parallel for schedule(static) if (worth_threads(s.nonzeros()))
  for (Index i = 0; i < s.rows; ++i) {
    const Index first = s.row_offsets[i], last = s.row_offsets[i + 1];
    Index upper = 4 * first, lower = upper + 2 * (last - first);  // where the two rows begin
    form.row_offsets[2 * i + 1] = lower;
    form.row_offsets[2 * i + 2] = 4 * last;
    for (Index k = first; k < last; ++k) {
      const LocalIndex column = 2 * s.column_indices[k];
      form.column_indices[upper] = form.column_indices[lower] = column;
      form.values[upper++] = s.values[k];
      form.values[lower++] = t.values[k];
      form.column_indices[upper] = form.column_indices[lower] = column + 1;
      form.values[upper++] = 0 - t.values[k];
      form.values[lower++] = s.values[k];
    }
  }
  return form;
}

ComplexParts parts_of(const Csr<double>& form) {
  Csr<double> s;
  s.rows = form.rows / complex_parts;
  s.columns = form.columns / complex_parts;
  s.row_offsets.resize(static_cast<std::size_t>(s.rows) + 1);
  const auto entries = static_cast<std::size_t>(form.nonzeros() / 4);
  s.column_indices.resize(entries);
  s.values.resize(entries);
  std::vector<double> t(entries);
#pragma omp parallel for schedule(static) if (worth_threads(s.nonzeros()))
  for (Index i = 0; i < s.rows; ++i) {
    const Index first = form.row_offsets[2 * i] / 4;
    const Index upper = form.row_offsets[2 * i];
    const Index length = (form.row_offsets[2 * i + 1] - upper) / 2;
    s.row_offsets[i + 1] = first + length;
    for (Index k = 0; k < length; ++k) {
      s.column_indices[first + k] = form.column_indices[upper + 2 * k] / 2;
      s.values[first + k] = form.values[upper + 2 * k];
      t[first + k] = 0 - form.values[upper + 2 * k + 1];
    }
  }
  ComplexParts parts{s, std::move(s)};
  parts.t.values = std::move(t);
  return parts;
}

Csr<double> moduli(const ComplexParts& parts) {
  Csr<double> result = parts.s;
  for (std::size_t k = 0; k < result.values.size(); ++k) {
    result.values[k] = std::hypot(parts.s.values[k], parts.t.values[k]);
  }
  return result;
}

void conjugate_rows(std::span<const Index> row_offsets, std::span<double> values) {
  const Index rows = std::ssize(row_offsets) - 1;
#pragma omp parallel for schedule(static) if (worth_threads(std::ssize(values)))
  for (Index i = 1; i < rows; i += complex_parts) {
    for (Index k = row_offsets[i]; k < row_offsets[i + 1]; ++k) values[k] = -values[k];
  }
}

Dense<double> all_elements(const Csr<double>& matrix, Index parts) {
  Dense<double> all(matrix.rows, matrix.columns / parts);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.row_offsets[i]; k < matrix.row_offsets[i + 1]; ++k) {
      const Index j = matrix.column_indices[k];
      // The numbers in the first column of a complex element's block are its parts.
      if (j % parts == 0) all(i, j / parts) = matrix.values[k];
    }
  }
  return all;
}

void conjugate_rows(Csr<double>& form) {
  conjugate_rows(form.row_offsets, form.values);
}

std::vector<double> real_form_values(std::span<const Index> row_offsets,
                                     std::span<const double> parts) {
  std::vector<double> values(static_cast<std::size_t>(row_offsets.back()));
  const Index rows = std::ssize(row_offsets) - 1;
  const double* next = parts.data();
  for (Index i = 0; i < rows; i += complex_parts) {
    double* upper = values.data() + row_offsets[i];
    double* lower = values.data() + row_offsets[i + 1];
    for (const double* const end = lower; upper < end; next += complex_parts) {
      *upper++ = next[0];
      *upper++ = 0 - next[1];
      *lower++ = next[1];
      *lower++ = next[0];
    }
  }
  return values;
}

void conjugate_rows(Dense<double>& b) {
  for (Index i = 1; i < b.rows; i += complex_parts) {
    for (Index c = 0; c < b.columns; ++c) b(i, c) = -b(i, c);
  }
}

bool has_conjugate_rows(const Csr<double>& rows) {
  for (Index i = 0; i < rows.rows; i += complex_parts) {
    const double* upper = rows.values.data() + rows.row_offsets[i];
    const double* lower = rows.values.data() + rows.row_offsets[i + 1];
    const double* const end = lower;
    for (; upper < end; upper += complex_parts, lower += complex_parts) {
      if (upper[0] != 0) return lower[1] == -upper[0];
      if (upper[1] != 0) return lower[0] == upper[1];
    }
  }
  return false;
}

template <typename T>
RealFormKind real_form_kind(const Csr<T>& matrix) {
  if (matrix.nonzeros() == 0 || matrix.rows % complex_parts + matrix.columns % complex_parts > 0) {
    return RealFormKind::none;
  }
  std::atomic<bool> plain = true, conjugated = true;
  const auto holds = [](const std::atomic<bool>& claim) {
    return claim.load(std::memory_order_relaxed);
  };
#pragma omp parallel for schedule(static) if (worth_threads(matrix.nonzeros()))
  for (Index i = 0; i < matrix.rows; i += complex_parts) {
    if (!holds(plain) && !holds(conjugated)) continue;
    const auto columns = matrix.row_columns(i);
    bool is_pair = columns.size() % complex_parts == 0 &&
                   std::ranges::equal(columns, matrix.row_columns(i + 1));
    bool same = is_pair, opposite = is_pair;  // signs of the second row
    for (std::size_t k = 0; (same || opposite) && k < columns.size(); k += complex_parts) {
      is_pair = columns[k] % complex_parts == 0 && columns[k + 1] == columns[k] + 1;
      const T* const upper = &matrix.row_values(i)[k];
      const T* const lower = &matrix.row_values(i + 1)[k];
      same = same && is_pair && lower[0] == -upper[1] && lower[1] == upper[0];
      opposite = opposite && is_pair && lower[0] == upper[1] && lower[1] == -upper[0];
    }
    if (!same) plain.store(false, std::memory_order_relaxed);
    if (!opposite) conjugated.store(false, std::memory_order_relaxed);
  }
  return plain ? RealFormKind::plain : conjugated ? RealFormKind::conjugated : RealFormKind::none;
}
SPSOLVE_INSTANTIATE_FUNCTION(real_form_kind)

ComplexSymmetry complex_symmetry_of(const Csr<double>& form) {
  if (form.rows != form.columns) return {};
  // a_ij and a_ji, as the rows of real parts tell, until they are neither equal nor conjugates.
  std::atomic<bool> symmetric = true, hermitian = true;
  const auto refute = [](std::atomic<bool>& claim) {
    claim.store(false, std::memory_order_relaxed);
  };
  const auto holds = [](const std::atomic<bool>& claim) {
    return claim.load(std::memory_order_relaxed);
  };
  Index excess = 0;  // entries below the diagonal less those above
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : excess) if ( \
        worth_threads(form.nonzeros()))
  for (Index i = 0; i < form.rows; i += complex_parts) {
    const auto columns = form.row_columns(i);
    const auto values = form.row_values(i);
    for (std::size_t k = 0; k < columns.size(); k += complex_parts) {
      if (!holds(symmetric) && !holds(hermitian)) break;
      const Index j = columns[k];
      excess += j < i ? 1 : j > i ? -1 : 0;
      if (j > i) continue;
      const auto mirrored = form.row_columns(j);
      const auto place = std::lower_bound(mirrored.begin(), mirrored.end(), i) - mirrored.begin();
      const bool has = place < std::ssize(mirrored) && mirrored[place] == i;
      const double* const mirror = has ? &form.row_values(j)[place] : nullptr;
      const bool equal = has && values[k] == mirror[0];
      if (!equal || values[k + 1] != mirror[1]) refute(symmetric);
      if (!equal || values[k + 1] != -mirror[1]) refute(hermitian);
    }
  }
  return {symmetric && excess == 0, hermitian && excess == 0};
}

Dense<double> stacked(const Dense<double>& pairs) {
  const Index columns = pairs.columns / complex_parts;
  Dense<double> result(complex_parts * pairs.rows, columns);
#pragma omp parallel for schedule(static) if (worth_threads(pairs.rows * columns))
  for (Index i = 0; i < pairs.rows; ++i) {
    for (Index c = 0; c < columns; ++c) {
      result(2 * i, c) = pairs(i, 2 * c);
      result(2 * i + 1, c) = pairs(i, 2 * c + 1);
    }
  }
  return result;
}

Dense<double> in_pairs(const Dense<double>& stacked) {
  const Index rows = stacked.rows / complex_parts;
  Dense<double> result(rows, complex_parts * stacked.columns);
#pragma omp parallel for schedule(static) if (worth_threads(rows * stacked.columns))
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < stacked.columns; ++c) {
      result(i, 2 * c) = stacked(2 * i, c);
      result(i, 2 * c + 1) = stacked(2 * i + 1, c);
    }
  }
  return result;
}

}  // namespace spsolve::matrix
