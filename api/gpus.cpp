#include "api/gpus.hpp"

#ifdef SPSOLVE_HAVE_CUDA
#include "cuda/core/cuda_check.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/device_memory.hpp"
#include "cuda/dense/panel/triangle_kernels.hpp"
#include "cuda/dense/products/load_products.hpp"
#include "cuda/device/device_vector_memory.hpp"
#include "cuda/device/gpu_device.hpp"
#include "cuda/multiply/cuda_kernels.hpp"
#include "cuda/team/start_ahead.hpp"
#include "cuda/vectors/products/band_product_kernels.hpp"
#include "cuda/vectors/sign_kernels.hpp"
#endif

namespace spsolve {

Gpus gpu_part() {
  Gpus gpus;
#ifdef SPSOLVE_HAVE_CUDA
  gpus.look = [] { return FoundGpus{"none was looked for, as the device is the host", {}}; };
  gpus.use = cuda::set_current_device;
  gpus.start = [](Team& team, int device, const GpuStart& wanted) {
    return cuda::start_ahead(team, device, wanted.transport, [products = wanted.products] {
      if (!products) return;
      cuda::load_products(*products);
      cuda::load_triangle_kernels(*products);
      cuda::load_sign_kernels();
      cuda::load_band_products();
    });
  };
  gpus.kernels = cuda::cuda_kernels();
  gpus.products = cuda::product_memory;
  gpus.dense = cuda::gpu_device;
  gpus.dense_bytes = cuda::device_dense_bytes;
  gpus.free_memory = cuda::free_device_memory;
  gpus.arrays = [] {
    const cuda::DeviceBytes bytes = cuda::device_bytes();
    return GpuArrays{bytes.now, bytes.peak};
  };
#endif
  return gpus;
}

Gpus find_gpus([[maybe_unused]] DeviceChoice wanted) {
  Gpus gpus = gpu_part();
#ifdef SPSOLVE_HAVE_CUDA
  if (wanted == DeviceChoice::host) return gpus;
  gpus.look = [] {
    FoundGpus found{cuda::why_no_gpu(), {}};
    for (const cuda::DeviceInfo& device : cuda::devices()) {
      found.visible.push_back({device.name, device.uuid});
    }
    return found;
  };
#endif
  return gpus;
}

void leave_gpus() {
#ifdef SPSOLVE_HAVE_CUDA
  cuda::leave_gpu();
#endif
}

}  // namespace spsolve
