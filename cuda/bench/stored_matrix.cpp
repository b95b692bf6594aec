#include "cuda/bench/stored_matrix.hpp"

#include <numeric>

#include "cuda/bench/random_system.hpp"
#include "cuda/core/vendor.hpp"
#include "cuda/eliminate/band_kernels.hpp"
#include "distribute/share_rows.hpp"
#include "eliminate/residual.hpp"

namespace spsolve::cuda {

StoredMatrix::StoredMatrix(BandStreams& streams, Team& team, const GpuSystem& system)
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
  const Index rows = RowBands{order, ranks}.band(rank).size();
  return (rows * device_stride<double>(order) + rows + order) *
         static_cast<std::int64_t>(sizeof(double));
}

/// x <- A x, column by column: each rank its rows, then brought to all.
void StoredMatrix::multiply(Dense<double>& x) {
  const double one = 1, zero = 0;
  const Index rows = mine_.size();
  std::vector<double> column(static_cast<std::size_t>(order_));
  Dense<double> product(x.rows, x.columns);
  for (Index c = 0; c < x.columns && rows > 0; ++c) {
    for (Index i = 0; i < order_; ++i) column[i] = x(i, c);
    long_.upload(column);
    // Row-major: cuBLAS sees the transpose.
    CUDA_CHECK(cublasDgemv_64(streams_.update_blas.get(), CUBLAS_OP_T, order_, rows, &one,
                              values_.data(), stride_, long_.data(), 1, &zero, short_.data(), 1));
    streams_.updates.wait();
    short_.download(std::span(column).first(static_cast<std::size_t>(rows)));
    for (Index i = 0; i < rows; ++i) product(mine_.first + i, c) = column[i];
  }
  share_bands(team_, bands_, product);
  x = std::move(product);
}

/// x <- A^T x: what each rank's rows add to it, summed over the ranks.
void StoredMatrix::multiply_transposed(Dense<double>& x) {
  const double one = 1, zero = 0;
  const Index rows = mine_.size();
  std::vector<double> column(static_cast<std::size_t>(order_));
  Dense<double> product(x.rows, x.columns);
  for (Index c = 0; c < x.columns && rows > 0; ++c) {
    for (Index i = 0; i < rows; ++i) column[i] = x(mine_.first + i, c);
    short_.upload(std::span(column).first(static_cast<std::size_t>(rows)));
    CUDA_CHECK(cublasDgemv_64(streams_.update_blas.get(), CUBLAS_OP_N, order_, rows, &one,
                              values_.data(), stride_, short_.data(), 1, &zero, long_.data(), 1));
    streams_.updates.wait();
    long_.download(column);
    for (Index i = 0; i < order_; ++i) product(i, c) = column[i];
  }
  all_sum(team_, product.values);
  x = std::move(product);
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

MatrixProducts StoredMatrix::products() {
  MatrixProducts products;
  products.multiply = [this](Dense<double>& x) { multiply(x); };
  products.multiply_transposed = [this](Dense<double>& x) { multiply_transposed(x); };
  // The norm of A^T is of the same size, and decides only on when refinement ends.
  products.norm = products.norm_transposed = norm();
  return products;
}

}  // namespace spsolve::cuda
