#include "io/binary/dense_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "io/binary/dense_archive.hpp"
#include "io/binary/mat.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/number_text.hpp"
#include "io/binary/petsc.hpp"
#include "io/binary/zip.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline io {

bool DenseFile::is_one(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path, "a matrix");
  const auto object = petsc_object(file.text());
  if (is_mat(file.text())) return !is_sparse_mat(file.text(), path.string());
  return is_npy(file.text()) || (object && *object != PetscObject::matrix) ||
         is_number_text(file.text()) || is_array_archive(file.text(), path.string());
}

bool DenseFile::takes(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path, "a matrix");
  return is_zip(file.text()) || is_mat(file.text()) || is_one(path);
}

DenseFile::DenseFile(const std::filesystem::path& path)
    : name_(path.string()), file_(MappedFile::open(path, "an array")) {
  parse(file_.text());
}

DenseFile::DenseFile(std::string_view bytes, const std::string& name)
    : name_(name), file_(MappedFile::buffer(0)) {
  parse(bytes);
}

void DenseFile::parse(std::string_view bytes) {
  if (is_number_text(bytes)) {
    parse_text(bytes);
  } else if (is_zip(bytes)) {
    parse_archive(bytes);
  } else if (is_mat(bytes)) {
    is_mapped_ = false;
    file_ = npy_of_mat(bytes, name_);
    parse_npy_array(file_.text());
  } else if (is_npy(bytes)) {
    parse_npy_array(bytes);
  } else {
    dense_ = petsc_dense(bytes, name_);
  }
  constexpr Index most_columns = std::numeric_limits<LocalIndex>::max();
  if (dense_.columns > most_columns) {
    fail(ExitCode::input, "{}: has {} columns, and at most {} are read; transpose or split it",
         name_, dense_.columns, most_columns);
  }
}

void DenseFile::parse_archive(std::string_view bytes) {
  is_mapped_ = false;
  file_ = npy_of_archive(bytes, name_);
  parse_npy_array(file_.text());
}

void DenseFile::parse_text(std::string_view text) {
  is_mapped_ = false;
  const NumberText array = read_number_text(text, name_);
  const std::span<const double> values(array.values);
  file_ = MappedFile::copy({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  dense_.rows = array.rows;
  dense_.columns = array.columns;
  dense_.numbers = {file_.text().data(), static_cast<Index>(values.size()), NumberType::float64};
}

void DenseFile::stand_up(Index rows) {
  if (rows > 1 && dense_.rows == 1 && dense_.columns == rows) {
    std::swap(dense_.rows, dense_.columns);
  }
}

void DenseFile::parse_npy_array(std::string_view bytes) {
  const NpyArray array = parse_npy(bytes, name_);
  if (array.shape.empty() || array.shape.size() > 2) {
    fail(ExitCode::input, "{}: an array of {} dimensions; vectors and matrices have one or two",
         name_, array.shape.size());
  }
  dense_.rows = array.shape[0];
  dense_.columns = array.shape.size() == 2 ? array.shape[1] : 1;
  dense_.by_columns = array.fortran;
  dense_.numbers = array.numbers(name_);
}

void DenseFile::read_rows(Range rows, double* to, Index parts) const {
  const Index columns = dense_.columns;
  const Index in_file = is_complex() ? complex_parts : 1;
  const Index row_step = in_file * (dense_.by_columns ? 1 : columns);
  const Index column_step = in_file * (dense_.by_columns ? dense_.rows : 1);
  constexpr Index none = std::numeric_limits<Index>::max();
  Index bad = none;
  if (in_file > parts) fail(ExitCode::internal, "{}: complex numbers read as real ones", name_);
  visit_numbers(dense_.numbers.in_parts(), [&](const auto& at) {
#pragma omp parallel for schedule(static) reduction(min : bad) if (rows.size() * columns > 10000)
    for (Index i = rows.first; i < rows.last; ++i) {
      bool finite = true;
      for (Index part = 0; part < parts; ++part) {
        double* const row = to + ((i - rows.first) * parts + part) * columns;
        if (part >= in_file) {
          std::fill_n(row, columns, 0.0);
          continue;
        }
        for (Index c = 0; c < columns; ++c) {
          row[c] = static_cast<double>(at(i * row_step + c * column_step + part));
          finite = finite && std::isfinite(row[c]);
        }
      }
      if (!finite) bad = std::min(bad, i);
    }
  });
  if (bad == none) return;
  const double* const row = to + (bad - rows.first) * parts * columns;
  const auto place =
      std::find_if_not(row, row + parts * columns, [](double v) { return std::isfinite(v); });
  fail(ExitCode::input, "{}: the element at row {}, column {}, counted from 0, is not finite",
       name_, bad, (place - row) % columns);
}

Dense<double> DenseFile::read() const {
  const Index parts = is_complex() ? complex_parts : 1;
  Dense<double> whole(parts * dense_.rows, dense_.columns);
  read_rows({0, dense_.rows}, whole.values.data(), parts);
  return whole;
}

NpyWriter::NpyWriter(const std::filesystem::path& path, Index rows, Index columns, bool complex)
    : file_(path) {
  file_.write(npy_front(complex ? "<c16" : "<f8", columns != 1,
                        columns == 1 ? std::vector{rows} : std::vector{rows, columns}));
}

void NpyWriter::write(std::span<const double> values) {
  file_.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void NpyWriter::commit() {
  file_.commit();
}

}  // namespace spsolve::io
