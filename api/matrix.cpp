#include "spsolve/matrix.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/plain_text.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "matrix/real_form.hpp"
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
    const double imaginary = entries.is_complex ? entries.imaginary[k] : 0;
    if (!std::isfinite(entries.value[k]) || !std::isfinite(imaginary)) {
      fail(ExitCode::input, "entry {}, at row {}, column {}, is not a finite number", k, i, j);
    }
  }
  const bool complex = entries.is_complex;
  return Matrix(std::make_shared<const Csr<double>>(csr_from_coo(std::move(entries))), {}, complex);
}

void give_values(Coo& entries, std::span<const double> values) {
  entries.value.assign(values.begin(), values.end());
}
void give_values(Coo& entries, std::span<const std::complex<double>> values) {
  entries.is_complex = true;
  for (const std::complex<double>& value : values) {
    entries.value.push_back(value.real());
    entries.imaginary.push_back(value.imag());
  }
}

template <typename T>
Matrix made_of_rows(Index rows, Index columns, std::span<const Index> row_offsets,
                    std::span<const Index> column_indices, std::span<const T> values) {
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
  give_values(entries, values);
  for (Index i = 0; i < rows; ++i) {
    entries.row.insert(entries.row.end(),
                       static_cast<std::size_t>(row_offsets[i + 1] - row_offsets[i]), i);
  }
  return made_of(std::move(entries));
}

template <typename T>
Matrix made_of_entries(Index rows, Index columns, std::span<const Index> row_indices,
                       std::span<const Index> column_indices, std::span<const T> values) {
  require_equal(column_indices.size(), values.size());
  require_equal(row_indices.size(), values.size());
  Coo entries;
  entries.rows = rows;
  entries.columns = columns;
  entries.row.assign(row_indices.begin(), row_indices.end());
  entries.column.assign(column_indices.begin(), column_indices.end());
  give_values(entries, values);
  return made_of(std::move(entries));
}

}  // namespace

Matrix::Matrix(std::shared_ptr<const Csr<double>> csr, std::string generator, bool complex)
    : csr_(std::move(csr)), generator_(std::move(generator)), is_complex_(complex) {
  if (!complex || csr_->rows != csr_->columns) return;
  conjugates_ = complex_symmetry_of(*csr_).wants_conjugate_rows();
  if (!conjugates_) return;
  Csr<double> form = *csr_;
  conjugate_rows(form);
  csr_ = std::make_shared<const Csr<double>>(std::move(form));
}

Matrix::Matrix() : csr_(std::make_shared<const Csr<double>>()) {}

Matrix Matrix::load(const std::string& file_or_generator) {
  require_whole_name("a matrix", file_or_generator);
  LoadedMatrix loaded = load_real_form(file_or_generator);
  return Matrix(std::make_shared<const Csr<double>>(std::move(loaded.rows)),
                means_generator(file_or_generator) ? file_or_generator : std::string(),
                loaded.parts > 1);
}

Matrix Matrix::from_rows(Index rows, Index columns, std::span<const Index> row_offsets,
                         std::span<const Index> column_indices, std::span<const double> values) {
  return made_of_rows(rows, columns, row_offsets, column_indices, values);
}

Matrix Matrix::from_rows(Index rows, Index columns, std::span<const Index> row_offsets,
                         std::span<const Index> column_indices,
                         std::span<const std::complex<double>> values) {
  return made_of_rows(rows, columns, row_offsets, column_indices, values);
}

Matrix Matrix::from_entries(Index rows, Index columns, std::span<const Index> row_indices,
                            std::span<const Index> column_indices, std::span<const double> values) {
  return made_of_entries(rows, columns, row_indices, column_indices, values);
}

Matrix Matrix::from_entries(Index rows, Index columns, std::span<const Index> row_indices,
                            std::span<const Index> column_indices,
                            std::span<const std::complex<double>> values) {
  return made_of_entries(rows, columns, row_indices, column_indices, values);
}

Index Matrix::rows() const {
  return csr_->rows / (is_complex_ ? complex_parts : 1);
}
Index Matrix::columns() const {
  return csr_->columns / (is_complex_ ? complex_parts : 1);
}
Index Matrix::nonzeros() const {
  return csr_->nonzeros() / (is_complex_ ? complex_parts * complex_parts : 1);
}
std::span<const double> Matrix::values() const {
  if (is_complex_) fail(ExitCode::input, "the matrix is complex; complex_values() has its values");
  return csr_->values;
}
std::vector<std::complex<double>> Matrix::complex_values() const {
  if (!is_complex_) return {csr_->values.begin(), csr_->values.end()};
  const ComplexParts parts = parts_of(*csr_);
  std::vector<std::complex<double>> values(parts.s.values.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = {parts.s.values[k], parts.t.values[k]};
  return values;
}

}  // namespace spsolve
