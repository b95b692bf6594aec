#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/compute_device.hpp"
#include "solve/inverse.hpp"
#include "solve/operators/options.hpp"
#include "vectors/band_matrix.hpp"

namespace spsolve::inline krylov {

/// Vectors that A takes to nearly nothing, as far as its entries between neighbours are concerned,
/// and which iteration alone would therefore take long for.
struct NearNullSpace {
  Index size = 1;         ///< unknowns of a node, which follow each other; bands hold whole nodes
  Dense<double> vectors;  ///< own rows x m; m = 0: not known
};

/// The near null space of R A C where coordinates are known: C^-1 times the motions of a rigid
/// body. Collective.
NearNullSpace near_null_space_of(SystemMatrix& matrix, const Equilibration& scaling);

/// M^-1 for a matrix M near A, as a Krylov method applies it.
class PreconditionerOperator : public LinearOperator {
 public:
  /// Takes in new values of the matrix that it was made of, of the same pattern, at less cost than
  /// one that is made anew; false where it does not, and then nothing is changed. Collective.
  virtual bool renew(NearNullSpace) { return false; }

  /// Sentences that a reader of the report should know of it.
  std::vector<std::string> notes;
  /// The levels of multigrid, the finest first.
  std::vector<GridLevel> levels;
};

/// The inputs that a preconditioner is made of.
struct PreconditionerInput {
  BandMatrix& matrix;      ///< A, square, in one layout of rows and columns; outlives the operator
  ComputeDevice& memory;   ///< of the kind that the vectors lie in
  bool symmetric = false;  ///< whether A is, and the method wants M to be symmetric as well
  NearNullSpace near_null_space = {};
  bool singular = false;  ///< whether A is known to be, and so what is eliminated of it
  /// Whether it is the real form of a complex matrix, in whole pairs: the plain one, or that whose
  /// rows of imaginary parts have the opposite sign if the method iterates without these.
  bool pairs = false;
};

/// A kind of preconditioner: one row of the table. The words of solve.preconditioner, the help and
/// the table-driven tests read these rows.
struct PreconditionerRow {
  Preconditioner kind;
  std::string_view sentence;  ///< what it is, for help

  /// Bytes that it takes on a rank with `height` rows of `nonzeros` entries, roughly.
  std::int64_t (*bytes)(Index height, Index nonzeros, MemoryKind memory);

  /// Sets it up. Throws Error(not_trustworthy), Error(input) or Error(resources) on every rank.
  /// Collective.
  std::unique_ptr<PreconditionerOperator> (*make)(const PreconditionerInput& input);
};

/// All of them.
std::span<const PreconditionerRow> preconditioners();

/// The row of a kind, which is not automatic.
const PreconditionerRow& preconditioner_row(Preconditioner kind);

/// Whether a kind is a hierarchy of levels.
constexpr bool is_multigrid(Preconditioner kind) {
  return kind == Preconditioner::multigrid || kind == Preconditioner::shifted_laplacian;
}

/// The choice that Preconditioner::automatic stands for: multigrid where A is symmetric, of at
/// least 2000 unknowns, its diagonal is positive and it looks elliptic: the diagonal is, in nine
/// rows of ten, at least half of the magnitudes of its row's other entries, or rigid-body modes are
/// known, `elastic`; else ic0 for a symmetric A with a positive diagonal that `cg` or `block_cg`
/// solves, jacobi for one without zeros on it that minres does, none for others of these, ilu0 for
/// methods that want no symmetry. Collective.
Preconditioner choose_preconditioner(BandMatrix& matrix, Method method, bool symmetric,
                                     bool elastic = false);

/// The table as `spsolve --help preconditioners` shows it.
std::string preconditioner_help();

/// Adds `share` of the largest diagonal entry to the diagonal of own rows, columns global, so that
/// elimination meets no zero pivot. Collective.
void shift_diagonal(Team& team, Csr<double>& rows, Index first_row, double share);

/// Non-zeros of a level of multigrid up to which each of several ranks has it whole.
Index replicated_level_nonzeros(MemoryKind memory);

/// Refuses jacobi for a zero in this row of the matrix, counted from 0.
[[noreturn]] void refuse_zero_on_diagonal(Index row);

/// The diagonal of a square matrix' own rows. Not collective.
std::vector<double> own_diagonal(const BandMatrix& matrix);

// The kinds, each in a file of its own name in preconditioner/ or multigrid/.

std::unique_ptr<PreconditionerOperator> make_identity(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_jacobi(const PreconditionerInput& input);
/// make_jacobi() for the numbers on the diagonal of a complex matrix, by its real form.
std::unique_ptr<PreconditionerOperator> make_complex_jacobi(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_block_jacobi(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_chebyshev(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_ilu0(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_ic0(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_elimination(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_multigrid(const PreconditionerInput& input);
std::unique_ptr<PreconditionerOperator> make_shifted_laplacian(const PreconditionerInput& input);

}  // namespace spsolve::krylov
