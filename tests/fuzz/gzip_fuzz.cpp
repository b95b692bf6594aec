// Any bytes as gzip data: never more text than the limit allows, or one Error; what a stop cuts off
// is the rest of the same text; and any bytes come back from a deflation as they were.

#include <optional>

#include "core/error.hpp"
#include "fuzz/require.hpp"
#include "io/files/gzip.hpp"

namespace {

using namespace spsolve;
using fuzz::require;

constexpr std::size_t limit = std::size_t{1} << 18;  // more than the first buffer: it must grow

std::optional<io::MappedFile> inflate(std::string_view bytes, std::size_t stop_after) {
  try {
    io::MappedFile text = io::inflate_gzip(bytes, "input", limit, stop_after);
    require(text.text().size() <= std::min(limit, stop_after), "more text than allowed");
    return text;
  } catch (const Error& error) {
    require(error.code() == ExitCode::input || error.code() == ExitCode::resources,
            "an error that is neither the input's nor the resources'");
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  if (const auto whole = inflate(bytes, limit + 1)) {
    const auto front = inflate(bytes, 1000);
    require(front && whole->text().starts_with(front->text()), "a stop changes what comes before");
  }
  // zlib's deflation starts slowly, and has less to do with what users hand over.
  if (size % 16 != 0) return 0;
  const std::string deflated = io::deflate_gzip(bytes);
  require(io::inflate_gzip(deflated, "input", size + 1).text() == bytes,
          "a deflation that does not come back");
  return 0;
}
