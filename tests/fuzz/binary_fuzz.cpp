// Any bytes as a file of numpy, scipy, MATLAB or PETSc: a matrix whose indices are in range and
// ascend, an array whose elements are finite, or one Error of the input or of the resources.

#include <cmath>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "fuzz/require.hpp"
#include "io/binary/dense_file.hpp"
#include "io/binary/mat.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/npz.hpp"
#include "io/binary/petsc.hpp"
#include "io/binary/zip.hpp"

namespace {

using namespace spsolve;
using fuzz::require;

/// The result of `read`; none where it refuses.
template <typename Read>
auto attempt(Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    require(error.code() == ExitCode::input || error.code() == ExitCode::resources,
            "an error that is neither the input's nor the resources'");
    require(!std::string(error.what()).empty(), "an error without words");
    return std::nullopt;
  }
}

void check(const Csr<double>& matrix, const MatrixShape& shape) {
  require(matrix.rows == shape.rows && matrix.columns == shape.columns,
          "the header alone says something else");
  require(matrix.nonzeros() <= shape.nonzeros, "more non-zeros than were announced");
  for (Index i = 0; i < matrix.rows; ++i) {
    LocalIndex before = -1;
    for (const LocalIndex column : matrix.row_columns(i)) {
      require(column > before && column < matrix.columns, "columns that do not ascend in range");
      before = column;
    }
  }
  for (const double value : matrix.values) require(std::isfinite(value), "a value without a size");
}

/// Rows and columns cost memory without entries.
bool is_small(Index rows, Index columns) {
  constexpr Index few = 5000;
  return rows < few && columns < few;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto object = io::petsc_object(bytes);
  if (io::is_zip(bytes)) {
    const auto shape = attempt([&] { return io::npz_shape(bytes, "input"); });
    if (!shape || !is_small(shape->rows, shape->columns)) return 0;
    const auto matrix = attempt([&] { return io::read_npz(bytes, "input"); });
    if (matrix) check(*matrix, *shape);
  } else if (io::is_mat(bytes)) {
    const auto is_sparse = attempt([&] { return io::is_sparse_mat(bytes, "input"); });
    if (!is_sparse) return 0;
    if (*is_sparse) {
      const auto shape = attempt([&] { return io::mat_shape(bytes, "input"); });
      if (!shape || !is_small(shape->rows, shape->columns)) return 0;
      const auto matrix = attempt([&] { return io::read_mat(bytes, "input"); });
      if (matrix) check(*matrix, *shape);
    } else if (const auto file =
                   attempt([&] { return std::make_unique<io::DenseFile>(bytes, "input"); })) {
      attempt([&] { return (*file)->read(); });
    }
  } else if (object == io::PetscObject::matrix) {
    const auto shape = attempt([&] { return io::petsc_shape(bytes, "input"); });
    if (!shape || !is_small(shape->rows, shape->columns)) return 0;
    const auto matrix = attempt([&] { return io::read_petsc(bytes, "input"); });
    if (matrix) check(*matrix, *shape);
  } else if (object || io::is_npy(bytes)) {
    const auto file = attempt([&] { return std::make_unique<io::DenseFile>(bytes, "input"); });
    if (!file || !is_small((*file)->rows(), (*file)->columns())) return 0;
    const auto all = attempt([&] { return (*file)->read(); });
    if (!all) return 0;
    for (const double value : all->values) require(std::isfinite(value), "a value without a size");
  }
  return 0;
}
