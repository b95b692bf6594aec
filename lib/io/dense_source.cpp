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
  if (io::DenseFile::is_one(path)) {
    const io::DenseFile file(path);
    return {file.rows(), file.columns()};
  }
  const MatrixMarketHeader header = read_header(path);
  return {header.rows, header.columns};
}

DenseShape describe_columns(const fs::path& path, Index rows) {
  if (io::DenseFile::is_one(path)) {
    io::DenseFile file(path);
    file.stand_up(rows);
    return {file.rows(), file.columns()};
  }
  const MatrixMarketHeader header = read_header(path);
  if (lies_down(header, rows)) return {header.columns, header.rows};
  return {header.rows, header.columns};
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
  if (!io::DenseFile::is_one(path)) return read_dense(path);
  const io::DenseFile file(path);
  if (!io::fits_in_memory(file.rows(), file.columns())) {
    fail(ExitCode::resources, "{}: its {} x {} elements do not fit into memory", path.string(),
         file.rows(), file.columns());
  }
  return file.read();
}

std::string array_file_problem(const fs::path& path, Index columns) {
  if (path.extension() != ".petsc" || columns == 1) return "";
  return fmt::format("{}: a vector of PETSc has one column, not {}; name a file that ends in .npy",
                     path.string(), columns);
}

std::unique_ptr<io::ArrayFile> make_array_file(const fs::path& path, Index rows, Index columns,
                                               std::string_view comment) {
  if (path.extension() == ".npy") return std::make_unique<io::NpyWriter>(path, rows, columns);
  if (path.extension() == ".petsc") {
    if (const std::string problem = array_file_problem(path, columns); !problem.empty()) {
      throw Error(ExitCode::input, problem);
    }
    return std::make_unique<io::PetscVectorWriter>(path, rows);
  }
  return std::make_unique<ArrayWriter>(path, rows, columns, comment);
}

void write_dense(const fs::path& path, const Dense<double>& matrix, std::string_view comment) {
  const auto file = make_array_file(path, matrix.rows, matrix.columns, comment);
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
