#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace spsolve::inline core {

/// values.resize(size) for a large array that is about to be filled: its pages come from the system
/// by the threads side by side, which takes longer than all that follows where one thread asks for
/// them. Numbers alone.
template <typename T>
void resize_in_threads(std::vector<T>& values, std::size_t size) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::size_t page = 4096, worthwhile = std::size_t{1} << 20;
  values.reserve(size);
  const std::size_t bytes = size * sizeof(T);
  if (bytes >= worthwhile) {
    // Room that has no elements yet, and that resize() sets to zero anyway.
    volatile std::byte* const room = reinterpret_cast<std::byte*>(values.data());
    const std::size_t present = values.size() * sizeof(T);
#pragma omp parallel for schedule(static)
    for (std::size_t at = present; at < bytes; at += page) room[at] = std::byte{};
  }
  values.resize(size);
}

}  // namespace spsolve::core
