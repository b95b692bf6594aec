#pragma once

#include <memory>
#include <vector>

#include "matrix/csr.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::inline krylov {

/// L and U of an incomplete factorisation of a square matrix: L = I + `lower`, U = D + `upper`.
struct IncompleteFactors {
  Csr<double> lower;  ///< below the diagonal
  Csr<double> upper;  ///< above it
  std::vector<double> diagonal;
};

/// Solves with the triangles of incomplete factors, in the memory of the vectors: in host memory
/// exactly, row by row, by several threads level after level of rows that need none of each other
/// (Anderson and Saad, 1989); elsewhere by a fixed number of Jacobi's sweeps, which are products
/// (Anzt, Chow and Dongarra, "Iterative sparse triangular solves for preconditioning", Euro-Par
/// 2015): a fixed polynomial, so that a symmetric M stays symmetric. On this rank alone.
class TriangleSolver {
 public:
  virtual ~TriangleSolver() = default;

  /// y <- U^-1 L^-1 x, and the transpose.
  virtual void solve(const Vectors& x, Vectors& y) = 0;
  virtual void solve_transposed(const Vectors& x, Vectors& y) = 0;

  /// For vectors in `memory` like `like`.
  static std::unique_ptr<TriangleSolver> make(IncompleteFactors factors, bool on_host,
                                              const VectorMemory& memory, const Vectors& like);
};

/// A matrix' own rows and columns, columns ascending, of rows whose columns BandProducts numbers.
Csr<double> own_block(const Csr<double>& rows);

}  // namespace spsolve::krylov
