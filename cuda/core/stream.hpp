#pragma once

#include <cuda_runtime_api.h>

namespace spsolve::cuda::inline core {

/// A stream of its own.
class Stream {
 public:
  /// In order with the default stream, on which arrays are copied; or in order with nothing but
  /// itself, at normal priority, before such streams, or first of all.
  enum class Order { with_default, alone, alone_and_before, alone_and_first };

  explicit Stream(Order order = Order::with_default);
  explicit Stream(cudaStream_t made) : stream_(made) {}  ///< takes over what was made elsewhere
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void wait() const;  ///< until all that was launched on it is done

 private:
  cudaStream_t stream_ = nullptr;
};

/// Waits until all that was launched on `stream` is done, or on all streams of the current GPU. A
/// watchdog sees that this rank waits for its GPU, and for other ranks where expect_ranks() says
/// so.
void wait_for(cudaStream_t stream);
void wait_for_device();

/// Work that ends only when other ranks do their part (NCCL) was launched on `stream`: from now on
/// waits on any stream may be for them, until that stream was waited for.
void expect_ranks(cudaStream_t stream) noexcept;

/// The stream that the products of this thread run on: the default stream, or that of the innermost
/// StreamScope.
cudaStream_t current_stream() noexcept;

/// Makes `stream` the current stream of this thread as long as the object lives.
class StreamScope {
 public:
  explicit StreamScope(const Stream& stream) noexcept;
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  cudaStream_t outer_;
};

/// A point in the work of a stream.
class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) { record(stream.get()); }
  void record(cudaStream_t stream);

  /// Work that is launched on `stream` from now on waits for this event.
  void hold(const Stream& stream) const { hold(stream.get()); }
  void hold(cudaStream_t stream) const;

  void wait() const;  ///< until all that was recorded is done; at once where nothing was

  /// Waits for this event; seconds since `start` by the GPU's clock.
  double seconds_since(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace spsolve::cuda::core
