#include "io/report.hpp"

#include <algorithm>

#include "core/build_info.hpp"
#include "io/atomic_file.hpp"

namespace spsolve {

std::vector<PhaseSpread> spread_over_ranks(Team& team, const PhaseTimes& times) {
  std::vector<PhaseSpread> spreads;
  for (const auto& [phase, seconds] : times.phases()) {
    PhaseSpread spread{phase, seconds, 0, seconds};
    for (const double rank_seconds : all_gather(team, seconds)) {
      spread.min = std::min(spread.min, rank_seconds);
      spread.max = std::max(spread.max, rank_seconds);
      spread.mean += rank_seconds / team.size();
    }
    spreads.push_back(spread);
  }
  return spreads;
}

nlohmann::ordered_json to_json(const SolveReport& report) {
  nlohmann::ordered_json json;
  json["status"] = report.status;
  json["matrix"] = {
      {"source", report.matrix}, {"rows", report.rows}, {"nonzeros", report.nonzeros}};
  json["right_hand_sides"] = report.right_hand_sides;
  json["method"] = report.method;
  json["pivoting"] = report.pivoting;
  json["precision"] = report.precision;
  json["device"] = report.device;
  json["ranks"] = report.ranks;
  json["hosts"] = report.hosts;
  json["threads"] = report.threads;
  json["backward_error"] = report.refinement.after.backward_error;
  json["componentwise_error"] = report.refinement.after.componentwise_error;
  json["refinement"] = {
      {"sweeps", report.refinement.sweeps},
      {"backward_error_before", report.refinement.before.backward_error},
      {"componentwise_error_before", report.refinement.before.componentwise_error}};
  if (report.l2_error) json["l2_error"] = *report.l2_error;
  json["pivot_growth"] = report.pivot_growth;
  json["pivots"] = {{"smallest", report.smallest_pivot}, {"largest", report.largest_pivot}};
  json["gflops"] = report.gflops;
  json["peak_memory_bytes"] = report.peak_memory;
  for (const PhaseSpread& phase : report.seconds) {
    json["seconds"][phase.phase] = {{"min", phase.min}, {"mean", phase.mean}, {"max", phase.max}};
  }
  json["notes"] = report.notes;
  json["versions"] = report.versions;
  json["configuration"] = report.configuration;
  return json;
}

std::string to_text(const SolveReport& report) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<18} {}\n", name, value);
  };
  line("status", report.status);
  line("matrix", fmt::format("{}, {} x {}, {} non-zeros", report.matrix, report.rows, report.rows,
                             report.nonzeros));
  line("right-hand sides", fmt::format("{}", report.right_hand_sides));
  line("method", fmt::format("{}, pivoting {}, {} on {}", report.method, report.pivoting,
                             report.precision, report.device));
  line("ranks",
       fmt::format("{} on {} host{}, {} thread{} each", report.ranks, report.hosts,
                   report.hosts == 1 ? "" : "s", report.threads, report.threads == 1 ? "" : "s"));
  line("backward error",
       fmt::format("{:.2e} normwise, {:.2e} componentwise", report.refinement.after.backward_error,
                   report.refinement.after.componentwise_error));
  line("refinement", fmt::format("{} sweep{}, backward error before {:.2e}",
                                 report.refinement.sweeps, report.refinement.sweeps == 1 ? "" : "s",
                                 report.refinement.before.backward_error));
  if (report.l2_error)
    line("L2 error", fmt::format("{:.3e} (x is known to be ones)", *report.l2_error));
  line("pivot growth", fmt::format("{:.3g}", report.pivot_growth));
  line("pivots", fmt::format("{:.2e} to {:.2e}", report.smallest_pivot, report.largest_pivot));
  line("rate", fmt::format("{:.2f} GFLOP/s (2/3 n^3 over the elimination)", report.gflops));
  line("peak memory", fmt::format("{:.1f} MiB on the largest rank",
                                  static_cast<double>(report.peak_memory) / (1 << 20)));
  line("seconds", "min / mean / max over ranks");
  for (const PhaseSpread& phase : report.seconds) {
    line("  " + phase.phase,
         fmt::format("{:.4f} / {:.4f} / {:.4f}", phase.min, phase.mean, phase.max));
  }
  for (const std::string& note : report.notes) line("note", note);
  return text;
}

void write_report(const std::filesystem::path& file, const nlohmann::ordered_json& json) {
  io::AtomicFile output(file);
  output.write(json.dump(2) + "\n");
  output.commit();
}

nlohmann::ordered_json build_versions() {
  nlohmann::ordered_json versions;
  versions["spsolve"] = build_info::version;
  versions["compiler"] = build_info::compiler;
  versions["build_type"] = build_info::build_type;
  return versions;
}

}  // namespace spsolve
