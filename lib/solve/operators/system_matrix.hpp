#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "distribute/layout/compressed_rows.hpp"
#include "matrix/csr.hpp"
#include "solve/operators/linear_operator.hpp"
#include "vectors/band_matrix.hpp"

namespace spsolve::inline solve {

/// The square sparse matrix A of a system, n x n, in bands of rows over the ranks of a team: an
/// operator on vectors in the memory that it is made for, and the source of residuals, scalings and
/// estimates. Owns its rows. Each product brings the rows of x that this rank's columns name from
/// their owners (a message each way with each neighbour). Collective, all of it, unless it says
/// otherwise.
class SystemMatrix : public LinearOperator {
 public:
  /// `rows`: those of layout.band(rank), columns global.
  SystemMatrix(Team& team, const RowLayout& layout, Csr<double> rows,
               const VectorMemory& memory = host_vector_memory());
  SystemMatrix(const SystemMatrix&) = delete;
  SystemMatrix& operator=(const SystemMatrix&) = delete;

  Team& team() const { return bands_.team(); }
  const RowLayout& layout() const { return bands_.row_layout(); }
  Index order() const { return layout().rows; }
  Range own() const { return bands_.own_rows(); }
  Index nonzeros() const { return bands_.nonzeros(); }  ///< of all ranks
  const VectorMemory& memory() const { return bands_.memory(); }

  /// Coordinates of own nodes, nodes x d, of an A with d unknowns a node, which follow each other;
  /// bands are of whole nodes then. Empty: not known.
  const Dense<double>& coordinates() const { return coordinates_; }

  /// Throws Error(internal) where they are not those of own rows. Not collective.
  void set_coordinates(Dense<double> own_nodes);

  /// The matrix reduced to its products.
  BandMatrix& bands() { return bands_; }

  /// The column of A that local column j is. Not collective.
  Index global_column(LocalIndex j) const { return bands_.global_column(j); }

  /// This rank's rows; columns as BandProducts has them. Not collective.
  const Csr<double>& local_rows() const { return bands_.local_rows(); }

  /// New values for the same pattern, in the order of the rows that the object was made of.
  /// Throws Error(input) on every rank where their number differs.
  void set_values(std::span<const double> values) {
    scales_ = nullptr;
    row_sums_.reset();
    bands_.set_values(values);
  }

  /// The scales that scales_of() found of these values, null before, and the place where it keeps
  /// them. Not collective.
  std::shared_ptr<const struct MatrixScales>& scales() const { return scales_; }

  /// n x `columns` zeros where the products are computed; on every rank or none.
  std::unique_ptr<Vectors> vectors(Index columns) const { return bands_.vectors_of_rows(columns); }

  void apply(const Vectors& x, Vectors& y) override { bands_.apply(x, y); }
  void apply_transposed(const Vectors& x, Vectors& y) override { bands_.apply_transposed(x, y); }

  /// The rows of x that this rank's columns name after its own ones, in host memory.
  Dense<double> halo_of(const Vectors& x) const { return bands_.halo().fetch(x); }

  /// y <- |A| |x| scaled by h^2: see BandProducts::multiply_magnitudes().
  void apply_magnitudes(double h, const Vectors& x, Vectors& y);

  /// r <- b - A x; the norms are those of all rows, the same on every rank. `magnitudes`, where it
  /// is not null, gets |A| |x| + |b|.
  ResidualNorms residual(const Vectors& b, const Vectors& x, Vectors& r,
                         Vectors* magnitudes = nullptr);

  /// The sums over j of |a_ij| as residual() found them: the largest, and 1 / the least one. Not
  /// there before. Not collective.
  struct RowSums {
    double most, inverse_of_least;
  };
  const std::optional<RowSums>& row_sums() const { return row_sums_; }

  /// ||R A C|| in the infinity norm, max over i of sum over j of |r_i a_ij c_j|, and in the
  /// one-norm, the same over columns.
  virtual double infinity_norm(const struct Equilibration& scaling);
  virtual double one_norm(const struct Equilibration& scaling);

  /// Own rows of R A C with global columns, in their order.
  Csr<double> scaled_rows(const struct Equilibration& scaling);

  /// The largest of |a_ij| over own rows i: per row (one column), and over columns j with factors
  /// r_i >= 0 of own rows: per own column, of all ranks.
  Dense<double> row_maxima() const;
  Dense<double> column_maxima(const std::vector<double>& row_factors) const;

 private:
  double norm_by_product(const struct Equilibration& scaling, bool transposed);

  /// One number for each local column, own ones and the halo's, from those of own columns.
  std::vector<double> with_halo(const std::vector<double>& own) const;

  /// The way back: numbers of local columns, combined for own ones.
  Dense<double> over_columns(Dense<double> local, Combination how) const;

  BandMatrix bands_;
  Dense<double> coordinates_;
  mutable std::shared_ptr<const struct MatrixScales> scales_;
  std::optional<RowSums> row_sums_;
};

}  // namespace spsolve::solve
