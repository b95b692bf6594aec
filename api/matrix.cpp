#include "spsolve/matrix.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/plain_text.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "process/forks.hpp"

namespace spsolve {

namespace {

// Every user of this library has a matrix.
[[maybe_unused]] const bool forks_are_prepared = prepare_for_forks();

/// Throws unless there is one value for each place.
void require_equal(std::size_t places, std::size_t values) {
  if (places == values) return;
  fail(ExitCode::input,
       "a matrix with {} column indices and {} values: give one of each for every "
       "entry",
       places, values);
}

Matrix made_of(Coo entries) {
  for (Index k = 0; k < entries.entries(); ++k) {
    const Index i = entries.row[k], j = entries.column[k];
    if (i < 0 || i >= entries.rows || j < 0 || j >= entries.columns) {
      fail(ExitCode::input, "entry {} lies at row {}, column {} of a {} x {} matrix; count from 0",
           k, i, j, entries.rows, entries.columns);
    }
    if (!std::isfinite(entries.value[k])) {
      fail(ExitCode::input, "entry {}, at row {}, column {}, is not a finite number", k, i, j);
    }
  }
  return Matrix(std::make_shared<const Csr<double>>(csr_from_coo(std::move(entries))));
}

}  // namespace

Matrix::Matrix() : csr_(std::make_shared<const Csr<double>>()) {}

Matrix Matrix::load(const std::string& file_or_generator) {
  require_whole_name("a matrix", file_or_generator);
  return Matrix(std::make_shared<const Csr<double>>(load_matrix(file_or_generator)),
                means_generator(file_or_generator) ? file_or_generator : std::string());
}

Matrix Matrix::from_rows(Index rows, Index columns, std::span<const Index> row_offsets,
                         std::span<const Index> column_indices, std::span<const double> values) {
  require_equal(column_indices.size(), values.size());
  const auto nonzeros = static_cast<Index>(values.size());
  bool ascending = rows >= 0 && static_cast<Index>(row_offsets.size()) == rows + 1 &&
                   row_offsets.front() == 0 && row_offsets.back() == nonzeros;
  for (Index i = 0; ascending && i < rows; ++i) ascending = row_offsets[i] <= row_offsets[i + 1];
  if (!ascending) {
    fail(ExitCode::input,
         "row_offsets must be {} numbers that ascend from 0 to {}, the number of values", rows + 1,
         nonzeros);
  }
  Coo entries;
  entries.rows = rows;
  entries.columns = columns;
  entries.column.assign(column_indices.begin(), column_indices.end());
  entries.value.assign(values.begin(), values.end());
  for (Index i = 0; i < rows; ++i) {
    entries.row.insert(entries.row.end(),
                       static_cast<std::size_t>(row_offsets[i + 1] - row_offsets[i]), i);
  }
  return made_of(std::move(entries));
}

Matrix Matrix::from_entries(Index rows, Index columns, std::span<const Index> row_indices,
                            std::span<const Index> column_indices, std::span<const double> values) {
  require_equal(column_indices.size(), values.size());
  require_equal(row_indices.size(), values.size());
  Coo entries;
  entries.rows = rows;
  entries.columns = columns;
  entries.row.assign(row_indices.begin(), row_indices.end());
  entries.column.assign(column_indices.begin(), column_indices.end());
  entries.value.assign(values.begin(), values.end());
  return made_of(std::move(entries));
}

Index Matrix::rows() const {
  return csr_->rows;
}
Index Matrix::columns() const {
  return csr_->columns;
}
Index Matrix::nonzeros() const {
  return csr_->nonzeros();
}
std::span<const double> Matrix::values() const {
  return csr_->values;
}

}  // namespace spsolve
