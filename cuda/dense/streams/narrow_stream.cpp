#include "cuda/dense/streams/narrow_stream.hpp"

#include <cuda.h>

#include "cuda/core/cuda_check.hpp"
#include "cuda/core/vendor/driver_function.hpp"

namespace spsolve::cuda::inline dense {

#if CUDART_VERSION >= 12050

namespace {

/// The driver's functions for green contexts: parts of a GPU's multiprocessors.
struct GreenContexts {
  decltype(cuDeviceGetDevResource)* get_resource = nullptr;
  decltype(cuDevSmResourceSplitByCount)* split = nullptr;
  decltype(cuDevResourceGenerateDesc)* describe = nullptr;
  decltype(cuGreenCtxCreate)* create = nullptr;
  decltype(cuGreenCtxStreamCreate)* create_stream = nullptr;

  bool found() {
    constexpr unsigned version = 12050;
    return find_driver_function("cuDeviceGetDevResource", version, get_resource) &&
           find_driver_function("cuDevSmResourceSplitByCount", version, split) &&
           find_driver_function("cuDevResourceGenerateDesc", version, describe) &&
           find_driver_function("cuGreenCtxCreate", version, create) &&
           find_driver_function("cuGreenCtxStreamCreate", version, create_stream);
  }

  /// All of a GPU's multiprocessors but some; null where that can't be had.
  CUgreenCtx all_but(int processors, int device) const {
    CUdevResource all{}, reserved{}, rest{};
    unsigned groups = 1;
    CUdevResourceDesc description = nullptr;
    CUgreenCtx context = nullptr;
    if (get_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
        all.sm.smCount < 4 * static_cast<unsigned>(processors) ||
        split(&reserved, &groups, &all, &rest, CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE,
              static_cast<unsigned>(processors)) != CUDA_SUCCESS ||
        describe(&description, &rest, 1) != CUDA_SUCCESS ||
        create(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS) {
      return nullptr;
    }
    return context;
  }
};

}  // namespace

std::unique_ptr<Stream> make_narrow_stream(int processors) {
  int device = 0, major = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  GreenContexts driver;
  if (major < 9 || !driver.found()) return nullptr;
  // Made once, for all streams of this process: a rank has one GPU.
  static const CUgreenCtx context = driver.all_but(processors, device);
  CUstream stream = nullptr;
  if (context == nullptr ||
      driver.create_stream(&stream, context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) {
    return nullptr;
  }
  return std::make_unique<Stream>(stream);
}

#else

std::unique_ptr<Stream> make_narrow_stream(int) {
  return nullptr;
}

#endif

}  // namespace spsolve::cuda::dense
