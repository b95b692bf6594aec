#pragma once

#include <optional>
#include <string_view>

#include "choice/gpus.hpp"
#include "config/config.hpp"
#include "plan/memory_plan.hpp"
#include "report/report.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

/// The part of the plan that is the kernel's format: how small it is, only the entries tell, as
/// formats may keep the columns of rows once where they are the same.
inline constexpr const char* format_at_most = "the kernel's format, at most";

/// `task: multiply`: Y = A X. The matrix is read and its rows dealt out in bands (multiply.bands);
/// X and Y lie in bands too. Each rank multiplies its rows by the kernel, on its GPU or on the
/// host, bringing the rows of X that it needs of others (BasicBandMatrix). Rank 0 gathers Y
/// where it is to be written, or compared with the serial product of the whole matrix
/// (multiply.verify), for which it then holds the whole matrix as well. Every rank gets the report,
/// as far as it came where this fails; begin_report() has begun it, and its status is "not
/// trustworthy" where ProductErrors::within_bound() does not hold. Throws the same Error on every
/// rank. Collective.
void run_multiply(const Config& config, Team& team, const Gpus& gpus, MultiplyReport& report);

/// The facts that a plan needs to know of the device of products.
struct ProductDevice {
  std::string_view format = "csr";  ///< storage format of the kernel
  bool on_gpu = false;
  std::optional<std::int64_t> available;  ///< bytes free on this rank's GPU, where one is here
};

/// The memory that run_multiply() will need, rank by rank; allocates nothing that grows with the
/// matrix. Padding and the halo are not known before, and count as nothing. `plan` is set to this
/// rank's own. Collective.
MemoryCheck plan_multiply(const Config& config, Team& team, const ProductDevice& device,
                          MemoryPlan& plan);

/// The memory that run_multiply() will need with the device that it would take.
MemoryCheck plan_multiply(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan);

}  // namespace spsolve::task
