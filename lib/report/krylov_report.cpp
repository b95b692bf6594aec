#include "report/krylov_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spsolve::inline report {

nlohmann::ordered_json to_json(const KrylovOutcome& outcome) {
  nlohmann::ordered_json json{{"preconditioner", outcome.preconditioner},
                              {"setup_seconds", outcome.setup_seconds},
                              {"steps", outcome.steps},
                              {"converged", outcome.converged},
                              {"asked", outcome.asked},
                              {"history", outcome.history}};
  if (!outcome.near_null_space.empty()) json["near_null_space"] = outcome.near_null_space;
  if (outcome.renewed) json["renewed"] = true;
  if (!outcome.null_space.empty()) json["null_space"] = outcome.null_space;
  for (const GridLevel& level : outcome.levels) {
    json["levels"].push_back({{"rows", level.rows}, {"nonzeros", level.nonzeros}});
  }
  return json;
}

std::string to_text(const KrylovOutcome& outcome) {
  std::string text =
      fmt::format("{}, {} step{}{}", outcome.preconditioner, outcome.steps,
                  outcome.steps == 1 ? "" : "s", outcome.converged ? "" : ", not converged");
  if (!outcome.levels.empty()) {
    double nonzeros = 0;
    for (const GridLevel& level : outcome.levels) nonzeros += static_cast<double>(level.nonzeros);
    text += fmt::format(", {} levels with {:.2f} times the non-zeros of A", outcome.levels.size(),
                        nonzeros / static_cast<double>(outcome.levels.front().nonzeros));
  }
  if (!outcome.near_null_space.empty()) text += fmt::format(", {}", outcome.near_null_space);
  if (!outcome.null_space.empty()) {
    text += fmt::format(", x orthogonal to {}", outcome.null_space);
  }
  return text + fmt::format(", {} in {:.3g} s", outcome.renewed ? "renewed" : "set up",
                            outcome.setup_seconds);
}

}  // namespace spsolve::report
