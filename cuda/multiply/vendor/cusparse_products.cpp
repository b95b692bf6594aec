#include "cuda/multiply/vendor/cusparse_products.hpp"

#include <algorithm>
#include <complex>
#include <limits>

#include "core/error.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/multiply/published/transpose.hpp"
#include "cuda/multiply/vendor/cusparse_matrix.hpp"
#include "matrix/complex_numbers.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

/// Room for so many elements, new ones zeros: the third SpMM algorithm reads, where X has one
/// column, what it did not write, and once lost the last row of Y where that was no number.
template <typename T>
void grow_with_zeros(DeviceArray<T>& array, Index size) {
  if (array.size() >= size) return;
  array.grow(size);
  CUDA_CHECK(
      cudaMemsetAsync(array.data(), 0, static_cast<std::size_t>(array.bytes()), current_stream()));
}

constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

template <typename T>
void copy_vector(const T* from, Index size, T* to) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(T),
                             cudaMemcpyDeviceToDevice, current_stream()));
}

/// SpMV in any format, into a vector of its own where that is asked for.
template <typename T>
class SpmvProduct final : public KernelProduct<T> {
 public:
  SpmvProduct(CusparseMatrix<T> matrix, cusparseSpMVAlg_t algorithm, bool copies = false)
      : handle_(make_cusparse()), matrix_(std::move(matrix)), algorithm_(algorithm) {
    if (copies) own_y_.grow(matrix_.rows + 1);
  }

  void multiply(const T* x, T* y, Index columns) override {
    if (columns != 1) fail(ExitCode::internal, "cuSPARSE's SpMV was asked for K = {}", columns);
    if (matrix_.empty()) return matrix_.multiply_empty(y, 1);
    CUDA_CHECK(cusparseSetStream(handle_.get(), current_stream()));
    const bool copies = own_y_.size() > 0;
    T* const output = copies ? own_y_.data() : y;
    // cuSPARSE takes no pointer to const here, and does not write to x.
    T* const input = const_cast<T*>(x);
    if (!prepared_) prepare(input, output);
    CUDA_CHECK(cusparseDnVecSetValues(x_.get(), input));
    CUDA_CHECK(cusparseDnVecSetValues(y_.get(), output));
    CUDA_CHECK(cusparseSpMV(handle_.get(), as_it_is, &one, a_.get(), x_.get(), &zero, y_.get(),
                            value_type<T>, algorithm_, matrix_.workspace.data()));
    if (copies) copy_vector(output, matrix_.rows, y);
  }
  std::int64_t bytes() const override { return matrix_.bytes(); }
  std::string detail() const override {
    return version_of(handle_) + (own_y_.size() > 0 ? ", Y copied within the product" : "");
  }

 private:
  void prepare(T* x, T* y) {
    a_ = matrix_.descriptor();
    cusparseDnVecDescr_t made = nullptr;
    CUDA_CHECK(cusparseCreateDnVec(&made, matrix_.columns, x, value_type<T>));
    x_.reset(made);
    CUDA_CHECK(cusparseCreateDnVec(&made, matrix_.rows, y, value_type<T>));
    y_.reset(made);
    std::size_t bytes = 0;
    CUDA_CHECK(cusparseSpMV_bufferSize(handle_.get(), as_it_is, &one, a_.get(), x_.get(), &zero,
                                       y_.get(), value_type<T>, algorithm_, &bytes));
    grow_with_zeros(matrix_.workspace, std::max<Index>(static_cast<Index>(bytes), 1));
    if (matrix_.slice == 0) {  // there is nothing to prepare in SELL
      CUDA_CHECK(cusparseSpMV_preprocess(handle_.get(), as_it_is, &one, a_.get(), x_.get(), &zero,
                                         y_.get(), value_type<T>, algorithm_,
                                         matrix_.workspace.data()));
    }
    prepared_ = true;
  }

  static constexpr T one = 1, zero = 0;
  CusparseHandle handle_;
  CusparseMatrix<T> matrix_;
  cusparseSpMVAlg_t algorithm_;
  DeviceArray<T> own_y_;
  SparseDescriptor a_;
  VectorDescriptor x_, y_;
  bool prepared_ = false;
};

template <typename T>
class SpmmProduct final : public KernelProduct<T> {
 public:
  /// room_behind: as cusparse_csr_spmv() has it.
  SpmmProduct(CusparseMatrix<T> matrix, cusparseSpMMAlg_t algorithm, DenseOrder order,
              bool room_behind)
      : handle_(make_cusparse()),
        matrix_(std::move(matrix)),
        algorithm_(algorithm),
        by_columns_(order == DenseOrder::columns),
        copies_one_(algorithm == CUSPARSE_SPMM_CSR_ALG3 && !room_behind) {}

  void multiply(const T* x, T* y, Index columns) override {
    if (matrix_.empty()) return matrix_.multiply_empty(y, columns);
    CUDA_CHECK(cusparseSetStream(handle_.get(), current_stream()));
    const bool transposes = by_columns_ && columns > 1, copies = copies_one_ && columns == 1;
    T* output = y;
    if (copies) {
      grow_with_zeros(y_columns_, matrix_.rows + 1);
      output = y_columns_.data();
    }
    if constexpr (!is_complex<T>) {
      if (transposes) {
        x = transposed(x, matrix_.columns, columns, x_columns_);
        y_columns_.grow(matrix_.rows * columns);
        output = y_columns_.data();
      }
    }
    // cuSPARSE takes no pointer to const here, and does not write to x.
    T* const input = const_cast<T*>(x);
    if (columns != prepared_columns_) prepare(input, output, columns);
    CUDA_CHECK(cusparseDnMatSetValues(x_.get(), input));
    CUDA_CHECK(cusparseDnMatSetValues(y_.get(), output));
    CUDA_CHECK(cusparseSpMM(handle_.get(), as_it_is, as_it_is, &one, a_.get(), x_.get(), &zero,
                            y_.get(), value_type<T>, algorithm_, matrix_.workspace.data()));
    if constexpr (!is_complex<T>) {
      if (transposes) transpose(output, y, columns, matrix_.rows);
    }
    if (copies) copy_vector(output, matrix_.rows, y);
  }
  std::int64_t bytes() const override { return matrix_.bytes(); }
  std::string detail() const override {
    return version_of(handle_) + (by_columns_ ? ", X and Y transposed within the product" : "") +
           (copies_one_ ? ", Y of one column copied within the product" : "");
  }

 private:
  DenseDescriptor dense(Index rows, Index columns, T* values) const {
    cusparseDnMatDescr_t made = nullptr;
    CUDA_CHECK(cusparseCreateDnMat(&made, rows, columns, by_columns_ ? rows : columns, values,
                                   value_type<T>,
                                   by_columns_ ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW));
    return DenseDescriptor(made);
  }

  void prepare(T* x, T* y, Index columns) {
    a_ = matrix_.descriptor();
    x_ = dense(matrix_.columns, columns, x);
    y_ = dense(matrix_.rows, columns, y);
    std::size_t bytes = 0;
    CUDA_CHECK(cusparseSpMM_bufferSize(handle_.get(), as_it_is, as_it_is, &one, a_.get(), x_.get(),
                                       &zero, y_.get(), value_type<T>, algorithm_, &bytes));
    grow_with_zeros(matrix_.workspace, std::max<Index>(static_cast<Index>(bytes), 1));
    CUDA_CHECK(cusparseSpMM_preprocess(handle_.get(), as_it_is, as_it_is, &one, a_.get(), x_.get(),
                                       &zero, y_.get(), value_type<T>, algorithm_,
                                       matrix_.workspace.data()));
    prepared_columns_ = columns;
  }

  static constexpr T one = 1, zero = 0;
  CusparseHandle handle_;
  CusparseMatrix<T> matrix_;
  cusparseSpMMAlg_t algorithm_;
  bool by_columns_, copies_one_;
  DeviceArray<T> x_columns_, y_columns_;
  SparseDescriptor a_;
  DenseDescriptor x_, y_;
  Index prepared_columns_ = 0;
};

/// A product of complex numbers, whose X and Y are arrays of twice as many real ones.
template <typename T>
class InPairs final : public KernelProduct<T> {
 public:
  using Complex = std::complex<T>;
  explicit InPairs(std::unique_ptr<KernelProduct<Complex>> product)
      : product_(std::move(product)) {}

  void multiply(const T* x, T* y, Index columns) override {
    product_->multiply(reinterpret_cast<const Complex*>(x), reinterpret_cast<Complex*>(y),
                       columns / complex_parts);
  }
  std::int64_t bytes() const override { return product_->bytes(); }
  std::string detail() const override { return product_->detail(); }

 private:
  std::unique_ptr<KernelProduct<Complex>> product_;
};

/// make(matrix, whether there is room behind Y) with the matrix, or that of its complex numbers.
template <typename T, typename Make>
std::unique_ptr<KernelProduct<T>> of_either(const Csr<T>& matrix, const KernelOptions& options,
                                            const Make& make) {
  if (!options.in_pairs) return make(matrix, options.room_behind);
  return std::make_unique<InPairs<T>>(make(complex_numbers_of(matrix), false));
}

cusparseSpMMAlg_t spmm_algorithm(int number) {
  switch (number) {
    case 1:
      return CUSPARSE_SPMM_CSR_ALG1;
    case 2:
      return CUSPARSE_SPMM_CSR_ALG2;
    default:
      return CUSPARSE_SPMM_CSR_ALG3;
  }
}

}  // namespace

std::string cusparse_problem(const MatrixFacts& facts) {
  constexpr Index most = std::numeric_limits<LocalIndex>::max();
  if (facts.nonzeros <= most && facts.rows < most) return {};
  return "cuSPARSE is given 32-bit offsets here, and the matrix has 2^31 rows or non-zeros";
}

template <typename T>
std::unique_ptr<KernelProduct<T>> cusparse_csr_spmv(const Csr<T>& matrix, int algorithm,
                                                    const KernelOptions& options) {
  return of_either(
      matrix, options,
      [&]<typename F>(const Csr<F>& a, bool room_behind) -> std::unique_ptr<KernelProduct<F>> {
        return std::make_unique<SpmvProduct<F>>(
            CusparseMatrix<F>::csr(a),
            algorithm == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2,
            algorithm == 1 && !room_behind);
      });
}

template <typename T>
std::unique_ptr<KernelProduct<T>> cusparse_sell_spmv(const Csr<T>& matrix) {
  return std::make_unique<SpmvProduct<T>>(CusparseMatrix<T>::sell(matrix), CUSPARSE_SPMV_SELL_ALG1);
}

template <typename T>
std::unique_ptr<KernelProduct<T>> cusparse_csr_spmm(const Csr<T>& matrix, int algorithm,
                                                    DenseOrder order,
                                                    const KernelOptions& options) {
  return of_either(
      matrix, options,
      [&]<typename F>(const Csr<F>& a, bool room_behind) -> std::unique_ptr<KernelProduct<F>> {
        return std::make_unique<SpmmProduct<F>>(CusparseMatrix<F>::csr(a),
                                                spmm_algorithm(algorithm), order, room_behind);
      });
}

SPSOLVE_INSTANTIATE_FUNCTION(cusparse_csr_spmv)
SPSOLVE_INSTANTIATE_FUNCTION(cusparse_sell_spmv)
SPSOLVE_INSTANTIATE_FUNCTION(cusparse_csr_spmm)

}  // namespace spsolve::cuda::multiply
