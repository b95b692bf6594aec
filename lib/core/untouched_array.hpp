#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "core/types.hpp"

namespace spsolve::inline core {

/// The use of memory: data that are read over and over, as a matrix by products, are worth a large
/// page as soon as they fill one.
enum class Use { any, rereading };

/// `bytes` of memory that nobody has touched, aligned to cache lines, to pages where there are
/// some, or to large pages (which the system is asked for) where there are many, or for rereading
/// where it fills one. Throws std::bad_alloc.
///
/// Where a multivector begins decides more than one would think: vectors of a row that straddle two
/// cache lines cost a third of a product's time, and where the rows of Y lie one row after those of
/// X within a page, each load of X waits for the store to Y before it, whose address is the same in
/// the low 12 bits: 1.6 times the time. At whole pages, there is one speed.
void* allocate_untouched(std::size_t bytes, Use use = Use::any);
void release_untouched(void* memory, std::size_t bytes, Use use = Use::any) noexcept;

/// An array whose pages are placed by the threads that first write to them: its elements begin
/// uninitialised. For trivial types only.
template <typename T>
class UntouchedArray {
 public:
  UntouchedArray() = default;
  explicit UntouchedArray(Index size, Use use = Use::any)
      : data_(static_cast<T*>(allocate_untouched(static_cast<std::size_t>(size) * sizeof(T), use)),
              Release{static_cast<std::size_t>(size) * sizeof(T), use}),
        size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  Index size() const { return size_; }
  std::int64_t bytes() const { return size_ * static_cast<Index>(sizeof(T)); }
  T& operator[](Index i) { return data_.get()[i]; }
  const T& operator[](Index i) const { return data_.get()[i]; }

 private:
  struct Release {
    std::size_t bytes = 0;
    Use use = Use::any;
    void operator()(T* memory) const noexcept { release_untouched(memory, bytes, use); }
  };
  std::unique_ptr<T, Release> data_;
  Index size_ = 0;
};

}  // namespace spsolve::core
