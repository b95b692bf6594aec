#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
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

inline constexpr std::int64_t head_bytes = 40, entry_bytes = 64;

template <typename Bytes>
std::int64_t number_at(const Bytes& file, std::int64_t at) {
  std::int64_t number = 0;
  std::memcpy(&number, file.data() + at, sizeof number);
  return number;
}

/// A section of a file: where its bytes begin, and how many they are; its entry follows them.
struct SectionPlace {
  std::int64_t first, size;
};

/// From the last section to the first, as far as head and entries say where they lie; one of an
/// impossible size comes last, as an empty one.
template <typename Bytes>
std::vector<SectionPlace> sections_of(const Bytes& file) {
  constexpr std::int64_t end_at = 16, size_at = 40;
  std::vector<SectionPlace> result;
  const auto total = static_cast<std::int64_t>(file.size());
  if (total < head_bytes) return result;
  for (std::int64_t end = number_at(file, end_at);
       end >= head_bytes + entry_bytes && end <= total;) {
    const std::int64_t entry = end - entry_bytes, size = number_at(file, entry + size_at);
    const bool fits = size >= 0 && size <= entry - head_bytes;
    result.push_back(fits ? SectionPlace{entry - size, size} : SectionPlace{entry, 0});
    end = fits ? entry - size : 0;
  }
  return result;
}

/// The file with the checksums of its head, its entries and their sections made anew, as far as
/// head and entries say where they lie.
template <typename Bytes>
Bytes with_good_sums(Bytes file) {
  constexpr std::int64_t head_sum_at = 32, bytes_sum_at = 48, sum_at = 56;
  if (static_cast<std::int64_t>(file.size()) < head_bytes) return file;
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
  put_own_sum(head_sum_at, 0, head_bytes);
  for (const auto& [first, size] : sections_of(file)) {
    const std::int64_t entry = first + size;
    put_sum(entry + bytes_sum_at, first, size);
    put_own_sum(entry + sum_at, entry, entry_bytes);
  }
  return file;
}

}  // namespace spsolve::test
