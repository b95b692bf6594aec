#include "io/dense_source.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/binary/dense_file.hpp"
#include "io/binary/petsc.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_source.hpp"

namespace spsolve::inline io {

namespace fs = std::filesystem;

DenseShape describe_dense(const fs::path& path) {
  if (io::DenseFile::takes(path)) {
    const io::DenseFile file(path);
    return {file.rows(), file.columns(), file.is_complex()};
  }
  const MatrixMarketHeader header = read_header(path);
  return {header.rows, header.columns, header.is_complex()};
}

DenseShape describe_columns(const fs::path& path, Index rows) {
  if (io::DenseFile::takes(path)) {
    io::DenseFile file(path);
    file.stand_up(rows);
    return {file.rows(), file.columns(), file.is_complex()};
  }
  const MatrixMarketHeader header = read_header(path);
  const bool is_complex = header.is_complex();
  if (lies_down(header, rows)) return {header.columns, header.rows, is_complex};
  return {header.rows, header.columns, is_complex};
}

bool lies_down(const MatrixMarketHeader& matrix, Index rows) {
  return rows > 1 && matrix.rows == 1 && matrix.columns == rows &&
         matrix.format == MatrixMarketFormat::array;
}

bool holds_array(const fs::path& path) {
  if (io::DenseFile::is_one(path)) return true;
  return !is_binary(path) && read_header(path).format == MatrixMarketFormat::array;
}

Dense<double> load_dense(const fs::path& path) {
  if (describe_dense(path).is_complex) {
    fail(ExitCode::input,
         "{}: holds complex numbers, and real ones are wanted here; task: solve takes complex ones",
         path.string());
  }
  return load_dense_parts(path);
}

Dense<double> load_dense_parts(const fs::path& path) {
  if (!io::DenseFile::takes(path)) return read_dense(path);
  const io::DenseFile file(path);
  if (!io::fits_in_memory(file.rows(), file.columns())) {
    fail(ExitCode::resources, "{}: its {} x {} elements do not fit into memory", path.string(),
         file.rows(), file.columns());
  }
  return file.read();
}

std::string array_file_problem(const fs::path& path, const DenseShape& shape) {
  if (path.extension() != ".petsc") return "";
  if (shape.is_complex) {
    return fmt::format(
        "{}: complex vectors are not written for PETSc; name a file that ends in .npy",
        path.string());
  }
  if (shape.columns == 1) return "";
  return fmt::format("{}: a vector of PETSc has one column, not {}; name a file that ends in .npy",
                     path.string(), shape.columns);
}

std::unique_ptr<io::ArrayFile> make_array_file(const fs::path& path, const DenseShape& shape,
                                               std::string_view comment) {
  const auto [rows, columns, is_complex] = shape;
  if (path.extension() == ".npy") {
    return std::make_unique<io::NpyWriter>(path, rows, columns, is_complex);
  }
  if (path.extension() == ".petsc") {
    if (const std::string problem = array_file_problem(path, shape); !problem.empty()) {
      throw Error(ExitCode::input, problem);
    }
    return std::make_unique<io::PetscVectorWriter>(path, rows);
  }
  return std::make_unique<ArrayWriter>(path, rows, columns, comment, is_complex);
}

void write_dense(const fs::path& path, const Dense<double>& matrix, std::string_view comment,
                 bool complex) {
  const Index parts = complex ? complex_parts : 1;
  const auto file = make_array_file(path, {matrix.rows / parts, matrix.columns, complex}, comment);
  constexpr Index piece = 1 << 20;
  std::vector<double> values;
  for (Index c = 0; c < matrix.columns; ++c) {
    for (Index first = 0; first < matrix.rows; first += piece) {
      const Index size = std::min(piece, matrix.rows - first);
      values.resize(static_cast<std::size_t>(size));
#pragma omp parallel for schedule(static)
      for (Index i = 0; i < size; ++i) values[i] = matrix(first + i, c);
      file->write(values);
    }
  }
  file->commit();
}

}  // namespace spsolve::io
