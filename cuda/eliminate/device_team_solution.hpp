#pragma once

#include <algorithm>

#include "cuda/core/device_array.hpp"
#include "cuda/eliminate/band_streams.hpp"
#include "cuda/eliminate/factor_store.hpp"
#include "eliminate/team_solution.hpp"

namespace spsolve::cuda {

/// A TeamSolution in the memory of this rank's GPU: everything is work on the stream of updates,
/// and the host waits for none of it before read().
template <typename T>
class DeviceTeamSolution final : public TeamSolution<T> {
 public:
  /// For eliminated rows at `a`, `stride` values apart, with the factors of their panels; both
  /// outlive the object.
  DeviceTeamSolution(BandStreams& streams, const T* a, Index stride, FactorStore<T>& factors)
      : streams_(streams), a_(a), stride_(stride), factors_(factors) {}

  /// Bytes of GPU memory that it takes for `columns` right-hand sides.
  static std::int64_t bytes(Index height, Index order, Index max_width, int ranks, Index columns) {
    const Index values = height + order + (ranks + 2) * std::min(max_width, order);
    return columns == 0 ? 0
                        : values * columns * static_cast<std::int64_t>(sizeof(T)) +
                              (height + order + 1) * static_cast<std::int64_t>(sizeof(int));
  }

  void begin(std::span<const T> sums, const SolutionOrder& order, Index columns) override;
  std::span<T> buffer(Index size) override;
  void pack_sums(Range rows, std::span<T> packed) override;
  void solve(Triangle triangle, Range panel, std::span<const T> factors,
             std::span<const T> gathered) override;
  void subtract_product(Range rows, Range panel) override;
  void turn_back() override;
  void read(std::span<T> solution) override;

 private:
  BandStreams& streams_;
  const T* a_;
  Index stride_;
  FactorStore<T>& factors_;
  Index columns_ = 0;
  DeviceArray<int> places_, steps_;
  Index own_rows_ = 0;
  DeviceArray<T> sums_, x_, buffer_;
  DeviceArray<T> right_;     // a panel's gathered rows, in the order of elimination
  DeviceArray<int> ticket_;  // of solve_triangle()
};

extern template class DeviceTeamSolution<float>;
extern template class DeviceTeamSolution<double>;

}  // namespace spsolve::cuda
