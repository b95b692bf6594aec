#pragma once

#include <functional>
#include <memory>
#include <string>

#include "distribute/row_bands.hpp"
#include "eliminate/condition.hpp"
#include "eliminate/eliminate.hpp"
#include "eliminate/equilibrate.hpp"

namespace spsolve {

/// A matrix as what multiplies whole n x K multivectors, the same on every rank, in place.
struct MatrixProducts {
  Operator multiply;
  Operator multiply_transposed;
  double norm = 0;             ///< ||A||, infinity norm
  double norm_transposed = 0;  ///< ||A^T||, infinity norm
};

/// The products with R A C for the scale factors `scaling`, in double: each rank multiplies with
/// its rows `band` of A and all get the whole product. `team` and `band` must outlive what comes
/// of it. Collective, as the products are.
MatrixProducts products_of(Team& team, const RowBands& bands, const Csr<double>& band,
                           const Equilibration& scaling);

/// Called with a sentence that says why float did not do, before the matrix is eliminated in double
/// after all and once the float band is gone. May throw, on every rank. Collective.
using BeforeDouble = std::function<void(const std::string& why)>;

/// prepare_elimination() in mixed precision: eliminates `dealt`, the rows of the matrix as they are
/// dealt out, in float and solves with the factors by solve_by_gmres() and `products` with the same
/// matrix. Right away it solves with the right-hand sides `b`, as a trial whose solution is kept
/// and handed out to who asks for it first; where that does not converge, or where the elimination
/// in float fails, `dealt` is eliminated in double, and a note says why. The float band is gone
/// before the double one is made. Both eliminations keep themselves by `checkpoints`, where there
/// are any. `team` and `bands` outlive what comes of it. Collective.
PreparedElimination prepare_mixed(Team& team, BandFactory& bands,
                                  std::shared_ptr<const Csr<double>> dealt,
                                  const EliminationChoice& choice, MatrixProducts products,
                                  Dense<double> b, Checkpoints* checkpoints = nullptr,
                                  BeforeDouble before_double = {});

/// prepare_elimination() of the R A C for the scale factors `scaling`, in any precision: `dealt`
/// are its rows as they are dealt out, `band` this rank's rows of A under `rows`, `b` the
/// right-hand sides of A x = b. `team`, `bands` and `band` outlive what comes of it. Collective.
PreparedElimination prepare_system(Team& team, BandFactory& bands, const RowBands& rows,
                                   const Csr<double>& band, const Equilibration& scaling,
                                   std::shared_ptr<const Csr<double>> dealt,
                                   const EliminationChoice& choice, const Dense<double>& b,
                                   Checkpoints* checkpoints = nullptr,
                                   BeforeDouble before_double = {});

/// `rows` without a copy: it must outlive the pointer.
inline std::shared_ptr<const Csr<double>> borrowed(const Csr<double>& rows) {
  return {std::shared_ptr<void>(), &rows};
}

}  // namespace spsolve
