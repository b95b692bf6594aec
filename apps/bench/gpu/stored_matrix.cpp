#include "apps/bench/gpu/stored_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "apps/bench/gpu/random_system.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/dense/streams/row_kernels.hpp"
#include "cuda/device/device_vector_memory.hpp"

namespace spsolve::cuda {

StoredMatrix::StoredMatrix(DenseStreams& streams, Team& team, const GpuSystem& system)
    : streams_(streams),
      team_(team),
      order_(system.order),
      bands_{system.order, team.size()},
      mine_(bands_.band(team.rank())),
      stride_(device_stride<double>(system.order)) {
  together(team, [&] {
    values_.grow(mine_.size() * stride_);
    long_.grow(order_);
    short_.grow(mine_.size());
    std::vector<Index> numbers(static_cast<std::size_t>(mine_.size()));
    std::iota(numbers.begin(), numbers.end(), mine_.first);
    const DeviceArray<Index> rows(numbers);
    fill_random(system.key(), system.diagonal, rows.data(), mine_.size(), order_, values_.data(),
                stride_, streams_.updates.get());
    streams_.updates.wait();
  });
}

std::int64_t StoredMatrix::bytes(Index order, int rank, int ranks) {
  const Index rows = RowLayout{order, ranks}.band(rank).size();
  return (rows * device_stride<double>(order) + rows + order) *
         static_cast<std::int64_t>(sizeof(double));
}

void StoredMatrix::multiply(const Vectors& x, Vectors& y) {
  const double one = 1, zero = 0;
  const Dense<double> mine = own_rows(x);
  Dense<double> product(mine.rows, mine.columns);
  std::vector<double> column(static_cast<std::size_t>(order_));
  for (Index c = 0; c < mine.columns; ++c) {
    for (Index i = 0; i < mine.rows; ++i) column[mine_.first + i] = mine(i, c);
    for (int owner = 0; owner < team_.size(); ++owner) {
      const Range band = bands_.band(owner);
      broadcast(team_, std::span(column).subspan(band.first, band.size()), owner);
    }
    if (mine.rows == 0) continue;
    long_.upload(column);
    // Row-major: cuBLAS sees the transpose.
    CUDA_CHECK(cublasDgemv_64(streams_.update_blas.get(), CUBLAS_OP_T, order_, mine.rows, &one,
                              values_.data(), stride_, long_.data(), 1, &zero, short_.data(), 1));
    streams_.updates.wait();
    std::vector<double> result(static_cast<std::size_t>(mine.rows));
    short_.download(result);
    for (Index i = 0; i < mine.rows; ++i) product(i, c) = result[i];
  }
  set_own_rows(y, product);
}

void StoredMatrix::multiply_transposed(const Vectors& x, Vectors& y) {
  const double one = 1, zero = 0;
  const Dense<double> mine = own_rows(x);
  Dense<double> product(mine.rows, mine.columns);
  std::vector<double> column(static_cast<std::size_t>(order_)), own(mine.values.size());
  for (Index c = 0; c < mine.columns; ++c) {
    std::ranges::fill(column, 0.0);
    if (mine.rows > 0) {
      own.resize(static_cast<std::size_t>(mine.rows));
      for (Index i = 0; i < mine.rows; ++i) own[i] = mine(i, c);
      short_.upload(own);
      CUDA_CHECK(cublasDgemv_64(streams_.update_blas.get(), CUBLAS_OP_N, order_, mine.rows, &one,
                                values_.data(), stride_, short_.data(), 1, &zero, long_.data(), 1));
      streams_.updates.wait();
      long_.download(column);
    }
    all_sum(team_, column);
    for (Index i = 0; i < mine.rows; ++i) product(i, c) = column[mine_.first + i];
  }
  set_own_rows(y, product);
}

double StoredMatrix::norm() const {
  DeviceArray<double> norm(1);
  largest_row_sum(values_.data(), stride_, mine_.size(), order_, norm.data(),
                  streams_.updates.get());
  streams_.updates.wait();
  double value = 0;
  norm.download(std::span(&value, 1));
  return all_maximum(team_, value);
}

RandomMatrix::RandomMatrix(Team& team, Index order, StoredMatrix* stored)
    : SystemMatrix(
          team, {order, team.size()},
          [&] {
            Csr<double> rows;
            rows.rows = RowLayout{order, team.size()}.band(team.rank()).size();
            rows.columns = order;
            rows.row_offsets.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
            return rows;
          }(),
          device_vector_memory()),
      stored_(stored) {}

}  // namespace spsolve::cuda
