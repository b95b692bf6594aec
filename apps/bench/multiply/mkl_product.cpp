// Products by the inspector and executor of Intel MKL's Sparse BLAS, loaded at run time.

#include "apps/bench/multiply/mkl_product.hpp"

#include <complex>
#include <limits>
#include <type_traits>

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/mkl.hpp"
#include "core/error.hpp"
#include "core/scalar.hpp"
#include "matrix/complex_numbers.hpp"
#include "multiply/kernel/fast_team.hpp"
#include "multiply/kernel_row.hpp"

namespace spsolve::bench {

namespace {

constexpr int as_it_is = 10, row_major = 101, from_zero = 0;
struct Description {
  int type = 20;                 // general
  int side = 40, diagonal = 50;  // of triangles
};
/// Functions for numbers of one type, which MKL names by a letter.
template <typename Number>
struct Functions {
  int (*create)(void** matrix, int base, int rows, int columns, int* begins, int* ends,
                int* column_indices, Number* values);
  int (*multiply)(int operation, Number alpha, void* matrix, Description description,
                  const Number* x, Number beta, Number* y);
  int (*multiply_columns)(int operation, Number alpha, void* matrix, Description description,
                          int layout, const Number* x, int columns, int x_stride, Number beta,
                          Number* y, int y_stride);

  explicit Functions(char letter) {
    const auto load = [&](auto*& function, const char* what) {
      using Function = std::remove_reference_t<decltype(*function)>;
      const std::string name = std::string("mkl_sparse_") + letter + what;
      function = loaded_function<Function>(mkl().library, name.c_str());
    };
    load(create, "_create_csr");
    load(multiply, "_mv");
    load(multiply_columns, "_mm");
  }
};

void checked(int status, const char* what) {
  if (status != 0) fail(ExitCode::internal, "MKL returns status {} when it {}", status, what);
}

/// Complex numbers are handed over as C hands its own.
template <typename Number>
class MklProduct final : public KernelProduct<Real<Number>> {
  using T = Real<Number>;

 public:
  MklProduct(const Csr<Number>& matrix, const KernelOptions& options)
      : threads_(multiply::fast::threads_of(options)),
        rows_(static_cast<int>(matrix.rows)),
        columns_(static_cast<int>(matrix.columns)),
        offsets_(matrix.row_offsets.begin(), matrix.row_offsets.end()),
        indices_(matrix.column_indices.begin(), matrix.column_indices.end()),
        values_(matrix.values),
        functions_(letter) {
    if (matrix.nonzeros() > std::numeric_limits<int>::max()) {
      fail(ExitCode::input, "MKL counts non-zeros by 32 bits");
    }
    mkl().set_threads(threads_);
    checked(functions_.create(&matrix_, from_zero, rows_, columns_, offsets_.data(),
                              offsets_.data() + 1, indices_.data(), values_.data()),
            "takes the matrix");
    const int expected = 1000, columns = static_cast<int>(options.columns);
    const Description general;
    if (columns == 1) {
      static auto* const hint = loaded_function<int(void*, int, Description, int)>(
          mkl().library, "mkl_sparse_set_mv_hint");
      hint(matrix_, as_it_is, general, expected);
    } else {
      static auto* const hint = loaded_function<int(void*, int, Description, int, int, int)>(
          mkl().library, "mkl_sparse_set_mm_hint");
      hint(matrix_, as_it_is, general, row_major, columns, expected);
    }
    static auto* const optimize = loaded_function<int(void*)>(mkl().library, "mkl_sparse_optimize");
    checked(optimize(matrix_), "inspects the matrix");
  }

  ~MklProduct() override {
    static auto* const destroy = loaded_function<int(void*)>(mkl().library, "mkl_sparse_destroy");
    destroy(matrix_);
  }

  void multiply(const T* x, T* y, Index columns) override {
    const int k = static_cast<int>(columns / parts);
    const auto* const from = reinterpret_cast<const Number*>(x);
    auto* const to = reinterpret_cast<Number*>(y);
    mkl().set_threads(threads_);
    if (k == 1) {
      checked(functions_.multiply(as_it_is, Number{1}, matrix_, {}, from, Number{0}, to),
              "multiplies");
    } else {
      checked(functions_.multiply_columns(as_it_is, Number{1}, matrix_, {}, row_major, from, k, k,
                                          Number{0}, to, k),
              "multiplies");
    }
  }

  /// Of the arrays that it is given; what it makes of them it does not tell.
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(offsets_.size() * sizeof(int) +
                                     values_.size() * (sizeof(Number) + sizeof(int)));
  }

 private:
  static constexpr Index parts = sizeof(Number) / sizeof(T);
  static constexpr char letter =
      parts == 1 ? (sizeof(T) == 8 ? 'd' : 's') : (sizeof(T) == 8 ? 'z' : 'c');

  int threads_, rows_, columns_;
  std::vector<int> offsets_, indices_;
  std::vector<Number> values_;
  Functions<Number> functions_;
  void* matrix_ = nullptr;
};

template <typename T>
std::unique_ptr<KernelProduct<T>> mkl_product(const Csr<T>& matrix, const KernelOptions& options) {
  if (const std::string missing = missing_mkl(); !missing.empty()) {
    fail(ExitCode::resources, "{}", missing);
  }
  if (options.in_pairs) {
    return std::make_unique<MklProduct<std::complex<T>>>(complex_numbers_of(matrix), options);
  }
  return std::make_unique<MklProduct<T>>(matrix, options);
}

}  // namespace

const Kernel mkl_kernel = table_row<[](const auto& matrix, const KernelOptions& options) {
  return mkl_product(matrix, options);
}>(KernelDevice::host,
   {"mkl", "csr", false, "Sparse BLAS of Intel MKL, after its inspection for the K at hand",
    takes_all});

}  // namespace spsolve::bench
