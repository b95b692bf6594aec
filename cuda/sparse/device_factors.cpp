#include "cuda/sparse/device_factors.hpp"

#include <algorithm>
#include <numeric>

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
      launcher_(kind, places_, write_program(places_, kind), analysis.fronts.in_parent),
      entry_starts_(analysis.entries.starts),
      entries_(launcher_.staged(analysis.entries.entries)),
      values_(analysis.nonzeros) {
  if (places_.streams()) {
    fronts_ = DeviceArray<int>(places_.by_level);
    windows_.emplace(places_);
    return;
  }
  std::vector<int> small_first(places_.places.size());
  std::iota(small_first.begin(), small_first.end(), 0);
  const auto large = std::stable_partition(small_first.begin(), small_first.end(),
                                           [&](int s) { return places_.places[s].is_small(); });
  small_fronts_ = large - small_first.begin();
  fronts_ = DeviceArray<int>(small_first);
  // Less is set sooner than two streams have found each other.
  constexpr std::int64_t least_bytes = std::int64_t{1} << 26;
  const Index elements = places_.factor_elements - places_.small_elements;
  sets_beside_ = small_fronts_ > 0 && elements * std::int64_t{sizeof(T)} >= least_bytes;
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

/// Factors of these fronts, and elements of the arena that they take <- the values of A.
template <typename T>
void DeviceFactors<T>::set_factors(Range elements, Range fronts, cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(launcher_.arena() + elements.first, 0,
                             static_cast<std::size_t>(elements.size()) * sizeof(T), stream));
  place_entries(launcher_.fronts(), fronts_.data() + fronts.first, fronts.size(),
                entry_starts_.data(), entries_.data(), values_.data(), stream);
}

/// Sets the part's factors; where that is worth it those of large fronts in a stream of their own,
/// which tells when by `set_`.
template <typename T>
void DeviceFactors<T>::begin_part(std::size_t part, cudaStream_t stream) {
  const Index all = fronts_.size();
  if (windows_) {
    const auto [first_level, end_level, window, elements] = places_.parts[part];
    return set_factors({window, window + elements},
                       {places_.level_starts[first_level], places_.level_starts[end_level]},
                       stream);
  }
  if (!sets_beside_) return set_factors({0, places_.factor_elements}, {0, all}, stream);
  begun_.record(stream);
  begun_.hold(beside_);
  set_factors({0, places_.small_elements}, {0, small_fronts_}, stream);
  set_factors({places_.small_elements, places_.factor_elements}, {small_fronts_, all},
              beside_.get());
  set_.record(beside_);
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
  bool waits = sets_beside_;
  for (std::size_t p = 0; p < places_.parts.size(); ++p) {
    if (windows_) windows_->open(p, stream);
    begin_part(p, stream);
    for (; step < program.part_ends[p]; ++step) {
      if (waits && program.steps[step].what != EliminationStep::What::small) {
        set_.hold(stream);
        waits = false;
      }
      launcher_.run(program.steps[step], stream);
    }
    if (windows_) windows_->keep(p, launcher_.arena(), stream);
  }
  if (waits) set_.hold(stream);
  wait_for(stream);
  return launcher_.counts();
}

template class DeviceFactors<float>;
template class DeviceFactors<double>;

}  // namespace spsolve::cuda
