#include "cuda/dense/device_blocked_solution.hpp"

#include <vector>

#include "core/ranges.hpp"
#include "cuda/dense/products/device_blas.hpp"
#include "cuda/dense/streams/row_kernels.hpp"
#include "cuda/team/part_kernels.hpp"
#include "cuda/vectors/device_vectors.hpp"

namespace spsolve::cuda::inline dense {

namespace {

/// Right-hand sides up to which the triangle is read once for every four of them, rather than by
/// the BLAS, whose solves with few columns take several times as long as reading it.
constexpr Index most_by_passes = 8;

/// A list of rows for gather_rows().
void upload_list(std::span<const Index> rows, DeviceArray<int>& list) {
  list.grow(static_cast<Index>(rows.size()));
  list.upload(std::vector<int>(rows.begin(), rows.end()));
}

}  // namespace

template <typename T>
void DeviceBlockedSolution<T>::solve_columns(Triangle triangle, bool transposed, Index w,
                                             const T* a, Index stride, T* b, Index columns) {
  const CublasHandle& blas = streams_.update_blas;
  if (triangle == Triangle::upper) {
    (transposed ? solve_upper_transposed<T> : solve_upper<T>)(blas, w, columns, a, stride, b,
                                                              columns);
  } else {
    (transposed ? solve_unit_lower_transposed<T> : solve_unit_lower<T>)(blas, w, columns, a, stride,
                                                                        b, columns);
  }
}

template <typename T>
void DeviceBlockedSolution<T>::take_order(std::span<const Index> order) {
  streams_.updates.wait();
  upload_list(order, order_of_rows_);
}

template <typename T>
void DeviceBlockedSolution<T>::solve_whole(bool transposed, const Vectors& b, Vectors& x) {
  const Index columns = b.columns();
  const bool by_passes = columns <= most_by_passes;
  x_.grow(order_ * columns);
  if (by_passes) other_.grow(order_ * columns_of_triangle(columns));
  const cudaStream_t outer = current_stream(), stream = streams_.updates.get();
  given_.record(outer);
  given_.hold(stream);
  gather_narrow_rows(on_device(b).data(), transposed ? nullptr : order_of_rows_.data(), order_,
                     columns, x_.data(), stream);
  for (const bool second : {false, true}) {
    const Triangle triangle = second == transposed ? Triangle::unit_lower : Triangle::upper;
    if (columns_of_triangle(columns) == columns) {
      // In one pass each: to the other room, and back.
      const T* const from = (second ? other_ : x_).data();
      solve_triangle<T>(triangle, transposed, {order_, a_, stride_}, from, columns,
                        (second ? x_ : other_).data(), static_cast<int>(columns), ticket_.data(),
                        stream);
    } else if (by_passes) {
      solve_by_passes(triangle, transposed, {order_, a_, stride_}, x_.data(), columns);
    } else {
      solve_columns(triangle, transposed, order_, a_, stride_, x_.data(), columns);
    }
  }
  scatter_narrow_rows(x_.data(), transposed ? order_of_rows_.data() : nullptr, order_, columns,
                      on_device(x).data(), stream);
  solved_.record(stream);
  solved_.hold(outer);
}

template <typename T>
void DeviceBlockedSolution<T>::solve_by_passes(Triangle triangle, bool transposed,
                                               const TriangleView<T>& a, T* x, Index columns) {
  for (Index c = 0; c < columns;) {
    const int count = columns_of_triangle(columns - c);
    solve_triangle<T>(triangle, transposed, a, x + c, columns, other_.data(), count, ticket_.data(),
                      streams_.updates.get());
    copy_rows(x + c, columns, static_cast<const T*>(other_.data()), Index{count}, a.order,
              Index{count}, streams_.updates);
    c += count;
  }
}

template <typename T>
void DeviceBlockedSolution<T>::begin(std::span<const T> sums, const SolutionOrder& order,
                                     Index columns) {
  streams_.updates.wait();
  columns_ = columns;
  band_ = order.band;
  upload_list(order.places, places_);
  upload_list(order.in_panel, in_panel_);
  sums_.grow(static_cast<Index>(sums.size()));
  sums_.upload(sums);
  kept_.grow(band_.size() * columns);
}

template <typename T>
std::span<T> DeviceBlockedSolution<T>::buffer(Index size) {
  if (buffer_.size() < size) streams_.updates.wait();
  buffer_.grow(size);
  return {buffer_.data(), static_cast<std::size_t>(size)};
}

template <typename T>
void DeviceBlockedSolution<T>::pack_sums(Range rows, std::span<T> packed) {
  copy_rows(packed.data(), columns_, sums_.data() + rows.first * columns_, columns_, rows.size(),
            columns_, streams_.updates);
}

template <typename T>
void DeviceBlockedSolution<T>::make_room(Index width) {
  const Index of_pass = width * columns_of_triangle(columns_);
  if (x_.size() >= width * columns_ && other_.size() >= of_pass) return;
  streams_.updates.wait();
  x_.grow(width * columns_);
  other_.grow(of_pass);
}

template <typename T>
void DeviceBlockedSolution<T>::solve_panel(Triangle triangle, bool transposed, Range panel,
                                           std::span<const T> factors) {
  const Index width = panel.size();
  const T* const lu = factors_.find(panel, factors);
  if (columns_ <= most_by_passes) {
    solve_by_passes(triangle, transposed, {width, lu, width}, x_.data(), columns_);
  } else {
    solve_columns(triangle, transposed, width, lu, width, x_.data(), columns_);
  }
}

template <typename T>
void DeviceBlockedSolution<T>::solve(Triangle triangle, Range panel, std::span<const T> factors,
                                     std::span<const T> gathered) {
  make_room(panel.size());
  gather_rows(gathered.data(), columns_, places_.data() + panel.first, panel.size(), columns_,
              x_.data(), columns_, streams_.updates.get());
  solve_panel(triangle, false, panel, factors);
}

template <typename T>
void DeviceBlockedSolution<T>::subtract_product(Range rows, Range panel) {
  cuda::subtract_product(streams_.update_blas, rows.size(), columns_, panel.size(),
                         a_ + rows.first * stride_ + panel.first, stride_,
                         static_cast<const T*>(x_.data()), columns_,
                         sums_.data() + rows.first * columns_, columns_);
}

template <typename T>
void DeviceBlockedSolution<T>::keep_sums(Range rows) {
  gather_rows(static_cast<const T*>(x_.data()), columns_, in_panel_.data() + rows.first,
              rows.size(), columns_, sums_.data() + rows.first * columns_, columns_,
              streams_.updates.get());
}

template <typename T>
void DeviceBlockedSolution<T>::keep_band(Range panel) {
  const Range both = intersect(panel, band_);
  if (both.size() == 0) return;
  copy_rows(kept_.data() + (both.first - band_.first) * columns_, columns_,
            static_cast<const T*>(x_.data()) + (both.first - panel.first) * columns_, columns_,
            both.size(), columns_, streams_.updates);
}

template <typename T>
void DeviceBlockedSolution<T>::read(std::span<T> band) {
  streams_.updates.wait();
  kept_.download(band);
}

template <typename T>
void DeviceBlockedSolution<T>::begin_transposed(std::span<const T> band, const SolutionOrder& order,
                                                Index columns) {
  begin({}, order, columns);
  sums_.grow(std::ssize(order.in_panel) * columns);
  kept_.upload(band);
}

template <typename T>
void DeviceBlockedSolution<T>::pack_band(Range panel, std::span<T> packed) {
  CUDA_CHECK(cudaMemsetAsync(packed.data(), 0, packed.size_bytes(), streams_.updates.get()));
  const Range both = intersect(panel, band_);
  if (both.size() == 0) return;
  copy_rows(packed.data() + (both.first - panel.first) * columns_, columns_,
            static_cast<const T*>(kept_.data()) + (both.first - band_.first) * columns_, columns_,
            both.size(), columns_, streams_.updates);
}

template <typename T>
void DeviceBlockedSolution<T>::pack_pivots(Range rows, std::span<T> packed) {
  const cudaStream_t stream = streams_.updates.get();
  CUDA_CHECK(cudaMemsetAsync(packed.data(), 0, packed.size_bytes(), stream));
  scatter_narrow_rows(static_cast<const T*>(sums_.data()) + rows.first * columns_,
                      in_panel_.data() + rows.first, rows.size(), columns_, packed.data(), stream);
}

template <typename T>
void DeviceBlockedSolution<T>::subtract_transposed_product(Range rows, Range panel,
                                                           std::span<T> packed) {
  if (rows.size() == 0) return;
  cuda::subtract_transposed_product(streams_.update_blas, panel.size(), columns_, rows.size(),
                                    a_ + rows.first * stride_ + panel.first, stride_,
                                    static_cast<const T*>(sums_.data()) + rows.first * columns_,
                                    columns_, packed.data(), columns_);
}

template <typename T>
void DeviceBlockedSolution<T>::solve_transposed(Triangle triangle, Range panel,
                                                std::span<const T> factors,
                                                std::span<const T> gathered) {
  make_room(panel.size());
  const Index size = panel.size() * columns_;
  add_parts(gathered.data(), static_cast<int>(std::ssize(gathered) / size), size, x_.data(),
            streams_.updates.get());
  solve_panel(triangle, true, panel, factors);
}

template <typename T>
void DeviceBlockedSolution<T>::read_sums(std::span<T> sums) {
  streams_.updates.wait();
  sums_.download(sums);
}

SPSOLVE_INSTANTIATE(class DeviceBlockedSolution)

}  // namespace spsolve::cuda::dense
