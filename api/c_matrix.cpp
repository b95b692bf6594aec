#include <cstddef>

#include "api/c_objects.hpp"

namespace spsolve {

namespace {

constexpr std::size_t least_arrays = offsetof(spsolve_arrays, values) + sizeof(void*);

spsolve_arrays default_arrays() {
  spsolve_arrays arrays{};
  arrays.size = sizeof arrays;
  return arrays;
}

/// The arrays of a program in C as views.
struct Arrays {
  spsolve_storage storage;
  Symmetry symmetry;
  Index rows, columns;
  IndexArray offsets, row_indices, column_indices;
  ValueArray values;
};

constexpr const char* wanted =
    "a matrix needs sizes from 0 on, offsets unless it comes by entries, indices and values";

ValueArray::Type type_of(spsolve_numbers numbers) {
  constexpr ValueArray::Type types[] = {ValueArray::Type::float64, ValueArray::Type::complex128,
                                        ValueArray::Type::float32, ValueArray::Type::complex64};
  return types[word_of(numbers, SPSOLVE_COMPLEX64, "values_are")];
}

Arrays arrays_from_c(const spsolve_arrays* given) {
  if (given == nullptr) fail(ExitCode::input, "there are no arrays");
  const spsolve_arrays c = of_this_version(*given, least_arrays, default_arrays(), "arrays");
  const auto storage = word_of(c.storage, SPSOLVE_BY_ENTRIES, "storage");
  const bool wide_offsets = word_of(c.offsets_are, SPSOLVE_INT32, "offsets_are") == SPSOLVE_INT64;
  const bool wide_indices = word_of(c.indices_are, SPSOLVE_INT32, "indices_are") == SPSOLVE_INT64;
  const Index lines = storage == SPSOLVE_BY_COLUMNS ? c.columns : c.rows;
  const bool by_entries = storage == SPSOLVE_BY_ENTRIES;
  const auto require = [](bool good) {
    if (!good) fail(ExitCode::input, "{}", wanted);
  };
  require(c.rows >= 0 && c.columns >= 0 && countable(lines, 2));
  require(by_entries ? c.entries >= 0 : c.offsets != nullptr);
  Index entries = c.entries;
  if (!by_entries) {
    entries = wide_offsets ? static_cast<const std::int64_t*>(c.offsets)[lines]
                           : static_cast<const std::int32_t*>(c.offsets)[lines];
  }
  const bool has_rows = storage == SPSOLVE_BY_ROWS || c.row_indices != nullptr;
  const bool has_columns = storage == SPSOLVE_BY_COLUMNS || c.column_indices != nullptr;
  require(entries == 0 || (entries > 0 && has_rows && has_columns && c.values != nullptr));
  return {storage,
          word_of(c.symmetry, Symmetry::hermitian, "symmetry"),
          c.rows,
          c.columns,
          {c.offsets, by_entries ? 0 : lines + 1, !wide_offsets},
          {c.row_indices, entries, !wide_indices},
          {c.column_indices, entries, !wide_indices},
          {c.values, entries, type_of(c.values_are)}};
}

Matrix matrix_of(const Arrays& of) {
  switch (of.storage) {
    case SPSOLVE_BY_ROWS:
      return Matrix::from_rows(of.rows, of.columns, of.offsets, of.column_indices, of.values,
                               of.symmetry);
    case SPSOLVE_BY_COLUMNS:
      return Matrix::from_columns(of.rows, of.columns, of.offsets, of.row_indices, of.values,
                                  of.symmetry);
    default:
      return Matrix::from_entries(of.rows, of.columns, of.row_indices, of.column_indices, of.values,
                                  of.symmetry);
  }
}

/// A number of a matrix, or -1 where there is none.
template <typename Number>
std::int64_t number_of(const spsolve_matrix* matrix, const Number& number) {
  if (matrix != nullptr) return number(matrix->matrix);
  refuse("there is no matrix");
  return -1;
}

spsolve_status matrix_from_rows(int64_t rows, int64_t columns, const int64_t* row_offsets,
                                const int64_t* column_indices, const double* values,
                                spsolve_numbers values_are, spsolve_matrix** matrix) {
  spsolve_arrays arrays = default_arrays();
  arrays.rows = rows;
  arrays.columns = columns;
  arrays.offsets = row_offsets;
  arrays.column_indices = column_indices;
  arrays.values = values;
  arrays.values_are = values_are;
  return spsolve_matrix_from_arrays(&arrays, matrix);
}

}  // namespace

}  // namespace spsolve

using spsolve::create;
using spsolve::guarded;
using spsolve::number_of;
using spsolve::refuse;

spsolve_status spsolve_matrix_load(const char* file_or_generator, spsolve_matrix** matrix) {
  if (file_or_generator == nullptr) return refuse(matrix, "no file and no generator is named");
  return create(matrix,
                [&] { return new spsolve_matrix{spsolve::Matrix::load(file_or_generator)}; });
}

spsolve_status spsolve_matrix_from_rows(int64_t rows, int64_t columns, const int64_t* row_offsets,
                                        const int64_t* column_indices, const double* values,
                                        spsolve_matrix** matrix) {
  return spsolve::matrix_from_rows(rows, columns, row_offsets, column_indices, values,
                                   SPSOLVE_REAL64, matrix);
}

spsolve_status spsolve_matrix_from_rows_z(int64_t rows, int64_t columns, const int64_t* row_offsets,
                                          const int64_t* column_indices, const double* values,
                                          spsolve_matrix** matrix) {
  return spsolve::matrix_from_rows(rows, columns, row_offsets, column_indices, values,
                                   SPSOLVE_COMPLEX128, matrix);
}

void spsolve_arrays_init_sized(spsolve_arrays* arrays, std::size_t size) {
  spsolve::write_defaults(arrays, size, spsolve::default_arrays());
}

spsolve_status spsolve_matrix_from_arrays(const spsolve_arrays* arrays, spsolve_matrix** matrix) {
  return create(matrix,
                [&] { return new spsolve_matrix{matrix_of(spsolve::arrays_from_c(arrays))}; });
}

spsolve_status spsolve_matrix_from_own_rows(const spsolve_ranks* ranks, int64_t first_row,
                                            const spsolve_arrays* arrays, spsolve_matrix** matrix) {
  using namespace spsolve;
  if (matrix != nullptr) *matrix = nullptr;
  return guarded([&] {
    const Ranks all = ranks_from_c(ranks);
    const OwnRows own = together(all.team(), [&] {
      if (matrix == nullptr) fail(ExitCode::input, "there is no place to put the new object");
      const Arrays mine = arrays_from_c(arrays);
      if (mine.storage != SPSOLVE_BY_ROWS || first_row < 0 || !countable(1, first_row)) {
        fail(ExitCode::input,
             "own rows come by rows (SPSOLVE_BY_ROWS), from row 0 or one after it");
      }
      return OwnRows{{first_row, first_row + mine.rows},
                     mine.columns,
                     mine.offsets,
                     mine.column_indices,
                     mine.values,
                     mine.symmetry};
    });
    *matrix = new spsolve_matrix{Matrix::from_own_rows(all, own)};
    return SPSOLVE_OK;
  });
}

int spsolve_matrix_is_complex(const spsolve_matrix* matrix) {
  return matrix != nullptr && matrix->matrix.is_complex() ? 1 : 0;
}

int64_t spsolve_matrix_rows(const spsolve_matrix* matrix) {
  return number_of(matrix, [](const spsolve::Matrix& a) { return a.rows(); });
}
int64_t spsolve_matrix_columns(const spsolve_matrix* matrix) {
  return number_of(matrix, [](const spsolve::Matrix& a) { return a.columns(); });
}
int64_t spsolve_matrix_nonzeros(const spsolve_matrix* matrix) {
  return number_of(matrix, [](const spsolve::Matrix& a) { return a.nonzeros(); });
}
void spsolve_matrix_free(spsolve_matrix* matrix) {
  delete matrix;
}
