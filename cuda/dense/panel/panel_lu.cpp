#include "cuda/dense/panel/panel_lu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "cuda/dense/dense_streams.hpp"
#include "cuda/dense/device_blas.hpp"
#include "dense/lu/lapack_panel.hpp"

namespace spsolve::cuda {

namespace {

double finite_or_infinite(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

}  // namespace

double magnitude_of_key(unsigned long long key, double) {
  return key == 0 ? 0 : finite_or_infinite(std::bit_cast<double>(key - 1));
}
double magnitude_of_key(unsigned long long key, float) {
  return key == 0 ? 0 : finite_or_infinite(std::bit_cast<float>(static_cast<unsigned>(key >> 32)));
}

template <typename T>
void solve_unit_lower_by_halves(const CublasHandle& blas, Index width, Index columns, const T* l,
                                Index l_stride, T* b, Index b_stride, cudaStream_t stream) {
  if (columns == 0 || width == 0) return;
  if (width <= small_triangle) {
    solve_unit_lower_small(static_cast<int>(width), columns, l, l_stride, b, b_stride, stream);
    return;
  }
  const Index half = (width / 2 + small_triangle - 1) / small_triangle * small_triangle;
  T* const below = b + half * b_stride;
  solve_unit_lower_by_halves(blas, half, columns, l, l_stride, b, b_stride, stream);
  subtract_product(blas, width - half, columns, half, l + half * l_stride, l_stride, b, b_stride,
                   below, b_stride);
  solve_unit_lower_by_halves(blas, width - half, columns, l + half * l_stride + half, l_stride,
                             below, b_stride, stream);
}

template <typename T>
void form_multipliers_by_halves(const CublasHandle& blas, Index rows, Index width, const T* u,
                                Index u_stride, T* a, Index stride, PanelReport* report,
                                cudaStream_t stream) {
  const auto leaf = [&](Index columns, Index next) {
    form_leaf_multipliers(a, stride, rows, static_cast<int>(columns), static_cast<int>(next), u,
                          u_stride, report, stream);
  };
  if (width <= leaf_width) return leaf(width, 0);
  const Index half = (width / 2 + leaf_width - 1) / leaf_width * leaf_width;
  if (half == leaf_width) {
    leaf(half, width - half);
  } else {
    form_multipliers_by_halves(blas, rows, half, u, u_stride, a, stride, report, stream);
    subtract_product(blas, rows, width - half, half, a, stride, u + half, u_stride, a + half,
                     stride);
  }
  form_multipliers_by_halves(blas, rows, width - half, u + half * (u_stride + 1), u_stride,
                             a + half, stride, report, stream);
}

/// A panel in memory and how it is worked on.
template <typename T>
struct PanelLu<T>::Place {
  const CublasHandle& blas;
  T* a;
  Index stride;
  Index rows;
  Index width;
  Pivoting pivoting;

  T* at(Index row, Index column) const { return a + row * stride + column; }
};

template <typename T>
PanelLu<T>::PanelLu(Index rows, Index width)
    : candidates_(candidate_count(rows)),
      grid_slots_(grid_slot_bytes(rows)),
      leaf_(1),
      told_(static_cast<Index>(sizeof(PanelReport)) + width * static_cast<Index>(sizeof(int))),
      heard_(told_.size()) {}

template <typename T>
std::int64_t PanelLu<T>::bytes(Index rows, Index width) {
  return (candidate_count(rows) + width) * static_cast<std::int64_t>(sizeof(int)) +
         grid_slot_bytes(rows) + static_cast<std::int64_t>(sizeof(Leaf<T>));
}

template <typename T>
void PanelLu<T>::start(const CublasHandle& blas, cudaStream_t stream, T* a, Index stride,
                       Index rows, Index width, Pivoting pivoting) {
  stream_ = stream;
  left_ = {};
  if (pivoting == Pivoting::partial && rows > largest_partial_height<T>()) {
    left_ = {a, stride, rows, width};
    return;
  }
  auto* const heard = reinterpret_cast<PanelReport*>(heard_.data());
  *heard = {0, static_cast<int>(width)};
  CUDA_CHECK(
      cudaMemcpyAsync(told_.data(), heard, sizeof(PanelReport), cudaMemcpyHostToDevice, stream));
  eliminate({blas, a, stride, rows, width, pivoting}, {0, width});
  CUDA_CHECK(cudaMemcpyAsync(heard, told_.data(), static_cast<std::size_t>(told_.bytes()),
                             cudaMemcpyDeviceToHost, stream));
}

template <typename T>
void PanelLu<T>::eliminate(const Place& panel, Range columns) {
  const Index width = columns.size();
  if (width <= leaf_width) return eliminate_leaf(panel, columns, 0);
  const Index half = (width / 2 + leaf_width - 1) / leaf_width * leaf_width;
  const Index middle = columns.first + half;
  const Range right{middle, columns.last};
  if (half == leaf_width) {
    eliminate_leaf(panel, {columns.first, middle}, right.size());
  } else {
    eliminate(panel, {columns.first, middle});
    solve_unit_lower_by_halves(panel.blas, half, right.size(),
                               panel.at(columns.first, columns.first), panel.stride,
                               panel.at(columns.first, middle), panel.stride, stream_);
    subtract_product(panel.blas, panel.rows - middle, right.size(), half,
                     panel.at(middle, columns.first), panel.stride, panel.at(columns.first, middle),
                     panel.stride, panel.at(middle, middle), panel.stride);
  }
  eliminate(panel, right);
}

template <typename T>
void PanelLu<T>::eliminate_leaf(const Place& panel, Range columns, Index next) {
  const ElectionSpace space{candidates_.data(), grid_slots_.data()};
  auto* const report = reinterpret_cast<PanelReport*>(told_.data());
  int* const swaps = reinterpret_cast<int*>(report + 1) + columns.first;
  const Index rows = panel.rows - columns.first;
  const int width = static_cast<int>(columns.size());
  const int column = static_cast<int>(columns.first);
  T* const top = panel.at(columns.first, columns.first);
  bool formed = false;  // the multipliers, too
  switch (panel.pivoting) {
    case Pivoting::none:
      take_in_order(top, panel.stride, width, column, leaf_.data(), swaps, report, stream_);
      break;
    case Pivoting::tournament:
      formed = elect_by_tournament(top, panel.stride, rows, width, column, space.candidates,
                                   leaf_.data(), swaps, report, stream_);
      break;
    default:
      elect_by_columns(top, panel.stride, rows, width, column, space, leaf_.data(), swaps, report,
                       stream_);
  }
  move_leaf_rows(panel.at(columns.first, 0), panel.stride, panel.width, columns.first, width,
                 static_cast<int>(next), leaf_.data(), stream_);
  if (formed) {
    subtract_product(panel.blas, rows - width, next, columns.size(), top + width * panel.stride,
                     panel.stride, top + width, panel.stride, top + width * panel.stride + width,
                     panel.stride);
    return;
  }
  form_leaf_multipliers<T>(top + width * panel.stride, panel.stride, rows - width, width,
                           static_cast<int>(next), top, panel.stride, report, stream_);
}

template <typename T>
typename PanelLu<T>::Outcome PanelLu<T>::finish(std::span<Index> swaps) {
  wait_for(stream_);
  if (left_.a != nullptr) return finish_by_host(swaps);
  const auto* const report = reinterpret_cast<const PanelReport*>(heard_.data());
  const int* const steps = reinterpret_cast<const int*>(report + 1);
  for (std::size_t i = 0; i < swaps.size(); ++i) {
    // A leaf counts from its own first row.
    const auto leaf_first = static_cast<Index>(i) / leaf_width * leaf_width;
    swaps[i] = leaf_first + steps[i];
  }
  const bool bad = report->first_bad < static_cast<int>(swaps.size());
  return {magnitude_of_key(report->largest_multiplier, T{}), bad ? report->first_bad : -1};
}

template <typename T>
typename PanelLu<T>::Outcome PanelLu<T>::finish_by_host(std::span<Index> swaps) {
  const auto& [a, stride, rows, width] = left_;
  std::vector<T> values(static_cast<std::size_t>(rows * width)), columns(values.size());
  std::vector<int> steps(static_cast<std::size_t>(width));
  download_rows(std::span(values), a, stride, rows, width);
  const Index bad_column =
      factor_panel_by_lapack(values.data(), width, rows, width, columns.data(), std::span(steps));
  upload_rows(a, stride, std::span<const T>(values), rows, width);
  std::copy(steps.begin(), steps.end(), swaps.begin());
  return {0, bad_column};  // its multipliers are at most 1
}

#define SPSOLVE_INSTANTIATE(T)                                                                     \
  template void solve_unit_lower_by_halves(const CublasHandle&, Index, Index, const T*, Index, T*, \
                                           Index, cudaStream_t);                                   \
  template void form_multipliers_by_halves(const CublasHandle&, Index, Index, const T*, Index, T*, \
                                           Index, PanelReport*, cudaStream_t);                     \
  template class PanelLu<T>;
SPSOLVE_INSTANTIATE(float)
SPSOLVE_INSTANTIATE(double)
#undef SPSOLVE_INSTANTIATE

}  // namespace spsolve::cuda
