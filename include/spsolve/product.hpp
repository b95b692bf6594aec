#pragma once

#include <memory>
#include <string>

#include "spsolve/dense.hpp"
#include "spsolve/matrix.hpp"
#include "spsolve/options.hpp"
#include "spsolve/ranks.hpp"

namespace spsolve {

/// How products are computed.
struct ProductOptions {
  std::string kernel = "auto";  ///< a name of `spbench --list-kernels`
  Index columns = 1;            ///< K that is expected, for choices that depend on it
  Index products = 0;           ///< that are expected, for the cost that choices may have; 0: many
  Device device = Device::automatic;
  bool share_gpus = false;
};

/// Y = A X for one matrix, prepared once and applied as often as wanted, to any number of columns.
/// Over several ranks every call is collective; each has a band of rows of A and Y, and of X.
class Product {
 public:
  /// `a`: of rank 0; others pass an empty one. Throws the same Error on every rank: input where the
  /// kernel does not take the matrix, resources where memory is short.
  explicit Product(const Matrix& a, const ProductOptions& options = {}, Ranks ranks = {});
  ~Product();
  Product(Product&&) noexcept;
  Product& operator=(Product&&) noexcept;

  Range own() const;    ///< this rank's rows of A and Y
  Range own_x() const;  ///< this rank's rows of X

  /// This rank's rows of Y for its rows of X, own_x().size() x K.
  Dense<double> apply(const Dense<double>& x);

  /// Y = A X without copies, for arrays in the memory of the device that computes: X of
  /// own_x().size() x `columns`, Y of own().size() x `columns`, row-major and apart from each
  /// other. Throws Error(input) for less than one column, for columns that differ between ranks,
  /// and for host memory if a GPU computes.
  void apply(const double* x, double* y, Index columns);

  std::string device() const;  ///< "host", or the model of the GPU

  /// The kernel, and what it chose, in words.
  std::string kernel() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spsolve
