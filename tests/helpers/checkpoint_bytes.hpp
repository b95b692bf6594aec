#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/checksum.hpp"

/// Files of sections (checkpoint/section_file.hpp) as bytes, for damage that only the sums show.
namespace spsolve::test {

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The file with the checksums of its head, its entries and their sections made anew, as far as
/// head and entries say where they lie.
template <typename Bytes>
Bytes with_good_sums(Bytes file) {
  constexpr std::int64_t head_size = 40, head_end_at = 16, head_sum_at = 32;
  constexpr std::int64_t entry_size = 64, size_at = 40, bytes_sum_at = 48, sum_at = 56;
  const auto total = static_cast<std::int64_t>(file.size());
  if (total < head_size) return file;
  const auto number_at = [&](std::int64_t at) {
    std::int64_t number = 0;
    std::memcpy(&number, file.data() + at, sizeof number);
    return number;
  };
  const auto put_sum = [&](std::int64_t at, std::int64_t first, std::int64_t size) {
    const auto bytes =
        std::as_bytes(std::span(file.data(), file.size()))
            .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
    const std::uint64_t sum = checksum(bytes);
    std::memcpy(file.data() + at, &sum, sizeof sum);
  };
  const auto put_own_sum = [&](std::int64_t at, std::int64_t first, std::int64_t size) {
    std::memset(file.data() + at, 0, 8);
    put_sum(at, first, size);
  };
  put_own_sum(head_sum_at, 0, head_size);
  for (std::int64_t end = number_at(head_end_at); end >= head_size + entry_size && end <= total;) {
    const std::int64_t entry = end - entry_size;
    const std::int64_t size = number_at(entry + size_at);
    const bool fits = size >= 0 && size <= entry - head_size;
    if (fits) put_sum(entry + bytes_sum_at, entry - size, size);
    put_own_sum(entry + sum_at, entry, entry_size);
    end = fits ? entry - size : 0;
  }
  return file;
}

}  // namespace spsolve::test
