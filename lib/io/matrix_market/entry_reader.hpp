#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "core/untouched_array.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_market/matrix_market_chunk.hpp"
#include "io/matrix_market/matrix_market_header.hpp"

// A Matrix Market file read piece by piece; for readers that must not hold it as a whole.

namespace spsolve::io {

/// A file that is being read.
struct MatrixMarketText {
  std::filesystem::path path;
  MappedFile file;
  ParsedHeader header;
  int threads;
  std::size_t chunk_bytes;

  std::string_view text() const { return file.text(); }
  std::string_view body() const { return text().substr(header.body); }

  /// Whether the header claims more entries than there is text for: reading on must end in an
  /// error, and no memory may be taken by its word.
  bool claims_too_much() const;

  /// Throws the Error(input) of a file that ends after `found` entries.
  [[noreturn]] void fail_at_end(Index found) const;
};

/// Inflates `file` if it is gzip data, and parses its header. Throws Error(input) and
/// Error(resources), as read_matrix_market() does.
MatrixMarketText open_text(MappedFile file, const std::filesystem::path& path,
                           const ReadOptions& options, ReadTiming& timing);

/// Where the line ends, behind its LF or at the end of `body`, in which `size` bytes behind `begin`
/// are reached.
std::size_t chunk_end(std::string_view body, std::size_t begin, std::size_t size);

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
};

/// The entries of a Matrix Market file in its order. Memory: the mapped file (or the inflated text)
/// and what a batch parses to, two fifths of its text in a file of many digits, at most 4 (array)
/// or 6 times its text.
class EntryReader {
 public:
  /// Opens the file and reads its header. A batch is about `batch_bytes` of text; each costs the
  /// waiting of threads for each other.
  EntryReader(MappedFile file, const std::filesystem::path& path, const ReadOptions& options,
              ReadTiming& timing, std::int64_t batch_bytes);

  const MatrixMarketHeader& matrix() const { return source_.header.matrix; }
  int threads() const { return source_.threads; }
  bool claims_too_much() const { return source_.claims_too_much(); }

  /// The next runs, one behind the other, parsed in parallel; valid until the next call. None at
  /// the end. The same entries for any number of threads. Throws Error(input) with the words of
  /// read_matrix_market(), of the first wrong line when its batch is parsed, of what is wrong with
  /// the file as a whole at the end.
  std::span<const EntryRun> next();

  /// Reads what is left, for its errors only.
  void read_to_end();

 private:
  /// Room for what a chunk parses to.
  struct Slot {
    UntouchedArray<Index> row, column;
    UntouchedArray<double> value;
    Index size = 0;
    std::string_view text;
    ChunkResult result;
    bool below = false, above = false;  ///< entries in the triangles of a symmetric file

    void make_room(bool array);
    void parse(const MatrixMarketHeader& matrix, Index limit);
  };

  std::span<const EntryRun> next_batch();
  void check_triangles();

  MatrixMarketText source_;
  std::vector<Slot> slots_;
  std::vector<EntryRun> runs_;
  std::size_t at_ = 0;  ///< how much of the body has been parsed
  Index found_ = 0;
  bool below_ = false, above_ = false;
};

/// The row of the first element that column j of an array file stores.
inline Index first_stored_row(Symmetry symmetry, Index j) {
  return symmetry == Symmetry::general ? 0 : symmetry == Symmetry::symmetric ? j : j + 1;
}

/// Where an array file's element number `k` < entries is.
ElementPlace place_of_element(const MatrixMarketHeader& matrix, Index k);

/// Calls visit(row, column, value) for elements of an array file from number `first` on, in its
/// order.
template <typename Visit>
void for_each_element(const MatrixMarketHeader& matrix, Index first, std::span<const double> values,
                      Visit&& visit) {
  if (values.empty()) return;
  auto [i, j] = place_of_element(matrix, first);
  for (std::size_t k = 0; k < values.size();) {
    const auto left = static_cast<Index>(values.size() - k);
    const Index end = std::min(matrix.rows, i + left);
    for (; i < end; ++i) visit(i, j, values[k++]);
    i = first_stored_row(matrix.symmetry, ++j);
  }
}

}  // namespace spsolve::io
