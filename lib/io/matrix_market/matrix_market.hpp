#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "core/types.hpp"
#include "io/files/array_file.hpp"
#include "matrix/coo.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "matrix/real_form.hpp"

// Matrix Market files (Boisvert, Pozo, Remington, The Matrix Market exchange formats, NISTIR 5935,
// 1996), plain or gzip; which of both is seen from the content.
//
// Read are `coordinate` and `array` files of the fields real (or `double`), integer (or
// `unsigned-integer`; its values may have a fraction), complex (two numbers) and pattern (every
// entry is 1; coordinate only), general, symmetric and skew-symmetric, complex ones also hermitian.
// Refused by name: other objects
// than `matrix`, Harwell-Boeing and Rutherford-Boeing, archives. Words of the banner may have any
// case. Lines may end in LF or CR LF, the last one in nothing; blank lines and comments (%) may
// stand anywhere after the banner, spaces and tabs around every number. Numbers do not depend on
// the locale and may have a '+' or a Fortran exponent (1.5D+03).
//
// A line may have 2^20 characters, a thousand times as many as the standard allows.
//
// Values must be finite: `nan`, `inf` and numbers that overflow (1e+400) are errors. A number that
// is too small (1e-400) silently becomes the nearest double, subnormal or zero.
//
// Every error is one sentence, "FILE:LINE: expected ..., found '...'; what to do", of the first
// wrong line of the file, whatever the number of threads.

namespace spsolve::inline io {

enum class MatrixMarketFormat {
  coordinate,  ///< one line "row column value" per entry
  array,       ///< one line per element, column by column
};

enum class MatrixMarketField { real, integer, pattern, complex };

/// The words of the banner.
constexpr std::string_view name(MatrixMarketFormat format) {
  return format == MatrixMarketFormat::coordinate ? "coordinate" : "array";
}
constexpr std::string_view name(MatrixMarketField field) {
  constexpr std::string_view words[] = {"real", "integer", "pattern", "complex"};
  return words[static_cast<std::size_t>(field)];
}

/// The facts of the banner and the size line.
struct MatrixMarketHeader {
  MatrixMarketFormat format = MatrixMarketFormat::coordinate;
  MatrixMarketField field = MatrixMarketField::real;
  Symmetry symmetry = Symmetry::general;
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;            ///< values in the file: declared, or (array) what the shape implies
  std::int64_t file_bytes = 0;  ///< of the file as it lies on the disk
  std::int64_t text_bytes = 0;  ///< of the inflated text; of read_header() an estimate by the front
  bool compressed = false;      ///< gzip data

  bool is_complex() const { return field == MatrixMarketField::complex; }
  Index parts() const { return is_complex() ? complex_parts : 1; }  ///< numbers of an entry
};

/// Bytes of comments and blank lines that a file may have beyond what its entries need.
inline constexpr std::size_t most_blank_text = std::size_t{1} << 26;

struct ReadOptions {
  int threads = 0;  ///< 0: as many as OpenMP gives

  /// A file is refused whose text is longer than this and 1024 characters, the most that the
  /// standard gives a line, for each entry that its size line stands for.
  std::size_t blank_text = most_blank_text;

  /// Pieces of text that threads take one after another. The result does not depend on it.
  std::int64_t chunk_bytes = std::int64_t{1} << 20;
};

/// How long a file took.
struct ReadTiming {
  std::int64_t bytes = 0;        ///< of text, after inflation
  double seconds = 0.0;          ///< all, from the name to the result
  double inflate_seconds = 0.0;  ///< the part of it spent on gzip
  int threads = 1;               ///< allowed; a small file keeps fewer busy
};

/// The bytes of a Matrix Market file that are in memory already.
struct MatrixMarketBytes {
  std::string_view bytes;
  std::filesystem::path name;  ///< stands in errors where a file's path does
};

/// Reads banner and size line only; of a gzip file no more is inflated than that needs. A size line
/// that does not come within most_blank_text bytes is missing.
/// Cost: that of the comments before the size line. Throws Error(input).
MatrixMarketHeader read_header(const std::filesystem::path& path);
MatrixMarketHeader read_header(const MatrixMarketBytes& file);

/// Reads a matrix as the list of entries that the file stores, 0-based and in the file's order
/// (duplicates stay, one triangle stays one triangle). Of an array file the elements that are not
/// zero become entries: all, the lower triangle (symmetric) or what is strictly below the diagonal
/// (skew-symmetric), column by column. The result is the same for every number of threads. Memory:
/// 24 bytes per entry, 32 of a complex one, in addition to the mapped file or a few MiB of inflated
/// text; never more than the file's size can justify, whatever its header claims. Throws
/// Error(input), and Error(resources) where memory is short.
Coo read_matrix_market(const std::filesystem::path& path, const ReadOptions& options = {},
                       ReadTiming* timing = nullptr);
Coo read_matrix_market(const MatrixMarketBytes& file, const ReadOptions& options = {},
                       ReadTiming* timing = nullptr);

/// Reads a dense matrix or multivector, such as right-hand sides: an array file, or a coordinate
/// file whose entries are added into zeros. Symmetric files are mirrored, skew-symmetric ones with
/// the opposite sign. Of complex numbers the result has two rows to a row of the file
/// (matrix/real_form.hpp). Memory: the result in addition to the mapped file. Throws as
/// read_matrix_market(), and as check_sums().
Dense<double> read_dense(const std::filesystem::path& path, const ReadOptions& options = {},
                         ReadTiming* timing = nullptr);
Dense<double> read_dense(const MatrixMarketBytes& file, const ReadOptions& options = {},
                         ReadTiming* timing = nullptr);

/// An element of a matrix, 0-based.
struct ElementPlace {
  Index row, column;
};

/// Throws the Error(input) of an element of `file` whose duplicates add up to where no double holds
/// them.
[[noreturn]] void fail_sum(const std::filesystem::path& file, ElementPlace place);

/// Refuses sums of duplicates of `file` that no double holds: `matrix` is made of its entries,
/// which are finite. `place_in_file` says where an element of `matrix` is in the file, if
/// elsewhere. Throws Error(input) naming the first such element.
void check_sums(const std::filesystem::path& file, const Csr<double>& matrix,
                const std::function<ElementPlace(ElementPlace)>& place_in_file = {});

// The writers. Every double is written in the shortest form that reads back as the same bits (nan
// and inf as such, which the readers refuse). Each line of `comment` becomes a comment line. A name
// that ends in .gz gives a gzip file of one member per piece. The file comes into being whole: it
// is written under a temporary name in the same folder, flushed to the disk and renamed; on any
// failure the temporary file is removed, an older file of that name stays, and
// Error(resources) names the file and the system's reason.

/// As `matrix coordinate real`, with the symmetry that `matrix` has; entries in their order.
void write_matrix_market(const std::filesystem::path& path, const Coo& matrix,
                         std::string_view comment = {});

/// As `matrix coordinate real general`, row by row; of a real form the complex matrix, where
/// `complex`.
void write_matrix_market(const std::filesystem::path& path, const Csr<double>& matrix,
                         std::string_view comment = {}, bool complex = false);

/// As `matrix array real general`, column by column.
void write_matrix_market(const std::filesystem::path& path, const Dense<double>& matrix,
                         std::string_view comment = {});

/// Writes such an array file, of values that come one after another, the parts of a complex number
/// as two. Without commit() there is no file.
class ArrayWriter final : public io::ArrayFile {
 public:
  ArrayWriter(const std::filesystem::path& path, Index rows, Index columns,
              std::string_view comment = {}, bool complex = false);
  ~ArrayWriter() override;
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  /// The next values in the file's order, any number of them; the bytes of the file do not depend
  /// on it. Memory: 25 bytes for each value at a time, of 2^17 a thread at most.
  void write(std::span<const double> values) override;

  /// To be called once, when all values were written.
  void commit() override;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace spsolve::io
