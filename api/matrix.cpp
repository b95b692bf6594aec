#include "spsolve/matrix.hpp"

#include "api/matrix_of_arrays.hpp"
#include "core/blas/forks.hpp"
#include "core/plain_text.hpp"
#include "io/matrix_source.hpp"
#include "matrix/real_form.hpp"

namespace spsolve {

namespace {

// Every user of this library has a matrix.
[[maybe_unused]] const bool forks_are_prepared = prepare_for_forks();

Numbers numbers_of(const IndexArray& array) {
  return {static_cast<const char*>(array.data()), array.size(),
          array.is_narrow() ? NumberType::int32 : NumberType::int64};
}
Numbers numbers_of(const ValueArray& array) {
  constexpr NumberType types[] = {NumberType::float32, NumberType::float64, NumberType::complex64,
                                  NumberType::complex128};
  return {static_cast<const char*>(array.data()), array.size(),
          types[static_cast<std::size_t>(array.type())]};
}

}  // namespace

Matrix::Matrix(std::shared_ptr<const Csr<double>> csr, std::string generator, bool complex)
    : csr_(std::move(csr)), generator_(std::move(generator)), is_complex_(complex) {
  if (!complex || csr_->rows != csr_->columns) return;
  conjugates_ = matrix::complex_symmetry_of(*csr_).wants_conjugate_rows();
  if (!conjugates_) return;
  Csr<double> form = *csr_;
  conjugate_rows(form);
  csr_ = std::make_shared<const Csr<double>>(std::move(form));
}

Matrix::Matrix(std::shared_ptr<const MatrixBands> bands, Csr<double> own, bool complex,
               bool conjugates)
    : csr_(std::make_shared<const Csr<double>>(std::move(own))),
      is_complex_(complex),
      conjugates_(conjugates),
      bands_(std::move(bands)) {}

Matrix::Matrix() : csr_(std::make_shared<const Csr<double>>()) {}

Matrix Matrix::load(const std::string& file_or_generator) {
  require_whole_name("a matrix", file_or_generator);
  LoadedMatrix loaded = load_real_form(file_or_generator);
  return Matrix(std::make_shared<const Csr<double>>(std::move(loaded.rows)),
                means_generator(file_or_generator) ? file_or_generator : std::string(),
                loaded.parts > 1);
}

Matrix Matrix::from_rows(Index rows, Index columns, const IndexArray& row_offsets,
                         const IndexArray& column_indices, const ValueArray& values,
                         Symmetry symmetry) {
  const CompressedArrays arrays{rows, columns, numbers_of(row_offsets), numbers_of(column_indices),
                                numbers_of(values)};
  return matrix_of(arrays, symmetry);
}

Matrix Matrix::from_columns(Index rows, Index columns, const IndexArray& column_offsets,
                            const IndexArray& row_indices, const ValueArray& values,
                            Symmetry symmetry) {
  const CompressedArrays arrays{
      rows, columns, numbers_of(column_offsets), numbers_of(row_indices), numbers_of(values), true};
  return matrix_of(arrays, symmetry);
}

Matrix Matrix::from_entries(Index rows, Index columns, const IndexArray& row_indices,
                            const IndexArray& column_indices, const ValueArray& values,
                            Symmetry symmetry) {
  const EntryArrays arrays{rows, columns, numbers_of(row_indices), numbers_of(column_indices),
                           numbers_of(values)};
  return matrix_of(arrays, symmetry);
}

Matrix Matrix::from_own_rows(const Ranks& ranks, const OwnRows& own) {
  return matrix_of(ranks, own.rows,
                   {0, own.columns, numbers_of(own.row_offsets), numbers_of(own.column_indices),
                    numbers_of(own.values)},
                   own.symmetry);
}

Index Matrix::rows() const {
  return (bands_ ? bands_->rows.rows : csr_->rows) / (is_complex_ ? complex_parts : 1);
}
Index Matrix::columns() const {
  return csr_->columns / (is_complex_ ? complex_parts : 1);
}
Index Matrix::nonzeros() const {
  const Index all = bands_ ? bands_->nonzeros : csr_->nonzeros();
  return all / (is_complex_ ? complex_parts * complex_parts : 1);
}
std::span<const double> Matrix::values() const {
  if (is_complex_) fail(ExitCode::input, "the matrix is complex; complex_values() has its values");
  return csr_->values;
}
std::vector<std::complex<double>> Matrix::complex_values() const {
  if (!is_complex_) return {csr_->values.begin(), csr_->values.end()};
  const ComplexParts parts = matrix::parts_of(*csr_);
  std::vector<std::complex<double>> values(parts.s.values.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = {parts.s.values[k], parts.t.values[k]};
  return values;
}

}  // namespace spsolve
