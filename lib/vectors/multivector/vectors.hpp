#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "distribute/layout/row_layout.hpp"
#include "matrix/dense.hpp"
#include "team/team.hpp"
#include "vectors/multivector/coefficients.hpp"

namespace spsolve::inline vectors {

/// A multivector X, n x K in double, in bands: this rank holds the rows own() of a contiguous
/// layout, in the memory of its backend. Members are this rank's own affair; what needs all ranks
/// is a function below. Other multivectors that are handed in are of the same memory and layout.
///
/// Where sums are taken, the order of their terms depends on n and the layout only: the same bits
/// for any number of threads.
class Vectors {
 public:
  using List = std::span<const std::unique_ptr<Vectors>>;
  using Complex = std::complex<double>;

  Vectors(Team& team, RowLayout layout, Index columns)
      : team_(&team),
        layout_(std::move(layout)),
        own_(layout_.band(team.rank())),
        columns_(columns) {}
  virtual ~Vectors() = default;
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;

  Team& team() const { return *team_; }
  const RowLayout& layout() const { return layout_; }
  Index rows() const { return layout_.rows; }  ///< n
  Range own() const { return own_; }           ///< this rank's rows
  Index height() const { return own_.size(); }
  Index columns() const { return columns_; }  ///< K

  /// Own rows where they lie: height x K values, row-major; any address if there are none.
  virtual double* data() = 0;
  virtual const double* data() const = 0;

  /// n x `columns` zeros in the same memory and layout. Throws std::bad_alloc or Error(resources)
  /// on this rank alone.
  virtual std::unique_ptr<Vectors> similar(Index columns) const = 0;

  // --- from and to host memory; rows are own ones, numbered from 0; row-major, K values a row

  virtual void write_rows(Range rows, std::span<const double> values) = 0;
  virtual void read_rows(Range rows, std::span<double> values) const = 0;

  // --- by elements

  /// x_ic <- value
  virtual void fill(double value) = 0;

  /// This rank's rows of random_multivector(n, K, seed): the same for any number of ranks.
  virtual void fill_random(Index seed);

  /// x(:, to + j) <- y(:, from + j) for 0 <= j < count
  virtual void copy_columns(const Vectors& y, Index from, Index to, Index count) = 0;

  /// x(:, c) <- x(:, c) + factor_c y(:, c)
  virtual void add_multiples(std::span<const double> factors, const Vectors& y) = 0;

  /// x(:, c) <- x(:, c) + factor_c y(:, c) for one y after another, by factors of the first, of the
  /// second ...
  virtual void add_multiples_of_each(std::span<const double> factors, List ys);

  /// x(:, c) <- own_c x(:, c) + factor_c y(:, c); an own_c of 0 takes nothing of what x holds.
  virtual void combine(std::span<const double> own, std::span<const double> factors,
                       const Vectors& y) = 0;

  /// x(i, :) <- own x(i, :) + factor d_i y(i, :) for d of one column; an `own` of 0 takes nothing
  /// of what x holds.
  virtual void add_scaled_rows(double own, double factor, const Vectors& d, const Vectors& y) = 0;

  /// X <- own X + Y F for F of Y's columns x K, row-major; an `own` of 0 takes nothing of what X
  /// holds. X is not Y.
  virtual void add_product(double own, const Vectors& y, std::span<const double> f) = 0;

  /// x(:, c) <- factor_c x(:, c); a factor 0 gives zeros whatever x holds.
  virtual void scale_columns(std::span<const double> factors) = 0;

  /// x(i, :) <- d_i x(i, :) for d of one column.
  virtual void scale_rows(const Vectors& d) = 0;

  /// x_i <- max over c of |y_ic| + |z_ic|, for x of one column; a nan stays one.
  virtual void take_largest(const Vectors& y, const Vectors& z) = 0;

  // --- over all ranks

  /// `whole`, of a team of this rank alone and as many rows and columns, gets the rows of all
  /// ranks. Cost: an all-gather. Collective.
  virtual void gather(Vectors& whole) const;

  // --- over own rows, for every column

  /// sums_c <- sum over own rows i of x_ic y_ic
  virtual void own_dots(const Vectors& y, std::span<double> sums) const = 0;

  /// sums_c <- sum over own rows i of x_ic y_ic with one y after another.
  virtual void own_dots_with_each(List ys, std::span<double> sums) const;

  /// sums_ac <- sum over own rows i of x_ia y_ic: X^T Y, K x Y's columns, row-major.
  virtual void own_products(const Vectors& y, std::span<double> sums) const = 0;

  /// largest_c <- max over own rows i of |x_ic|; a nan stays one.
  virtual void own_maxima(std::span<double> largest) const = 0;

  /// left_c <- how many own rows there are from the first with |x_ic| = magnitude_c on, that one
  /// included; 0 where there is none.
  virtual void own_rows_from_first(std::span<const double> magnitudes,
                                   std::span<double> left) const = 0;

  /// x_ic <- |x_ic| with the sign of y_ic, + for zeros and nans. sums_c <- sum over own rows i of
  /// |x_ic y_ic|, changes_c <- how many of their signs that changed.
  virtual void own_take_signs(const Vectors& y, std::span<double> sums,
                              std::span<double> changes) = 0;

  // --- by complex factors, and complex sums, of rows 2i and 2i + 1 as the parts of one number
  // (matrix/real_form.hpp), where bands are of whole pairs; else as those of the same names

  /// Whether this memory has them: the others may only be called where it does.
  virtual bool has_complex() const { return false; }
  virtual void add_multiples(std::span<const Complex> factors, const Vectors& y);
  virtual void add_multiples_of_each(std::span<const Complex> factors, List ys);
  virtual void combine(std::span<const Complex> own, std::span<const Complex> factors,
                       const Vectors& y);
  virtual void scale_columns(std::span<const Complex> factors);
  /// sums_c <- sum over own numbers j of conj(x_jc) y_jc.
  virtual void own_dots(const Vectors& y, std::span<Complex> sums) const;
  virtual void own_dots_with_each(List ys, std::span<Complex> sums) const;
  /// sums_c <- sum over own numbers j of x_jc y_jc, neither of which is conjugated.
  virtual void own_bilinear(const Vectors& y, std::span<Complex> sums) const;
  void own_bilinear(const Vectors& y, std::span<double> sums) const { own_dots(y, sums); }

  // --- with coefficients in the same memory: what comes of one operation is there for the next

  /// `rows` x K zeros.
  virtual std::unique_ptr<Coefficients> coefficients(int rows) const = 0;

  /// own_dots() of every column to a row of coefficients.
  virtual void own_dots(const Vectors& y, const ToRow& sums) const = 0;

  /// For t_c = wanted_c times a quotient of coefficients: x(:, c) <- x(:, c) - t_c y(:, c), and
  /// largest_c <- max over own rows of |x_ic|. Where `squares` is not null, it gets what
  /// own_dots(x) has then.
  virtual void own_subtract(std::span<const double> wanted, Quotient t, const Vectors& y,
                            const ToRow& largest, const ToRow* squares) = 0;

  /// For such s and t: x(:, c) <- x(:, c) + s_c p(:, c), and then p(:, c) <- y(:, c) + t_c p(:, c),
  /// for the object p.
  virtual void step_and_turn(std::span<const double> wanted, const Coefficients& all, Quotient s,
                             Vectors& x, Quotient t, const Vectors& y) = 0;

 private:
  Team* team_;
  RowLayout layout_;
  Range own_;
  Index columns_;
};

/// x <- y, of as many columns.
void copy(const Vectors& y, Vectors& x);

/// x <- x + factor y for one factor.
void add_multiple(double factor, const Vectors& y, Vectors& x);

/// A copy of x in its memory.
std::unique_ptr<Vectors> copy_of(const Vectors& x);

/// x^H y, the sum over i of conj(x_ic) y_ic for every column c, the same on every rank: the left
/// one is conjugated, by all that is named dots. F is double, or std::complex<double> for rows that
/// are the parts of complex numbers. One all-gather of K numbers. Collective.
template <typename F = double>
std::vector<F> dots(const Vectors& x, const Vectors& y);

/// dots() with one y after another: so many times K numbers.
template <typename F = double>
std::vector<F> dots(const Vectors& x, Vectors::List ys);

/// x^T y likewise, without conjugation.
template <typename F = double>
std::vector<F> bilinear(const Vectors& x, const Vectors& y);

/// X^T Y, X's columns x Y's, the same on every rank. One all-gather of so many numbers. Collective.
Dense<double> products(const Vectors& x, const Vectors& y);

/// ||x(:, c)||_2 likewise. Collective.
std::vector<double> norms(const Vectors& x);

/// max over i of |x_ic| likewise; a nan stays one. Collective.
std::vector<double> maxima(const Vectors& x);

/// Every rank's numbers in a row of coefficients become their sums. Collective.
void sum_over_ranks(Team& team, const ToRow& sums);

/// The sums of dots() to a row of coefficients. On one rank alone nothing waits. Collective.
void dots(const Vectors& x, const Vectors& y, const ToRow& sums);

/// x <- x - y t as Vectors::own_subtract() has it, and max |x_i| over all ranks; where `squares` is
/// not null, dots(x, x) goes there. On one rank alone nothing waits. Collective.
void subtract(std::span<const double> wanted, Quotient t, Vectors& x, const Vectors& y,
              const ToRow& largest, const ToRow* squares = nullptr);

/// This rank's rows in host memory, height x K; and back.
Dense<double> own_rows(const Vectors& x);
void set_own_rows(Vectors& x, const Dense<double>& rows);

}  // namespace spsolve::vectors
