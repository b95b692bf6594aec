#pragma once

#include <memory>
#include <optional>

#include "dense/choice.hpp"
#include "dense/columnwise/columnwise.hpp"
#include "dense/lu/lu.hpp"
#include "dense/mixed_inverse.hpp"
#include "device/compute_device.hpp"
#include "solve/inverse.hpp"

namespace spsolve::inline dense {

/// The common part of the inverses of matrices that were made dense, with factors in T.
template <typename T>
class DenseInverse : public Inverse {
 public:
  DenseInverse(Team& team, ComputeDevice& memory, const EliminationChoice& choice)
      : team_(team), memory_(memory), choice_(choice) {}

  /// x and y in double, of a complex matrix those of its real form; between them columns are solved
  /// for in T, with their largest entry near 1 where T is float: a small residual would underflow.
  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;
  const InverseFacts& facts() const override { return facts_; }

 protected:
  /// Where rows are dealt out by `layout`, which counts dense ones: this rank's of R A C; of
  /// several ranks they are a copy. Whether those of imaginary parts have the opposite sign, is
  /// known then.
  ScaledRows dealt_rows(SystemMatrix& matrix, const Equilibration& scaling, const RowLayout& layout,
                        std::optional<Csr<double>>& copy);

  /// The bands of the dense rows.
  static RowLayout bands_of(const SystemMatrix& matrix);

  /// Makes the dense rows of T.
  DenseRowsOf<T>& rows_of();

  /// x <- the solution for b, or with `transposed` for the transpose, by solve(from, x), which
  /// solves with A or A^T whatever T is; `from` is b or x itself. The transpose of a real form is
  /// that of A^H.
  template <typename Solve>
  void solve_with(bool transposed, const Vectors& b, Vectors& x, const Solve& solve) const;

  /// The products of `rows`, where these are `matrix`'s own.
  static const BandProducts* products_of(SystemMatrix& matrix, const ScaledRows& rows) {
    return &rows.rows == &matrix.local_rows() ? &matrix.bands().products() : nullptr;
  }

  /// Own rows of right-hand sides become those of solutions, with A or A^T.
  virtual void solve(Dense<T>& x) = 0;
  virtual void solve_transposed(Dense<T>& x) = 0;

  Team& team_;
  ComputeDevice& memory_;
  EliminationChoice choice_;
  InverseFacts facts_;
  bool conjugates_ = false;  // rows of imaginary parts have the opposite sign; complex T
};

/// The inverse by gauss or gauss_jordan, column by column.
template <typename T>
class ColumnwiseInverse final : public DenseInverse<T> {
 public:
  using DenseInverse<T>::DenseInverse;
  void prepare(SystemMatrix& matrix, const Equilibration& scaling) override;
  std::unique_ptr<Vectors> eliminate(const EliminationRun& run) override;

 private:
  void solve(Dense<T>& x) override;
  void solve_transposed(Dense<T>& x) override;

  RowLayout layout_;
  std::unique_ptr<DenseRows<T>> rows_;
  Elimination elimination_;
};

/// The inverse by lu, panel by panel.
template <typename T>
class LuInverse final : public DenseInverse<T> {
 public:
  using DenseInverse<T>::DenseInverse;
  void prepare(SystemMatrix& matrix, const Equilibration& scaling) override;
  std::unique_ptr<Vectors> eliminate(const EliminationRun& run) override;

  /// A rank alone solves where vectors lie.
  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;

 private:
  void solve(Dense<T>& x) override;
  void solve_transposed(Dense<T>& x) override;
  void solve_whole(bool transposed, const Vectors& b, Vectors& x);
  /// Calls solve() for x in the bands of RowLayout{n, ranks}.
  template <typename Solve>
  void in_plain_bands(Dense<T>& x, const Solve& solve);

  RowLayout layout_;
  std::optional<RowExchange> to_plain_bands_;  ///< of those of the matrix, where they differ
  std::unique_ptr<BlockedRows<T>> rows_;
  LuFactors<T> factors_;
};

/// The inverse that `choice` asks for, in any precision; `before_double` as of MixedInverse.
std::unique_ptr<Inverse> make_dense_inverse(Team& team, ComputeDevice& memory,
                                            const EliminationChoice& choice,
                                            BeforeDouble before_double = {});

}  // namespace spsolve::dense
