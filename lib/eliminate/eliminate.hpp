#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "core/progress.hpp"
#include "core/team.hpp"
#include "distribute/cyclic_rows.hpp"
#include "eliminate/band_factory.hpp"
#include "eliminate/options.hpp"
#include "eliminate/pivot_statistics.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace spsolve {

/// How to eliminate; nothing is automatic any more.
struct EliminationChoice {
  Method method = Method::lu;
  Pivoting pivoting = Pivoting::tournament;
  Precision precision = Precision::float64;
  Index block = 128;  ///< lu: columns of a panel, rows of a cyclic block
  /// Whether solutions are refined against the matrix, so that products in float may be those that
  /// are almost as accurate and much faster, where there are such.
  bool refined = false;
};

/// Fills in what is automatic, for a matrix of order `order` on `ranks` ranks. Mixed precision
/// becomes double where float factors would save no time. Throws Error(input)
/// on every rank where method and pivoting do not go together.
EliminationChoice choose_elimination(Method method, Pivoting pivoting, Precision precision,
                                     Index block, Index order, int ranks,
                                     BandMemory memory = BandMemory::host);

/// How an elimination in mixed precision went.
struct MixedOutcome {
  int steps = 0;           ///< of GMRES for the first right-hand sides
  bool fell_back = false;  ///< the factors are those of double
};

/// An eliminated matrix, spread over a team: solves for any right-hand sides.
struct Eliminated {
  PivotStatistics pivots;
  /// Right-hand sides on entry, solutions on exit, n x K, whole and the same on every rank.
  /// Collective.
  std::function<void(Dense<double>&)> solve;
  /// The same with A^T; empty where the bands do not offer it. Collective.
  std::function<void(Dense<double>&)> solve_transposed;
  std::vector<std::string> notes;  ///< what a reader of the report should know
  std::optional<MixedOutcome> mixed;
  std::optional<LuSeconds> seconds;  ///< of lu
};

/// How the rows of the dense matrix are dealt out: cyclic blocks for lu, contiguous bands else.
bool deals_in_cycles(const EliminationChoice& choice, int ranks);
CyclicRows cyclic_rows(const EliminationChoice& choice, Index order, int ranks);

/// Rows that `rank` eliminates.
Index height_of(const EliminationChoice& choice, Index order, int rank, int ranks);

/// A dense matrix that lies ready: what is called once, to eliminate it. Throws as
/// eliminate_columnwise() and factor_lu(). Collective.
using PreparedElimination = std::function<Eliminated(Progress&)>;

/// Makes the dense form of the matrix whose rows of this rank, as dealt out, are `rows`, with the
/// bands of `bands`, which must outlive what comes of it; or with bands in host memory.
/// The elimination keeps itself by `checkpoints`, where there are any.
/// Throws Error(resources) on every rank where memory is short on one. Collective.
PreparedElimination prepare_elimination(Team& team, BandFactory& bands, Index order,
                                        const Csr<double>& rows, const EliminationChoice& choice,
                                        Checkpoints* checkpoints = nullptr);
PreparedElimination prepare_elimination(Team& team, Index order, const Csr<double>& rows,
                                        const EliminationChoice& choice,
                                        Checkpoints* checkpoints = nullptr);

/// Bytes that prepare_elimination() and the elimination allocate for `height` rows; of mixed
/// precision the larger band, in double.
std::int64_t elimination_bytes(const EliminationChoice& choice, Index height, Index order,
                               int ranks);

/// Bytes of host memory, part of the former, that the L and U of all panels take on each of several
/// ranks.
std::int64_t panel_factors_bytes(const EliminationChoice& choice, Index order, int ranks);

}  // namespace spsolve
