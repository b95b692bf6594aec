// The text of a report for people; report.cpp has it for programs.

#include <algorithm>
#include <cmath>

#include "report/krylov_report.hpp"
#include "report/report.hpp"
#include "report/sparse_report.hpp"
#include "report/summary.hpp"

namespace spsolve::inline report {

namespace {

std::string line(std::string_view name, const std::string& value) {
  return value.empty() ? fmt::format("  {}\n", name) : fmt::format("  {:<18} {}\n", name, value);
}

template <typename Report>
std::string begin_text(const Report& report) {
  return summary(report) + "\n" +
         line("matrix",
              fmt::format("{}, {} x {}, {} non-zeros{}", report.matrix, report.rows, report.columns,
                          report.nonzeros, report.is_complex ? ", complex" : "") +
                  (report.kind.empty() || report.kind == "general" ? "" : " " + report.kind));
}

std::string ranks_text(const TaskReport& report) {
  std::string text = line("ranks", fmt::format("{} on {} host{}, {} thread{} each", report.ranks,
                                               report.hosts, report.hosts == 1 ? "" : "s",
                                               report.threads, report.threads == 1 ? "" : "s"));
  if (report.device == "host") text += line("BLAS", report.blas);
  // Where everything is in one place, the lines above have said it all.
  if (report.hosts == 1 && report.gpu.name.empty()) return text;
  for (std::size_t rank = 0; rank < report.places.size(); ++rank) {
    const RankPlace& place = report.places[rank];
    text += line(
        fmt::format("  rank {}", rank),
        fmt::format(
            "{}, {} thread{}, NUMA node {}{}", place.host, place.threads,
            place.threads == 1 ? "" : "s",
            place.numa_node < 0 ? "-" : fmt::format("{}", place.numa_node),
            place.gpu.name.empty() ? "" : fmt::format(", {} {}", place.gpu.name, place.gpu.uuid)));
  }
  return text;
}

std::string checkpoint_text(const CheckpointStatistics& checkpoint, double share) {
  std::string text =
      line("checkpoints",
           fmt::format("{} written, {:.1f} MiB in {:.2f} s, {:.1f} % of the run{}",
                       checkpoint.written, static_cast<double>(checkpoint.bytes) / (1 << 20),
                       checkpoint.seconds, 100 * share,
                       checkpoint.failed > 0 ? fmt::format("; {} failed", checkpoint.failed) : ""));
  if (checkpoint.resumed_step) {
    text += line("resumed", fmt::format("after step {}, from {}", *checkpoint.resumed_step,
                                        checkpoint.resumed_from));
  }
  return text;
}

/// The forward error by bound and estimate, as far as they are known.
std::string forward_error_text(const SolveReport& report) {
  std::vector<std::string> words;
  const Trust& trust = report.trust;
  if (std::isfinite(trust.bound)) {
    words.push_back(fmt::format("at most about {:.1e} (condition x backward error)", trust.bound));
  } else if (trust.doubt != Doubt::none) {
    words.push_back("unknown: " + why_unknown(trust.doubt));
  }
  if (std::isfinite(trust.estimate)) {
    words.push_back(fmt::format("{:.1e} by the last correction", trust.estimate));
  }
  return words.empty() ? "" : line("forward error", fmt::format("{}", fmt::join(words, ", ")));
}

/// That threads waited for processors, where it was a good part of the time.
std::string busy_text(const TaskReport& report) {
  constexpr double good_part = 0.25;
  double waited = 0;
  int threads = 0;
  for (const RankPlace& place : report.places) {
    waited += place.waited;
    threads += place.threads;
  }
  const double share = waited / std::max(1e-9, threads * report.longest("total"));
  if (share < good_part) return "";
  return line("busy processors", fmt::format("threads waited for them {:.0f} % of the time, as "
                                             "other work had them",
                                             100 * std::min(share, 1.0)));
}

std::string end_text(const TaskReport& report) {
  std::string text =
      line("peak memory", fmt::format("{:.1f} MiB on the largest rank",
                                      static_cast<double>(report.peak_memory) / (1 << 20)));
  const bool several = report.ranks > 1;
  text += line("seconds", several ? "min / mean / max over ranks" : "");
  // A phase that takes less than this share, or is printed as 0, says nothing.
  const double least = std::max(0.01 * report.longest("total"), 0.0001);
  int left_out = 0;
  for (const PhaseSpread& phase : report.seconds) {
    if (phase.max < least) {
      ++left_out;
    } else {
      text += line("  " + phase.phase, several ? fmt::format("{:.4f} / {:.4f} / {:.4f}", phase.min,
                                                             phase.mean, phase.max)
                                               : fmt::format("{:.4f}", phase.max));
    }
  }
  if (left_out > 0) text += line("  others", fmt::format("less than {:.4f} each", least));
  text += busy_text(report);
  for (const std::string& file : report.files) text += line("written", file);
  for (const std::string& note : report.notes) text += line("note", note);
  return text;
}

}  // namespace

std::string to_text(const SolveReport& report) {
  std::string text = begin_text(report);
  text += line("right-hand sides",
               fmt::format("{}: {}", report.right_hand_sides, report.right_hand_side));
  for (std::size_t k = 0; k < report.steps.size(); ++k) {
    text += line(fmt::format("  {} of {}", k + 1, report.steps.size()), summary(report.steps[k]));
  }
  text += line("method", fmt::format("{}, pivoting {}, {} on {}{}", report.method, report.pivoting,
                                     report.precision, report.device,
                                     report.equilibrated ? ", equilibrated" : ""));
  text += ranks_text(report);
  text += line("backward error", fmt::format("{:.2e} normwise, {:.2e} componentwise",
                                             report.refinement.after.backward_error,
                                             report.refinement.after.componentwise_error));
  if (report.sparse) text += line("sparse", to_text(*report.sparse));
  if (report.inertia && report.inertia->certainty != Certainty::unknown) {
    const Inertia& inertia = *report.inertia;
    text +=
        line("inertia", fmt::format("{} positive and {} negative eigenvalues, {}", inertia.positive,
                                    inertia.negative, name(inertia.certainty)));
  }
  if (report.krylov) text += line("krylov", to_text(*report.krylov));
  if (report.mixed) {
    text += line("mixed", fmt::format("{} factors, {} step{} of GMRES",
                                      report.mixed->fell_back ? "double" : "float",
                                      report.mixed->steps, report.mixed->steps == 1 ? "" : "s"));
  }
  text += line("refinement",
               fmt::format("{} sweep{}, backward error before {:.2e}", report.refinement.sweeps,
                           report.refinement.sweeps == 1 ? "" : "s",
                           report.refinement.before.backward_error));
  if (report.condition) {
    text +=
        line("condition", fmt::format("{:.1e} normwise (reciprocal {:.1e}), {:.1e} componentwise",
                                      report.condition->normwise, report.condition->reciprocal(),
                                      report.condition->componentwise));
  }
  text += forward_error_text(report);
  if (report.squared_error)
    text +=
        line("squared error", fmt::format("{:.3e}, the sum of (x_i - 1)^2: x is known to be ones",
                                          *report.squared_error));
  if (report.pivots) {
    text += line("pivot growth", fmt::format("{:.3g}", report.pivots->growth));
    text += line("pivots", fmt::format("{:.2e} to {:.2e}", report.pivots->smallest_pivot,
                                       report.pivots->largest_pivot));
  }
  const char* const counted = report.sparse                     ? "those of the fronts"
                              : report.method == "gauss_jordan" ? "n^3"
                                                                : "2/3 n^3";
  if (report.gflops) {
    text += line("rate",
                 fmt::format("{:.2f} GFLOP/s ({} over the elimination)", *report.gflops, counted));
  }
  if (report.ranks > 1) text += line("transport", report.transport);
  if (report.checkpoint) text += checkpoint_text(*report.checkpoint, report.checkpoint_share);
  if (report.configuration.output.solution.empty()) {
    text += line("solution", "not written; -o FILE writes it");
  }
  return text + end_text(report);
}

std::string to_text(const MultiplyReport& report) {
  std::string text = begin_text(report);
  text += line("columns of X", fmt::format("{}", report.k));
  text += line("kernel", fmt::format("{}{}, {} on {}", report.kernel,
                                     report.detail.empty() ? "" : " (" + report.detail + ")",
                                     report.precision, report.device));
  text += ranks_text(report);
  text += line("product", fmt::format("{:.3e} s, median of {}, on the slowest rank",
                                      report.product_seconds, report.repeats));
  text += line("rate", fmt::format("{:.2f} GFLOP/s (2 x non-zeros x K)", report.gflops));
  text += line("bandwidth", fmt::format("{:.2f} GB/s of the bytes that must move",
                                        report.bytes_per_second / 1e9));
  if (report.ranks > 1) {
    text +=
        line("bands", fmt::format("equal {}; the fullest rank has {:.3f} of the mean",
                                  report.bands == "rows" ? "rows" : "non-zeros", report.imbalance));
    const HaloTotals halo = report.halo();
    text += line("halo", fmt::format("{} rows of X, {:.2f} MiB a product; at most {} rows from {} "
                                     "neighbours to a rank; {}",
                                     halo.rows, static_cast<double>(report.halo_bytes) / (1 << 20),
                                     halo.most_rows, halo.most_neighbours, report.transport));
    text += line("product parts", "min / mean / max over ranks, in seconds");
    for (const PhaseSpread& part : report.parts) {
      text += line("  " + part.phase,
                   fmt::format("{:.3e} / {:.3e} / {:.3e}", part.min, part.mean, part.max));
    }
  }
  if (report.errors) {
    text += line("relative error",
                 fmt::format("{:.2e} largest, {:.2e} mean, against the serial product",
                             report.errors->largest, report.errors->mean));
    text += line("scaled error",
                 fmt::format("{:.2e} of |A| |X|, bound {:.2e}, unit round-off u {:.2e}, machine "
                             "epsilon 2 u {:.2e}",
                             report.errors->scaled, report.errors->bound, report.errors->roundoff,
                             report.errors->epsilon));
  }
  return text + end_text(report);
}

}  // namespace spsolve::report
