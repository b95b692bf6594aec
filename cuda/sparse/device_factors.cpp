#include "cuda/sparse/device_factors.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "cuda/core/device_memory.hpp"
#include "cuda/core/stream.hpp"
#include "process/fault.hpp"

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

/// Bytes that this process may take of the GPU's memory now.
std::int64_t free_bytes() {
  std::size_t free = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &all));
  auto bytes = static_cast<std::int64_t>(free);
  // What is injected was free from the beginning.
  if (const auto told = injected_gpu_memory()) bytes = std::min(bytes, *told - device_bytes().now);
  return bytes;
}

/// Where fronts lie if factors, what fronts pass up and all lists take at most so many bytes, and
/// what solves take beside.
template <typename T>
FrontPlaces places_within(const SparseAnalysis& analysis, Factorization kind,
                          std::int64_t most_bytes) {
  const FrontPlaces all = place_fronts(analysis.fronts, kind);
  const GpuFactorMemory beside =
      gpu_lists_memory(analysis.fronts, all.elements, analysis.nonzeros,
                       static_cast<Index>(analysis.entries.entries.size()));
  const double usable = gpu_tuning.usable_memory * static_cast<double>(free_bytes());
  const std::int64_t left = std::min(most_bytes, static_cast<std::int64_t>(usable)) - beside.lists -
                            most_sweep_columns * beside.column;
  const Index room = std::max<std::int64_t>(0, left / static_cast<std::int64_t>(sizeof(T)));
  return all.elements <= room ? all : place_fronts(analysis.fronts, kind, room);
}

}  // namespace

template <typename T>
DeviceFactors<T>::DeviceFactors(const SparseAnalysis& analysis, Factorization kind,
                                std::int64_t most_bytes)
    : kind_(kind),
      places_(places_within<T>(analysis, kind, most_bytes)),
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
                     arena_.data(),         tally_.data(),    T(0)} {
  if (!places_.streams()) return;
  by_level_ = DeviceArray<int>(places_.by_level);
  windows_.emplace(places_);
}

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
void DeviceFactors<T>::upload(const std::vector<double>& values) {
  upload_.copy(std::span<const double>(values), values_.data(), current_stream());
}

template <typename T>
void DeviceFactors<T>::copy(const double* values) {
  CUDA_CHECK(cudaMemcpyAsync(values_.data(), values, static_cast<std::size_t>(values_.bytes()),
                             cudaMemcpyDeviceToDevice, current_stream()));
}

/// Sets the part's factors to the values of A.
template <typename T>
void DeviceFactors<T>::begin_part(const FrontPart& part, cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(arena_.data() + part.window, 0,
                             static_cast<std::size_t>(part.elements) * sizeof(T), stream));
  const Index first = places_.level_starts[part.first_level];
  const Index count = places_.level_starts[part.end_level] - first;
  place_entries(fronts_on_gpu_, windows_ ? by_level_.data() + first : nullptr, count,
                entry_starts_.data(), entries_.data(), values_.data(), stream);
}

template <typename T>
void DeviceFactors<T>::bring(std::size_t part, std::size_t next, cudaStream_t stream) {
  if (windows_) windows_->bring(part, next, arena_.data(), stream);
}

template <typename T>
void DeviceFactors<T>::leave(std::size_t part, cudaStream_t stream) {
  if (windows_) windows_->leave(part, stream);
}

template <typename T>
PivotCounts DeviceFactors<T>::factor(double least) {
  const cudaStream_t stream = current_stream();
  const PivotTally none;
  tally_.upload({&none, 1});
  fronts_on_gpu_.least = static_cast<T>(least);
  Index step = 0;
  for (std::size_t p = 0; p < places_.parts.size(); ++p) {
    if (windows_) windows_->open(p, stream);
    begin_part(places_.parts[p], stream);
    for (; step < program_.part_ends[p]; ++step) run(program_.steps[step], stream);
    if (windows_) windows_->keep(p, arena_.data(), stream);
  }
  wait_for(stream);
  PivotTally tally;
  tally_.download({&tally, 1});
  return counts_of(tally);
}

template class DeviceFactors<float>;
template class DeviceFactors<double>;

}  // namespace spsolve::cuda
