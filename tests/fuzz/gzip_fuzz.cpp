// Any bytes as gzip data: the same text in steps of any size, or one Error; and any bytes come back
// from a deflation as they were.

#include <algorithm>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "fuzz/require.hpp"
#include "io/files/gzip.hpp"

namespace {

using namespace spsolve;
using fuzz::require;

constexpr std::size_t limit = std::size_t{1} << 18;

/// The text, `step` bytes at a time, up to the limit.
std::optional<std::string> inflate(std::string_view bytes, std::size_t step) {
  try {
    io::GzipStream stream(bytes, "input");
    std::string text;
    while (text.size() < limit) {
      const std::size_t before = text.size();
      // Not beyond the limit: what is wrong there one way of reading would see and others not.
      const std::size_t wanted = std::min(step, limit - before);
      text.resize(before + wanted);
      const std::size_t got = stream.read(text.data() + before, wanted);
      require(got <= wanted, "more text than there is room for");
      text.resize(before + got);
      if (got < wanted) break;
    }
    return text;
  } catch (const Error& error) {
    require(error.code() == ExitCode::input, "an error that is not the input's");
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  if (const auto whole = inflate(bytes, limit)) {
    const auto steps = inflate(bytes, 1000);
    require(steps && steps->substr(0, limit) == whole->substr(0, limit), "steps change the text");
  }
  // zlib's deflation starts slowly, and has less to do with what users hand over.
  if (size % 16 != 0) return 0;
  const std::string deflated = io::deflate_gzip(bytes);
  require(inflate(deflated, size + 1) == bytes, "a deflation that does not come back");
  return 0;
}
