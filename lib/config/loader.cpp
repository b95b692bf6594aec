#include "config/loader.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "config/collected_settings.hpp"
#include "core/error.hpp"

namespace spsolve::inline config {

namespace fs = std::filesystem;

Config parse_config(std::string_view text, std::string_view name,
                    std::span<const Override> overrides, const fs::path& folder) {
  CollectedSettings settings(name, folder, overrides);
  settings.read(text);
  settings.apply_overrides();
  return settings.finish();
}

std::string read_config(const fs::path& file) {
  if (std::error_code ignored; fs::is_directory(file, ignored)) {
    fail(ExitCode::input, "the configuration '{}' is a folder; name a YAML file in it",
         file.string());
  }
  errno = 0;
  std::ifstream stream(file == "-" ? "/dev/stdin" : file, std::ios::binary);
  std::string text(CollectedSettings::most_bytes + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    fail(ExitCode::input,
         "the configuration '{}' cannot be read: {}; check its name and its permissions",
         file.string(), std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

Config load_config(const fs::path& file, std::span<const Override> overrides) {
  return parse_config(read_config(file), file.string(), overrides, file.parent_path());
}

}  // namespace spsolve::config
