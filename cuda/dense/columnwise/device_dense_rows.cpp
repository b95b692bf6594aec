#include "cuda/dense/columnwise/device_dense_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/ranges.hpp"
#include "core/tuning.hpp"
#include "cuda/dense/panel/panel_kernels.hpp"
#include "cuda/dense/products/device_blas.hpp"
#include "cuda/dense/streams/row_kernels.hpp"

namespace spsolve::cuda::inline dense {

namespace {

/// Leading dimension of right-hand sides that go along: whole packs of a run's kernel.
template <typename T>
constexpr Index carried_stride(Index columns) {
  constexpr auto pack = static_cast<Index>(16 / sizeof(T));
  return (columns + pack - 1) / pack * pack;
}

}  // namespace

template <typename T>
std::int64_t DeviceDenseRows<T>::bytes(Index rows, Index order, Index right_hand_sides) {
  // Those that go along are gone when the first are solved for.
  const Index of_columns = std::max(2 * right_hand_sides, carried_stride<T>(right_hand_sides));
  const std::int64_t values =
      rows * device_stride<T>(order) + 2 * (order + right_hand_sides) + rows + rows * of_columns;
  const std::int64_t of_type = static_cast<std::int64_t>(sizeof(T));
  if (!has_all(rows, order)) return values * of_type;
  return (values + 2 * order) * of_type +
         candidate_count(order) * static_cast<std::int64_t>(sizeof(Candidate)) +
         stripe_count<T>(order, right_hand_sides) * static_cast<std::int64_t>(sizeof(unsigned)) +
         static_cast<std::int64_t>(sizeof(RunReport));
}

template <typename T>
DeviceDenseRows<T>::DeviceDenseRows(DenseStreams& streams, Range rows, Index order)
    : streams_(streams),
      rows_(rows),
      order_(order),
      stride_(device_stride<T>(order_)),
      values_(rows.size() * stride_),
      buffers_(2 * order_),
      multipliers_(rows.size()),
      candidates_(candidate_blocks + 1),
      counter_(1),
      answer_(1) {
  CUDA_CHECK(cudaMemsetAsync(counter_.data(), 0, sizeof(unsigned), streams_.updates.get()));
  if (has_all(rows_.size(), order_)) reserve_runs();
}

template <typename T>
void DeviceDenseRows<T>::reserve_runs() {
  columns_.grow(2 * order_);
  run_candidates_.grow(candidate_count(order_));
  report_.grow(1);
  report_here_.grow(1);
  reserve_stripes();
}

template <typename T>
void DeviceDenseRows<T>::reserve_stripes() {
  stripes_.grow(stripe_count<T>(order_, carried_columns_));
  CUDA_CHECK(cudaMemsetAsync(stripes_.data(), 0, static_cast<std::size_t>(stripes_.bytes()),
                             streams_.updates.get()));
}

template <typename T>
void DeviceDenseRows<T>::fill(const Csr<double>& sparse) {
  fill_dense_rows(sparse, values_, stride_, streams_.updates.get());
}

template <typename T>
void DeviceDenseRows<T>::fill(const CsrView<double>& sparse) {
  fill_dense_rows(sparse, values_, stride_, streams_.updates.get());
}

template <typename T>
void DeviceDenseRows<T>::fill_random(std::uint64_t key, double diagonal) {
  std::vector<Index> numbers(static_cast<std::size_t>(rows_.size()));
  std::iota(numbers.begin(), numbers.end(), rows_.first);
  const DeviceArray<Index> there(numbers);
  cuda::fill_random(key, diagonal, there.data(), rows_.size(), order_, values_.data(), stride_,
                    streams_.updates.get());
  streams_.updates.wait();
}

template <typename T>
void DeviceDenseRows<T>::carry(std::span<const T> right_hand_sides, Index columns) {
  streams_.updates.wait();  // for what still reads the buffers
  carried_columns_ = columns;
  carried_stride_ = carried_stride<T>(columns);
  buffers_.grow(2 * width());
  if (has_all(rows_.size(), order_)) reserve_stripes();
  carried_.grow(rows_.size() * carried_stride_);
  if (carried_.size() == 0) return;
  CUDA_CHECK(cudaMemset(carried_.data(), 0, static_cast<std::size_t>(carried_.bytes())));
  upload_rows(carried_.data(), carried_stride_, right_hand_sides, rows_.size(), columns);
}

template <typename T>
void DeviceDenseRows<T>::release_carried(std::span<T> right_hand_sides) {
  streams_.updates.wait();
  if (carried_.size() > 0) {
    download_rows(right_hand_sides, static_cast<const T*>(carried_.data()), carried_stride_,
                  rows_.size(), carried_columns_);
  }
  carried_ = {};
  carried_columns_ = carried_stride_ = 0;
}

template <typename T>
void DeviceDenseRows<T>::repeat_step(Index column) {
  const auto repeat = [&](Range rows) {
    if (rows.size() <= 0) return;
    eliminate_carried(carried_at(rows.first), carried_stride_, rows.size(), carried_columns_,
                      static_cast<const T*>(at(rows.first, column)), stride_,
                      static_cast<const T*>(buffers_.data() + order_), streams_.updates.get());
  };
  repeat({rows_.first, std::min(column, rows_.last)});
  repeat({std::max(column + 1, rows_.first), rows_.last});
}

template <typename T>
PivotCandidate DeviceDenseRows<T>::find_pivot(Range rows, Range columns) const {
  if (rows.size() == 0 || columns.size() == 0) return {};
  find_candidate(values_.data(), stride_, rows.first - rows_.first, rows.size(), columns.first,
                 columns.size(), candidates_.data(), counter_.data(), streams_.updates.get());
  CUDA_CHECK(cudaMemcpyAsync(answer_.data(), candidates_.data(), sizeof(Candidate),
                             cudaMemcpyDeviceToHost, streams_.updates.get()));
  streams_.updates.wait();
  const Candidate& best = *answer_.data();
  return {magnitude_of_key(best.key, T{}), rows_.first + best.row, best.column};
}

template <typename T>
std::span<T> DeviceDenseRows<T>::row_buffer(int which) {
  return {buffers_.data() + which * width(), static_cast<std::size_t>(width())};
}

template <typename T>
void DeviceDenseRows<T>::copy(T* to, const T* from, Index count) {
  if (count == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T),
                             cudaMemcpyDeviceToDevice, streams_.updates.get()));
}

template <typename T>
void DeviceDenseRows<T>::load_row(Index row, Range columns, int buffer) {
  const Range own = intersect(columns, {0, order_}), more = intersect(columns, {order_, width()});
  T* const to = row_buffer(buffer).data();
  copy(to + own.first, at(row, own.first), own.size());
  copy(to + more.first, carried_at(row) + more.first - order_, more.size());
}

template <typename T>
void DeviceDenseRows<T>::store_row(Index row, Range columns, int buffer) {
  const Range own = intersect(columns, {0, order_}), more = intersect(columns, {order_, width()});
  const T* const from = row_buffer(buffer).data();
  copy(at(row, own.first), from + own.first, own.size());
  copy(carried_at(row) + more.first - order_, from + more.first, more.size());
}

template <typename T>
void DeviceDenseRows<T>::read_rows(Range rows, std::span<T> values) const {
  streams_.updates.wait();
  download_rows(values, at(rows.first, 0), stride_, rows.size(), order_);
}

template <typename T>
void DeviceDenseRows<T>::write_rows(Range rows, std::span<const T> values) {
  streams_.updates.wait();
  upload_rows(at(rows.first, 0), stride_, values, rows.size(), order_);
}

template <typename T>
void DeviceDenseRows<T>::swap_rows(Index a, Index b) {
  const Index i = a - rows_.first, k = b - rows_.first;
  swap_two_rows(values_.data(), stride_, order_, i, k, streams_.updates.get());
  if (carried_columns_ > 0) {
    swap_two_rows(carried_.data(), carried_stride_, carried_columns_, i, k, streams_.updates.get());
  }
}

template <typename T>
void DeviceDenseRows<T>::swap_columns(Index a, Index b) {
  swap_two_columns(values_.data(), stride_, rows_.size(), a, b, streams_.updates.get());
}

template <typename T>
void DeviceDenseRows<T>::eliminate(Index column, Range rows) {
  eliminate_rows(values_.data(), stride_, rows.first - rows_.first, rows.size(), order_, column,
                 static_cast<const T*>(buffers_.data()), multipliers_.data(),
                 streams_.updates.get());
  eliminate_carried(carried_at(rows.first), carried_stride_, rows.size(), carried_columns_,
                    static_cast<const T*>(multipliers_.data()), 1,
                    static_cast<const T*>(buffers_.data() + order_), streams_.updates.get());
}

template <typename T>
Index DeviceDenseRows<T>::longest_run(Index first, Method method, Pivoting pivoting) const {
  if (!has_all(rows_.size(), order_) || pivoting == Pivoting::complete) return 0;
  const Index rows = method == Method::gauss_jordan ? order_ : order_ - first;
  const double bytes_of_step =
      2.0 * static_cast<double>(sizeof(T)) * static_cast<double>(rows * (order_ - first));
  const double seconds =
      bytes_of_step / gpu_tuning.bytes_per_second + gpu_tuning.seconds_of_empty_step;
  return std::clamp<Index>(static_cast<Index>(gpu_tuning.seconds_of_run / seconds), 1,
                           longest_column_run);
}

template <typename T>
ColumnRun<T> DeviceDenseRows<T>::column_run() {
  return {values_.data(),  stride_,        order_,          columns_.data(), run_candidates_.data(),
          stripes_.data(), report_.data(), carried_.data(), carried_stride_, carried_columns_};
}

template <typename T>
EliminatedRun DeviceDenseRows<T>::eliminate_run(Range columns, Method method, Pivoting pivoting) {
  const bool search = pivoting != Pivoting::none;
  const cudaStream_t stream = streams_.updates.get();
  const Index k = columns.first;
  find_candidate(values_.data(), stride_, k, search ? order_ - k : 1, k, 1, candidates_.data(),
                 counter_.data(), stream);
  eliminate_columns(column_run(), k, columns.size(), method == Method::gauss_jordan, search,
                    candidates_.data(), stream);
  CUDA_CHECK(cudaMemcpyAsync(report_here_.data(), report_.data(), sizeof(RunReport),
                             cudaMemcpyDeviceToHost, stream));
  streams_.updates.wait();

  const RunReport& report = *report_here_.data();
  EliminatedRun run;
  run.largest_in_pivot_rows = magnitude_of_key(report.largest, T{});
  for (Index step = 0; step < columns.size(); ++step) {
    const Candidate& pivot = report.pivots[step];
    const double magnitude = magnitude_of_key(pivot.key, T{});
    run.pivots.push_back({magnitude, pivot.row, pivot.column});
    if (magnitude == 0 || !std::isfinite(magnitude)) break;
  }
  return run;
}

template <typename T>
void DeviceDenseRows<T>::apply_block(BlockOperation operation, std::span<T> x,
                                     Index columns) const {
  const Index count = rows_.size();
  if (count == 0) return;
  const T* const block = at(rows_.first, rows_.first);
  const CublasHandle& blas = streams_.update_blas;
  const cudaStream_t stream = streams_.updates.get();
  x_.grow(static_cast<Index>(x.size()));
  x_.upload(x);
  const auto apply_jordan = [&](auto subtract) {
    y_.grow(static_cast<Index>(x.size()));
    subtract(block, stride_, count, static_cast<const T*>(x_.data()), y_.data(), columns, stream);
    std::swap(x_, y_);
  };
  switch (operation) {
    case BlockOperation::solve_unit_lower:
      solve_unit_lower(blas, count, columns, block, stride_, x_.data(), columns);
      break;
    case BlockOperation::solve_upper:
      solve_upper(blas, count, columns, block, stride_, x_.data(), columns);
      break;
    case BlockOperation::jordan_upper:
      apply_jordan(subtract_strict_upper<T>);
      break;
    case BlockOperation::solve_unit_lower_transposed:
      solve_unit_lower_transposed(blas, count, columns, block, stride_, x_.data(), columns);
      break;
    case BlockOperation::solve_upper_transposed:
      solve_upper_transposed(blas, count, columns, block, stride_, x_.data(), columns);
      break;
    case BlockOperation::jordan_upper_transposed:
      apply_jordan(subtract_strict_upper_transposed<T>);
      break;
  }
  streams_.updates.wait();
  x_.download(x);
}

template <typename T>
void DeviceDenseRows<T>::subtract_product(Range block, std::span<const T> x, std::span<T> y,
                                          Index columns) const {
  if (rows_.size() == 0 || block.size() == 0) return;
  x_.grow(static_cast<Index>(x.size()));
  y_.grow(static_cast<Index>(y.size()));
  x_.upload(x);
  y_.upload(y);
  cuda::subtract_product(streams_.update_blas, rows_.size(), columns, block.size(),
                         at(rows_.first, block.first), stride_, static_cast<const T*>(x_.data()),
                         columns, y_.data(), columns);
  streams_.updates.wait();
  y_.download(y);
}

template <typename T>
void DeviceDenseRows<T>::subtract_transposed_product(Range block, std::span<const T> x,
                                                     std::span<T> c, Index columns) const {
  if (rows_.size() == 0 || block.size() == 0) return;
  x_.grow(static_cast<Index>(x.size()));
  y_.grow(static_cast<Index>(c.size()));
  x_.upload(x);
  y_.upload(c);
  cuda::subtract_transposed_product(streams_.update_blas, block.size(), columns, rows_.size(),
                                    at(rows_.first, block.first), stride_,
                                    static_cast<const T*>(x_.data()), columns, y_.data(), columns);
  streams_.updates.wait();
  y_.download(c);
}

template <typename T>
void DeviceDenseRows<T>::divide_by_diagonal(std::span<T> x, Index columns) const {
  if (rows_.size() == 0) return;
  std::vector<T> diagonal(static_cast<std::size_t>(rows_.size()));
  streams_.updates.wait();
  CUDA_CHECK(cudaMemcpy2D(diagonal.data(), sizeof(T), at(rows_.first, rows_.first),
                          static_cast<std::size_t>(stride_ + 1) * sizeof(T), sizeof(T),
                          diagonal.size(), cudaMemcpyDeviceToHost));
  T* value = x.data();
  for (const T pivot : diagonal) {
    for (Index c = 0; c < columns; ++c) *value++ /= pivot;
  }
}

SPSOLVE_INSTANTIATE(class DeviceDenseRows)

}  // namespace spsolve::cuda::dense
