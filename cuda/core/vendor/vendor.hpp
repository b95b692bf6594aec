#pragma once

#include <complex>
#include <memory>
#include <string>
#include <type_traits>

#include <cusolver_common.h>

#include "cuda/core/cuda_check.hpp"
#include "cuda/core/vendor/vendor_functions.hpp"

namespace spsolve::cuda::inline core {

/// Throws as fail_call() of the runtime does.
[[noreturn]] void fail_call(cublasStatus_t status, const char* call);
[[noreturn]] void fail_call(cusparseStatus_t status, const char* call);
[[noreturn]] void fail_call(cusolverStatus_t status, const char* call);

inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) fail_call(status, call);
}
inline void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS) fail_call(status, call);
}
inline void check(cusolverStatus_t status, const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS) fail_call(status, call);
}

/// An object that a vendor's library made and must destroy, by the function that does it.
template <auto& destroy>
struct Destroyer {
  template <typename Pointer>
  void operator()(Pointer pointer) const noexcept {
    if (!gpu_is_left()) destroy(pointer);
  }
};
template <typename Handle, auto& destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<destroy>>;

using CublasHandle = Owned<cublasHandle_t, cublasDestroy>;
using CublasLtHandle = Owned<cublasLtHandle_t, cublasLtDestroy>;
using CusparseHandle = Owned<cusparseHandle_t, cusparseDestroy>;

CublasHandle make_cublas();
CublasLtHandle make_cublaslt();
CusparseHandle make_cusparse();

/// "cuBLAS 13.1.0", "cuSPARSE 12.6.3".
std::string version_of(const CublasHandle& handle);
std::string version_of(const CusparseHandle& handle);

/// The libraries' word for T.
template <typename T>
inline constexpr cudaDataType value_type = std::is_same_v<T, float>                 ? CUDA_R_32F
                                           : std::is_same_v<T, double>              ? CUDA_R_64F
                                           : std::is_same_v<T, std::complex<float>> ? CUDA_C_32F
                                                                                    : CUDA_C_64F;

}  // namespace spsolve::cuda::core
