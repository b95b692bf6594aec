#include "checkpoint/generation.hpp"

#include <algorithm>
#include <cstdio>
#include <system_error>

namespace spsolve::inline checkpoint {

namespace fs = std::filesystem;

std::string Generation::file_name(int rank) const {
  return fmt::format("spsolve-{:016x}-{:06}.{}-of-{}.checkpoint", fingerprint, number, rank, ranks);
}

std::optional<Generation> generation_of(const std::string& file_name) {
  Generation generation;
  unsigned long long fingerprint = 0;
  long long number = 0;
  int rank = 0;
  const int read = std::sscanf(file_name.c_str(), "spsolve-%16llx-%18lld.%9d-of-%9d", &fingerprint,
                               &number, &rank, &generation.ranks);
  generation.fingerprint = fingerprint;
  generation.number = number;
  if (read != 4 || generation.ranks < 1 || generation.file_name(rank) != file_name) {
    return std::nullopt;
  }
  return generation;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace spsolve::checkpoint
