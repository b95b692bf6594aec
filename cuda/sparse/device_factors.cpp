#include "cuda/sparse/device_factors.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "cuda/core/device_memory.hpp"
#include "cuda/core/stream.hpp"
#include "process/fault.hpp"

namespace spsolve::cuda {

namespace {

/// Bytes that this process may take of the GPU's memory now.
std::int64_t free_bytes() {
  std::size_t free = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &all));
  auto bytes = static_cast<std::int64_t>(free);
  // An injected figure is the memory that was free in the beginning.
  if (const auto told = injected_gpu_memory()) bytes = std::min(bytes, *told - device_bytes().now);
  return bytes;
}

/// The places of fronts if factors, passed-up blocks and all lists take at most so many bytes, and
/// solves their own in addition.
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
      launcher_(kind, places_, write_program(places_, kind), analysis.fronts.in_parent),
      regimes_(regimes_of(launcher_.program(), places_, kind)),
      entry_starts_(analysis.entries.starts),
      entries_(launcher_.staged(analysis.entries.entries)),
      values_(analysis.nonzeros) {
  if (!places_.streams()) return;
  by_level_ = DeviceArray<int>(places_.by_level);
  windows_.emplace(places_);
}

template <typename T>
void DeviceFactors<T>::upload(const std::vector<double>& values) {
  launcher_.upload(values, values_.data());
}

template <typename T>
void DeviceFactors<T>::copy(const double* values) {
  CUDA_CHECK(cudaMemcpyAsync(values_.data(), values, static_cast<std::size_t>(values_.bytes()),
                             cudaMemcpyDeviceToDevice, current_stream()));
}

/// Sets the part's factors to the values of A.
template <typename T>
void DeviceFactors<T>::begin_part(const FrontPart& part, cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(launcher_.arena() + part.window, 0,
                             static_cast<std::size_t>(part.elements) * sizeof(T), stream));
  const Index first = places_.level_starts[part.first_level];
  const Index count = places_.level_starts[part.end_level] - first;
  place_entries(launcher_.fronts(), windows_ ? by_level_.data() + first : nullptr, count,
                entry_starts_.data(), entries_.data(), values_.data(), stream);
}

template <typename T>
void DeviceFactors<T>::bring(std::size_t part, std::size_t next, cudaStream_t stream) {
  if (windows_) windows_->bring(part, next, launcher_.arena(), stream);
}

template <typename T>
void DeviceFactors<T>::leave(std::size_t part, cudaStream_t stream) {
  if (windows_) windows_->leave(part, stream);
}

template <typename T>
PivotCounts DeviceFactors<T>::factor(double least) {
  const cudaStream_t stream = current_stream();
  launcher_.begin(least, stream);
  const EliminationProgram& program = launcher_.program();
  Index step = 0;
  for (std::size_t p = 0; p < places_.parts.size(); ++p) {
    if (windows_) windows_->open(p, stream);
    begin_part(places_.parts[p], stream);
    launcher_.run(step, program.part_ends[p], stream);
    step = program.part_ends[p];
    if (windows_) windows_->keep(p, launcher_.arena(), stream);
  }
  wait_for(stream);
  return launcher_.counts();
}

template class DeviceFactors<float>;
template class DeviceFactors<double>;

}  // namespace spsolve::cuda
