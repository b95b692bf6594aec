#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cusparse.h>

#include "cuda/core/vendor/vendor_library.hpp"

// Functions of the vendor's headers by their own names, which hide those of the headers in this
// namespace. Some of these names are macros for others: the loader gets what they stand for.

namespace spsolve::cuda::inline core {

template <typename Signature>
struct CublasFunction : VendorFunction<Signature> {
  explicit constexpr CublasFunction(const char* name)
      : VendorFunction<Signature>(cublas_library, name) {}
};

inline constinit const CublasFunction<decltype(::cublasCreate)> cublasCreate("cublasCreate_v2");
inline constinit const CublasFunction<decltype(::cublasDestroy)> cublasDestroy("cublasDestroy_v2");
inline constinit const CublasFunction<decltype(::cublasGetStatusString)> cublasGetStatusString(
    "cublasGetStatusString");
inline constinit const CublasFunction<decltype(::cublasGetVersion)> cublasGetVersion(
    "cublasGetVersion_v2");
inline constinit const CublasFunction<decltype(::cublasSetStream)> cublasSetStream(
    "cublasSetStream_v2");
inline constinit const CublasFunction<decltype(::cublasGetStream)> cublasGetStream(
    "cublasGetStream_v2");
inline constinit const CublasFunction<decltype(::cublasDgemm)> cublasDgemm("cublasDgemm_v2");
inline constinit const CublasFunction<decltype(::cublasSgemm)> cublasSgemm("cublasSgemm_v2");
inline constinit const CublasFunction<decltype(::cublasDgemm_64)> cublasDgemm_64(
    "cublasDgemm_v2_64");
inline constinit const CublasFunction<decltype(::cublasSgemm_64)> cublasSgemm_64(
    "cublasSgemm_v2_64");
inline constinit const CublasFunction<decltype(::cublasGemmEx_64)> cublasGemmEx_64(
    "cublasGemmEx_64");
inline constinit const CublasFunction<decltype(::cublasDgemv_64)> cublasDgemv_64(
    "cublasDgemv_v2_64");
inline constinit const CublasFunction<decltype(::cublasSgemv_64)> cublasSgemv_64(
    "cublasSgemv_v2_64");
inline constinit const CublasFunction<decltype(::cublasDtrsm_64)> cublasDtrsm_64(
    "cublasDtrsm_v2_64");
inline constinit const CublasFunction<decltype(::cublasStrsm_64)> cublasStrsm_64(
    "cublasStrsm_v2_64");

template <typename Signature>
struct CublasLtFunction : VendorFunction<Signature> {
  explicit constexpr CublasLtFunction(const char* name)
      : VendorFunction<Signature>(cublaslt_library, name) {}
};

inline constinit const CublasLtFunction<decltype(::cublasLtCreate)> cublasLtCreate(
    "cublasLtCreate");
inline constinit const CublasLtFunction<decltype(::cublasLtDestroy)> cublasLtDestroy(
    "cublasLtDestroy");
inline constinit const CublasLtFunction<decltype(::cublasLtMatmul)> cublasLtMatmul(
    "cublasLtMatmul");
inline constinit const CublasLtFunction<decltype(::cublasLtMatmulAlgoGetHeuristic)>
    cublasLtMatmulAlgoGetHeuristic("cublasLtMatmulAlgoGetHeuristic");
inline constinit const CublasLtFunction<decltype(::cublasLtMatmulDescCreate)>
    cublasLtMatmulDescCreate("cublasLtMatmulDescCreate");
inline constinit const CublasLtFunction<decltype(::cublasLtMatmulDescDestroy)>
    cublasLtMatmulDescDestroy("cublasLtMatmulDescDestroy");
inline constinit const CublasLtFunction<decltype(::cublasLtMatmulPreferenceCreate)>
    cublasLtMatmulPreferenceCreate("cublasLtMatmulPreferenceCreate");
inline constinit const CublasLtFunction<decltype(::cublasLtMatmulPreferenceDestroy)>
    cublasLtMatmulPreferenceDestroy("cublasLtMatmulPreferenceDestroy");
inline constinit const CublasLtFunction<decltype(::cublasLtMatmulPreferenceSetAttribute)>
    cublasLtMatmulPreferenceSetAttribute("cublasLtMatmulPreferenceSetAttribute");
inline constinit const CublasLtFunction<decltype(::cublasLtMatrixLayoutCreate)>
    cublasLtMatrixLayoutCreate("cublasLtMatrixLayoutCreate");
inline constinit const CublasLtFunction<decltype(::cublasLtMatrixLayoutDestroy)>
    cublasLtMatrixLayoutDestroy("cublasLtMatrixLayoutDestroy");

template <typename Signature>
struct CusparseFunction : VendorFunction<Signature> {
  explicit constexpr CusparseFunction(const char* name)
      : VendorFunction<Signature>(cusparse_library, name) {}
};

inline constinit const CusparseFunction<decltype(::cusparseCreate)> cusparseCreate(
    "cusparseCreate");
inline constinit const CusparseFunction<decltype(::cusparseDestroy)> cusparseDestroy(
    "cusparseDestroy");
inline constinit const CusparseFunction<decltype(::cusparseGetErrorString)> cusparseGetErrorString(
    "cusparseGetErrorString");
inline constinit const CusparseFunction<decltype(::cusparseGetVersion)> cusparseGetVersion(
    "cusparseGetVersion");
inline constinit const CusparseFunction<decltype(::cusparseSetStream)> cusparseSetStream(
    "cusparseSetStream");
inline constinit const CusparseFunction<decltype(::cusparseCreateCsr)> cusparseCreateCsr(
    "cusparseCreateCsr");
inline constinit const CusparseFunction<decltype(::cusparseCreateSlicedEll)>
    cusparseCreateSlicedEll("cusparseCreateSlicedEll");
inline constinit const CusparseFunction<decltype(::cusparseDestroySpMat)> cusparseDestroySpMat(
    "cusparseDestroySpMat");
inline constinit const CusparseFunction<decltype(::cusparseCreateDnVec)> cusparseCreateDnVec(
    "cusparseCreateDnVec");
inline constinit const CusparseFunction<decltype(::cusparseDestroyDnVec)> cusparseDestroyDnVec(
    "cusparseDestroyDnVec");
inline constinit const CusparseFunction<decltype(::cusparseDnVecSetValues)> cusparseDnVecSetValues(
    "cusparseDnVecSetValues");
inline constinit const CusparseFunction<decltype(::cusparseCreateDnMat)> cusparseCreateDnMat(
    "cusparseCreateDnMat");
inline constinit const CusparseFunction<decltype(::cusparseDestroyDnMat)> cusparseDestroyDnMat(
    "cusparseDestroyDnMat");
inline constinit const CusparseFunction<decltype(::cusparseDnMatSetValues)> cusparseDnMatSetValues(
    "cusparseDnMatSetValues");
inline constinit const CusparseFunction<decltype(::cusparseSpMV_bufferSize)>
    cusparseSpMV_bufferSize("cusparseSpMV_bufferSize");
inline constinit const CusparseFunction<decltype(::cusparseSpMV_preprocess)>
    cusparseSpMV_preprocess("cusparseSpMV_preprocess");
inline constinit const CusparseFunction<decltype(::cusparseSpMV)> cusparseSpMV("cusparseSpMV");
inline constinit const CusparseFunction<decltype(::cusparseSpMM_bufferSize)>
    cusparseSpMM_bufferSize("cusparseSpMM_bufferSize");
inline constinit const CusparseFunction<decltype(::cusparseSpMM_preprocess)>
    cusparseSpMM_preprocess("cusparseSpMM_preprocess");
inline constinit const CusparseFunction<decltype(::cusparseSpMM)> cusparseSpMM("cusparseSpMM");

}  // namespace spsolve::cuda::core
