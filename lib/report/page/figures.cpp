#include "report/page/figures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "plan/memory_plan.hpp"
#include "report/page/units.hpp"
#include "report/summary.hpp"
#include "solve/trust/trust.hpp"

namespace spsolve::inline report {

namespace {

using Json = nlohmann::ordered_json;

std::int64_t whole_at(const Json& report, const char* pointer) {
  return static_cast<std::int64_t>(number_at(report, pointer).value_or(0));
}

std::string judged_backward_error(double error) {
  if (error <= 4 * unit_roundoff) return "as small as double precision gets";
  if (error <= 1e-12) return "small: x solves this system";
  return "large: x does not solve this system in double precision";
}

std::string judged_condition(double condition) {
  const int lost = digits_of_double - digits_if_rounded(condition);
  if (lost >= digits_of_double) return "singular to working precision";
  if (lost == 0) return "rounding of A and b costs x no digit";
  return fmt::format("rounding of A and b costs x about {} of {} digits", lost, digits_of_double);
}

std::string judged_growth(double growth) {
  if (growth < 1e3) return "entries stayed small: no digits lost";
  if (growth < 1e6) return "entries grew; refinement wins the digits back";
  return fmt::format("about {:.0f} digits lost, which refinement must win back",
                     std::log10(growth));
}

/// The most that is known of the error of x: the estimate of corrections, or else the bound.
std::optional<double> error_of(const Json& report) {
  const auto estimate = number_at(report, "/forward_error/estimate");
  return estimate ? estimate : number_at(report, "/forward_error/bound");
}

std::string digits_text(int digits) {
  return digits < 1 ? "no digit" : counted_text(digits, "digit");
}

void add_digits(std::vector<Figure>& figures, const Json& report) {
  const std::string status = text_at(report, "/status");
  const auto error = error_of(report);
  if (!error) {
    figures.push_back({"of x is certain", "no digit", ""});
    if (status == name(Verdict::solved))
      figures.back() = {"how many are right", "digits unknown", ""};
    return;
  }
  const int right = digits_right(*error);
  const char* const right_for =
      report.contains("steps")
          ? "of x are right in the worst system, for A and b as they are stored"
          : "of x are right, for A and b as they are stored";
  figures.push_back({right_for, digits_text(right), ""});
  if (const auto condition = number_at(report, "/condition/componentwise")) {
    figures.push_back({"are, if A and b are rounded numbers",
                       digits_text(std::min(right, digits_if_rounded(*condition))), ""});
  }
}

void add_errors(std::vector<Figure>& figures, const Json& report) {
  if (const auto error = number_at(report, "/backward_error")) {
    figures.push_back({"backward error", number_text(*error), judged_backward_error(*error)});
  }
  if (const auto error = number_at(report, "/componentwise_error")) {
    figures.push_back({"by components", number_text(*error),
                       *error <= 1e-12 ? "small in every row, of whatever scale"
                                       : "larger in rows of tiny numbers"});
  }
  if (const auto error = number_at(report, "/forward_error/estimate")) {
    figures.push_back({"error of x, expected", number_text(*error),
                       "relative to its largest components, by the last correction"});
  }
  if (const auto bound = number_at(report, "/forward_error/bound")) {
    figures.push_back({"error of x, at most", number_text(*bound), "condition × backward error"});
  }
  if (report.contains("forward_error") && !error_of(report)) {
    figures.push_back({"error of x", "unknown", "no digit is certain; a note says why"});
  }
  if (const auto condition = number_at(report, "/condition/componentwise")) {
    figures.push_back({"condition", number_text(*condition), judged_condition(*condition)});
  }
  const auto condition = number_at(report, "/condition/normwise");
  if (condition && *condition > 10 * number_at(report, "/condition/componentwise").value_or(0)) {
    figures.push_back({"condition in norms", number_text(*condition),
                       "larger than that by components, as rows differ in scale"});
  }
  if (const auto squared = number_at(report, "/squared_error")) {
    figures.push_back(
        {"squared error", number_text(*squared), "sum of (x_i − 1)²: x is known to be ones"});
  }
}

void add_elimination(std::vector<Figure>& figures, const Json& report) {
  if (const auto before = number_at(report, "/refinement/backward_error_before")) {
    figures.push_back({"refinement",
                       counted_text(whole_at(report, "/refinement/sweeps"), "correction"),
                       fmt::format("backward error {} before", number_text(*before))});
  }
  if (const auto growth = number_at(report, "/pivot_growth")) {
    figures.push_back({"pivot growth", number_text(*growth), judged_growth(*growth)});
  }
  if (const auto smallest = number_at(report, "/pivots/smallest")) {
    const double largest = number_at(report, "/pivots/largest").value_or(0);
    figures.push_back({"pivots",
                       fmt::format("{} to {}", number_text(*smallest), number_text(largest)),
                       "in magnitude"});
  }
  if (const auto negative = number_at(report, "/inertia/negative")) {
    const double positive = number_at(report, "/inertia/positive").value_or(0);
    figures.push_back({"negative eigenvalues", count_text(static_cast<std::int64_t>(*negative)),
                       fmt::format("{}: A is {}", report["inertia"].value("certainty", "unknown"),
                                   *negative == 0  ? "positive definite"
                                   : positive == 0 ? "negative definite"
                                                   : "indefinite")});
  }
  for (const auto& [key, word] : {std::pair{"perturbed", "were too small, and made larger"},
                                  std::pair{"delayed", "passed on to the next front"},
                                  std::pair{"moved", "taken off the diagonal"}}) {
    const auto pivots = whole_at(report, fmt::format("/sparse/{}_pivots", key).c_str());
    if (pivots > 0) figures.push_back({fmt::format("{} pivots", key), count_text(pivots), word});
  }
  if (const auto steps = number_at(report, "/krylov/steps")) {
    const bool converged = report["krylov"].value("converged", false);
    figures.push_back(
        {"iteration", counted_text(static_cast<std::int64_t>(*steps), "step"),
         fmt::format("backward error {} {}",
                     number_text(number_at(report, "/krylov/asked").value_or(0)),
                     converged ? "was asked for, and reached" : "was asked for, and not reached")});
  }
}

void add_product(std::vector<Figure>& figures, const Json& report) {
  if (const auto rate = number_at(report, "/bytes_per_second")) {
    figures.push_back({"bandwidth", magnitude_text(*rate, "B/s"), "of the bytes that must move"});
  }
  if (const auto imbalance = number_at(report, "/imbalance")) {
    figures.push_back({"imbalance", number_text(*imbalance, 3),
                       "non-zeros of the fullest rank over the mean; 1 is even"});
  }
  if (const auto rows = whole_at(report, "/halo/rows"); rows > 0) {
    figures.push_back(
        {"halo", counted_text(rows, "row"),
         fmt::format("of X, {} a product, by {}", readable_bytes(whole_at(report, "/halo/bytes")),
                     text_at(report, "/halo/transport"))});
  }
  if (const auto scaled = number_at(report, "/errors/scaled")) {
    const double bound = number_at(report, "/errors/bound").value_or(0);
    figures.push_back({"error of Y", number_text(*scaled),
                       fmt::format("of |A| |X|, {} its bound {}",
                                   *scaled <= bound ? "within" : "above", number_text(bound))});
    figures.push_back({"relative error",
                       number_text(number_at(report, "/errors/largest").value_or(0)),
                       "largest of any element, compared with the serial product"});
  } else if (report.contains("kernel")) {
    figures.push_back({"error of Y", "not compared", "multiply.verify=true compares it"});
  }
}

std::string factors_text(const Json& report) {
  return fmt::format("{} in the order {}: {} entries, {} of operations in {}",
                     words_for_name(text_at(report, "/sparse/factorisation")),
                     words_for_name(text_at(report, "/sparse/ordering")),
                     count_text(whole_at(report, "/sparse/factor_entries")),
                     magnitude_text(number_at(report, "/sparse/flops").value_or(0), "flop"),
                     counted_text(whole_at(report, "/sparse/fronts"), "front"));
}

std::string where_text(const Json& report) {
  std::string text =
      fmt::format("{} on {}, {} each", counted_text(whole_at(report, "/ranks"), "rank"),
                  counted_text(whole_at(report, "/hosts"), "host"),
                  counted_text(whole_at(report, "/threads"), "thread"));
  std::string gpus;
  for (const Json& place : report.value("rank_table", Json::array())) {
    const std::string gpu = text_at(place, "/gpu/name");
    if (!gpu.empty() && gpus.find(gpu) == std::string::npos) gpus += ", " + gpu;
  }
  return text + gpus;
}

}  // namespace

std::vector<Figure> headline_figures(const Json& report) {
  std::vector<Figure> figures;
  if (report.contains("steps")) {
    const auto is_solved = [](const Json& step) {
      return text_at(step, "/status") == name(Verdict::solved);
    };
    figures.push_back({"systems are solved",
                       fmt::format("{} of {}", std::ranges::count_if(report["steps"], is_solved),
                                   report["steps"].size()),
                       ""});
  }
  if (report.contains("backward_error")) add_digits(figures, report);
  if (const auto seconds = number_at(report, "/product_seconds")) {
    figures.push_back({"a product, the median", duration_text(*seconds), ""});
  }
  if (const auto rate = number_at(report, "/gflops")) {
    figures.push_back({report.contains("kernel") ? "in products" : "in the elimination",
                       magnitude_text(1e9 * *rate, "flop/s"), ""});
  }
  if (const auto seconds = number_at(report, "/seconds/total/max")) {
    figures.push_back({"in all", duration_text(*seconds), ""});
  }
  if (const auto bytes = whole_at(report, "/peak_memory_bytes"); bytes > 0) {
    figures.push_back(
        {whole_at(report, "/ranks") > 1 ? "of memory, on the largest rank" : "of memory",
         readable_bytes(bytes), ""});
  }
  return figures;
}

std::vector<Figure> trust_figures(const Json& report) {
  std::vector<Figure> figures;
  add_errors(figures, report);
  add_elimination(figures, report);
  add_product(figures, report);
  return figures;
}

std::vector<Figure> run_figures(const Json& report) {
  std::vector<Figure> figures;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) figures.push_back({name, value, ""});
  };
  if (const auto columns = number_at(report, "/right_hand_sides")) {
    const std::string source = text_at(report, "/right_hand_side");
    add("right-hand side",
        *columns > 1 ? fmt::format("{} ({} columns)", source, *columns) : source);
  }
  if (const auto columns = number_at(report, "/k"))
    add("columns of X", fmt::format("{}", *columns));
  const std::string device = words_for_name(text_at(report, "/device"));
  const std::string precision = words_for_name(text_at(report, "/precision"));
  if (const std::string method = text_at(report, "/method"); !method.empty()) {
    const std::string pivoting = text_at(report, "/pivoting");
    add("method", fmt::format("{}, {} on {}{}{}", words_for_name(method), precision, device,
                              pivoting == "none" ? "" : ", pivoting " + pivoting,
                              report.value("equilibrated", false) ? ", equilibrated" : ""));
  }
  if (const std::string kernel = text_at(report, "/kernel"); !kernel.empty()) {
    const std::string detail = text_at(report, "/detail");
    add("kernel", fmt::format("{}{}, {} on {}", kernel, detail.empty() ? "" : ": " + detail,
                              precision, device));
  }
  if (report.contains("sparse")) add("factors", factors_text(report));
  if (report.contains("krylov")) {
    add("preconditioner",
        fmt::format("{}, set up in {}", words_for_name(text_at(report, "/krylov/preconditioner")),
                    duration_text(number_at(report, "/krylov/setup_seconds").value_or(0))));
  }
  add("null space", text_at(report, "/krylov/null_space"));
  if (report.contains("hosts")) add("where", where_text(report));
  if (text_at(report, "/device") == "host") add("BLAS", text_at(report, "/blas"));
  if (report.contains("checkpoint")) {
    add("checkpoints", fmt::format("{} written, {}", whole_at(report, "/checkpoint/written"),
                                   readable_bytes(whole_at(report, "/checkpoint/bytes"))));
  }
  add("begun", text_at(report, "/started"));
  add("command", text_at(report, "/command_line"));
  if (report.contains("files")) add("files", value_text("files", report["files"]));
  return figures;
}

}  // namespace spsolve::report
