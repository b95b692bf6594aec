#include "eliminate/host_team_solution.hpp"

#include <algorithm>

#include "core/blas.hpp"

namespace spsolve {

template <typename T>
void HostTeamSolution<T>::begin(std::span<const T> sums, const SolutionOrder& order,
                                Index columns) {
  columns_ = columns;
  places_.assign(order.places.begin(), order.places.end());
  steps_.assign(order.steps.begin(), order.steps.end());
  sums_.assign(sums.begin(), sums.end());
  x_.resize(places_.size() * static_cast<std::size_t>(columns));
}

template <typename T>
std::span<T> HostTeamSolution<T>::buffer(Index size) {
  if (buffer_.size() < static_cast<std::size_t>(size)) buffer_.resize(size);
  return {buffer_.data(), static_cast<std::size_t>(size)};
}

template <typename T>
void HostTeamSolution<T>::pack_sums(Range rows, std::span<T> packed) {
  std::copy_n(sums_.begin() + rows.first * columns_, rows.size() * columns_, packed.begin());
}

template <typename T>
void HostTeamSolution<T>::solve(Triangle triangle, Range panel, std::span<const T> factors,
                                std::span<const T> gathered) {
  for (Index k = panel.first; k < panel.last; ++k) {
    std::copy_n(gathered.begin() + places_[k] * columns_, columns_, x(k));
  }
  const Index width = panel.size();
  if (triangle == Triangle::upper) {
    blas::solve_upper(width, columns_, factors.data(), width, x(panel.first), columns_);
  } else {
    blas::solve_unit_lower(width, columns_, factors.data(), width, x(panel.first), columns_);
  }
}

template <typename T>
void HostTeamSolution<T>::subtract_product(Range rows, Range panel) {
  blas::subtract_product(rows.size(), columns_, panel.size(),
                         a_ + rows.first * stride_ + panel.first, stride_, x(panel.first), columns_,
                         sums_.data() + rows.first * columns_, columns_);
}

template <typename T>
void HostTeamSolution<T>::turn_back() {
  auto sum = sums_.begin();
  for (const Index step : steps_) sum = std::copy_n(x(step), columns_, sum);
}

template <typename T>
void HostTeamSolution<T>::read(std::span<T> solution) {
  std::copy_n(x_.begin(), solution.size(), solution.begin());
}

template class HostTeamSolution<float>;
template class HostTeamSolution<double>;

}  // namespace spsolve
