// Any bytes as a configuration: refused with words, or a Config that its own YAML gives back.

#include "config/loader.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spsolve;
  using fuzz::require;
  Config config;
  try {
    config = parse_config(fuzz::text_of(data, size), "input");
  } catch (const Error& error) {
    require(error.code() == ExitCode::input, "a configuration's error that is not the input's");
    return 0;
  }
  require(parse_config(to_yaml(config), "output") == config, "a Config that YAML changes");
  return 0;
}
