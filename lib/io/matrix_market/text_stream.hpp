#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/types.hpp"
#include "io/files/gzip.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrix_market/matrix_market_header.hpp"

namespace spsolve::inline io {

/// The text of a file of lines, plain or gzip, from front to back in pieces of whole lines. A plain
/// file is one piece, as it is mapped. Of gzip data no more than a piece is held, whatever they
/// inflate to.
class TextStream {
 public:
  /// Bytes of a piece of gzip data, but for its last line; the first pieces are smaller.
  static constexpr std::size_t largest_piece = std::size_t{1} << 22;

  /// `path` stands in errors.
  TextStream(MappedFile file, std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  bool compressed() const { return gzip_ != nullptr; }
  std::size_t file_bytes() const { return file_.text().size(); }

  /// The whole text has at most so many bytes.
  std::size_t most_bytes() const;

  /// The next piece; none at the end. Only a line that is longer than longest_line may be divided.
  /// Padded as MappedFile is, and valid until the next call. Throws as GzipStream.
  std::string_view next();

  /// Goes back to the front.
  void rewind();

  /// The latest piece, the bytes and lines before it, and whether nothing follows it.
  std::string_view piece() const { return piece_; }
  std::size_t bytes_before() const { return bytes_before_; }
  Index lines_before() const { return lines_before_; }
  bool at_end() const;

  /// Lines up to the end of the latest piece. Counts those of it, or of a plain file.
  Index lines_so_far() const;

  double inflate_seconds() const { return inflate_seconds_; }

  /// The system should fetch the whole file: it will be read to its end.
  void will_read_all() const { file_.will_read_all(); }

 private:
  /// Gzip data, and the latest piece of their text.
  struct Gzip {
    GzipStream stream;
    MappedFile buffer = MappedFile::buffer(largest_piece);
    std::size_t size = 0;    ///< of the piece
    std::size_t filled = 0;  ///< with the begin of the next one
    int count = 0;           ///< pieces so far
    bool ended = false;      ///< nothing is left to inflate
  };

  void inflate_next();

  std::filesystem::path path_;
  MappedFile file_;
  std::unique_ptr<Gzip> gzip_;
  bool begun_ = false;
  std::string_view piece_;
  std::size_t bytes_before_ = 0;
  Index lines_before_ = 0;
  double inflate_seconds_ = 0;
};

}  // namespace spsolve::io
