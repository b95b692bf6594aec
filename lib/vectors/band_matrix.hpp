#pragma once

#include <memory>
#include <vector>

#include "matrix/csr.hpp"
#include "vectors/products/halo_rows.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::inline vectors {

/// A sparse matrix A, m x n, in bands of rows over the ranks of a team, and its products with
/// vectors in the memory that it is made for: rows in the bands of one contiguous layout, x in
/// those of another one. Owns its rows. Each product brings the rows of x that this rank's columns
/// name from their owners (a message each way with each neighbour). Collective, unless it says
/// otherwise.
class BandMatrix {
 public:
  /// `rows`: those of row_layout.band(rank), columns global.
  BandMatrix(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
             Csr<double> rows, const VectorMemory& memory = host_vector_memory());
  /// With rows that products were made of in this memory, whose columns are numbered as
  /// BandProducts says: own ones, and then `others`, which ascend.
  BandMatrix(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
             const std::vector<Index>& others, std::unique_ptr<BandProducts> products,
             const VectorMemory& memory);
  BandMatrix(const BandMatrix&) = delete;
  BandMatrix& operator=(const BandMatrix&) = delete;

  Team& team() const { return team_; }
  const RowLayout& row_layout() const { return row_layout_; }
  const RowLayout& column_layout() const { return halo_.plan().bands; }
  const VectorMemory& memory() const { return memory_; }
  Index nonzeros() const { return nonzeros_; }  ///< of all ranks
  Range own_rows() const { return row_layout_.band(team_.rank()); }
  Range own_columns() const { return halo_.plan().own; }

  /// This rank's rows; columns as BandProducts has them. Not collective.
  const Csr<double>& local_rows() const { return products_->rows(); }

  /// The carrier of rows to host memory, and back.
  const HaloRows& halo() const { return halo_; }

  /// The column of A that local column j is. Not collective.
  Index global_column(LocalIndex j) const {
    const Index own = own_columns().size();
    return j < own ? own_columns().first + j : halo_.plan().halo[j - own];
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
  void apply(const Vectors& x, Vectors& y);
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
      product(carrier_->bring(x));
    } catch (...) {
      carrier_->release();  // no message stays under way
      throw;
    }
    carrier_->release();
  }

  /// The products of this rank's rows, see BandProducts. Not collective.
  BandProducts& products() { return *products_; }
  const BandProducts& products() const { return *products_; }

 private:
  void add_from_others(const Dense<double>& halo, Vectors& y);

  Team& team_;
  RowLayout row_layout_;
  Index nonzeros_ = 0;
  Csr<double> rows_;  // none where the products have their own
  HaloRows halo_;
  const VectorMemory& memory_;
  std::unique_ptr<BandProducts> products_;
  std::unique_ptr<HaloCarrier> carrier_;
};

}  // namespace spsolve::vectors
