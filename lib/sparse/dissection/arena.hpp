#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline sparse::dissection {

/// Memory for what comes and goes in the order of a stack; it is kept for the next to come.
class Arena {
 public:
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;
  };

  /// `count` uninitialised elements of a trivial type, which stay until release() of a mark before.
  template <typename T>
  std::span<T> take(Index count) {
    const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    while (now_.block < blocks_.size() && now_.used + bytes > blocks_[now_.block].bytes)
      now_ = {now_.block + 1, 0};
    if (now_.block == blocks_.size()) {
      const std::size_t before = blocks_.empty() ? std::size_t{1} << 17 : blocks_.back().bytes;
      const std::size_t wanted = std::max(bytes, 2 * before);
      blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(wanted), wanted});
    }
    std::byte* memory = blocks_[now_.block].memory.get() + now_.used;
    now_.used += bytes;
    return {reinterpret_cast<T*>(memory), static_cast<std::size_t>(count)};
  }

  Mark mark() const { return now_; }
  void release(Mark mark) { now_ = mark; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
  Mark now_;
};

/// Gives back at its end what was taken from the arena since its begin.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.release(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

}  // namespace spsolve::sparse::dissection
