#pragma once

// Matrices on which every product kernel is tried, exact products of them, and how far a kernel may
// be off.
//
// The bound. A sum of L products in any order, with or without fused multiply-adds, is off by at
// most L u sum |a_ik| |x_kc|, u the unit round-off of the type (Jeannerod, Rump 2013; products with
// padding are exact zeros and add nothing). Two more u cover the rounding of the reference, whose
// own sum is exact to 2^-64. The inputs are those that the kernel gets: rounded to its type before
// the reference is computed. Underflow adds at most the smallest number for each product. For a
// symmetric kernel L is the length of the full row, as every stored element adds to two rows.

#include <functional>
#include <string>
#include <vector>

#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::test {

/// Columns of X of the references; a test takes as many of them as it likes.
inline constexpr Index most_columns = 64;

struct ProductCase {
  std::string name;
  Csr<double> matrix;
};

/// Every shape that a kernel may stumble over: nothing, one row, one column, empty rows, a huge
/// row, a huge column, rectangles, random, dense, power law, grids, symmetric ones.
const std::vector<ProductCase>& product_cases();

/// Full last row and column, symmetric: the worst for colours and for padding.
Csr<double> symmetric_arrow(Index n);

/// One matrix in the kernel's type, X, and the exact Y with its scale.
template <typename T>
struct ProductReference {
  Csr<T> matrix;
  MatrixFacts facts;
  std::vector<T> x;                ///< columns x most_columns
  std::vector<long double> y;      ///< rows x most_columns
  std::vector<long double> bound;  ///< the largest error allowed, likewise
};

template <typename T>
ProductReference<T> product_reference(const Csr<double>& matrix);

/// The references of all product_cases(), made once.
template <typename T>
const std::vector<ProductReference<T>>& product_references();

/// The first K columns of X.
template <typename T>
std::vector<T> leading_columns(const ProductReference<T>& reference, Index columns);

/// Adds a failure for the first element of Y, rows x K, that is beyond the bound; whether there is
/// none.
template <typename T>
bool within_bound(const ProductReference<T>& reference, const std::vector<T>& y, Index columns);

/// Compares two runs bit by bit.
template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b);

/// Y of one product, from a buffer filled with nan before and between guards; adds a failure where
/// a guard has changed. `multiply(buffer, first)` computes Y into buffer[first], buffer[first + 1],
/// ... where `first` is odd: Y is not aligned to more than an element.
template <typename T>
std::vector<T> guarded_product(Index size,
                               const std::function<void(std::vector<T>&, Index)>& multiply);

}  // namespace spsolve::test
