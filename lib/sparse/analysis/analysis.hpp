#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matrix/csr.hpp"
#include "solve/operators/options.hpp"
#include "sparse/fronts/factors.hpp"
#include "sparse/ordering/ordering.hpp"
#include "sparse/pattern/off_diagonal_blocks.hpp"

namespace spsolve::inline sparse {

/// Whether every diagonal entry of a square matrix is there and at least a hundredth of the others
/// of its row and column, a_ij^2 <= 10^4 |a_ii a_jj|: then rows need not be moved. Cost: two
/// passes.
bool has_strong_diagonal(const Csr<double>& matrix);

/// What a matching of rows with columns by their values is for, before an elimination.
enum class RowMatching {
  none,   ///< it is not looked for
  rows,   ///< LU's pivots; of a symmetric matrix only to see that all can be matched
  pairs,  ///< L D L^T: 2 x 2 pivots, whose rows stay together in the order
};

/// The one that is wanted before that factorisation, where it is left to the program: for LU unless
/// the diagonal is strong; for L D L^T, which keeps rows with their columns, where diagonal entries
/// are zero, as only then the matrix can be structurally singular. `wanted`: on, LU's rows or the
/// pairs of L D L^T; off, neither.
RowMatching wanted_matching(const Csr<double>& matrix, Factorization kind,
                            AutoSwitch wanted = AutoSwitch::automatic);

/// The analysis of a pattern for sparse elimination: what is eliminated when, in which fronts, and
/// what that takes. Serves all matrices of that pattern.
struct SparseAnalysis : std::enable_shared_from_this<SparseAnalysis> {
  Factorization kind = Factorization::lu;
  Ordering ordering = Ordering::amd;  ///< how `order` was found
  std::vector<LocalIndex> given;      ///< of Ordering::file: the order that the file had
  /// order[k]: the column of A that is eliminated k-th; its row is the same, or row_of[order[k]]
  /// where rows were matched with columns.
  std::vector<LocalIndex> order;
  std::vector<LocalIndex> row_of;  ///< empty where row i stays with column i
  /// Scale factors of the matching, powers of two, of L D L^T the same; empty where nothing was
  /// matched.
  std::vector<double> row_scale, column_scale;
  LocalIndex pairs = 0;  ///< of rows that stay together: RowMatching::pairs
  Fronts fronts;
  FrontEntries entries;
  /// Of LU, where A can be divided into blocks; of others, where rows hold their diagonal alone.
  OffDiagonalBlocks off_diagonal_blocks;
  std::uint64_t pattern = 0;  ///< checksum of the pattern
  Index nonzeros = 0;         ///< of the matrix

  StackBound stack_bound;    ///< of the rank that eliminates alone; not in its file
  Index factor_entries = 0;  ///< of L, and of U where there is one, zeros of fronts included
  double flops = 0;
  double seconds = 0;  ///< that the analysis took

  /// Finds factor_entries and flops of these fronts.
  void count();

  Index rows() const { return static_cast<Index>(order.size()); }
  /// Whether rows were matched, by factors that go with it.
  bool is_matched() const { return !row_scale.empty(); }
  /// Whether it is one of that pattern.
  bool serves(const Csr<double>& matrix) const;
  /// The row of A that is eliminated k-th.
  LocalIndex row(LocalIndex k) const { return row_of.empty() ? order[k] : row_of[order[k]]; }
  /// The position in the order of elimination of each row and column of A.
  std::vector<LocalIndex> row_places() const;
  std::vector<LocalIndex> column_places() const;
  std::int64_t bytes() const;
};

/// Analyses a square matrix for that factorisation: matches rows with columns, as
/// wanted_matching() says (by maximum product, see matching.hpp; pairs of rows then stay together
/// in the order and in a block of pivots, see symmetric_pairs.hpp), divides it into the diagonal
/// blocks of its block triangular form (LU), orders, and finds the fronts. `given`: with
/// Ordering::file all columns in the order wanted, which is kept but for what has no part in the
/// fill (a postorder of the elimination trees). Only the matching takes notice of values.
/// `divides`: whether LU's matrix may be divided; several ranks eliminate it as one block.
/// `use`: what `automatic` ordering goes by, and who is told of steps. Throws
/// Error(not_trustworthy) for a structurally singular matrix, naming rows and columns, and
/// Error(resources) where it has 2^31 rows or more.
SparseAnalysis analyse_sparse(const Csr<double>& matrix, Factorization kind, Ordering wanted,
                              RowMatching matching, std::vector<LocalIndex> given = {},
                              bool divides = true, OrderUse use = {});

/// How many pivots of a symmetric `matrix` will be zero whatever its values are: columns without a
/// diagonal entry, and without one in a row of their own front, of fronts that none was eliminated
/// before. L D L^T can only make them larger, or pass them on.
Index certain_zero_pivots(const SparseAnalysis& analysis, const Csr<double>& matrix);

/// At most ten of these rows or columns, numbered from 1, as text.
std::string named_from_one(const std::vector<LocalIndex>& all);

}  // namespace spsolve::sparse
