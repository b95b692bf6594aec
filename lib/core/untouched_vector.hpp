#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace spsolve::inline core {

/// A std::allocator, but that elements of trivial types begin uninitialised where no value is given
/// for them.
template <typename T>
struct UntouchedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UntouchedAllocator<U>;
  };
  template <typename U>
  void construct(U* where) noexcept {
    ::new (static_cast<void*>(where)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* where, Arguments&&... arguments) {
    ::new (static_cast<void*>(where)) U(std::forward<Arguments>(arguments)...);
  }
};

/// A vector whose pages are placed by the threads that first write to them, where its type is free
/// to choose; resize_in_threads() does what can be done for others.
template <typename T>
using UntouchedVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace spsolve::core
