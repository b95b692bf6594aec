#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/ranges.hpp"
#include "io/files/array_file.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/mapped_file.hpp"
#include "matrix/dense.hpp"
#include "matrix/numbers.hpp"

// Dense arrays of files of which any rows can be read alone.

namespace spsolve::inline io {

/// Where the elements of an array of rows x columns are.
struct DenseNumbers {
  Index rows = 0, columns = 0;
  Numbers numbers;
  bool by_columns = false;  ///< column after column, else row after row
};

/// A file of numpy (.npy, of one or two dimensions), of PETSc (a vector or a dense matrix); or of
/// plain text (NumberText), numpy's archive (.npz) or MATLAB (.mat), which are read whole at once.
class DenseFile {
 public:
  /// Whether the file is of that kind, by its first bytes or line, and no sparse matrix. Throws
  /// Error(input) as MappedFile::open.
  static bool is_one(const std::filesystem::path& path);
  /// The same, or a sparse matrix of scipy or MATLAB, which is taken with all its elements.
  static bool takes(const std::filesystem::path& path);

  /// Reads the header. Throws Error(input), one sentence that begins with the file's name.
  explicit DenseFile(const std::filesystem::path& path);
  /// Reads the header of bytes in memory; throws likewise.
  DenseFile(std::string_view bytes, const std::string& name);

  Index rows() const { return dense_.rows; }
  Index columns() const { return dense_.columns; }
  bool is_complex() const { return has_two_parts(dense_.numbers.type); }
  std::size_t bytes() const { return file_.text().size(); }
  bool is_mapped() const { return is_mapped_; }  ///< the numbers lie in the file as they are

  /// One row of `rows` > 1 numbers is from now on a column of them.
  void stand_up(Index rows);

  /// Rows first <= i < last as rows.size() x columns, row-major, in threads. With `parts` =
  /// complex_parts each as two rows, of real and of imaginary parts
  /// (matrix/real_form.hpp), as complex numbers must be. Throws Error(input) where one is
  /// not finite.
  void read_rows(Range rows, double* to, Index parts = 1) const;
  Dense<double> read() const;

 private:
  void parse(std::string_view bytes);
  void parse_text(std::string_view text);
  void parse_npy_array(std::string_view bytes);
  void parse_archive(std::string_view bytes);

  std::string name_;
  MappedFile file_;
  DenseNumbers dense_;
  bool is_mapped_ = true;
};

/// float64, or complex128, in the order of columns; of one column an array of one dimension.
class NpyWriter final : public ArrayFile {
 public:
  NpyWriter(const std::filesystem::path& path, Index rows, Index columns, bool complex = false);
  void write(std::span<const double> values) override;
  void commit() override;

 private:
  AtomicFile file_;
};

}  // namespace spsolve::io
