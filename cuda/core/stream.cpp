#include "cuda/core/stream.hpp"

#include <utility>

#include "cuda/core/cuda_check.hpp"
#include "cuda/core/gpu_fault.hpp"
#include "process/pulse.hpp"

namespace spsolve::cuda::inline core {

namespace {
thread_local cudaStream_t current = nullptr;

/// Whether waits may be for other ranks, and until which stream was waited for.
struct Expected {
  bool any = false;
  cudaStream_t stream = nullptr;
};
thread_local Expected ranks;
}  // namespace

Stream::Stream(Order order) {
  int lowest = 0, highest = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  const unsigned flags = order == Order::with_default ? cudaStreamDefault : cudaStreamNonBlocking;
  const int priority = order == Order::alone_and_first    ? highest
                       : order == Order::alone_and_before ? (highest + lowest) / 2
                                                          : lowest;
  CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, flags, priority));
}

Stream::~Stream() {
  if (!gpu_is_left()) cudaStreamDestroy(stream_);
}

void Stream::wait() const {
  wait_for(stream_);
}

void wait_for(cudaStream_t stream) {
  const WaitingForDevice waiting(ranks.any);
  inject_gpu_fault(stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  if (ranks.stream == stream) ranks = {};
}

void wait_for_device() {
  const WaitingForDevice waiting(ranks.any);
  inject_gpu_fault(nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());
  ranks = {};
}

void expect_ranks(cudaStream_t stream) noexcept {
  ranks = {true, stream};
}

cudaStream_t current_stream() noexcept {
  return current;
}

StreamScope::StreamScope(const Stream& stream) noexcept
    : outer_(std::exchange(current, stream.get())) {}

StreamScope::~StreamScope() {
  current = outer_;
}

Event::Event() {
  CUDA_CHECK(cudaEventCreate(&event_));
}

Event::~Event() {
  if (!gpu_is_left()) cudaEventDestroy(event_);
}

void Event::record(cudaStream_t stream) {
  CUDA_CHECK(cudaEventRecord(event_, stream));
}

void Event::hold(cudaStream_t stream) const {
  CUDA_CHECK(cudaStreamWaitEvent(stream, event_));
}

void Event::wait() const {
  const WaitingForDevice waiting(ranks.any);
  CUDA_CHECK(cudaEventSynchronize(event_));
}

double Event::seconds_since(const Event& start) const {
  wait();
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return milliseconds * 1e-3;
}

}  // namespace spsolve::cuda::core
