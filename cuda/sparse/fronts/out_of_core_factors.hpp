#pragma once

#include <vector>

#include "core/untouched_array.hpp"
#include "cuda/core/page_lock.hpp"
#include "cuda/core/stream.hpp"
#include "sparse/layout/device_layout.hpp"

namespace spsolve::cuda::inline sparse {

/// Factors that are more than the GPU has room for: the parts of a DeviceLayout that streams, each
/// in its window of the arena for as long as it is worked on, all of them in host memory. Copies
/// run concurrently with the work on other parts.
template <typename T>
class OutOfCoreFactors {
 public:
  explicit OutOfCoreFactors(const DeviceLayout& layout);
  ~OutOfCoreFactors();
  OutOfCoreFactors(const OutOfCoreFactors&) = delete;
  OutOfCoreFactors& operator=(const OutOfCoreFactors&) = delete;

  std::int64_t host_bytes() const;

  /// `stream` may fill the part's window from here on: what stood there is in host memory.
  void open(std::size_t part, cudaStream_t stream);

  /// The part was factored by the work on `stream`, and goes to host memory after that.
  void store(std::size_t part, const T* arena, cudaStream_t stream);

  /// Work that follows on `stream` finds the part in its window; the part `next` is fetched
  /// concurrently with it; `next` may be the number of parts, for none.
  void acquire(std::size_t part, std::size_t next, T* arena, cudaStream_t stream);

  /// The work on `stream` was the last that wants the part for now.
  void release(std::size_t part, cudaStream_t stream);

 private:
  struct StoredPart {
    UntouchedArray<T> values;
    PageLock lock;
  };
  struct Window {
    std::size_t part;  ///< that stands in it, or is on its way there
    Event free;        ///< nobody works on it
    Event filled;      ///< it is there
    Event stored;      ///< it is in host memory
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Window& window_of(std::size_t part) { return windows_[part % 2]; }
  void fetch(std::size_t part, T* arena);

  const DeviceLayout& layout_;
  std::vector<StoredPart> stored_;
  Window windows_[2];
  Stream copies_;
};

}  // namespace spsolve::cuda::sparse
