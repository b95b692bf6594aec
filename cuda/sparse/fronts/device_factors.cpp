#include "cuda/sparse/fronts/device_factors.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "cuda/core/device_memory.hpp"
#include "cuda/core/stream.hpp"
#include "process/fault.hpp"

namespace spsolve::cuda::inline sparse {

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

/// The layout of fronts if factors, contribution blocks and all lists take at most so many bytes,
/// and solves their own in addition.
template <typename T>
DeviceLayout layout_within(const SparseAnalysis& analysis, Factorization kind,
                           std::int64_t most_bytes, int panel_columns) {
  const auto within = [&](Index most_elements) {
    return lay_out_fronts(analysis.fronts, kind, most_elements, panel_columns);
  };
  DeviceLayout all = within(std::numeric_limits<Index>::max());
  const GpuFactorMemory beside =
      gpu_lists_memory(analysis.fronts, all.elements, analysis.nonzeros,
                       static_cast<Index>(analysis.entries.entries.size()));
  const double usable = gpu_tuning.usable_memory * static_cast<double>(free_bytes());
  const std::int64_t left = std::min(most_bytes, static_cast<std::int64_t>(usable)) - beside.lists -
                            most_sweep_columns * beside.column;
  const Index room = std::max<std::int64_t>(0, left / static_cast<std::int64_t>(sizeof(T)));
  return all.elements <= room ? std::move(all) : within(room);
}

}  // namespace

template <typename T>
DeviceFactors<T>::DeviceFactors(const SparseAnalysis& analysis, Factorization kind,
                                std::int64_t most_bytes, int panel_columns)
    : kind_(kind),
      layout_(layout_within<T>(analysis, kind, most_bytes, panel_columns)),
      launcher_(kind, layout_, write_program(layout_, kind), analysis.fronts.in_parent),
      kernel_statistics_(kernel_statistics_of(launcher_.program(), layout_, kind)),
      entry_starts_(analysis.entries.starts),
      entries_(launcher_.staged(analysis.entries.entries)),
      values_(analysis.nonzeros) {
  if (!layout_.streams()) return;
  by_level_ = DeviceArray<int>(layout_.by_level);
  out_of_core_.emplace(layout_);
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
  const Index first = layout_.level_starts[part.first_level];
  const Index count = layout_.level_starts[part.end_level] - first;
  place_entries(launcher_.fronts(), out_of_core_ ? by_level_.data() + first : nullptr, count,
                entry_starts_.data(), entries_.data(), values_.data(), stream);
}

template <typename T>
void DeviceFactors<T>::acquire(std::size_t part, std::size_t next, cudaStream_t stream) {
  if (out_of_core_) out_of_core_->acquire(part, next, launcher_.arena(), stream);
}

template <typename T>
void DeviceFactors<T>::release(std::size_t part, cudaStream_t stream) {
  if (out_of_core_) out_of_core_->release(part, stream);
}

template <typename T>
PivotCounts DeviceFactors<T>::factor(const PivotRule& rule) {
  const cudaStream_t stream = current_stream();
  launcher_.begin(rule, stream);
  const EliminationProgram& program = launcher_.program();
  Index step = 0;
  for (std::size_t p = 0; p < layout_.parts.size(); ++p) {
    if (out_of_core_) out_of_core_->open(p, stream);
    begin_part(layout_.parts[p], stream);
    launcher_.run(step, program.part_ends[p], stream);
    step = program.part_ends[p];
    if (out_of_core_) out_of_core_->store(p, launcher_.arena(), stream);
  }
  wait_for(stream);
  const PivotTally tally = launcher_.tally();
  raised_ = raised_of(tally);
  return counts_of(tally);
}

SPSOLVE_INSTANTIATE(class DeviceFactors)

}  // namespace spsolve::cuda::sparse
