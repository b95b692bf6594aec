#include "report/sparse_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spsolve::inline report {

nlohmann::ordered_json to_json(const SparseOutcome& outcome) {
  nlohmann::ordered_json json{{"factorisation", outcome.factorisation},
                              {"ordering", outcome.ordering},
                              {"analysis_seconds", outcome.analysis_seconds},
                              {"flops", outcome.flops},
                              {"blocks", outcome.blocks},
                              {"fronts", outcome.fronts},
                              {"ranks", outcome.ranks},
                              {"levels", nlohmann::ordered_json::array()},
                              {"factor_entries", outcome.factor_entries},
                              {"complex", outcome.complex},
                              {"matched_pairs", outcome.pairs},
                              {"perturbed_pivots", outcome.perturbed_pivots},
                              {"corrected_pivots", outcome.corrected_pivots},
                              {"delayed_pivots", outcome.delayed_pivots},
                              {"moved_pivots", outcome.moved_pivots}};
  for (const FrontLevel& level : outcome.levels.all()) {
    json["levels"].push_back(
        {{"fronts", level.fronts}, {"largest_front", level.largest_front}, {"flops", level.flops}});
  }
  if (outcome.gpu) {
    json["gpu"] = {{"launches", outcome.gpu->launches},
                   {"small_flops", outcome.gpu->small_flops},
                   {"library_flops", outcome.gpu->library_flops}};
  }
  json["negative_pivots"] = nullptr;
  if (outcome.negative_pivots) json["negative_pivots"] = *outcome.negative_pivots;
  json["gmres_steps"] = outcome.gmres_steps;
  return json;
}

std::string to_text(const SparseOutcome& outcome) {
  std::string text = fmt::format("{}, {}: {} {}entries in {} fronts, {:.3g} flops",
                                 outcome.factorisation, outcome.ordering, outcome.factor_entries,
                                 outcome.complex ? "complex " : "", outcome.fronts, outcome.flops);
  if (outcome.ranks > 1) text += fmt::format(", by {} ranks", outcome.ranks);
  if (outcome.blocks > 1) text += fmt::format(", {} diagonal blocks", outcome.blocks);
  if (outcome.pairs > 0) text += fmt::format(", {} pairs matched", outcome.pairs);
  if (outcome.perturbed_pivots > 0) {
    text += fmt::format(", {} pivots perturbed", outcome.perturbed_pivots);
  }
  if (outcome.corrected_pivots > 0) {
    text += fmt::format(", {} pivots corrected for", outcome.corrected_pivots);
  }
  if (outcome.delayed_pivots > 0) text += fmt::format(", {} delayed", outcome.delayed_pivots);
  return text;
}

}  // namespace spsolve::report
