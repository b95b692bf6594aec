#include "cuda/core/device_info.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cuda/core/cuda_check.hpp"

namespace spsolve::cuda::inline core {

namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// Whether this process is a child, by fork(), of one that has asked for GPUs: CUDA works in the
/// process that it began in, and in no child of it.
bool began_in_parent() {
  static const pid_t first = ::getpid();
  return ::getpid() != first;
}

}  // namespace

std::string why_no_gpu() {
  if (began_in_parent()) {
    return "this process is a fork() of one that has used CUDA, which works in no child; fork "
           "before "
           "the first solve";
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {};
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver is missing, or older than CUDA needs";
  }
  if (status == cudaSuccess || status == cudaErrorNoDevice) return "CUDA finds no device";
  return fmt::format("CUDA finds no device: {} ({})", cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all;
  if (!why_no_gpu().empty()) return all;
  int count = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    all.push_back({properties.name, uuid_text(properties.uuid), properties.major, properties.minor,
                   properties.multiProcessorCount,
                   static_cast<std::int64_t>(properties.totalGlobalMem), properties.l2CacheSize});
  }
  return all;
}

void set_current_device(int index) {
  CUDA_CHECK(cudaSetDevice(index));
}

DeviceInfo current_device() {
  int index = 0;
  CUDA_CHECK(cudaGetDevice(&index));
  return devices().at(static_cast<std::size_t>(index));
}

std::int64_t free_device_memory() {
  std::size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

}  // namespace spsolve::cuda::core
