#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "core/untouched_array.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_market/matrix_market_chunk.hpp"
#include "io/matrix_market/matrix_market_header.hpp"
#include "io/matrix_market/text_stream.hpp"

// A Matrix Market file read piece by piece; for readers that must not hold it as a whole.

namespace spsolve::inline io {

/// The front of a text: banner, comments and size line. The rest of the stream's latest piece
/// begins at ParsedHeader::body of it. Throws as parse_header() and TextStream.
ParsedHeader read_front(TextStream& stream);

/// A file that is being read.
class MatrixMarketText {
 public:
  /// Reads the header. Throws Error(input), as read_matrix_market() does.
  MatrixMarketText(MappedFile file, const std::filesystem::path& path, const ReadOptions& options);

  const std::filesystem::path& path() const { return stream_.path(); }
  const ParsedHeader& header() const { return header_; }
  const MatrixMarketHeader& matrix() const { return header_.matrix; }
  bool compressed() const { return stream_.compressed(); }

  /// The text to read of the stream's latest piece, of a plain file of all: whole lines, as far as
  /// the header allows.
  std::string_view body() const { return body_; }

  /// Goes on to the next piece, after `found` entries in those before; whether there is one.
  bool advance(Index found);

  /// Goes back to the first piece.
  void rewind();

  /// Whether the header claims more entries than there can be text for: reading on must end in an
  /// error, and no memory may be taken by its word.
  bool claims_too_much() const;

  /// To be called at the end. Throws the Error(input) of a file that ends after `found` entries, or
  /// that has more text than the entries that it declares may have.
  void require_end(Index found) const;

  /// Throws the Error(input) of the line at `problem`, in body(), or of what is wrong with the
  /// gzip data, if it is that. Reads on to say how many entries there are in all.
  [[noreturn]] void fail_line(const char* problem, bool surplus);

  /// Bytes of the text, when it was read to its end, and the seconds that inflating it took.
  ReadTiming timing() const;

  int threads;
  std::size_t chunk_bytes;

 private:
  void begin();
  std::string_view allowed(std::string_view piece);

  TextStream stream_;
  std::size_t blank_text_;
  ParsedHeader header_;
  std::string_view body_;
  std::size_t left_ = 0;       ///< bytes that the header still allows after body()
  bool too_much_ = false;      ///< whether there are more
  Index found_ = 0;            ///< entries, when body() began
  std::size_t blank_run_ = 0;  ///< bytes without an entry before it
};

/// An entry of a symmetric file that is not on the diagonal.
struct TriangleEntry {
  Index larger, smaller;
  bool below;
  auto operator<=>(const TriangleEntry&) const = default;

  TriangleEntry(Index row, Index column)
      : larger(std::max(row, column)), smaller(std::min(row, column)), below(row > column) {}
};

/// Refuses a symmetric or skew-symmetric file that stores some pair (i, j) and (j, i): mirroring
/// would count both twice. To be asked only of files with entries in both triangles. Throws
/// Error(input) naming the first such pair.
void check_pairs(const std::filesystem::path& path, Symmetry symmetry,
                 std::vector<TriangleEntry> entries);

/// Whether `rows` x `columns` doubles fit into the memory available now.
bool fits_in_memory(Index rows, Index columns);

/// Throws the Error(resources) of a file whose elements do not.
[[noreturn]] void fail_dense_size(const std::filesystem::path& path,
                                  const MatrixMarketHeader& matrix);

/// Some entries that follow each other in the file. Of an array file there are values only, the
/// elements that it stores, column by column.
struct EntryRun {
  Index first = 0;  ///< the number of the first one, from 0
  std::span<const Index> row, column;
  std::span<const double> values;
  std::span<const double> imaginary;  ///< parts of complex numbers, one for each value; else none
};

/// The entries of a Matrix Market file in its order. Memory: the mapped file, a piece of what is
/// inflated, and what a batch parses to, two fifths of its text in a file of many digits, at most 4
/// (array) or 6 times its text.
class EntryReader {
 public:
  /// Opens the file and reads its header. A batch is about `batch_bytes` of text; each costs the
  /// waiting of threads for each other.
  EntryReader(MappedFile file, const std::filesystem::path& path, const ReadOptions& options,
              std::int64_t batch_bytes);

  const MatrixMarketHeader& matrix() const { return source_.matrix(); }
  int threads() const { return source_.threads; }
  bool claims_too_much() const { return source_.claims_too_much(); }
  ReadTiming timing() const { return source_.timing(); }

  /// Entries that were handed out.
  Index found() const { return found_; }

  /// The next runs, one after the other, parsed in parallel; valid until the next call. None at the
  /// end. The same entries for any number of threads. Throws Error(input) with the words of
  /// read_matrix_market(), of the first wrong line when its batch is parsed, of what is wrong with
  /// the file as a whole at the end.
  std::span<const EntryRun> next();

  /// Reads the rest, for its errors only.
  void read_to_end();

 private:
  /// Room for the entries of a chunk.
  struct Slot {
    UntouchedArray<Index> row, column;
    UntouchedArray<double> value, imaginary;
    Index size = 0;
    std::string_view text;
    ChunkResult result;
    bool below = false, above = false;  ///< entries in the triangles of a symmetric file

    void make_room(const MatrixMarketHeader& matrix);
    void parse(const MatrixMarketHeader& matrix, Index limit);
  };

  std::span<const EntryRun> next_batch();
  void check_triangles();

  MatrixMarketText source_;
  std::vector<Slot> slots_;
  std::vector<EntryRun> runs_;
  std::size_t at_ = 0;  ///< how much of source_.body() has been parsed
  Index found_ = 0;
  bool below_ = false, above_ = false;
};

/// The row of the first element that column j of an array file stores.
inline Index first_stored_row(Symmetry symmetry, Index j) {
  return symmetry == Symmetry::general ? 0 : symmetry == Symmetry::skew_symmetric ? j + 1 : j;
}

/// Refuses an imaginary part on the diagonal among elements of a hermitian array from number
/// `first` on. Throws Error(input).
void check_hermitian(const std::filesystem::path& path, const MatrixMarketHeader& matrix,
                     Index first, std::span<const double> imaginary);

/// Where an array file's element number `k` < entries is.
ElementPlace place_of_element(const MatrixMarketHeader& matrix, Index k);

/// Calls visit(row, column, k) for elements of an array file from number `first` on, in its order,
/// 0 <= k < count.
template <typename Visit>
void for_each_element(const MatrixMarketHeader& matrix, Index first, std::size_t count,
                      Visit&& visit) {
  if (count == 0) return;
  auto [i, j] = place_of_element(matrix, first);
  for (std::size_t k = 0; k < count;) {
    const auto left = static_cast<Index>(count - k);
    const Index end = std::min(matrix.rows, i + left);
    for (; i < end; ++i) visit(i, j, k++);
    i = first_stored_row(matrix.symmetry, ++j);
  }
}

/// Calls put(row, column, number) for the parts of entry k of `run` at `place`, and for those of
/// its mirror: in rows i `rows` + 0 for real parts and, of complex numbers, + 1 for imaginary ones.
template <typename Put>
void put_element(const MatrixMarketHeader& matrix, Index rows, const EntryRun& run,
                 ElementPlace place, std::size_t k, const Put& put) {
  const auto [i, j] = place;
  with_mirror(matrix.symmetry, i, j, run.values[k],
              [&](Index row, Index column, double part) { put(rows * row, column, part); });
  if (!matrix.is_complex()) return;
  with_mirror(imaginary_symmetry(matrix.symmetry), i, j, run.imaginary[k],
              [&](Index row, Index column, double part) { put(rows * row + 1, column, part); });
}

}  // namespace spsolve::io
