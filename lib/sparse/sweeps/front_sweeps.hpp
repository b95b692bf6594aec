#pragma once

#include "sparse/fronts/factors.hpp"
#include "sparse/sweeps/row_products.hpp"

namespace spsolve::inline sparse {

/// Where a front's rows are taken from and what it takes off them goes to: rows of K values, those
/// below `end` of b, the others of a subtree's own copy.
template <typename T>
struct FrontRows {
  T* b = nullptr;
  LocalIndex end = 0;
  const LocalIndex* outside = nullptr;  ///< the place of each other row in `above`
  T* above = nullptr;

  T* at(LocalIndex row, Index columns) const {
    return row < end ? b + row * columns : above + outside[row] * columns;
  }
};

/// The part of a solve with the factors F of a matrix, or with F^T, in one front: forward on the
/// way up the tree, backward on the way down. One column is taken by own sweeps
/// (vector_sweeps.hpp), more as row_products.hpp has it.
template <typename T>
class FrontSweeps {
 public:
  /// `divides`: whether forward() divides by D, where there is one.
  FrontSweeps(Factorization kind, bool transposed, bool divides = true);

  bool transposed() const { return transposed_; }

  /// Solves for the front's pivots, takes them off its border's rows, and puts what was found into
  /// x. `shared`: over which the front is cut into pieces; null where a thread takes it whole. `z`:
  /// room for its rows and vector_sweeps::padding values.
  void forward(const FactoredFront<T>& front, const Tiles* shared, Index columns,
               const FrontRows<T>& rows, T* x, T* z) const;
  /// x of the pivots <- D^-1 x, where there is a D.
  void diagonal(const FactoredFront<T>& front, Index columns, T* x, T* z) const;
  /// x of the pivots, where x of the border is known.
  void backward(const FactoredFront<T>& front, const Tiles* shared, Index columns, T* x,
                T* z) const;

 private:
  /// forward() and backward() for one column, by one thread.
  void forward_one(const FactoredFront<T>& front, const FrontRows<T>& rows, T* x, T* z) const;
  void backward_one(const FactoredFront<T>& front, T* x, T* z) const;

  Factorization kind_;
  bool transposed_ = false;  // of LU; the others are symmetric
  bool divides_ = false;     // by D, on the way up
  row_products::SweepTriangles triangles_;
};

}  // namespace spsolve::sparse
