#include "cuda/eliminate/device_team_solution.hpp"

#include <vector>

#include "cuda/eliminate/band_kernels.hpp"
#include "cuda/eliminate/device_blas.hpp"
#include "cuda/eliminate/triangle_kernels.hpp"

namespace spsolve::cuda {

namespace {

/// A list of rows for gather_rows().
void upload_list(std::span<const Index> rows, DeviceArray<int>& list) {
  list.grow(static_cast<Index>(rows.size()));
  list.upload(std::vector<int>(rows.begin(), rows.end()));
}

}  // namespace

template <typename T>
void DeviceTeamSolution<T>::begin(std::span<const T> sums, const SolutionOrder& order,
                                  Index columns) {
  streams_.updates.wait();
  columns_ = columns;
  own_rows_ = static_cast<Index>(order.steps.size());
  upload_list(order.places, places_);
  upload_list(order.steps, steps_);
  sums_.grow(static_cast<Index>(sums.size()));
  sums_.upload(sums);
  x_.grow(static_cast<Index>(order.places.size()) * columns);
  ticket_.grow(1);
}

template <typename T>
std::span<T> DeviceTeamSolution<T>::buffer(Index size) {
  if (buffer_.size() < size) streams_.updates.wait();
  buffer_.grow(size);
  return {buffer_.data(), static_cast<std::size_t>(size)};
}

template <typename T>
void DeviceTeamSolution<T>::pack_sums(Range rows, std::span<T> packed) {
  copy_rows(packed.data(), columns_, sums_.data() + rows.first * columns_, columns_, rows.size(),
            columns_, streams_.updates);
}

template <typename T>
void DeviceTeamSolution<T>::solve(Triangle triangle, Range panel, std::span<const T> factors,
                                  std::span<const T> gathered) {
  const cudaStream_t stream = streams_.updates.get();
  const Index width = panel.size();
  const T* const lu = factors_.find(panel, factors);
  T* const x = x_.data() + panel.first * columns_;
  if (right_.size() < width) {
    streams_.updates.wait();
    right_.grow(width);
  }
  T* const right = columns_ == 1 ? right_.data() : x;
  gather_rows(gathered.data(), columns_, places_.data() + panel.first, width, columns_, right,
              columns_, stream);
  if (columns_ == 1) {
    solve_triangle<T>(triangle, width, lu, width, right, x, ticket_.data(), stream);
  } else if (triangle == Triangle::upper) {
    solve_upper(streams_.update_blas, width, columns_, lu, width, x, columns_);
  } else {
    solve_unit_lower(streams_.update_blas, width, columns_, lu, width, x, columns_);
  }
}

template <typename T>
void DeviceTeamSolution<T>::subtract_product(Range rows, Range panel) {
  cuda::subtract_product(streams_.update_blas, rows.size(), columns_, panel.size(),
                         a_ + rows.first * stride_ + panel.first, stride_,
                         static_cast<const T*>(x_.data() + panel.first * columns_), columns_,
                         sums_.data() + rows.first * columns_, columns_);
}

template <typename T>
void DeviceTeamSolution<T>::turn_back() {
  gather_rows(static_cast<const T*>(x_.data()), columns_, steps_.data(), own_rows_, columns_,
              sums_.data(), columns_, streams_.updates.get());
}

template <typename T>
void DeviceTeamSolution<T>::read(std::span<T> solution) {
  streams_.updates.wait();
  x_.download(solution);
}

template class DeviceTeamSolution<float>;
template class DeviceTeamSolution<double>;

}  // namespace spsolve::cuda
