#include "multiply/published/dense_kernels.hpp"

#include <algorithm>
#include <limits>

#include "core/blas/blas.hpp"
#include "core/error.hpp"
#include "process/system.hpp"

namespace spsolve::inline multiply {

namespace {

/// OpenMP's number of threads for the length of a scope.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) { omp_set_num_threads(threads); }
  ~ThreadScope() { omp_set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

}  // namespace

std::string dense_problem(Index rows, Index columns, std::size_t value_bytes) {
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(value_bytes);
  if (bytes > static_cast<double>(largest_dense_bytes)) {
    return fmt::format("its dense form would take {:.3g} GB, more than the {:.3g} GB allowed",
                       bytes * 1e-9, static_cast<double>(largest_dense_bytes) * 1e-9);
  }
  if (const auto memory = static_cast<double>(available_memory()); bytes > memory) {
    return fmt::format("its dense form would take {:.3g} GB, and {:.3g} GB are available",
                       bytes * 1e-9, memory * 1e-9);
  }
  return {};
}

template <typename T>
DenseStorage<T> DenseStorage<T>::from_csr(const Csr<T>& csr, const KernelOptions& options) {
  if (const std::string problem = dense_problem(csr.rows, csr.columns, sizeof(T));
      !problem.empty()) {
    fail(ExitCode::resources, "{}", problem);
  }
  DenseStorage result{Dense<T>(csr.rows, csr.columns), options.threads};
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < csr.rows; ++i) {
    for (Index k = csr.row_offsets[i]; k < csr.row_offsets[i + 1]; ++k) {
      result.matrix(i, csr.column_indices[k]) = csr.values[k];
    }
  }
  return result;
}

template <typename T>
void dense_reference(const Dense<T>& a, const T* x, T* y, Index columns) {
  for (Index i = 0; i < a.rows; ++i) {
    for (Index c = 0; c < columns; ++c) {
      T sum{};
      for (Index j = 0; j < a.columns; ++j) sum += a(i, j) * x[j * columns + c];
      y[i * columns + c] = sum;
    }
  }
}

template <typename T>
void dense_blas(const Dense<T>& a, const T* x, T* y, Index columns, int threads) {
  if (a.columns == 0) {
    std::fill_n(y, a.rows * columns, T{});
    return;
  }
  if (a.rows == 0 || columns == 0) return;
  // Rows and columns fit: both are at least 1, and the dense form has at most 2 GiB.
  if (columns > std::numeric_limits<int>::max()) {
    fail(ExitCode::resources, "the BLAS multiplies at most {} columns, not {}",
         std::numeric_limits<int>::max(), columns);
  }
  const ThreadScope scope(host_threads(threads));
  blas::product(a.rows, columns, a.columns, a.values.data(), a.columns, x, columns, y, columns);
}

SPSOLVE_INSTANTIATE(struct DenseStorage)
SPSOLVE_INSTANTIATE_FUNCTION(dense_reference)
SPSOLVE_INSTANTIATE_FUNCTION(dense_blas)

}  // namespace spsolve::multiply
