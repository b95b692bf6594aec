#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace spsolve::fuzz {

/// The fuzzer's input as characters.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the fuzzer with a finding where `good` is false.
inline void require(bool good, const char* sentence) {
  if (good) return;
  std::fprintf(stderr, "%s\n", sentence);
  std::abort();
}

}  // namespace spsolve::fuzz
