#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spsolve::cuda::inline core {

/// One GPU that this process may use.
struct DeviceInfo {
  std::string name;  ///< such as "NVIDIA H200"
  std::string uuid;  ///< GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
  int major = 0;     ///< compute capability major.minor
  int minor = 0;
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
};

/// One sentence of why no GPU can be used here, without a full stop, or "": there is no driver, or
/// no device. Never throws.
std::string why_no_gpu();

/// The GPUs of this process, in CUDA's order; empty where there are none.
std::vector<DeviceInfo> devices();

/// Makes GPU `index` of devices() the one that this thread works with.
void set_current_device(int index);

/// That GPU, the first one where none was set.
DeviceInfo current_device();

/// Bytes of its memory that are free; CUDA's own part of it is taken by then.
std::int64_t free_device_memory();

}  // namespace spsolve::cuda::core
