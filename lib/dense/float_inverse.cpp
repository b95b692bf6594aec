#include "dense/float_inverse.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace spsolve::inline dense {

FloatInverse::FloatInverse(Make in_float, Make in_its_range)
    : IteratedInverse(std::move(in_float)), in_its_range_(std::move(in_its_range)) {}

std::unique_ptr<Vectors> FloatInverse::eliminate(const EliminationRun& run) {
  facts_ = {};
  const std::string failure = eliminate_first(run);
  std::optional<Probe> probe;
  std::unique_ptr<Vectors> solution;
  if (failure.empty()) {
    probe = gmres_->probe_factors();
    if (!gmres_->corrects_by_factors()) {
      gmres_.reset();
    } else if (run.first != nullptr) {
      solution = gmres_->validate(run.first).x;
    }
  } else {
    if (!in_its_range_) fail_everywhere(ExitCode::not_trustworthy, "{}", failure);
    take_other(in_its_range_);
    run.progress.restart("eliminating again, by products in float");
    // Not by the checkpoints: what the first one kept may be what it failed of.
    factors().eliminate({run.progress, nullptr, nullptr});
  }
  facts_ = factors().facts();
  facts_.probe = probe;
  if (!failure.empty()) {
    facts_.notes.push_back(fmt::format(
        "eliminated twice, the second time by products in the range of float: {}", failure));
  }
  return solution;
}

}  // namespace spsolve::dense
