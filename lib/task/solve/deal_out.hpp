#pragma once

#include <memory>

#include "choice/system_choice.hpp"
#include "config/config.hpp"
#include "process/phase_times.hpp"
#include "report/report.hpp"
#include "solve/operators/system_matrix.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

/// The use of a system's matrix.
struct MatrixUse {
  const VectorMemory& memory;  ///< where products are computed; outlives the matrix
  Method method;
};

/// A band of rows for each rank, of whole nodes where coordinates tell them, and the coordinates:
/// of `whole`, which rank 0 has, or as every rank reads its own rows. Phases "read" and "scatter";
/// notes the matrix' sizes. Collective.
std::unique_ptr<SystemMatrix> deal_out(const Config& config, const SystemShape& shape, Team& team,
                                       Csr<double> whole, const MatrixUse& use, PhaseTimes& times,
                                       TaskReport& report);

}  // namespace spsolve::task
