#pragma once

#include <memory>
#include <string>
#include <utility>

#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// The Product of a storage format and a function: Storage<T> is made from the Csr by
/// `Storage<T>::from_csr(csr, options)`, knows its bytes(), may say its detail(), and
/// `multiply(storage, x, y, K)` computes Y = A X.
template <typename T, template <typename> class Storage, auto multiply_function>
class FormatProduct final : public KernelProduct<T> {
 public:
  FormatProduct(const Csr<T>& matrix, const KernelOptions& options)
      : storage_(Storage<T>::from_csr(matrix, options)) {}

  void multiply(const T* x, T* y, Index columns) override {
    multiply_function(storage_, x, y, columns);
  }
  std::int64_t bytes() const override { return storage_.bytes(); }
  std::string detail() const override {
    if constexpr (requires { storage_.detail(); }) {
      return storage_.detail();
    } else {
      return {};
    }
  }

 private:
  Storage<T> storage_;
};

/// The description of a kernel in a row of the table, in addition to its functions.
struct KernelDescription {
  std::string_view name;
  std::string_view format;
  bool reproducible;
  std::string_view sentence;
  std::string (*refuse)(const MatrixFacts& facts, Index columns, std::size_t value_bytes);
};

/// A row of the table. `make` is a lambda without captures that takes (const Csr<T>&, const
/// KernelOptions&) for every scalar T and hands back a std::unique_ptr<KernelProduct<T>>.
template <auto make>
constexpr Kernel table_row(KernelDevice device, const KernelDescription& description) {
  constexpr auto prepare = []<typename T>(const Csr<T>& matrix, const KernelOptions& options)
      -> std::unique_ptr<KernelProduct<T>> { return make(matrix, options); };
  return {description.name,
          description.format,
          device,
          description.reproducible,
          description.sentence,
          description.refuse,
          Scalars::make<PrepareKernel>(prepare)};
}

/// A row for a storage format and a function. `multiply_function` is a lambda without captures that
/// takes (const Storage<T>&, const T* x, T* y, Index columns) for every scalar T.
template <template <typename> class Storage, auto multiply_function>
constexpr Kernel format_row(KernelDevice device, const KernelDescription& description) {
  constexpr auto make = []<typename T>(const Csr<T>& matrix, const KernelOptions& options) {
    return std::make_unique<FormatProduct<T, Storage, multiply_function>>(matrix, options);
  };
  return table_row<make>(device, description);
}

/// A row for a storage format and a function in the table of host kernels.
template <template <typename> class Storage, auto multiply_function>
constexpr Kernel host_row(const KernelDescription& description) {
  return format_row<Storage, multiply_function>(KernelDevice::host, description);
}

// Reasons to refuse, for the rows.

/// Any matrix, any K.
inline std::string takes_all(const MatrixFacts&, Index, std::size_t) {
  return {};
}

/// Only a_ij = a_ji, but for rounding.
std::string needs_symmetric(const MatrixFacts& facts, Index, std::size_t);

/// Only the real form of a complex matrix.
std::string needs_real_form(const MatrixFacts& facts, Index, std::size_t);

}  // namespace spsolve::multiply
