#include "cuda/core/vendor/vendor.hpp"

#include <string_view>

#include "core/error.hpp"

namespace spsolve::cuda::inline core {

namespace {

[[noreturn]] void fail_library(const char* call, const char* what, bool defect) {
  const std::string_view text(call);
  const char* const more = note_failure();
  fail(defect ? ExitCode::internal : ExitCode::resources, "{} failed on the GPU: {}{}",
       text.substr(0, text.find('(')), what, more);
}

}  // namespace

void fail_call(cublasStatus_t status, const char* call) {
  fail_library(call, cublasGetStatusString(status), status == CUBLAS_STATUS_INVALID_VALUE);
}

void fail_call(cusparseStatus_t status, const char* call) {
  fail_library(call, cusparseGetErrorString(status), status == CUSPARSE_STATUS_INVALID_VALUE);
}

void fail_call(cusolverStatus_t status, const char* call) {
  fail_library(call, fmt::format("cuSOLVER's status {}", static_cast<int>(status)).c_str(),
               status == CUSOLVER_STATUS_INVALID_VALUE);
}

CublasHandle make_cublas() {
  cublasHandle_t handle = nullptr;
  CUDA_CHECK(cublasCreate(&handle));
  return CublasHandle(handle);
}

CublasLtHandle make_cublaslt() {
  cublasLtHandle_t handle = nullptr;
  CUDA_CHECK(cublasLtCreate(&handle));
  return CublasLtHandle(handle);
}

CusparseHandle make_cusparse() {
  cusparseHandle_t handle = nullptr;
  CUDA_CHECK(cusparseCreate(&handle));
  return CusparseHandle(handle);
}

std::string version_of(const CublasHandle& handle) {
  int version = 0;  // 10000 major + 100 minor + patch
  CUDA_CHECK(cublasGetVersion(handle.get(), &version));
  return fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string version_of(const CusparseHandle& handle) {
  int version = 0;  // 1000 major + 100 minor + patch
  CUDA_CHECK(cusparseGetVersion(handle.get(), &version));
  return fmt::format("cuSPARSE {}.{}.{}", version / 1000, version / 100 % 10, version % 100);
}

}  // namespace spsolve::cuda::core
