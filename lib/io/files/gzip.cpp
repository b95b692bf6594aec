#include "io/files/gzip.hpp"

#include <algorithm>

#define ZLIB_CONST
#include <zlib.h>

#include "core/error.hpp"

namespace spsolve::io {

namespace {

constexpr int gzip_only = 15 + 16;  // zlib's way to say: largest window, gzip header and trailer

// zlib counts in 32 bits: longer runs are handed over in slices.
constexpr std::size_t slice = std::size_t{1} << 30;

const Bytef* bytes(const char* text) {
  return reinterpret_cast<const Bytef*>(text);
}
Bytef* bytes(char* text) {
  return reinterpret_cast<Bytef*>(text);
}

struct Inflater {
  z_stream stream{};
  Inflater() {
    if (::inflateInit2(&stream, gzip_only) != Z_OK) {
      fail(ExitCode::resources,
           "zlib cannot start to inflate: out of memory; end other programs, or use a larger "
           "machine");
    }
  }
  ~Inflater() { ::inflateEnd(&stream); }
};

}  // namespace

bool is_gzip(std::string_view text) {
  return text.substr(0, 2) == "\x1f\x8b";
}

MappedFile inflate_gzip(std::string_view compressed, const std::filesystem::path& path,
                        std::size_t limit, std::size_t stop_after) {
  const std::string name = path.string();
  // One byte more than the limit may be inflated: that byte is how an excess is seen.
  const std::size_t most = std::min(limit, stop_after) + (limit < stop_after ? 1 : 0);
  MappedFile text =
      MappedFile::buffer(std::min(most, std::max<std::size_t>(8 * compressed.size(), 1 << 16)));
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::size_t read = 0;
  std::size_t written = 0;
  for (;;) {
    if (written == most) break;
    if (written == text.capacity()) text.grow(std::min(most, 2 * text.capacity()));
    const std::size_t input = std::min(slice, compressed.size() - read);
    const std::size_t room = std::min({slice, text.capacity() - written, most - written});
    stream.next_in = bytes(compressed.data() + read);
    stream.avail_in = static_cast<uInt>(input);
    stream.next_out = bytes(text.data() + written);
    stream.avail_out = static_cast<uInt>(room);
    const int state = ::inflate(&stream, Z_NO_FLUSH);
    read += input - stream.avail_in;
    written += room - stream.avail_out;
    if (state == Z_STREAM_END) {
      const std::string_view rest = compressed.substr(read);
      if (rest.find_first_not_of('\0') == std::string_view::npos) break;
      if (!is_gzip(rest)) {
        fail(ExitCode::input, "{}: has bytes at {} that are no gzip data; compress the file anew",
             name, read);
      }
      ::inflateReset(&stream);
    } else if (state == Z_MEM_ERROR) {
      fail(ExitCode::resources,
           "{}: cannot be inflated: out of memory; end other programs, or use a larger machine",
           name);
    } else if (state == Z_BUF_ERROR || (state == Z_OK && read == compressed.size())) {
      if (stream.avail_out == 0 && state == Z_OK) continue;  // more may be held back inside zlib
      fail(ExitCode::input,
           "{}: is truncated: its gzip data end after {} bytes in the middle of a member; copy the "
           "file again",
           name, compressed.size());
    } else if (state != Z_OK) {
      fail(ExitCode::input, "{}: has corrupt gzip data near byte {} ({}); copy the file again",
           name, read, stream.msg != nullptr ? stream.msg : "unknown to zlib");
    }
  }
  if (written > limit) {
    fail(ExitCode::resources,
         "{}: inflates to more than the limit of {} bytes; unpack it with gunzip where there is "
         "room, or raise the limit",
         name, limit);
  }
  text.set_size(written);
  return text;
}

std::string deflate_gzip(std::string_view text) {
  z_stream stream{};
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
  stream.next_in = bytes(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int state = ::deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (state != Z_STREAM_END) fail(ExitCode::internal, "zlib ended a deflation with code {}", state);
  return result;
}

}  // namespace spsolve::io
