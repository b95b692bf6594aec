#include "cuda/dense/panel/panel_lu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "cuda/dense/products/device_blas.hpp"
#include "cuda/dense/streams/dense_streams.hpp"
#include "dense/lu/lapack_panel.hpp"

namespace spsolve::cuda::inline dense {

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
    solve_unit_lower_small(static_cast<int>(width), columns, l, l_stride, b, b, b_stride, stream);
    return;
  }
  const Index half = half_by_triangles(width);
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
  if (width <= leaf_width) {
    form_leaf_multipliers(a, stride, rows, static_cast<int>(width), u, u_stride, report, stream);
    return;
  }
  const Index half = (width / 2 + leaf_width - 1) / leaf_width * leaf_width;
  form_multipliers_by_halves(blas, rows, half, u, u_stride, a, stride, report, stream);
  subtract_product(blas, rows, width - half, half, a, stride, u + half, u_stride, a + half, stride);
  form_multipliers_by_halves(blas, rows, width - half, u + half * (u_stride + 1), u_stride,
                             a + half, stride, report, stream);
}

template <typename T>
PanelLu<T>::PanelLu(Index rows, Index width)
    : candidates_(leaf_candidate_count(rows)),
      grid_slots_(grid_slot_bytes(rows)),
      leaf_(1),
      told_(static_cast<Index>(sizeof(PanelReport)) + width * static_cast<Index>(sizeof(int))),
      heard_(told_.size()) {}

template <typename T>
std::int64_t PanelLu<T>::bytes(Index rows, Index width) {
  return (leaf_candidate_count(rows) + width) * static_cast<std::int64_t>(sizeof(int)) +
         grid_slot_bytes(rows) + static_cast<std::int64_t>(sizeof(Leaf<T>));
}

template <typename T>
void PanelLu<T>::start(const CublasHandle& blas, cudaStream_t stream, const Panel& panel,
                       const Beside& beside) {
  blas_ = &blas;
  stream_ = stream;
  panel_ = panel;
  beside_ = beside;
  steps_.clear();
  next_step_ = 0;
  by_host_ = panel.pivoting == Pivoting::partial && panel.rows > largest_partial_height<T>();
  goes_on_ = false;
  if (by_host_) return;
  auto* const heard = reinterpret_cast<PanelReport*>(heard_.data());
  *heard = {0, static_cast<int>(panel.width)};
  CUDA_CHECK(
      cudaMemcpyAsync(told_.data(), heard, sizeof(PanelReport), cudaMemcpyHostToDevice, stream));
  plan({0, panel.width});
  launch(beside_.leaves);
}

template <typename T>
void PanelLu<T>::plan(Range columns) {
  const Index width = columns.size();
  if (width <= leaf_width) {
    steps_.push_back({columns, 0, {}});
    return;
  }
  const Index half = (width / 2 + leaf_width - 1) / leaf_width * leaf_width;
  const Range left{columns.first, columns.first + half}, right{left.last, columns.last};
  if (half == leaf_width) {
    steps_.push_back({left, right.size(), {}});
  } else {
    plan(left);
    steps_.push_back({left, 0, right});
  }
  plan(right);
}

template <typename T>
void PanelLu<T>::launch(Index leaves) {
  if (next_step_ == steps_.size()) return;
  for (; next_step_ < steps_.size() && leaves > 0; ++next_step_) {
    const Step& step = steps_[next_step_];
    if (step.right.size() > 0) {
      eliminate_right(step.columns, step.right);
      continue;
    }
    eliminate_leaf(step.columns, step.next);
    --leaves;
    if (goes_on_) follow(step);
  }
  if (next_step_ < steps_.size()) return;
  CUDA_CHECK(cudaMemcpyAsync(heard_.data(), told_.data(), static_cast<std::size_t>(told_.bytes()),
                             cudaMemcpyDeviceToHost, stream_));
}

template <typename T>
void PanelLu<T>::follow(const Step& step) {
  if (beside_.inverses == nullptr || step.right.size() > 0) return;
  beside_.inverses->follow(step.columns.last, panel_.a, panel_.stride, stream_);
}

template <typename T>
void PanelLu<T>::go_on() {
  if (goes_on_) return;
  goes_on_ = true;
  if (beside_.inverses != nullptr) beside_.inverses->begin(panel_.width);
  for (std::size_t k = 0; k < next_step_; ++k) follow(steps_[k]);
  launch(std::numeric_limits<Index>::max());
  if (beside_.inverses != nullptr && !by_host_) beside_.inverses->finish(stream_);
}

template <typename T>
void PanelLu<T>::eliminate_right(Range left, Range right) {
  solve_unit_lower_by_halves(*blas_, left.size(), right.size(), panel_.at(left.first, left.first),
                             panel_.stride, panel_.at(left.first, right.first), panel_.stride,
                             stream_);
  subtract_product(*blas_, panel_.rows - left.last, right.size(), left.size(),
                   panel_.at(left.last, left.first), panel_.stride,
                   panel_.at(left.first, right.first), panel_.stride,
                   panel_.at(left.last, right.first), panel_.stride);
}

template <typename T>
void PanelLu<T>::eliminate_leaf(Range columns, Index next) {
  const Panel& panel = panel_;
  const PivotSearchSpace space{candidates_.data(), grid_slots_.data()};
  auto* const report = reinterpret_cast<PanelReport*>(told_.data());
  int* const swaps = reinterpret_cast<int*>(report + 1) + columns.first;
  const Index rows = panel.rows - columns.first;
  const int width = static_cast<int>(columns.size());
  const int column = static_cast<int>(columns.first);
  T* const top = panel.at(columns.first, columns.first);
  bool formed = false;  // the multipliers, too
  switch (panel.pivoting) {
    case Pivoting::none:
      pivots_in_order(top, panel.stride, width, column, leaf_.data(), swaps, report, stream_);
      break;
    case Pivoting::tournament:
      formed = pivots_by_tournament(top, panel.stride, rows, width, column, space.candidates,
                                    leaf_.data(), swaps, report, stream_);
      break;
    default:
      pivots_by_columns(top, panel.stride, rows, width, column, space, leaf_.data(), swaps, report,
                        stream_);
  }
  move_leaf_rows(panel.at(columns.first, 0), panel.stride, panel.width, columns.first, width,
                 static_cast<int>(next), leaf_.data(), stream_);
  T* const below = top + width * panel.stride;
  if (!formed) {
    form_leaf_multipliers<T>(below, panel.stride, rows - width, width, top, panel.stride, report,
                             stream_);
  }
  subtract_product(*blas_, rows - width, next, columns.size(), below, panel.stride, top + width,
                   panel.stride, below + width, panel.stride);
}

template <typename T>
typename PanelLu<T>::Outcome PanelLu<T>::finish(std::span<Index> swaps) {
  go_on();
  wait_for(stream_);
  if (by_host_) return finish_by_host(swaps);
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
  const auto& [a, stride, rows, width, pivoting] = panel_;
  std::vector<T> values(static_cast<std::size_t>(rows * width)), columns(values.size());
  std::vector<int> steps(static_cast<std::size_t>(width));
  download_rows(std::span(values), a, stride, rows, width);
  const Index bad_column =
      factor_panel_by_lapack(values.data(), width, rows, width, columns.data(), std::span(steps));
  upload_rows(a, stride, std::span<const T>(values), rows, width);
  std::copy(steps.begin(), steps.end(), swaps.begin());
  return {0, bad_column};  // its multipliers are at most 1
}

SPSOLVE_INSTANTIATE_FUNCTION(solve_unit_lower_by_halves)
SPSOLVE_INSTANTIATE_FUNCTION(form_multipliers_by_halves)
SPSOLVE_INSTANTIATE(class PanelLu)

}  // namespace spsolve::cuda::dense
