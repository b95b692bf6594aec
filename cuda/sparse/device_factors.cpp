#include "cuda/sparse/device_factors.hpp"

#include <algorithm>

#include "cuda/core/stream.hpp"

namespace spsolve::cuda {

namespace {

/// Where the entries of A lie in the arena.
std::vector<EntryPlace> entry_places(const FrontPlaces& places, const FrontEntries& entries) {
  std::vector<EntryPlace> result(entries.entries.size());
  const Index fronts = static_cast<Index>(places.places.size());
#pragma omp parallel for schedule(dynamic, 256)
  for (Index s = 0; s < fronts; ++s) {
    const FrontPlace& front = places.places[s];
    const Index ld = front.ld;
    const auto row_of = [&](Index row) {
      return row < front.pivots ? row : front.border_row + row - front.pivots;
    };
    for (Index k = entries.starts[s]; k < entries.starts[s + 1]; ++k) {
      const FrontEntry& entry = entries.entries[k];
      const Index row = entry.row;
      Index to = 0;
      if (entry.column < 0) {  // of a row of the border
        to = front.upper + front.border_row + row + static_cast<Index>(~entry.column) * ld;
      } else if (row / pivot_block < entry.column / pivot_block) {
        to = front.upper + entry.column + row * ld;
      } else {
        to = front.lower + row_of(row) + static_cast<Index>(entry.column) * ld;
      }
      result[k] = {to, entry.source};
    }
  }
  return result;
}

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
      in_parent_(analysis.fronts.in_parent),
      fronts_(moved_up(program_.fronts)),
      pieces_(moved_up(program_.pieces)),
      products_(program_.products),
      tiles_(moved_up(program_.tiles)),
      entries_(entry_places(places_, analysis.entries)),
      values_(analysis.nonzeros),
      tally_(1),
      arena_(places_.elements),
      cublas_(make_cublas()),
      fronts_on_gpu_{device_places_.data(), children_.data(), in_parent_.data(),
                     arena_.data(),         tally_.data(),    T(0)} {}

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
      return multiply_tiles(tiles_.data() + step.begin, step.count, products_.data(),
                            arena_.data(), &tally_.data()->largest_multiplier, stream);
    case What::library:
      return multiply_by_library(program_.products[step.begin], stream);
  }
}

template <typename T>
void DeviceFactors<T>::upload_values(const std::vector<double>& values, cudaStream_t stream) {
  const Index count = static_cast<Index>(values.size());
  staged_.grow(count);
  constexpr Index piece = 1 << 16;
#pragma omp parallel for schedule(static)
  for (Index begin = 0; begin < count; begin += piece) {
    std::copy(values.begin() + begin, values.begin() + std::min(count, begin + piece),
              staged_.data() + begin);
  }
  CUDA_CHECK(cudaMemcpyAsync(values_.data(), staged_.data(), values.size() * sizeof(double),
                             cudaMemcpyHostToDevice, stream));
}

template <typename T>
PivotCounts DeviceFactors<T>::factor(const std::vector<double>& values, double least) {
  const cudaStream_t stream = current_stream();
  upload_values(values, stream);
  const PivotTally none;
  tally_.upload({&none, 1});
  fronts_on_gpu_.least = static_cast<T>(least);
  CUDA_CHECK(cudaMemsetAsync(arena_.data(), 0,
                             static_cast<std::size_t>(places_.factor_elements) * sizeof(T),
                             stream));
  place_entries(entries_.data(), entries_.size(), values_.data(), arena_.data(), stream);
  for (const EliminationStep& step : program_.steps) run(step, stream);
  wait_for(stream);
  PivotTally tally;
  tally_.download({&tally, 1});
  return counts_of(tally);
}

template class DeviceFactors<float>;
template class DeviceFactors<double>;

}  // namespace spsolve::cuda
