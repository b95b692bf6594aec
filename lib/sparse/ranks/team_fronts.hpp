#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "distribute/row_exchange.hpp"
#include "solve/inverse.hpp"
#include "solve/operators/system_matrix.hpp"
#include "sparse/ranks/team_checkpointer.hpp"
#include "sparse/ranks/value_dealer.hpp"
#include "sparse/values/scaled_values.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline sparse {

struct ThresholdOutcome;

/// The fronts of a rank's part of an elimination that all ranks of a team share, or of a rank alone
/// all of them, in the memory of one kind of device. Every call is collective, unless it says
/// otherwise.
template <typename T>
class TeamFronts {
 public:
  virtual ~TeamFronts() = default;

  /// From now on `checkpointer` keeps the fronts of factorisations; null: nobody does. Nothing
  /// happens where fronts are not on the host.
  virtual void checkpoint_by(TeamCheckpointer* /*checkpointer*/) {}

  /// Gathers the values of all bands of `matrix` in `whole`, which rank 0 has and others pass null
  /// for, where all of them lie in the memory of the device: whether they do.
  virtual bool gather_values(SystemMatrix& /*matrix*/, ScaledValues* /*whole*/) { return false; }

  /// Takes this rank's of the values that rank 0 has (others pass null), where those lie in the
  /// memory of the device: whether they do. The next factor() has them.
  virtual bool take_values(const ValueDealer& /*dealer*/, ScaledValues* /*values*/) {
    return false;
  }

  /// Factors the matrix with this rank's values, in the order of its entries, re and im of complex
  /// ones; null: with those that
  /// were taken. `advance` is called with the flops of this rank's part of each piece of work. The
  /// counts of all ranks; a failure is the number of a pivot among those of a rank or of the shared
  /// fronts. Throws on every rank where one has not enough memory.
  virtual PivotCounts factor(const std::vector<double>* values, const PivotRule& rule,
                             const Advance& advance) = 0;

  /// The pivots that the last factorisation raised, as PivotRule::raised asked for, by ascending
  /// places; none where there are more than most_raised_pivots, or nobody lists them. Not
  /// collective.
  virtual std::vector<RaisedPivot> raised_pivots() const { return {}; }

  /// The outcome of the last factorisation by threshold pivoting; null where pivots are from
  /// fronts' own rows. Not collective.
  virtual const ThresholdOutcome* threshold_outcome() const { return nullptr; }

  /// Lets go of what fronts were eliminated in, which the next factorisation makes again. Not
  /// collective.
  virtual void release_stacks() {}

  /// Bytes of factors that the device has in host memory, as its own does not hold them. Not
  /// collective.
  virtual std::int64_t host_bytes() const { return 0; }

  /// The regimes of the last factorisation, where a GPU did it by itself. Not collective.
  virtual std::optional<KernelStatistics> kernel_statistics() const { return {}; }

  /// Columns that solve() takes at a time, at most, in a team of several.
  virtual Index most_columns() const = 0;

  /// x <- A^-1 b or A^-T b, of a rank alone A^-H b, by finished factors, in host memory: rows of
  /// `columns` values, those of the own pivots before those of all shared fronts, of which b has
  /// zeros but on the first rank of the front's team, and x what this rank's own columns are of. A
  /// rank alone: all rows, in A's order, of any columns. b is lost.
  virtual void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) = 0;

  /// Solves for vectors in bands, in the memory of the device, which `from` lists for b and `to`
  /// for x: this rank's rows as TreePartition::rows has them. False where they lie on the host of a
  /// rank of several: then solve() does it.
  virtual bool solve_in_bands(bool transposed, const RowExchange& from, const RowExchange& to,
                              const Vectors& b, Vectors& x) = 0;

  /// Whether the factors are those of a rank alone, on its host, and of one block: then
  /// substitute() does one of the substitutions of a solve. Not collective.
  virtual bool has_substitutions() const { return false; }

  /// x <- what one substitution makes of b, as RowOrder::solve() has it.
  virtual void substitute(Substitution /*step*/, bool /*transposed*/, const Vectors& /*b*/,
                          Vectors& /*x*/) {}
};

/// The sum of the ranks' counts; the first failure of any. Collective.
PivotCounts counts_of_all(Team& team, const PivotCounts& mine);

/// In the memory of this process, by its threads.
template <typename T>
std::unique_ptr<TeamFronts<T>> host_team_fronts(Team& team, const TreePartition& tree);

/// Of a rank alone, with threshold pivoting, which looks in whole columns and delays pivots that
/// fail: for matrices for which the pivots of the fronts alone did not do.
template <typename T>
std::unique_ptr<TeamFronts<T>> threshold_fronts(const TreePartition& tree);

}  // namespace spsolve::sparse
