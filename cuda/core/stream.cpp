#include "cuda/core/stream.hpp"

#include <utility>

#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda {

namespace {
thread_local cudaStream_t current = nullptr;
}

Stream::Stream(Order order) {
  int lowest = 0, highest = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  const unsigned flags = order == Order::with_default ? cudaStreamDefault : cudaStreamNonBlocking;
  CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, flags,
                                          order == Order::alone_and_first ? highest : lowest));
}

Stream::~Stream() {
  cudaStreamDestroy(stream_);
}

void Stream::wait() const {
  CUDA_CHECK(cudaStreamSynchronize(stream_));
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
  cudaEventDestroy(event_);
}

void Event::record(cudaStream_t stream) {
  CUDA_CHECK(cudaEventRecord(event_, stream));
}

void Event::hold(const Stream& stream) const {
  CUDA_CHECK(cudaStreamWaitEvent(stream.get(), event_, 0));
}

void Event::wait() const {
  CUDA_CHECK(cudaEventSynchronize(event_));
}

double Event::seconds_since(const Event& start) const {
  CUDA_CHECK(cudaEventSynchronize(event_));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return milliseconds * 1e-3;
}

}  // namespace spsolve::cuda
