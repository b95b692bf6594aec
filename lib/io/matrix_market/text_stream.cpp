#include "io/matrix_market/text_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/timer.hpp"
#include "io/matrix_market/matrix_market_chunk.hpp"

namespace spsolve::inline io {

TextStream::TextStream(MappedFile file, std::filesystem::path path)
    : path_(std::move(path)), file_(std::move(file)) {
  if (is_gzip(file_.text())) gzip_.reset(new Gzip{GzipStream(file_.text(), path_)});
}

std::size_t TextStream::most_bytes() const {
  return file_bytes() * (compressed() ? Inflater::most_growth : 1);
}

bool TextStream::at_end() const {
  if (!begun_) return false;
  return !compressed() || piece_.empty() || (gzip_->ended && gzip_->filled == gzip_->size);
}

Index TextStream::lines_so_far() const {
  return lines_before_ + count_lines(compressed() ? piece_ : file_.text());
}

std::string_view TextStream::next() {
  bytes_before_ += piece_.size();
  if (compressed()) {
    lines_before_ = lines_so_far();
    piece_ = {};
    inflate_next();
    piece_ = {gzip_->buffer.data(), gzip_->size};
  } else {
    piece_ = begun_ ? file_.text().substr(file_.text().size()) : file_.text();
  }
  begun_ = true;
  return piece_;
}

/// Inflates the next piece: the rest of the latest one, then as much as a piece of this number has,
/// and on to the end of a line.
void TextStream::inflate_next() {
  const Timer timer;
  Gzip& gzip = *gzip_;
  constexpr std::size_t first_piece = std::size_t{1} << 16;
  std::size_t aim = std::min(first_piece << std::min(3 * gzip.count++, 16), largest_piece);
  char* const text = gzip.buffer.data();
  gzip.filled -= gzip.size;
  std::memmove(text, text + gzip.size, gzip.filled);
  gzip.size = 0;
  for (bool whole = false; gzip.size == 0 && !whole; aim = std::min(8 * aim, longest_line + 1)) {
    if (!gzip.ended && aim > gzip.filled) {
      const std::size_t room = aim - gzip.filled;
      const std::size_t got = gzip.stream.read(text + gzip.filled, room);
      gzip.ended = got < room;
      gzip.filled += got;
    }
    whole = gzip.ended || gzip.filled > longest_line;
    gzip.size = std::string_view(text, gzip.filled).rfind('\n') + 1;  // 0 where there is none
    if (gzip.size == 0 && whole) gzip.size = gzip.filled;
  }
  std::memset(text + gzip.filled, 0, 64);
  inflate_seconds_ += timer.seconds();
}

void TextStream::rewind() {
  bytes_before_ = 0;
  lines_before_ = 0;
  piece_ = {};
  begun_ = false;
  if (!compressed()) return;
  gzip_->stream.rewind();
  gzip_->size = gzip_->filled = 0;
  gzip_->count = 0;
  gzip_->ended = false;
}

}  // namespace spsolve::io
