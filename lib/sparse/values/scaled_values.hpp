#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "matrix/symmetry.hpp"
#include "solve/operators/equilibrate.hpp"
#include "sparse/values/complex_matrix.hpp"

namespace spsolve::inline sparse {

/// The values of one process' sparse matrix A, n x n, while an elimination scales them, in the
/// memory of one kind of device: passes over R A C for factors r_i and c_j, powers of two, and in
/// the end its values, one for each entry of A in A's order, or for those that were asked for.
/// Magnitudes that are nan count as nothing until largest() is asked for.
class ScaledValues {
 public:
  virtual ~ScaledValues() = default;

  /// Whether passes over A are work for this process' threads.
  virtual bool by_threads() const = 0;

  /// finish() makes the values of these entries alone, ascending, to which it refers; of all
  /// entries if there are none.
  virtual void take_only(std::span<const Index> entries) = 0;

  /// A may have new values; factors are these from now on, n each, or 1 where there are none.
  /// `owner`: what has them for as long as it is there, and as they are; it may be kept so that
  /// they need not be brought to the device again.
  virtual void begin(std::span<const double> r, std::span<const double> c,
                     std::shared_ptr<const void> owner = nullptr) = 0;

  /// Whether a real A, whose pattern is symmetric, is so in its values; after begin() and before
  /// finish().
  virtual Mirrors mirrors() = 0;

  /// The largest and the smallest of maxima that are not zero.
  struct Spread {
    double most = 0, least = std::numeric_limits<double>::infinity();
  };
  struct Spreads {
    Spread rows, columns;
  };

  /// Finds the largest magnitude of each row of R A C, and of each column unless that is symmetric.
  virtual void find_maxima(bool symmetric) = 0;
  virtual Spreads spreads() = 0;

  /// r_i <- r_i times inverse_power() of what find_maxima() found of row i, and c_j likewise of
  /// column j, or c = r where that was symmetric.
  virtual void scale_rows(bool root) = 0;
  virtual void scale_columns() = 0;

  /// r_i = c_i <- inverse_power() of the root of a_ii, or 1 where that is not stored.
  virtual void scale_by_diagonal() = 0;

  /// scaling.rows <- r, scaling.columns <- c.
  virtual void read_factors(Equilibration& scaling) const = 0;

  /// The values from now on are those of R A C, or of A. Factors are gone until begin().
  virtual void finish(bool scales) = 0;

  /// Their largest magnitude; infinite where one is not a finite number.
  virtual double largest() = 0;

  /// They themselves, which stay until A or the factors change.
  virtual const std::vector<double>& on_host() = 0;
};

/// The scaled values of a matrix in host memory, by this process' threads. `rows`, with ascending
/// columns, must stay until finish() has returned, or for as long as the values are used where that
/// does not scale.
std::unique_ptr<ScaledValues> host_scaled_values(const Csr<double>& rows);

/// Those of a complex matrix likewise, two numbers an entry.
std::unique_ptr<ScaledValues> host_scaled_values(const ComplexMatrix& matrix);

/// The largest magnitude of these values; infinite where one is not a finite number.
double largest_magnitude(const std::vector<double>& values);

}  // namespace spsolve::sparse
