#pragma once

#include <complex>

#include "core/types.hpp"
#include "distribute/layout/row_layout.hpp"
#include "matrix/real_form.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline dense {

/// How a matrix is made dense and eliminated; nothing is automatic any more.
struct EliminationChoice {
  Method method = Method::lu;
  Pivoting pivoting = Pivoting::tournament;
  Precision precision = Precision::float64;
  Index block = 128;  ///< lu: columns of a panel, rows of a cyclic block
  /// For lu in float: whether solutions are refined against the matrix, so that products may be
  /// those that are almost as accurate and much faster, where there are such. With mixed they
  /// always are.
  bool refined = false;
  /// Whether the dense rows are of complex numbers: of a real form, of twice their order.
  bool complex = false;
};

/// Rows of the system's matrix to a dense row.
constexpr Index rows_of_dense_row(const EliminationChoice& choice) {
  return choice.complex ? complex_parts : 1;
}

/// f(T()) for the scalar T that dense rows are first eliminated in.
template <typename F>
decltype(auto) with_scalar_of(const EliminationChoice& choice, const F& f) {
  return choice.complex ? with_scalar<std::complex<double>>(choice.precision, f)
                        : with_scalar(choice.precision, f);
}

/// Fills in what is automatic, for dense rows of order `order` on `ranks` ranks. Mixed precision
/// becomes double where float factors would save no time. Throws Error(input)
/// on every rank where method and pivoting do not go together.
EliminationChoice choose_elimination(const SolverOptions& options, Index order, int ranks,
                                     MemoryKind memory = MemoryKind::host);

/// How the rows of the dense matrix are dealt out: cyclic blocks for lu over several ranks,
/// contiguous else.
RowLayout dense_layout(const EliminationChoice& choice, Index order, int ranks);

/// Bytes of host memory that elimination allocates for `height` rows.
std::int64_t elimination_bytes(const EliminationChoice& choice, Index height, Index order,
                               int ranks);

}  // namespace spsolve::dense
