#include "matrix/formats/conversions.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "matrix/convert.hpp"
#include "matrix/formats/padding.hpp"

namespace spsolve::inline matrix {

namespace {

/// One row while it is put together.
struct ScannedRow {
  std::vector<LocalIndex> columns;
  std::vector<double> values;

  Index length() const { return static_cast<Index>(values.size()); }
};

/// All entries of row i, mirrored ones included, sorted and summed.
ScannedRow scan_row(const Coo& coo, Index i) {
  struct Element {
    Index column;
    double value;
  };
  std::vector<Element> elements;
  const bool mirrored = coo.symmetry != Symmetry::general;
  const double sign = coo.symmetry == Symmetry::skew_symmetric ? -1.0 : 1.0;
  for (Index k = 0; k < coo.entries(); ++k) {
    if (coo.row[k] == i) {
      elements.push_back({coo.column[k], coo.value[k]});
    } else if (mirrored && coo.column[k] == i) {
      elements.push_back({coo.row[k], sign * coo.value[k]});
    }
  }
  std::stable_sort(elements.begin(), elements.end(),
                   [](const Element& a, const Element& b) { return a.column < b.column; });
  ScannedRow row;
  for (const Element& element : elements) {
    const auto column = static_cast<LocalIndex>(element.column);
    if (!row.columns.empty() && row.columns.back() == column) {
      row.values.back() += element.value;
    } else {
      row.columns.push_back(column);
      row.values.push_back(element.value);
    }
  }
  return row;
}

/// Every row by scanning all entries: rows * entries steps.
std::vector<ScannedRow> scan_rows(const Coo& coo) {
  if (coo.columns > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::resources, "the matrix has {} columns, and spsolve handles at most {}",
         coo.columns, std::numeric_limits<LocalIndex>::max());
  }
  std::vector<ScannedRow> rows(coo.rows);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < coo.rows; ++i) rows[i] = scan_row(coo, i);
  return rows;
}

std::int64_t bytes_of(const Csr<double>& matrix) {
  return vector_bytes(matrix.row_offsets) + vector_bytes(matrix.column_indices) +
         vector_bytes(matrix.values);
}
template <typename Format>
std::int64_t bytes_of(const Format& matrix) {
  return matrix.bytes();
}

/// Times convert(coo), a function that hands back a matrix.
template <auto convert>
ConversionResult timed(const Coo& coo) {
  const Timer timer;
  const auto matrix = convert(coo);
  return {timer.seconds(), bytes_of(matrix)};
}

constexpr Conversion conversion_table[] = {
    {"csr_direct", "coo", "csr", "every row scans all entries, rows in parallel", true,
     timed<csr_by_scanning>},
    {"csr_one_pass", "coo", "csr", "counting sort in two parallel steps", false,
     timed<[](const Coo& coo) { return csr_from_coo(coo); }>},
    {"ellpack_direct", "coo", "ellpack", "every row scans all entries, then is padded", true,
     timed<ellpack_by_scanning>},
    {"ellpack_unpadded_direct", "coo", "ellpack_unpadded",
     "every row scans all entries, rows in parallel", true, timed<unpadded_ellpack_by_scanning>},
    {"ellpack_unpadded_one_pass", "coo", "ellpack_unpadded", "counting sort in two parallel steps",
     false, timed<unpadded_ellpack_from_coo>},
};

}  // namespace

Csr<double> csr_by_scanning(const Coo& coo) {
  std::vector<ScannedRow> rows = scan_rows(coo);
  Csr<double> matrix;
  matrix.rows = coo.rows;
  matrix.columns = coo.columns;
  matrix.row_offsets.resize(coo.rows + 1);
  for (Index i = 0; i < coo.rows; ++i) {
    matrix.row_offsets[i + 1] = matrix.row_offsets[i] + rows[i].length();
  }
  matrix.column_indices.resize(matrix.nonzeros());
  matrix.values.resize(matrix.nonzeros());
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < coo.rows; ++i) {
    std::copy(rows[i].columns.begin(), rows[i].columns.end(),
              matrix.column_indices.begin() + matrix.row_offsets[i]);
    std::copy(rows[i].values.begin(), rows[i].values.end(),
              matrix.values.begin() + matrix.row_offsets[i]);
  }
  return matrix;
}

Ellpack<double> ellpack_by_scanning(const Coo& coo) {
  const std::vector<ScannedRow> rows = scan_rows(coo);
  Ellpack<double> matrix;
  matrix.rows = coo.rows;
  matrix.columns = coo.columns;
  Index nonzeros = 0;
  for (const ScannedRow& row : rows) {
    matrix.width = std::max(matrix.width, row.length());
    nonzeros += row.length();
  }
  refuse_padding(matrix.rows, matrix.width, nonzeros, sizeof(double));
  matrix.column_indices.resize(matrix.rows * matrix.width);
  matrix.values.resize(matrix.rows * matrix.width);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < matrix.rows; ++i) {
    const auto end = std::copy(rows[i].columns.begin(), rows[i].columns.end(),
                               matrix.column_indices.begin() + i * matrix.width);
    std::fill(end, matrix.column_indices.begin() + (i + 1) * matrix.width,
              rows[i].columns.empty() ? 0 : rows[i].columns.back());
    std::copy(rows[i].values.begin(), rows[i].values.end(),
              matrix.values.begin() + i * matrix.width);
  }
  return matrix;
}

UnpaddedEllpack<double> unpadded_ellpack_by_scanning(const Coo& coo) {
  return UnpaddedEllpack<double>::from_csr(csr_by_scanning(coo));
}

UnpaddedEllpack<double> unpadded_ellpack_from_coo(const Coo& coo) {
  return UnpaddedEllpack<double>::from_csr(csr_from_coo(coo));
}

std::span<const Conversion> conversions() {
  return conversion_table;
}

}  // namespace spsolve::matrix
