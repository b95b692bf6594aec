#include "io/files/gzip.hpp"

#include <utility>

#define ZLIB_CONST
#include <zlib.h>

#include "core/error.hpp"

namespace spsolve::inline io {

namespace {

/// Zeros that may follow the last member, as of a tape's blocks.
constexpr std::size_t most_padding = std::size_t{1} << 20;

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.substr(0, 2) == "\x1f\x8b";
}

GzipStream::GzipStream(std::string_view compressed, std::filesystem::path path)
    : compressed_(compressed),
      rest_(compressed),
      path_(std::move(path)),
      inflater_(Inflater::Form::gzip) {}

std::size_t GzipStream::read(char* to, std::size_t room) {
  const std::size_t wanted = room;
  while (room > 0 && !ended_) {
    switch (inflater_.inflate(rest_, to, room)) {
      case Inflater::State::full:
        break;
      case Inflater::State::ended:
        begin_next_member();
        break;
      case Inflater::State::cut_off:
        fail(ExitCode::input,
             "{}: is truncated: its gzip data end after {} bytes in the middle of a member; copy "
             "the file again",
             path_.string(), compressed_.size());
      case Inflater::State::damaged:
        fail(ExitCode::input, "{}: has corrupt gzip data near byte {} ({}); copy the file again",
             path_.string(), compressed_.size() - rest_.size(), inflater_.problem());
    }
  }
  return wanted - room;
}

void GzipStream::begin_next_member() {
  inflater_.reset();
  if (is_gzip(rest_)) return;
  ended_ = true;
  if (rest_.size() <= most_padding && rest_.find_first_not_of('\0') == rest_.npos) return;
  fail(ExitCode::input, "{}: has bytes at {} that are no gzip data; compress the file anew",
       path_.string(), compressed_.size() - rest_.size());
}

void GzipStream::rewind() {
  rest_ = compressed_;
  ended_ = false;
  inflater_.reset();
}

std::string deflate_gzip(std::string_view text) {
  z_stream stream{};
  constexpr int gzip_only = 15 + 16;  // zlib's way to say: largest window, gzip header and trailer
  if (::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_only, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    fail(ExitCode::resources,
         "zlib cannot start to deflate: out of memory; write the file without .gz");
  }
  std::string result;
  try {
    result.resize(::deflateBound(&stream, text.size()));
  } catch (...) {
    ::deflateEnd(&stream);
    throw;
  }
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int state = ::deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (state != Z_STREAM_END) fail(ExitCode::internal, "zlib ended a deflation with code {}", state);
  return result;
}

}  // namespace spsolve::io
