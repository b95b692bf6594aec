#pragma once

#include <vector>

#include "eliminate/team_solution.hpp"

namespace spsolve {

/// A TeamSolution in host memory, by BLAS.
template <typename T>
class HostTeamSolution final : public TeamSolution<T> {
 public:
  /// For eliminated rows at `a`, `stride` values apart, which outlive the object.
  HostTeamSolution(const T* a, Index stride) : a_(a), stride_(stride) {}

  void begin(std::span<const T> sums, const SolutionOrder& order, Index columns) override;
  std::span<T> buffer(Index size) override;
  void pack_sums(Range rows, std::span<T> packed) override;
  void solve(Triangle triangle, Range panel, std::span<const T> factors,
             std::span<const T> gathered) override;
  void subtract_product(Range rows, Range panel) override;
  void turn_back() override;
  void read(std::span<T> solution) override;

 private:
  T* x(Index step) { return x_.data() + step * columns_; }

  const T* a_;
  Index stride_;
  Index columns_ = 0;
  std::vector<Index> places_, steps_;
  std::vector<T> sums_, x_, buffer_;
};

extern template class HostTeamSolution<float>;
extern template class HostTeamSolution<double>;

}  // namespace spsolve
