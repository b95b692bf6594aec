#include "io/files/inflater.hpp"

#include <algorithm>

#define ZLIB_CONST
#include <zlib.h>

#include "core/error.hpp"

namespace spsolve::inline io {

namespace {

// zlib counts in 32 bits: longer runs are handed over in slices.
constexpr std::size_t slice = std::size_t{1} << 30;

[[noreturn]] void fail_memory() {
  fail(ExitCode::resources,
       "zlib cannot inflate a file: out of memory; end other programs, or use a larger machine");
}

}  // namespace

struct Inflater::Stream : z_stream {};

void Inflater::End::operator()(Stream* stream) const {
  ::inflateEnd(stream);
  delete stream;
}

Inflater::Inflater(Form form) : stream_(new Stream{}) {
  constexpr int largest_window = 15, gzip_only = 16;  // as zlib wants them to be said
  const int window = form == Form::gzip   ? largest_window + gzip_only
                     : form == Form::zlib ? largest_window
                                          : -largest_window;
  if (::inflateInit2(stream_.get(), window) != Z_OK) fail_memory();
}

Inflater::State Inflater::inflate(std::string_view& packed, char*& to, std::size_t& room) {
  z_stream& stream = *stream_;
  for (;;) {
    const auto input = static_cast<uInt>(std::min(slice, packed.size()));
    const auto output = static_cast<uInt>(std::min(slice, room));
    stream.next_in = reinterpret_cast<const Bytef*>(packed.data());
    stream.avail_in = input;
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = output;
    const int state = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t written = output - stream.avail_out;
    const bool moved = written > 0 || stream.avail_in < input;
    packed.remove_prefix(input - stream.avail_in);
    to += written;
    room -= written;
    if (state == Z_STREAM_END) return State::ended;
    if (state == Z_MEM_ERROR) fail_memory();
    if (state != Z_OK && state != Z_BUF_ERROR) return State::damaged;
    // With no room the end of the data may still be found, as long as zlib moves.
    if (!moved) return room == 0 ? State::full : State::cut_off;
  }
}

void Inflater::reset() {
  ::inflateReset(stream_.get());
}

const char* Inflater::problem() const {
  return stream_->msg != nullptr ? stream_->msg : "unknown to zlib";
}

}  // namespace spsolve::io
