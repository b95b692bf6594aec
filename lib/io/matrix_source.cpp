#include "io/matrix_source.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "io/binary/dense_archive.hpp"
#include "io/binary/dense_file.hpp"
#include "io/binary/mat.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/npz.hpp"
#include "io/binary/petsc.hpp"
#include "io/binary/zip.hpp"
#include "io/files/inflater.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_market/text_stream.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline io {

namespace {

/// Sizes up to these can be planned with: products of two of them with a few bytes stay below 2^63.
void check_size(const std::string& name, const MatrixMarketHeader& header) {
  constexpr Index most_rows = Index{1} << 40;
  constexpr Index most_columns = std::numeric_limits<LocalIndex>::max();
  constexpr Index most_entries = Index{1} << 48;
  if (header.rows > most_rows || header.columns > most_columns || header.entries > most_entries) {
    fail(ExitCode::resources,
         "{}: its header declares {} x {} and {} entries, and spsolve handles at most {} rows, {} "
         "columns and {} entries; correct the size line",
         name, header.rows, header.columns, header.entries, most_rows, most_columns, most_entries);
  }
  const std::int64_t most_text =
      header.compressed ? header.file_bytes * static_cast<std::int64_t>(io::Inflater::most_growth)
                        : header.file_bytes;
  if (header.entries > most_text) {
    fail(
        ExitCode::input,
        "{}: its size line stands for {} entries, more than its {} bytes can hold; the file is cut "
        "off, or its size line is wrong",
        name, header.entries, header.file_bytes);
  }
}

enum class Kind { text, npz, petsc, mat, dense };

Kind kind_of(std::string_view bytes, const std::string& name) {
  if (io::is_zip(bytes)) return io::is_array_archive(bytes, name) ? Kind::dense : Kind::npz;
  if (io::is_npy(bytes)) return Kind::dense;
  if (io::is_mat(bytes)) return io::is_sparse_mat(bytes, name) ? Kind::mat : Kind::dense;
  const auto object = io::petsc_object(bytes);
  if (!object) return Kind::text;
  return *object == io::PetscObject::matrix ? Kind::petsc : Kind::dense;
}

MatrixShape binary_shape(std::string_view bytes, const std::string& name) {
  switch (kind_of(bytes, name)) {
    case Kind::npz:
      return io::npz_shape(bytes, name);
    case Kind::petsc:
      return io::petsc_shape(bytes, name);
    case Kind::mat:
      return io::mat_shape(bytes, name);
    default:
      break;
  }
  const io::DenseFile file(bytes, name);
  const Index elements = file.rows() * file.columns();
  const MatrixShape shape{
      file.rows(), file.columns(), elements, elements, static_cast<std::int64_t>(bytes.size()),
      false};
  return file.is_complex() ? of_real_form(shape) : shape;
}

/// The elements of an array that are not zero.
Csr<double> sparse_rows(const io::DenseFile& file) {
  const Index parts = file.is_complex() ? complex_parts : 1;
  Csr<double> matrix;
  matrix.rows = file.rows();
  matrix.columns = file.columns();
  std::vector<double> row(static_cast<std::size_t>(parts * file.columns())), imaginary;
  for (Index i = 0; i < file.rows(); ++i) {
    file.read_rows({i, i + 1}, row.data(), parts);
    for (Index j = 0; j < file.columns(); ++j) {
      const double im = parts > 1 ? row[file.columns() + j] : 0;
      if (row[j] == 0 && im == 0) continue;
      matrix.column_indices.push_back(static_cast<LocalIndex>(j));
      matrix.values.push_back(row[j]);
      if (parts > 1) imaginary.push_back(im);
    }
    matrix.row_offsets.push_back(static_cast<Index>(matrix.values.size()));
  }
  if (parts == 1) return matrix;
  Csr<double> t = matrix;
  t.values = std::move(imaginary);
  return real_form(matrix, t);
}

Csr<double> read_binary(std::string_view bytes, const std::string& name) {
  switch (kind_of(bytes, name)) {
    case Kind::npz:
      return io::read_npz(bytes, name);
    case Kind::petsc:
      return io::read_petsc(bytes, name);
    case Kind::mat:
      return io::read_mat(bytes, name);
    default:
      return sparse_rows(io::DenseFile(bytes, name));
  }
}

}  // namespace

void write_matrix(const std::filesystem::path& path, const Csr<double>& matrix,
                  std::string_view comment, bool complex) {
  if (path.extension() == ".npz") return io::write_npz(path, matrix, complex);
  if (path.extension() == ".petsc") return io::write_petsc(path, matrix, complex);
  write_matrix_market(path, matrix, comment, complex);
}

bool means_generator(const std::string& name) {
  std::error_code none;
  return is_generator_spec(name) || (name.find(':') != std::string::npos &&
                                     !std::filesystem::exists(io::MappedFile::file_of(name), none));
}

bool is_binary(const std::string& file) {
  return kind_of(io::MappedFile::open(file).text(), file) != Kind::text;
}

bool is_sparse_binary(const std::string& file) {
  const Kind kind = kind_of(io::MappedFile::open(file).text(), file);
  return kind == Kind::npz || kind == Kind::petsc;
}

MatrixShape describe_matrix(const std::string& name) {
  if (means_generator(name)) return generated_shape(name);
  if (const auto file = io::MappedFile::open(name); kind_of(file.text(), name) != Kind::text) {
    return binary_shape(file.text(), name);
  }
  const MatrixMarketHeader header = read_header(name);
  check_size(name, header);
  const auto with_parts = [&](const MatrixShape& shape) {
    return header.is_complex() ? of_real_form(shape) : shape;
  };
  const Index mirrored = header.symmetry == Symmetry::general ? 1 : 2;
  // Of gzip data a piece is held, and what it is parsed to, at most six times as much.
  constexpr auto held = static_cast<std::int64_t>(7 * io::TextStream::largest_piece);
  return with_parts({header.rows, header.columns, header.entries, mirrored * header.entries,
                     header.compressed ? std::min(held, 7 * header.text_bytes) : header.text_bytes,
                     header.format == MatrixMarketFormat::coordinate});
}

void require_real_matrix(const std::string& name, Index parts, std::string_view what) {
  if (parts == 1) return;
  fail(ExitCode::input,
       "{}: the matrix is complex, and {} takes real ones; spmtx convert --real-form writes the "
       "real "
       "matrix of twice the order",
       name, what);
}

Csr<double> load_matrix(const std::string& name) {
  LoadedMatrix matrix = load_real_form(name);
  require_real_matrix(name, matrix.parts, "this");
  return std::move(matrix.rows);
}

LoadedMatrix load_real_form(const std::string& name) {
  if (means_generator(name)) return {generate_matrix(name), generated_shape(name).parts};
  if (const auto file = io::MappedFile::open(name); kind_of(file.text(), name) != Kind::text) {
    return {read_binary(file.text(), name), binary_shape(file.text(), name).parts};
  }
  Coo entries = read_matrix_market(name);
  const Index parts = entries.is_complex ? complex_parts : 1;
  LoadedMatrix matrix{csr_from_coo(std::move(entries)), parts};
  check_sums(name, matrix.rows, [parts](ElementPlace place) -> ElementPlace {
    return {place.row / parts, place.column / parts};
  });
  return matrix;
}

}  // namespace spsolve::io
