#include "cuda/core/vendor/vendor_library.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "cuda/core/vendor/vendor_functions.hpp"

namespace spsolve::cuda {
namespace {

// Without a GPU, too: where this is compiled, the libraries are.

template <typename... Functions>
void expect_found(const Functions&... functions) {
  const auto one = [](const auto& function) {
    EXPECT_NO_THROW(function.find()) << function.name();
  };
  (one(functions), ...);
}

TEST(VendorLibrary, HasEveryFunctionByTheNameThatItsHeaderGivesIt) {
  expect_found(cublasCreate, cublasDestroy, cublasGetStatusString, cublasGetVersion,
               cublasSetStream, cublasDgemm, cublasSgemm, cublasDgemm_64, cublasSgemm_64,
               cublasGemmEx_64, cublasDgemv_64, cublasSgemv_64, cublasDtrsm_64, cublasStrsm_64);
  expect_found(cusparseCreate, cusparseDestroy, cusparseGetErrorString, cusparseGetVersion,
               cusparseSetStream, cusparseCreateCsr, cusparseCreateSlicedEll, cusparseDestroySpMat,
               cusparseCreateDnVec, cusparseDestroyDnVec, cusparseDnVecSetValues,
               cusparseCreateDnMat, cusparseDestroyDnMat, cusparseDnMatSetValues,
               cusparseSpMV_bufferSize, cusparseSpMV_preprocess, cusparseSpMV,
               cusparseSpMM_bufferSize, cusparseSpMM_preprocess, cusparseSpMM);
  EXPECT_NE(std::string(cublasGetStatusString(CUBLAS_STATUS_NOT_INITIALIZED)), "");
  EXPECT_NE(std::string(cusparseGetErrorString(CUSPARSE_STATUS_ALLOC_FAILED)), "");
}

TEST(VendorLibrary, HasWhatIsCalledOfNccl) {
  if (const std::string problem = nccl_library.problem(); !problem.empty()) {
    GTEST_SKIP() << "no NCCL here: " << problem;
  }
  for (const char* name :
       {"ncclGetErrorString", "ncclGetVersion", "ncclGetUniqueId", "ncclCommInitRankConfig",
        "ncclCommSplit", "ncclCommDestroy", "ncclCommAbort", "ncclBroadcast", "ncclAllGather",
        "ncclGroupStart", "ncclGroupEnd", "ncclSend", "ncclRecv"}) {
    EXPECT_NO_THROW(nccl_library.function(name)) << name;
  }
}

TEST(VendorLibrary, NamesWhatIsMissing) {
  constexpr const char* nowhere[] = {"libnowhere.so.1", "/no/folder/libnowhere.so.1", nullptr};
  const VendorLibrary library("cuNowhere", nowhere);
  EXPECT_NE(library.problem().find("/no/folder/libnowhere.so.1"), std::string::npos);
  try {
    library.function("nothing");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    EXPECT_NE(
        std::string(error.what()).find("cuNowhere, a part of the CUDA toolkit, cannot be used"),
        std::string::npos)
        << error.what();
  }
  try {
    cublas_library.function("cublasNothing");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("it has no function cublasNothing"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace spsolve::cuda
