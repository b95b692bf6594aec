#pragma once

#include <memory>
#include <span>
#include <vector>

#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "vectors/multivector/vectors.hpp"
#include "vectors/products/halo_view.hpp"
#include "vectors/products/local_product.hpp"

namespace spsolve::inline vectors {

/// The norms that backward errors are made of, over some rows of A x = b; vectors have one value
/// for each right-hand side. Every number is infinite or nan where a value is not finite.
struct ResidualNorms {
  std::vector<double> residual;         ///< max |r_i|
  std::vector<double> right_hand_side;  ///< max |b_i|
  std::vector<double> solution;         ///< max |x_i|
  double matrix = 0;                    ///< max over rows of sum over j of |a_ij|
  double inverse_row = 0;               ///< max over rows of 1 / that sum
  double componentwise = 0;             ///< max |r_i| / (|A| |x| + |b|)_i, 0 / 0 = 0
};

/// A step of an iteration that A and its diagonal make:
///   y <- of_x x + of_y y + factor D^-1 (b - A x),
/// where an of_y of 0 takes nothing of what y holds.
struct RelaxationStep {
  double of_x, of_y, factor;
  const Vectors& inverse;  ///< the diagonal of D^-1, one column
};

/// Products with the rows of A that one rank holds, in the memory of its vectors. Column j of the
/// rows is own row j of x for j < own columns, and row j - own columns of the halo from there on:
/// the part of x that other ranks hold. On this rank alone.
class BandProducts : public LocalProduct<double> {
 public:
  void multiply(HaloCarrier& carrier, const double* x, double* y, Index columns) final {
    multiply_rows(x, HaloView(carrier, x, columns), y);
    carrier.release();
  }

  /// The rows in host memory; brought there at the first call, by one thread, where they were made
  /// elsewhere.
  virtual const Csr<double>& rows() const = 0;
  virtual Index nonzeros() const = 0;

  /// The rows, which are else as they were, have new values.
  virtual void take_new_values() = 0;

  /// Many products are to come: the rows may be kept in one more form that is faster and takes
  /// up to a fifth more memory than they do.
  virtual void expect_many() {}

  /// y <- A x for own rows of x and y as they lie in memory, of as many columns as the halo.
  virtual void multiply_rows(const double* x, const HaloView& halo, double* y) = 0;
  void multiply(const Vectors& x, const HaloView& halo, Vectors& y) {
    multiply_rows(x.data(), halo, y.data());
  }

  /// y <- A x, and x^T y of own rows for every column.
  virtual void multiply_and_dot(const Vectors& x, const HaloView& halo, Vectors& y,
                                const ToRow& sums) {
    multiply(x, halo, y);
    x.own_dots(y, sums);
  }

  /// r <- b - A x in double; r may be b.
  virtual void subtract(const Vectors& b, const Vectors& x, const HaloView& halo, Vectors& r) = 0;

  /// y <- y + A x
  virtual void add(const Vectors& x, const HaloView& halo, Vectors& y) = 0;

  /// A step from x to y, which are different vectors with as many rows as A.
  virtual void relax(const RelaxationStep& step, const Vectors& b, const Vectors& x,
                     const HaloView& halo, Vectors& y) = 0;

  /// y <- the part of A^T x that belongs to own rows, `halo` <- what others' rows get of it. The
  /// transposed matrix is made at the first call, and kept; of a symmetric A it is A on hosts.
  virtual void multiply_transposed(const Vectors& x, Vectors& y, Dense<double>& halo) = 0;

  /// Bytes of host memory that A^T takes so far.
  virtual std::int64_t transposed_bytes() const { return 0; }

  /// multiply_transposed() with |A|^T |x|.
  virtual void multiply_magnitudes_transposed(const Vectors& x, Vectors& y,
                                              Dense<double>& halo) = 0;

  /// y_ic <- sum over j of |a_ij h h x_jc|: without overflow on the way for an h near the root of
  /// 1 / max |a_ij|.
  virtual void multiply_magnitudes(double h, const Vectors& x, const HaloView& halo,
                                   Vectors& y) = 0;

  /// r <- b - A x, products and sums carried in twice the precision of double (Dekker, 1971; Ogita,
  /// Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005), so that r has
  /// an error of about u |r| + m u^2 (|A| |x| + |b|), m the non-zeros of the row, u = 2^-53, for
  /// u^2 2^-100 in full rows on a GPU: exact to its last bits where b and A x cancel. `magnitudes`,
  /// where it is not null, gets |A| |x| + |b|. Cost: 20 flops a non-zero and column, 8 in full rows
  /// on a GPU.
  virtual ResidualNorms residual(const Vectors& b, const Vectors& x, const HaloView& halo,
                                 Vectors& r, Vectors* magnitudes = nullptr) = 0;

  /// largest_i <- max over j of |a_ij|, and largest_j <- max over i of factor_i |a_ij| for factors
  /// >= 0, over all columns, own ones and the halo's; in host memory. A nan is nothing.
  virtual void row_maxima(std::span<double> largest) const = 0;
  virtual void column_maxima(std::span<const double> factors, std::span<double> largest) const = 0;

  /// d_i <- |a_ii|, or 1 where that is 0, and inverse_i <- 1 / d_i; one column each.
  virtual void diagonal(Vectors& d, Vectors& inverse) const = 0;
};

}  // namespace spsolve::vectors
