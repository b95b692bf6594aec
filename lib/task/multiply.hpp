#pragma once

#include <nlohmann/json.hpp>

#include "config/config.hpp"
#include "core/team.hpp"
#include "eliminate/plan.hpp"
#include "io/report.hpp"

namespace spsolve {

/// `task: multiply`: Y = A X. Rank 0 reads the matrix and deals its rows out; X is whole on every
/// rank; each rank multiplies its rows by its kernel; rank 0 gathers Y, compares it with the serial
/// product of the whole matrix (multiply.verify) and writes it. Every rank gets the report; its
/// status is "not trustworthy" where ProductErrors::within_bound() does not hold. Throws the same
/// Error on every rank. `versions` goes into the report as it is. Collective.
MultiplyReport run_multiply(const Config& config, Team& team,
                            const nlohmann::ordered_json& versions);

/// The memory that run_multiply() will need, rank by rank; allocates nothing that grows with the
/// matrix. The kernel's format counts as much as CSR; padding is not known before. `plan` is set to
/// this rank's own. Collective.
MemoryCheck plan_multiply(const Config& config, Team& team, MemoryPlan& plan);

}  // namespace spsolve
