#pragma once

#include <memory>
#include <utility>

#include "multiply/kernel.hpp"

namespace spsolve {

/// The Product of a storage format and a function: Storage<T> is made from the Csr by
/// `Storage<T>::from_csr(csr, options)`, knows its bytes(), and `multiply(storage, x, y, K)`
/// computes Y = A X.
template <typename T, template <typename> class Storage, auto multiply_function>
class FormatProduct final : public Product<T> {
 public:
  FormatProduct(const Csr<T>& matrix, const KernelOptions& options)
      : storage_(Storage<T>::from_csr(matrix, options)) {}

  void multiply(const T* x, T* y, Index columns) override {
    multiply_function(storage_, x, y, columns);
  }
  std::int64_t bytes() const override { return storage_.bytes(); }

 private:
  Storage<T> storage_;
};

/// What a row of the table says of a kernel beside its functions.
struct KernelDescription {
  std::string_view name;
  std::string_view format;
  bool reproducible;
  std::string_view sentence;
  std::string (*refuse)(const MatrixFacts& facts, Index columns, std::size_t value_bytes);
};

/// A row of the table of host kernels. `multiply_function` is a lambda without captures that takes
/// (const Storage<T>&, const T* x, T* y, Index columns) for both T.
template <template <typename> class Storage, auto multiply_function>
constexpr Kernel host_row(const KernelDescription& description) {
  return {
      description.name,
      description.format,
      KernelDevice::host,
      description.reproducible,
      description.sentence,
      description.refuse,
      [](const Csr<float>& matrix,
         const KernelOptions& options) -> std::unique_ptr<Product<float>> {
        return std::make_unique<FormatProduct<float, Storage, multiply_function>>(matrix, options);
      },
      [](const Csr<double>& matrix,
         const KernelOptions& options) -> std::unique_ptr<Product<double>> {
        return std::make_unique<FormatProduct<double, Storage, multiply_function>>(matrix, options);
      }};
}

// Reasons to refuse, for the rows.

/// Any matrix, any K.
inline std::string takes_all(const MatrixFacts&, Index, std::size_t) {
  return {};
}

/// Only a_ij = a_ji.
inline std::string needs_symmetric(const MatrixFacts& facts, Index, std::size_t) {
  return facts.symmetric ? std::string() : "the matrix is not symmetric";
}

}  // namespace spsolve
