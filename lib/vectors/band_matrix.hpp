#pragma once

#include <memory>
#include <vector>

#include "matrix/csr.hpp"
#include "vectors/basic_band_matrix.hpp"

namespace spsolve::inline vectors {

/// A sparse matrix A, m x n in double, in bands, and all products with vectors in the memory that
/// it is made for that solvers ask for. Owns its rows. Collective, unless it says otherwise.
class BandMatrix final : public BasicBandMatrix<double> {
 public:
  /// `rows`: those of row_layout.band(rank), columns global.
  BandMatrix(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
             Csr<double> rows, const VectorMemory& memory = host_vector_memory());
  /// With rows that products were made of in this memory, whose columns are numbered as
  /// BandProducts says: own ones, and then `others`, which ascend.
  BandMatrix(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
             const std::vector<Index>& others, std::unique_ptr<BandProducts> products,
             const VectorMemory& memory);

  Index nonzeros() const { return nonzeros_; }  ///< of all ranks

  /// This rank's rows; columns as BandProducts has them. Not collective.
  const Csr<double>& local_rows() const { return products().rows(); }

  /// The carrier of rows to host memory, and back.
  const HaloRows& halo() const { return halo_; }

  /// The column of A that local column j is. Not collective.
  Index global_column(LocalIndex j) const {
    const Index own = own_columns().size();
    return j < own ? own_columns().first + j : plan().halo[j - own];
  }

  /// This rank's rows with global columns, ascending. Not collective.
  Csr<double> global_rows() const;

  /// New values for the same pattern, in the order of the rows that the object was made of.
  /// Throws Error(input) on every rank where their number differs. Not of a matrix that was made
  /// of products.
  void set_values(std::span<const double> values);

  /// m x `columns` and n x `columns` zeros where the products are computed; on every rank or none.
  std::unique_ptr<Vectors> vectors_of_rows(Index columns) const;
  std::unique_ptr<Vectors> vectors_of_columns(Index columns) const;

  /// Many products are to come, see BandProducts::expect_many().
  void expect_many_products();

  /// y <- A x
  void apply(const Vectors& x, Vectors& y) { multiply(x.data(), y.data(), x.columns()); }
  /// y <- A x and x^T y for every column of a square A, which goes to a row of coefficients.
  void apply_and_dot(const Vectors& x, Vectors& y, const ToRow& sums);
  /// y <- A^T x
  void apply_transposed(const Vectors& x, Vectors& y);
  /// y <- |A|^T |x|
  void apply_magnitudes_transposed(const Vectors& x, Vectors& y);
  /// r <- b - A x, in double; r may be b.
  void subtract(const Vectors& b, const Vectors& x, Vectors& r);
  /// y <- y + A x
  void add(const Vectors& x, Vectors& y);
  /// A step from x to y, of a square matrix; see RelaxationStep.
  void relax(const RelaxationStep& step, const Vectors& b, const Vectors& x, Vectors& y);

  /// product(halo of x), for what is computed by products().
  template <typename Product>
  void with_halo(const Vectors& x, const Product& product) {
    try {
      product(HaloView(*carrier_, x.data(), x.columns()));
    } catch (...) {
      carrier_->release();  // no message stays under way
      throw;
    }
    carrier_->release();
  }

  /// The products of this rank's rows, see BandProducts. Not collective.
  BandProducts& products() { return static_cast<BandProducts&>(*local_); }
  const BandProducts& products() const { return static_cast<const BandProducts&>(*local_); }

 private:
  void add_from_others(const Dense<double>& halo, Vectors& y);

  Index nonzeros_ = 0;
  Csr<double> rows_;  // none where the products have their own
};

}  // namespace spsolve::vectors
