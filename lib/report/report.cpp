#include "report/report.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "config/schema.hpp"
#include "core/build_info.hpp"
#include "core/worth_threads.hpp"
#include "io/files/atomic_file.hpp"
#include "process/system.hpp"
#include "report/krylov_report.hpp"
#include "report/report_fields.hpp"
#include "report/sparse_report.hpp"
#include "report/summary.hpp"

namespace spsolve::inline report {

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

int count_hosts(Team& team) {
  // Each rank counts 1 / (ranks on its host).
  double hosts = 0;
  for (const int ranks : all_gather(team, team.ranks_on_host())) hosts += 1.0 / ranks;
  return static_cast<int>(std::lround(hosts));
}

namespace {

/// The fields that all reports begin with, those of failed runs too.
nlohmann::ordered_json first_fields(const TaskReport& report, std::string_view status,
                                    const std::string& in_short) {
  nlohmann::ordered_json json;
  json["report_version"] = report_version;
  json["status"] = status;
  json["summary"] = in_short;
  json["started"] = report.started;
  json["command_line"] = report.command_line;
  const auto known = [&](Index size) {
    return report.has_sizes ? nlohmann::ordered_json(size) : nlohmann::ordered_json();
  };
  json["matrix"] = {{"source", report.matrix},
                    {"rows", known(report.rows)},
                    {"columns", known(report.columns)},
                    {"nonzeros", known(report.nonzeros)}};
  if (!report.kind.empty()) json["matrix"]["kind"] = report.kind;
  json["complex"] = report.is_complex;
  json["precision"] = report.precision;
  json["ranks"] = report.ranks;
  return json;
}

/// The fields that all reports end with.
void add_last_fields(nlohmann::ordered_json& json, const TaskReport& report) {
  json["notes"] = report.notes;
  for (const auto& [name, version] : report.versions) json["versions"][name] = version;
  json["configuration"] = to_json(report.configuration);
}

/// The fields that the reports of all tasks begin with, and those that they end with.
template <typename Report>
nlohmann::ordered_json begin_json(const Report& report) {
  nlohmann::ordered_json json = first_fields(report, report.status, summary(report));
  json["device"] = report.device;
  json["hosts"] = report.hosts;
  json["threads"] = report.threads;
  json["blas"] = report.blas;
  json["files"] = report.files;
  return json;
}

nlohmann::ordered_json to_json(const std::vector<PhaseSpread>& spreads) {
  nlohmann::ordered_json json;
  for (const PhaseSpread& phase : spreads) {
    json[phase.phase] = {{"min", phase.min}, {"mean", phase.mean}, {"max", phase.max}};
  }
  return json;
}

nlohmann::ordered_json to_json(const RankPlace& place, int rank) {
  nlohmann::ordered_json json{{"rank", rank}, {"host", place.host}, {"threads", place.threads}};
  json["numa_node"] = nullptr;
  if (place.numa_node >= 0) json["numa_node"] = place.numa_node;
  if (place.gpu.name.empty()) {
    json["gpu"] = nullptr;
  } else {
    json["gpu"] = {{"name", place.gpu.name},
                   {"uuid", place.gpu.uuid},
                   {"planned_memory_bytes", place.gpu_memory.planned},
                   {"peak_memory_bytes", place.gpu_memory.peak},
                   {"library_memory_bytes", place.gpu_memory.libraries}};
  }
  json["planned_memory_bytes"] = place.planned_memory;
  json["peak_memory_bytes"] = place.peak_memory;
  json["waited_seconds"] = place.waited;
  return json;
}

void end_json(nlohmann::ordered_json& json, const TaskReport& report) {
  for (int rank = 0; rank < static_cast<int>(report.places.size()); ++rank) {
    json["rank_table"].push_back(to_json(report.places[rank], rank));
  }
  json["peak_memory_bytes"] = report.peak_memory;
  json["seconds"] = to_json(report.seconds);
  add_last_fields(json, report);
}

nlohmann::ordered_json checkpoint_json(const SolveReport& report) {
  const CheckpointStatistics& checkpoint = *report.checkpoint;
  nlohmann::ordered_json json{{"written", checkpoint.written},
                              {"failed", checkpoint.failed},
                              {"bytes", checkpoint.bytes},
                              {"seconds", checkpoint.seconds},
                              {"share", report.checkpoint_share}};
  if (checkpoint.resumed_step) {
    json["resumed_step"] = *checkpoint.resumed_step;
    json["resumed_from"] = checkpoint.resumed_from;
  }
  return json;
}

nlohmann::ordered_json halo_json(const MultiplyReport& report) {
  const HaloTotals totals = report.halo();
  return {{"rows", totals.rows},
          {"most_rows", totals.most_rows},
          {"bytes", report.halo_bytes},
          {"most_neighbours", totals.most_neighbours},
          {"boundary_nonzeros", totals.boundary_nonzeros},
          {"transport", report.transport}};
}

nlohmann::ordered_json share_json(const RankShare& share, const std::string& detail) {
  return {{"rows", share.rows},
          {"x_rows", share.x_rows},
          {"nonzeros", share.nonzeros()},
          {"boundary_rows", share.boundary_rows},
          {"boundary_nonzeros", share.boundary_nonzeros},
          {"halo_rows", share.halo_rows},
          {"sent_rows", share.sent_rows},
          {"neighbours", share.neighbours},
          {"format_bytes", share.bytes},
          {"detail", detail}};
}

}  // namespace

void TaskReport::note_sizes(const MatrixShape& read) {
  rows = read.rows / read.parts;
  columns = read.columns / read.parts;
  nonzeros = read.nonzeros / (read.parts * read.parts);
  is_complex = read.is_complex();
  has_sizes = true;
}

void TaskReport::add_run(Team& team, const PhaseTimes& times) {
  ranks = team.size();
  hosts = count_hosts(team);
  note_peak_memory();
  const double waited = seconds_waited_for_processors();
  for (int rank = 0; rank < team.size(); ++rank) {
    places.push_back({broadcast_text(team, host_name(), rank),
                      broadcast_value(team, threads, rank),
                      broadcast_value(team, numa_node(), rank),
                      {broadcast_text(team, gpu.name, rank), broadcast_text(team, gpu.uuid, rank)},
                      broadcast_value(team, planned_memory, rank),
                      broadcast_value(team, peak_memory, rank),
                      broadcast_value(team, gpu_memory, rank),
                      broadcast_value(team, waited, rank)});
  }
  peak_memory = static_cast<std::int64_t>(all_maximum(team, static_cast<double>(peak_memory)));
  seconds = spread_over_ranks(team, times);
  const int share = host_processors() / team.ranks_on_host();
  if (usable_processors() < share) {
    notes.push_back(
        fmt::format("rank 0 is bound to {} of the {} processors that are its share of the host; "
                    "mpirun --bind-to none, or --map-by slot:PE={}, gives it all",
                    usable_processors(), share, share));
  }
}

void TaskReport::note_peak_memory() {
  peak_memory = std::max(peak_memory, spsolve::peak_memory());
}

HaloTotals MultiplyReport::halo() const {
  HaloTotals totals;
  for (const RankShare& share : shares) {
    totals.rows += share.halo_rows;
    totals.most_rows = std::max(totals.most_rows, share.halo_rows);
    totals.most_neighbours = std::max(totals.most_neighbours, share.neighbours);
    totals.boundary_nonzeros += share.boundary_nonzeros;
  }
  return totals;
}

double TaskReport::longest(std::string_view phase) const {
  const auto found = std::ranges::find(seconds, phase, &PhaseSpread::phase);
  return found == seconds.end() ? 0.0 : found->max;
}

nlohmann::ordered_json to_json(const SolveReport& report) {
  nlohmann::ordered_json json = begin_json(report);
  json["right_hand_sides"] = report.right_hand_sides;
  json["right_hand_side"] = report.right_hand_side;
  for (const StepReport& step : report.steps) {
    json["steps"].push_back({{"right_hand_side", step.right_hand_side},
                             {"values", step.values},
                             {"solution", step.solution},
                             {"status", step.status},
                             {"backward_error", step.backward_error},
                             {"forward_error", step.forward_error},
                             {"condition", step.condition},
                             {"failure", step.failure},
                             {"seconds", step.seconds},
                             {"earlier", step.earlier}});
  }
  json["method"] = report.method;
  json["pivoting"] = report.pivoting;
  json["equilibrated"] = report.equilibrated;
  if (report.sparse) json["sparse"] = to_json(*report.sparse);
  if (report.inertia) {
    const Inertia& inertia = *report.inertia;
    nlohmann::ordered_json& told = json["inertia"] = {{"certainty", name(inertia.certainty)}};
    for (const auto& [key, count] :
         {std::pair{"positive", inertia.positive}, std::pair{"negative", inertia.negative},
          std::pair{"zero", inertia.zero}}) {
      told[key] = nullptr;
      if (count >= 0) told[key] = count;
    }
  }
  if (report.krylov) json["krylov"] = to_json(*report.krylov);
  if (report.mixed) {
    json["mixed"] = {{"gmres_steps", report.mixed->steps}, {"fell_back", report.mixed->fell_back}};
  }
  json["backward_error"] = report.refinement.after.backward_error;
  json["componentwise_error"] = report.refinement.after.componentwise_error;
  json["refinement"] = {
      {"sweeps", report.refinement.sweeps},
      {"backward_error_before", report.refinement.before.backward_error},
      {"componentwise_error_before", report.refinement.before.componentwise_error}};
  for (const Quality& quality : report.refinement.history) {
    json["refinement"]["history"].push_back({{"backward_error", quality.backward_error},
                                             {"componentwise_error", quality.componentwise_error}});
  }
  if (report.condition) {
    json["condition"] = {{"normwise", report.condition->normwise},
                         {"reciprocal", report.condition->reciprocal()},
                         {"componentwise", report.condition->componentwise}};
    json["forward_error"]["bound"] = report.trust.bound;
  }
  if (std::isfinite(report.trust.estimate)) {
    json["forward_error"]["estimate"] = report.trust.estimate;
  }
  if (report.squared_error) json["squared_error"] = *report.squared_error;
  if (report.pivots) {
    json["pivot_growth"] = report.pivots->growth;
    json["pivots"] = {{"smallest", report.pivots->smallest_pivot},
                      {"largest", report.pivots->largest_pivot}};
  }
  json["transport"] = report.transport;
  if (report.gflops) json["gflops"] = *report.gflops;
  if (report.checkpoint) json["checkpoint"] = checkpoint_json(report);
  end_json(json, report);
  return json;
}

nlohmann::ordered_json to_json(const MultiplyReport& report) {
  nlohmann::ordered_json json = begin_json(report);
  json["kernel"] = report.kernel;
  json["detail"] = report.detail;
  json["k"] = report.k;
  json["repeat"] = report.repeats;
  json["product_seconds"] = report.product_seconds;
  json["gflops"] = report.gflops;
  json["bytes_per_second"] = report.bytes_per_second;
  json["format_bytes"] = report.format_bytes;
  json["bands"] = report.bands;
  json["imbalance"] = report.imbalance;
  json["product_parts"] = to_json(report.parts);
  json["halo"] = halo_json(report);
  for (std::size_t rank = 0; rank < report.shares.size(); ++rank) {
    json["shares"].push_back(share_json(report.shares[rank], report.details[rank]));
  }
  json["scatter"] = {{"matrix_bytes", report.matrix_bytes}};
  if (report.scatter_peak) json["scatter"]["peak_bytes"] = *report.scatter_peak;
  if (report.errors) {
    json["errors"] = {
        {"largest", report.errors->largest},        {"mean", report.errors->mean},
        {"scaled", report.errors->scaled},          {"bound", report.errors->bound},
        {"unit_roundoff", report.errors->roundoff}, {"machine_epsilon", report.errors->epsilon}};
  }
  end_json(json, report);
  return json;
}

nlohmann::ordered_json running_json(const TaskReport& report) {
  nlohmann::ordered_json json = first_fields(report, "running", "running: there is no result yet");
  add_last_fields(json, report);
  return json;
}

nlohmann::ordered_json failure_json(const TaskReport& report, const Failure& failure) {
  const bool stopped = failure.code == ExitCode::interrupted;
  nlohmann::ordered_json json =
      first_fields(report, stopped ? "stopped" : "failed", summary(failure));
  json["failure"] = {{"exit_code", static_cast<int>(failure.code)}, {"message", failure.message}};
  add_last_fields(json, report);
  return json;
}

std::string report_text(const nlohmann::ordered_json& json) {
  // Names of files may be no UTF-8, which JSON is.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void write_report(const std::filesystem::path& file, const nlohmann::ordered_json& json) {
  io::write_text(file, report_text(json));
}

Versions build_versions() {
  return {{"spsolve", build_info::version},
          {"compiler", build_info::compiler},
          {"build_type", build_info::build_type}};
}

}  // namespace spsolve::report
