#include "report/page/html_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/schema.hpp"
#include "report/page/figures.hpp"
#include "report/page/page.hpp"
#include "report/page/pictures.hpp"
#include "report/page/svg.hpp"
#include "report/page/units.hpp"
#include "report/report_fields.hpp"

namespace spsolve::inline report {

namespace {

using Json = nlohmann::ordered_json;
using svg::escaped;

/// Rows of a table that is not folded away, and of one that is.
constexpr std::size_t most_shown = 20, most_folded = 1000;

bool is_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& member) { return member.is_object(); });
}

/// The sentence of the table of report fields for a dotted path, or "".
std::string help_on_field(const std::string& path) {
  const auto fields = report_fields();
  auto found = std::ranges::find(fields, path, &ReportField::path);
  if (const std::size_t first = path.find('.'); found == fields.end() && first != path.npos) {
    const std::string any = path.substr(0, first) + ".*" + path.substr(path.rfind('.'));
    found = std::ranges::find(fields, any, &ReportField::path);
  }
  return found == fields.end() ? "" : std::string(found->help);
}

/// Elements of an array that are still read as one fact.
constexpr std::size_t longest_fact = 20;

/// The scalars of `object`, nested ones by their dotted paths; what is drawn or listed elsewhere is
/// left out.
void add_facts(std::vector<Figure>& facts, const Json& object, const std::string& before) {
  for (const auto& [key, value] : object.items()) {
    const std::string path = before + key;
    if (before.empty() && (key == "configuration" || key == "notes" || key == "versions")) continue;
    if (is_table(value)) continue;
    if (value.is_array() && value.size() > longest_fact) continue;  // drawn, or in the JSON report
    if (value.is_object()) {
      add_facts(facts, value, path + ".");
    } else {
      const bool is_duration = path.starts_with("seconds.") || path.starts_with("product_parts.");
      facts.push_back(
          {path, value_text(is_duration ? "seconds" : key, value), help_on_field(path)});
    }
  }
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

/// The matrix, its sizes and by what it was solved, in one line.
std::string lead(const Json& report) {
  std::string text;
  if (const auto rows = number_at(report, "/matrix/rows")) {
    text = fmt::format("{} × {}, {} non-zeros", count_text(std::int64_t(*rows)),
                       count_text(std::int64_t(number_at(report, "/matrix/columns").value_or(0))),
                       count_text(std::int64_t(number_at(report, "/matrix/nonzeros").value_or(0))));
    if (report.value("complex", false)) text += ", complex";
    if (const std::string kind = text_at(report, "/matrix/kind"); !kind.empty()) text += " " + kind;
  }
  if (const std::string method = text_at(report, "/method"); !method.empty()) {
    text += (text.empty() ? "" : ", ") + fmt::format("by {}", words_for_name(method));
  }
  return text;
}

std::string head(const Json& report) {
  const std::string status = text_at(report, "/status");
  std::string body =
      fmt::format("<span class=\"badge {}\">{}</span>\n<h1>{}</h1>\n<p class=\"quiet\">{}</p>\n",
                  escaped(status), escaped(status), escaped(text_at(report, "/matrix/source")),
                  escaped(lead(report)));
  if (!report.contains("failure")) {
    body += fmt::format("<p>{}</p>\n", escaped(text_at(report, "/summary")));
  }
  if (const auto tiles = headline_figures(report); !tiles.empty()) {
    body += "<div class=\"tiles\">\n";
    for (const Figure& tile : tiles) {
      body += fmt::format("<div class=\"tile\"><strong>{}</strong>{}</div>\n", escaped(tile.value),
                          escaped(tile.name));
    }
    body += "</div>\n";
  }
  return body;
}

std::string notes(const Json& report) {
  const Json list = report.value("notes", Json::array());
  const std::string failure = text_at(report, "/failure/message");
  if (list.empty() && failure.empty()) return "";
  std::string text = "<section class=\"notes\">\n";
  if (!failure.empty()) {
    text += fmt::format(
        "<h2>Why there is no result</h2>\n<p>{}</p>\n<p class=\"quiet\">"
        "exit code {:.0f}</p>\n",
        escaped(failure), number_at(report, "/failure/exit_code").value_or(0));
  }
  if (!list.empty()) {
    text += "<h2>Notes</h2>\n<ul>\n";
    for (const Json& note : list) {
      text += fmt::format("<li>{}</li>\n", escaped(value_text("notes", note)));
    }
    text += "</ul>\n";
  }
  return text + "</section>\n";
}

/// Every field, each list of objects, the configuration and versions, folded away.
std::string all_fields(const Json& report) {
  std::vector<Figure> facts;
  add_facts(facts, report, "");
  std::string text = figure_table("", facts);
  for (const auto& [key, value] : report.items()) {
    if (!is_table(value)) continue;
    text +=
        fmt::format("<h2>{}</h2>\n{}", escaped(heading_of(key)), object_table(value, most_folded));
  }
  std::string folds = folded("All fields of the report", text);
  if (const auto configuration = report.find("configuration"); configuration != report.end()) {
    facts.clear();
    add_facts(facts, differing(*configuration, to_json(Config{})), "");
    folds += folded("Configuration: the keys that are not as they are by default",
                    figure_table("", facts));
  }
  if (const auto versions = report.find("versions"); versions != report.end()) {
    facts.clear();
    add_facts(facts, *versions, "");
    folds += folded("Versions", figure_table("", facts));
  }
  return folds;
}

}  // namespace

std::string html_report(const Json& report, const DrawnPatterns& patterns) {
  std::string body = head(report) + notes(report);
  const bool multiplies = report.contains("kernel");
  body +=
      "<div class=\"pair\">\n" +
      figure_table(multiplies ? "The product" : "How far x can be trusted", trust_figures(report)) +
      figure_table("The run", run_figures(report)) + "</div>\n";
  if (report.contains("steps") && is_table(report["steps"])) {
    body += "<section>\n<h2>Systems</h2>\n" + object_table(report["steps"], most_shown, 1) +
            "</section>\n";
  }
  body += picture_grid("", report_pictures(report, patterns)) + all_fields(report);
  return page_of(
      fmt::format("{}: {}", text_at(report, "/matrix/source"), text_at(report, "/status")), body);
}

std::string html_pattern(const std::string& name, const Pattern& pattern) {
  return page_of(name, fmt::format("<h1>{}</h1>\n", escaped(name)) +
                           picture_grid("", {svg::pattern(pattern), svg::row_lengths(pattern)}));
}

}  // namespace spsolve::report
