#include "cuda/sparse/device_factors.hpp"

#include "cuda/core/stream.hpp"

namespace spsolve::cuda {

namespace {

cublasStatus_t gemm(cublasHandle_t handle, const FrontProduct& p, float* arena) {
  const float minus = -1, one = 1;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, p.m, p.n, p.k, &minus, arena + p.a, p.lda,
                     arena + p.b, p.ldb, &one, arena + p.c, p.ldc);
}

cublasStatus_t gemm(cublasHandle_t handle, const FrontProduct& p, double* arena) {
  const double minus = -1, one = 1;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, p.m, p.n, p.k, &minus, arena + p.a, p.lda,
                     arena + p.b, p.ldb, &one, arena + p.c, p.ldc);
}

/// Uploads a list and gives its host memory back.
template <typename U>
DeviceArray<U> moved_up(std::vector<U>& list) {
  DeviceArray<U> result(list);
  std::vector<U>().swap(list);
  return result;
}

}  // namespace

template <typename T>
DeviceFactors<T>::DeviceFactors(const SparseAnalysis& analysis, Factorization kind)
    : kind_(kind),
      places_(place_fronts(analysis.fronts, kind)),
      program_(write_program(places_, kind)),
      device_places_(places_.places),
      children_(analysis.fronts.children),
      in_parent_(staged(analysis.fronts.in_parent)),
      fronts_(moved_up(program_.fronts)),
      pieces_(moved_up(program_.pieces)),
      products_(program_.products),
      tiles_(moved_up(program_.tiles)),
      entry_starts_(analysis.entries.starts),
      entries_(staged(analysis.entries.entries)),
      values_(analysis.nonzeros),
      tally_(1),
      arena_(places_.elements),
      cublas_(make_cublas()),
      fronts_on_gpu_{device_places_.data(), children_.data(), in_parent_.data(),
                     arena_.data(),         tally_.data(),    T(0)} {}

template <typename T>
template <typename U>
DeviceArray<U> DeviceFactors<T>::staged(const std::vector<U>& list) {
  DeviceArray<U> result(static_cast<Index>(list.size()));
  upload_.copy(std::span<const U>(list), result.data(), current_stream());
  return result;
}

template <typename T>
void DeviceFactors<T>::multiply_by_library(const FrontProduct& product, cudaStream_t stream) {
  CUDA_CHECK(cublasSetStream(cublas_.get(), stream));
  CUDA_CHECK(gemm(cublas_.get(), product, arena_.data()));
}

template <typename T>
void DeviceFactors<T>::run(const EliminationStep& step, cudaStream_t stream) {
  using What = EliminationStep::What;
  switch (step.what) {
    case What::small:
      return eliminate_small(kind_, fronts_on_gpu_, fronts_.data() + step.begin, step.count,
                             step.rows, step.side, stream);
    case What::assemble:
      return assemble(kind_, fronts_on_gpu_, pieces_.data() + step.begin, step.count, stream);
    case What::invert:
      return invert_blocks(kind_, fronts_on_gpu_, fronts_.data() + step.begin, step.count,
                           step.side, stream);
    case What::multiply:
      return multiply_tiles(tiles_.data() + step.begin, step.count, products_.data(), arena_.data(),
                            &tally_.data()->largest_multiplier, stream);
    case What::library:
      return multiply_by_library(program_.products[step.begin], stream);
  }
}

template <typename T>
PivotCounts DeviceFactors<T>::factor(const std::vector<double>& values, double least) {
  const cudaStream_t stream = current_stream();
  upload_.copy(std::span<const double>(values), values_.data(), stream);
  const PivotTally none;
  tally_.upload({&none, 1});
  fronts_on_gpu_.least = static_cast<T>(least);
  CUDA_CHECK(cudaMemsetAsync(
      arena_.data(), 0, static_cast<std::size_t>(places_.factor_elements) * sizeof(T), stream));
  place_entries(fronts_on_gpu_, static_cast<Index>(places_.places.size()), entry_starts_.data(),
                entries_.data(), values_.data(), stream);
  for (const EliminationStep& step : program_.steps) run(step, stream);
  wait_for(stream);
  PivotTally tally;
  tally_.download({&tally, 1});
  return counts_of(tally);
}

template class DeviceFactors<float>;
template class DeviceFactors<double>;

}  // namespace spsolve::cuda
