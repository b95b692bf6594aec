#pragma once

#include <string>
#include <vector>

#include "apps/bench/sparse/solvers.hpp"
#include "matrix/shape.hpp"

namespace spsolve::bench {

/// Systems of one pattern, one after another.
struct SystemsInTurn {
  int count = 0;                   ///< 0: none
  std::vector<std::string> names;  ///< of files or generators; empty: values made of the matrix
};

/// The systems that these words mean: a number of them; or names, in which FIRST..LAST stands for
/// each number from one to the other. Throws Error(input) where they mean none.
SystemsInTurn systems_in_turn(const std::vector<std::string>& words);

/// The size of the matrix that load_sparse_system() would load, at the cost of reading a header.
/// Throws Error(input) where it is not square.
MatrixShape describe_sparse_system(const std::string& name);

/// The matrix of that name, a file or a generator, of a complex symmetric one with
/// conjugate_rows(); of "laplacian:NAME" the Laplacian + identity of
/// the graph of its pattern, where an edge may be stored in one of its directions: -1 for each
/// edge, 1 + their number on the diagonal.
/// Throws Error(input) where it is not square.
SparseSystem load_sparse_system(const std::string& name);

}  // namespace spsolve::bench
