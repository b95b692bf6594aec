#include "report/html_report.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/schema.hpp"
#include "core/types.hpp"
#include "report/report_fields.hpp"
#include "report/svg.hpp"
#include "solve/inverse.hpp"

namespace spsolve::inline report {

namespace {

using Json = nlohmann::ordered_json;
using svg::escaped;

constexpr std::string_view style = R"(
  body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 62rem;
         margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
  table { border-collapse: collapse; font-size: 0.92rem; }
  th, td { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; border-bottom: 1px solid #e4e4e4;
           vertical-align: top; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
  .status { padding: 0.2rem 0.7rem; border-radius: 0.3rem; color: #fff; font-size: 1rem; }
  .solved { background: #00694b; } .doubtful { background: #a63c00; }
  .wide { overflow-x: auto; } svg { max-width: 100%; height: auto; margin: 0.6rem 1rem 0.6rem 0; }
  li { margin: 0.2rem 0; } summary { cursor: pointer; margin-top: 2rem; }
  h1, td, th, li { overflow-wrap: anywhere; }
  @media (max-width: 40rem) {
    body { margin: 1rem auto; } .facts tr { display: block; border-bottom: 1px solid #e4e4e4; }
    .facts th, .facts td { display: block; border: 0; padding: 0.1rem 0; }
    .facts th { font-weight: 600; padding-top: 0.4rem; }
  }
)";

std::string page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), style, body);
}

/// A scalar as a person reads it.
std::string value_text(const Json& value) {
  if (value.is_null()) return "none";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return value.dump();
}

/// The number that a member of `object` is; 0 where it is none.
double number_in(const Json& object, const char* key) {
  const Json value = object.value(key, Json());
  return value.is_number() ? value.get<double>() : 0.0;
}

/// Whether all members hold min, mean and max, as the phases do.
bool is_spread(const Json& value) {
  return value.is_object() && !value.empty() && std::ranges::all_of(value, [](const Json& member) {
           return member.is_object() && member.contains("min") && member.contains("mean") &&
                  member.contains("max");
         });
}

bool is_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& member) { return member.is_object(); });
}

/// The sentence of the table of report fields for a dotted path, or "".
std::string help_on_field(const std::string& path) {
  const auto fields = report_fields();
  const auto found = std::ranges::find(fields, path, &ReportField::path);
  return found == fields.end() ? "" : std::string(found->help);
}

void add_fact(std::string& rows, const std::string& path, const std::string& value) {
  rows += fmt::format("<tr><th title=\"{}\">{}</th><td>{}</td></tr>\n",
                      escaped(help_on_field(path)), escaped(path), escaped(value));
}

/// Elements of an array that are still read as one fact.
constexpr std::size_t longest_fact = 20;

/// The scalars of `object`, nested ones by their dotted paths; what is drawn or listed elsewhere is
/// left out.
void add_facts(std::string& rows, const Json& object, const std::string& before) {
  for (const auto& [key, value] : object.items()) {
    const std::string path = before + key;
    if (before.empty() &&
        (key == "configuration" || key == "notes" || key == "versions" || key == "summary")) {
      continue;
    }
    if (is_spread(value) || is_table(value)) continue;
    if (value.is_array() && value.size() > longest_fact) continue;  // drawn, or in the JSON report
    if (value.is_object()) {
      add_facts(rows, value, path + ".");
    } else {
      add_fact(rows, path, value.is_array() ? value.dump() : value_text(value));
    }
  }
}

std::string table_of(const Json& list) {
  std::vector<std::string> columns;
  for (const Json& row : list) {
    for (const auto& [key, value] : row.items()) {
      if (std::ranges::find(columns, key) == columns.end()) columns.push_back(key);
    }
  }
  std::string text = "<div class=\"wide\"><table><tr><th class=\"number\">#</th>";
  for (const std::string& column : columns) text += fmt::format("<th>{}</th>", escaped(column));
  text += "</tr>\n";
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += fmt::format("<tr><td class=\"number\">{}</td>", i);
    for (const std::string& column : columns) {
      const auto cell = list[i].find(column);
      const bool is_number = cell != list[i].end() && cell->is_number();
      text += fmt::format("<td{}>{}</td>", is_number ? " class=\"number\"" : "",
                          cell == list[i].end() ? "" : escaped(value_text(*cell)));
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

/// Seconds with the unit that suits them.
std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

std::string phases(const std::string& title, const Json& spread) {
  std::vector<svg::Bar> bars;
  for (const auto& [phase, seconds] : spread.items()) {
    const double mean = number_in(seconds, "mean");
    bars.push_back(
        {phase, mean, number_in(seconds, "min"), number_in(seconds, "max"), seconds_text(mean)});
  }
  return svg::bars(
      fmt::format("{}: mean over the ranks, whiskers from the fastest to the slowest", title), bars,
      "s");
}

/// The backward errors from the first solution to the last, or "" where there are none.
std::string convergence(const Json& report) {
  const Json history = report.value("/refinement/history"_json_pointer, Json::array());
  if (history.empty()) return "";
  std::vector<svg::Line> lines{{"normwise", {}}, {"componentwise", {}}};
  std::vector<std::string> labels;
  for (const Json& quality : history) {
    lines[0].values.push_back(number_in(quality, "backward_error"));
    lines[1].values.push_back(number_in(quality, "componentwise_error"));
    labels.push_back(labels.empty() ? "first solution" : fmt::format("sweep {}", labels.size()));
  }
  return svg::steps("Backward errors", lines, labels, {{"unit round-off", unit_roundoff}});
}

/// The backward errors by the steps of a Krylov method, or "" where there were none.
std::string krylov_steps(const Json& report) {
  const Json history = report.value("/krylov/history"_json_pointer, Json::array());
  if (history.size() < 2) return "";
  svg::Line line{"by the recurrences", {}};
  std::vector<std::string> labels;
  for (const Json& error : history) {
    line.values.push_back(error.is_number() ? error.get<double>() : 0);
    labels.push_back(fmt::format("{}", labels.size()));
  }
  const double asked = number_in(report["krylov"], "asked");
  return svg::steps("Backward error after every step", {line}, labels, {{"asked for", asked}});
}

/// Planned and measured memory of every rank, or of those that held the most.
std::string memory(const Json& report) {
  constexpr std::size_t most_ranks = 32;
  constexpr double mebibyte = 1 << 20;
  struct Held {
    std::string rank;
    double planned, peak;
  };
  std::vector<Held> ranks;
  for (const Json& place : report.value("rank_table", Json::array())) {
    ranks.push_back({fmt::format("rank {}", value_text(place.value("rank", Json()))),
                     number_in(place, "planned_memory_bytes"),
                     number_in(place, "peak_memory_bytes")});
  }
  if (ranks.empty()) return "";
  const bool all = ranks.size() <= most_ranks;
  if (!all) {
    std::ranges::stable_sort(ranks, std::greater<>{}, &Held::peak);
    ranks.resize(most_ranks);
  }
  std::vector<svg::Bar> bars;
  for (const Held& held : ranks) {
    bars.push_back(
        {held.rank, held.peak, std::min(held.peak, held.planned), std::max(held.peak, held.planned),
         fmt::format("{:.4g} MiB, planned {:.4g}", held.peak / mebibyte, held.planned / mebibyte)});
  }
  return svg::bars(fmt::format("Memory of {}: the most held, whiskers to what was planned",
                               all ? "every rank" : "the largest ranks"),
                   bars, "bytes");
}

/// The work of a sparse elimination by level of its tree, or "" where there was none.
std::string work_by_level(const Json& report) {
  const Json levels = report.value("/sparse/levels"_json_pointer, Json::array());
  if (levels.empty()) return "";
  std::vector<svg::Bar> bars;
  for (const Json& level : levels) {
    const double flops = number_in(level, "flops"), fronts = number_in(level, "fronts");
    const bool last = bars.size() + 1 == FrontLevels::most;
    bars.push_back({fmt::format("level {}{}", bars.size(), last ? " and below" : ""), flops, flops,
                    flops,
                    fmt::format("{:.3g} flops, {:.0f} {} {:.0f} rows", flops, fronts,
                                fronts == 1 ? "front of" : "fronts of up to",
                                number_in(level, "largest_front"))});
  }
  return svg::bars("Work by level of the elimination tree: the roots are at level 0", bars,
                   "flops");
}

/// The members of `value` that differ from those of `usual`.
Json differing(const Json& value, const Json& usual) {
  Json result = Json::object();
  for (const auto& [key, member] : value.items()) {
    const Json other = usual.value(key, Json());
    if (member.is_object() && other.is_object()) {
      if (Json inner = differing(member, other); !inner.empty()) result[key] = std::move(inner);
    } else if (member != other) {
      result[key] = member;
    }
  }
  return result;
}

std::string list_of(const Json& texts) {
  std::string text = "<ul>\n";
  for (const Json& each : texts) text += fmt::format("<li>{}</li>\n", escaped(value_text(each)));
  return text + "</ul>\n";
}

}  // namespace

std::string html_report(const Json& report, const DrawnPatterns& patterns) {
  const std::string status = report.value("status", "");
  const std::string source = report.value("/matrix/source"_json_pointer, "");
  std::string body =
      fmt::format("<h1>spsolve report: {} <span class=\"status {}\">{}</span></h1>\n",
                  escaped(source), status == "solved" ? "solved" : "doubtful", escaped(status));
  if (const std::string in_short = report.value("summary", ""); !in_short.empty()) {
    body += fmt::format("<p>{}</p>\n", escaped(in_short));
  }
  if (const auto notes = report.find("notes"); notes != report.end() && !notes->empty()) {
    body += "<h2>Notes</h2>\n" + list_of(*notes);
  }
  std::string rows;
  add_facts(rows, report, "");
  body +=
      "<h2>Facts</h2>\n<div class=\"wide\"><table class=\"facts\">\n" + rows + "</table></div>\n";
  std::string times;
  for (const auto& [key, value] : report.items()) {
    if (is_spread(value)) times += phases(key, value);
  }
  if (!times.empty()) body += "<h2>Where the time went</h2>\n" + times;
  if (const std::string errors = convergence(report); !errors.empty()) {
    body += "<h2>How far the solution can be trusted</h2>\n" + errors;
  }
  if (const std::string held = memory(report); !held.empty()) {
    body += "<h2>Where the memory went</h2>\n" + held;
  }
  if (patterns.matrix) {
    body += "<h2>The matrix</h2>\n" + svg::pattern(*patterns.matrix) +
            svg::row_lengths(*patterns.matrix);
  }
  std::string elimination;
  if (const auto& drawn = patterns.in_order) {
    elimination += svg::pattern(
        fmt::format("In the order of elimination: {} non-zeros", drawn->nonzeros), *drawn);
  }
  if (const auto& drawn = patterns.factors) {
    elimination +=
        svg::pattern(fmt::format("Its factors as analysed: {} entries", drawn->nonzeros), *drawn);
  }
  elimination += work_by_level(report);
  if (!elimination.empty()) body += "<h2>The elimination</h2>\n" + elimination;
  if (const std::string steps = krylov_steps(report); !steps.empty()) {
    body += "<h2>The iteration</h2>\n" + steps;
  }
  for (const auto& [key, value] : report.items()) {
    if (is_table(value)) body += fmt::format("<h2>{}</h2>\n{}", escaped(key), table_of(value));
  }
  if (const auto configuration = report.find("configuration"); configuration != report.end()) {
    std::string settings;
    const Config defaults;
    add_facts(settings, differing(*configuration, to_json(defaults)), "");
    body +=
        "<details><summary>Configuration: the keys that are not as they are by default</summary>"
        "\n<table class=\"facts\">\n" +
        settings + "</table></details>\n";
  }
  if (const auto versions = report.find("versions"); versions != report.end()) {
    std::string words;
    add_facts(words, *versions, "");
    body += "<details><summary>Versions</summary>\n<table>\n" + words + "</table></details>\n";
  }
  return page(fmt::format("{}: {}", source, status), body);
}

std::string html_pattern(const std::string& name, const Pattern& pattern) {
  return page(name, fmt::format("<h1>{}</h1>\n", escaped(name)) + svg::pattern(pattern) +
                        svg::row_lengths(pattern));
}

}  // namespace spsolve::report
