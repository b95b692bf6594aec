#pragma once

#include <memory>
#include <vector>

#include "sparse/fronts/factors.hpp"
#include "sparse/pattern/off_diagonal_blocks.hpp"
#include "sparse/sweeps/front_sweeps.hpp"
#include "sparse/sweeps/front_windows.hpp"
#include "sparse/sweeps/tree_parts.hpp"

namespace spsolve::inline sparse {

/// Solves with finished factors, for any number of right-hand sides. Parts of the elimination
/// tree are walked by threads side by side, each with a copy of what it adds to the unknowns above;
/// the fronts above are taken one after another, large ones by tiles. The parts depend on the
/// factors alone: the same bits for any number of threads.
template <typename T>
class FactorSolve {
 public:
  /// `fronts`: those of `tree`, in their order; `between`: the value of each entry of the
  /// off-diagonal blocks. `store`: where the factors are, if not in memory. `outside`: rows after
  /// those of the pivots that borders may name, of fronts that others have eliminated.
  FactorSolve(const Fronts& tree, std::vector<FactoredFront<T>> fronts, Factorization kind,
              int threads, const OffDiagonalBlocks& off_diagonal_blocks, std::vector<T> between,
              LocalIndex outside = 0, const FactorStore* store = nullptr);

  ~FactorSolve();

  /// The fronts have other values, in the same memory; so have the off-diagonal blocks.
  void take_values(std::vector<T> between) { between_ = std::move(between); }

  /// Makes what a solve of one column works in, so that the first one need not: a page that is
  /// touched for the first time costs more than what a small front does with it.
  void make_ready() const;

  Factorization kind() const { return kind_; }

  /// x <- F^-1 b, or F^-T b unless F is complex and Hermitian, where F is the matrix that was
  /// factored; b of n x `columns`, row-major in the order of elimination, is lost. b may be x where
  /// rows and columns of each front's pivots are the same positions: of all factors but those with
  /// delayed pivots. Cost: reads the factors once forward and once backward for each 16 columns.
  /// One solve at a time.
  void solve(bool transposed, Index columns, T* b, T* x) const;

  /// One of the substitutions that solve() is made of, where the matrix is one block. x of the
  /// first one, and b of the others, are in the order of columns, or of rows if it is transposed; b
  /// of the first one is lost.
  void substitute(Substitution step, bool transposed, Index columns, T* b, T* x) const;

  /// The way up the trees alone, without off-diagonal blocks, for at most most_columns: what pivots
  /// come to is in x, and what they leave to the rows outside has been added to b there.
  void forward(bool transposed, Index columns, T* b, T* x) const;
  /// The way down, where x of the rows outside is known.
  void backward(bool transposed, Index columns, T* x) const;
  static constexpr Index most_columns =
      row_products::FixedColumns::value;  ///< that are taken together

 private:
  struct Workspace;

  /// Trees that are solved with together: parts of them side by side, and the fronts above, or
  /// one after another by one thread, block by block.
  struct Group {
    int threads = 1;                     ///< at most
    Index work = 0;                      ///< numbers of the factors, about
    std::vector<TreePart> parts;         ///< most work first
    std::vector<LocalIndex> upper;       ///< fronts above all parts, ascending
    std::vector<Index> above_starts{0};  ///< of each part's copy
    std::vector<Index> trees;            ///< by their place among the roots of off-diagonal blocks
  };

  Workspace& workspace(Index columns) const;
  void group_trees(int threads);
  /// x <- its conjugate in the rows first ... end of a Hermitian F: between the sweeps and after
  /// them, as L^H is taken as L^T.
  void conjugate(LocalIndex first, LocalIndex end, Index columns, T* x) const;
  void solve_block(bool transposed, Index columns, T* b, T* x) const;
  void substitute_in_block(Substitution step, bool transposed, Index columns, T* b, T* x) const;
  /// Calls work(K, b, x) for as many columns K at a time as are taken together.
  template <typename Work>
  void by_columns(Index columns, T* b, T* x, const Work& work) const;
  void forward_side_by_side(const FrontSweeps<T>& sweeps, const Group& group, Index columns, T* b,
                            T* x, Workspace& space) const;
  void backward_side_by_side(const FrontSweeps<T>& sweeps, const Group& group, Index columns, T* x,
                             Workspace& space) const;
  static int threads_for(const Group& group, Index columns);
  FrontWindows<T> windows(LocalIndex first, LocalIndex last, bool up) const {
    return {store_, fronts_, first, last, up};
  }
  const Tiles* tiles_for(LocalIndex s, Index columns, const Tiles& all) const;
  void solve_tree(const FrontSweeps<T>& sweeps, LocalIndex root, Index columns, T* b, T* x,
                  T* z) const;
  /// Takes off b, or off what is left of it, what other blocks' unknowns come to.
  void couple(bool transposed, Index tree, Index columns, const T* x, T* b) const;

  const Fronts& tree_;
  std::vector<FactoredFront<T>> fronts_;
  Factorization kind_;
  const FactorStore* store_;
  const OffDiagonalBlocks& off_diagonal_blocks_;
  std::vector<T> between_;     // values of the off-diagonal blocks
  std::vector<Group> groups_;  // in the order of solves
  int threads_ = 1;
  LocalIndex tallest_ = 0;  // front
  LocalIndex rows_ = 0;     // of b and x, those outside included
  mutable std::unique_ptr<Workspace> workspace_;
};

}  // namespace spsolve::sparse
