// Any bytes as gzip data: never more text than the limit allows, or one Error; and any bytes come
// back from a deflation as they were.

#include "core/error.hpp"
#include "fuzz/memory_file.hpp"
#include "io/gzip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spsolve;
  using fuzz::require;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t limit = 1 << 20;
  for (const std::size_t stop_after : {std::size_t{1000}, limit + 1}) {
    try {
      const io::MappedFile text = io::inflate_gzip(bytes, "input", limit, stop_after);
      require(text.text().size() <= std::min(limit, stop_after), "more text than allowed");
    } catch (const Error& error) {
      require(error.code() == ExitCode::input || error.code() == ExitCode::resources,
              "an error that is neither the input's nor the resources'");
    }
  }
  const std::string deflated = io::deflate_gzip(bytes);
  require(io::inflate_gzip(deflated, "input", size + 1).text() == bytes,
          "a deflation that does not come back");
  return 0;
}
