#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "krylov/multigrid/aggregates.hpp"
#include "krylov/preconditioner/polynomial.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "solve/operators/equilibrate.hpp"
#include "sparse/sparse_inverse.hpp"

namespace spsolve::inline krylov {

class ReplicatedLevels;

/// A multigrid hierarchy by smoothed aggregation (Vanek, Mandel and Brezina, "Algebraic multigrid
/// by smoothed aggregation", Computing 56, 1996), and its V-cycle. Level l has A_l, A_0 = A, and
/// A_{l+1} = P_l^T A_l P_l for an interpolation P_l whose range has the near null space of A: the
/// vectors that are given, such as rigid-body modes, or constants in every unknown of a node.
/// Where coefficients jump, rows depend on others which do not depend on them: aggregates are of
/// nodes that depend on each other, P_l is smoothed by what each row depends on, and rows in no
/// aggregate are interpolated as classical multigrid does (Ruge and Stueben, "Algebraic multigrid",
/// in: Multigrid Methods, SIAM, 1987). Smoothing by Polynomial::fourth_kind() before and after; the
/// coarsest level by sparse elimination. Set up on hosts in threads, every rank its own rows,
/// aggregates within ranks, up to coarse levels that each rank has whole (ReplicatedLevels); in the
/// memory of the vectors where that knows how (Coarsening). Cycles where the vectors lie.
class Hierarchy {
 public:
  struct Options {
    int degree = 2;        ///< of the smoothing polynomial
    double theta = 0.08;   ///< of strong connections on the finest level; half on each coarser one
    Index coarsest = 600;  ///< at most so many rows are eliminated
    int most_levels = 20;
    /// Non-zeros of a level up to which each of several ranks has it and all coarser ones whole;
    /// none: as many as are sooner multiplied with than told to other ranks, by the kind of memory.
    std::optional<Index> whole_nonzeros = std::nullopt;
    bool singular = false;  ///< A and so every A_l; the coarsest is eliminated with a small shift
    /// A is the real form of a complex matrix, in whole pairs: so are all A_l and P_l then, which
    /// are computed in complex numbers.
    bool pairs = false;
    double damping = 0;  ///< of such a matrix that is not Hermitian, see add_damping()
  };

  /// Collective.
  Hierarchy(BandMatrix& matrix, ComputeDevice& memory, bool symmetric, const Options& options,
            NearNullSpace near = {});
  ~Hierarchy();

  /// Takes in new values of the matrix, of the same pattern: aggregates and all patterns stay, as
  /// do the connections that were strong; all numbers are computed anew. `near` as at first.
  /// Collective.
  void renew(NearNullSpace near = {});

  /// x <- M^-1 b by one V-cycle from x = 0; symmetric where A is. Collective.
  void cycle(const Vectors& b, Vectors& x);

  /// Rows and non-zeros of all levels.
  std::vector<GridLevel> levels() const;

  /// Non-zeros of all A_l over those of A.
  double operator_complexity() const;

 private:
  struct HierarchyLevel;
  class Coarsest;

  /// Whether every rank is to have the matrix whole.
  bool is_sooner_replicated(const BandMatrix& matrix) const;
  /// Makes the smoother of a level.
  void make_smoother(std::size_t number);
  /// Whether levels are complex and not Hermitian: P_l^T takes the place of P_l^H then, as for A =
  /// A^T, and levels that are smoothed have rows that are turned, see turns_of().
  bool turns() const { return options_.pairs && !symmetric_; }
  void turn(std::size_t number);
  /// The level below that of the number, whose matrix is `matrix`, of whole nodes: made, where it
  /// is the last one, by connections that are strong for `theta`, or else given new numbers.
  /// Whether there is one. `near` becomes that of the level below.
  bool coarsen(std::size_t number, BandMatrix& matrix, NearNullSpace& near, double theta);
  /// Its parts: the aggregates of a level, and what makes the next one of them.
  void find_aggregates(HierarchyLevel& level, BandMatrix& matrix, const NearNullSpace& near,
                       double theta) const;
  static void coarsen_in_memory(HierarchyLevel& level, HierarchyLevel& next,
                                const BandMatrix& matrix, NearNullSpace& near);
  void coarsen_on_host(HierarchyLevel& level, HierarchyLevel& next, BandMatrix& matrix,
                       NearNullSpace& near) const;
  NodeKind kind_of(const NearNullSpace& near) const;
  void cycle(std::size_t number, const Vectors& b, Vectors& x);

  ComputeDevice& memory_;
  bool symmetric_;
  Options options_;
  BandMatrix* finest_ = nullptr;
  std::unique_ptr<BandMatrix> first_turns_;  // those of the finest level's right-hand sides
  std::unique_ptr<Vectors> turned_;
  std::vector<std::unique_ptr<HierarchyLevel>> levels_;
  std::unique_ptr<ReplicatedLevels> replicated_;  // after the last of these levels, or else
  std::unique_ptr<Coarsest> coarsest_;
};

}  // namespace spsolve::krylov
