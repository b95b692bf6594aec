#include "report/page/page.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plan/memory_plan.hpp"
#include "report/page/svg.hpp"
#include "report/page/units.hpp"

namespace spsolve::inline report {

namespace {

using Json = nlohmann::ordered_json;
using svg::escaped;

constexpr std::string_view style = R"(
  :root { color-scheme: light dark; --ink: #1c2430; --quiet: #566070; --paper: #ffffff;
          --ground: #f3f5f8; --line: #dde2e9; --cell: #0f2a5a; --c0: #0072b2; --c1: #c65400;
          --c2: #00805f; --c3: #b0548a; --good: #00694b; --doubtful: #a63c00; --bad: #b3261e;
          --warn: #fff6e0; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e7ebf0; --quiet: #a2acb9; --paper: #181d25; --ground: #0f1319; --line: #333c48;
            --cell: #9cc4ff; --c0: #4ba3dc; --c1: #f0883e; --c2: #3fc79a; --c3: #e29ac4;
            --good: #0b7d5b; --doubtful: #b8500f; --bad: #c5382f; --warn: #33290f; } }
  * { box-sizing: border-box; }
  body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground);
         max-width: 80rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.2rem 0; }
  h2 { font-size: 1.1rem; margin: 0 0 0.5rem; }
  p { margin: 0.3rem 0; } ul { margin: 0; padding-left: 1.2rem; } li { margin: 0.2rem 0; }
  .badge { display: inline-block; padding: 0.1rem 0.8rem; border-radius: 1rem; color: #fff;
           font-weight: 600; background: var(--doubtful); }
  .badge.solved { background: var(--good); }
  .badge.failed, .badge.not { background: var(--bad); }
  .quiet { color: var(--quiet); }
  section, .tile, figure, details { background: var(--paper); border: 1px solid var(--line);
           border-radius: 0.6rem; padding: 0.9rem 1rem; margin: 0; }
  .notes { background: var(--warn); }
  .tiles, .pair { display: grid; gap: 0.8rem; margin: 0.8rem 0; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); }
  .pair { grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); }
  .grid { columns: 22rem; column-gap: 0.8rem; margin: 0.8rem 0; }
  .tile strong { display: block; font-size: 1.6rem; line-height: 1.25; white-space: nowrap; }
  body > section { margin: 0.8rem 0; }
  figure { padding: 0.6rem; margin-bottom: 0.8rem; break-inside: avoid; } svg { display: block; width: 100%; max-width: 34rem; height: auto; }
  .rows { display: grid; grid-template-columns: max-content max-content 1fr; }
  .rows > div { display: contents; }
  .rows > div > * { padding: 0.28rem 0.9rem 0.28rem 0; border-bottom: 1px solid var(--line); }
  .rows > div:last-child, .rows > div:last-child > * { border-bottom: 0; }
  .rows strong { font-weight: 600; } .rows.two { grid-template-columns: max-content 1fr; }
  .scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.92rem; }
  th, td { text-align: left; padding: 0.25rem 0.9rem 0.25rem 0; vertical-align: top;
           border-bottom: 1px solid var(--line); overflow-wrap: normal; }
  .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  details { margin: 0.8rem 0; } summary { cursor: pointer; font-weight: 600; }
  details > * + * { margin-top: 0.7rem; }
  svg .paper { fill: none; } svg .ink { fill: var(--ink); } svg .quiet { fill: var(--quiet); }
  svg .cell { fill: var(--cell); } svg .line { fill: none; } svg .line.ink { stroke: var(--ink); }
  svg .line.quiet { stroke: var(--quiet); } svg .line.grid { stroke: var(--line); }
  svg .c0 { fill: var(--c0); } svg .c1 { fill: var(--c1); } svg .c2 { fill: var(--c2); }
  svg .c3 { fill: var(--c3); } svg .l0 { stroke: var(--c0); } svg .l1 { stroke: var(--c1); }
  svg .l2 { stroke: var(--c2); } svg .l3 { stroke: var(--c3); }
  @media (max-width: 44rem) {
    body { padding: 0.6rem; } .tiles { grid-template-columns: 1fr 1fr; gap: 0.5rem; }
    .tile { padding: 0.5rem 0.7rem; } .tile strong { font-size: 1.3rem; }
    .rows, .rows.two { display: block; }
    .rows > div { display: block; padding: 0.35rem 0; border-bottom: 1px solid var(--line); }
    .rows > div > * { padding: 0; border: 0; } .rows span { margin-left: 0.5rem; }
    .rows i { display: block; }
  }
  @media print {
    :root { color-scheme: light; --ink: #000; --quiet: #444; --paper: #fff; --ground: #fff;
            --line: #ccc; --cell: #0f2a5a; --c0: #0072b2; --c1: #c65400; --warn: #fff; }
    body { font-size: 11px; padding: 0; max-width: none; } details { display: none; }
    section, .tile, figure { padding: 0.4rem 0.6rem; break-inside: avoid; }
    .tile strong { font-size: 1.1rem; } .tiles, .pair { gap: 0.4rem; margin: 0.4rem 0; }
    .grid { columns: 3; column-gap: 0.4rem; margin: 0.4rem 0; }
    figure { margin-bottom: 0.4rem; } .tiles { grid-template-columns: repeat(5, 1fr); }
    .pair { grid-template-columns: 1.15fr 1fr; }
    .rows > div > * { padding: 0.1rem 0.5rem 0.1rem 0; }
    .badge { border: 1px solid #000; color: #000; background: none !important; }
  }
  .rows i { font-style: normal; color: var(--quiet); }
)";

std::string cell_text(std::string_view key, const Json& value) {
  if (value.is_object() && value.contains("name")) return text_at(value, "/name");
  return value_text(key, value);
}

}  // namespace

std::string page_of(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), style, body);
}

std::string figure_table(std::string_view heading, const std::vector<Figure>& figures) {
  if (figures.empty()) return "";
  const bool judged = std::ranges::any_of(figures, [](const Figure& f) { return !f.word.empty(); });
  std::string text = "<section>\n";
  if (!heading.empty()) text += fmt::format("<h2>{}</h2>\n", escaped(heading));
  text += fmt::format("<div class=\"rows{}\">\n", judged ? "" : " two");
  for (const Figure& figure : figures) {
    text += fmt::format("<div><strong>{}</strong><span>{}</span>", escaped(figure.name),
                        escaped(figure.value));
    if (judged) text += fmt::format("<i>{}</i>", escaped(figure.word));
    text += "</div>\n";
  }
  return text + "</div>\n</section>\n";
}

std::string picture_grid(std::string_view heading, const std::vector<std::string>& pictures) {
  if (pictures.empty()) return "";
  std::string text = heading.empty() ? "" : fmt::format("<h2>{}</h2>\n", escaped(heading));
  text += "<div class=\"grid\">\n";
  for (const std::string& picture : pictures) text += "<figure>\n" + picture + "</figure>\n";
  return text + "</div>\n";
}

std::string folded(std::string_view heading, const std::string& content) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escaped(heading), content);
}

std::string object_table(const Json& list, std::size_t most_rows, std::size_t first) {
  std::vector<std::string> columns;
  for (const Json& row : list) {
    for (const auto& [key, value] : row.items()) {
      const bool known = std::ranges::find(columns, key) != columns.end();
      const bool tells = value.is_number() || value.is_object() || !value_text(key, value).empty();
      if (!known && tells && value != false) columns.push_back(key);
    }
  }
  std::string text = "<div class=\"scroll\"><table><tr><th class=\"number\">#</th>";
  for (const std::string& column : columns) {
    text += fmt::format("<th>{}</th>", escaped(heading_of(column)));
  }
  text += "</tr>\n";
  for (std::size_t i = 0; i < std::min(list.size(), most_rows); ++i) {
    text += fmt::format("<tr><td class=\"number\">{}</td>", first + i);
    for (const std::string& column : columns) {
      const auto cell = list[i].find(column);
      const bool is_number = cell != list[i].end() && cell->is_number();
      text += fmt::format("<td{}>{}</td>", is_number ? " class=\"number\"" : "",
                          cell == list[i].end() ? "" : escaped(cell_text(column, *cell)));
    }
    text += "</tr>\n";
  }
  text += "</table></div>\n";
  if (list.size() > most_rows) {
    text += fmt::format("<p class=\"quiet\">The first {} of {}.</p>\n", most_rows, list.size());
  }
  return text;
}

std::string heading_of(std::string_view key) {
  for (const std::string_view unit : {"_bytes", "_seconds"}) {
    if (key.ends_with(unit)) key.remove_suffix(unit.size());
  }
  if (key == "right_hand_side") return "right-hand side";
  std::string words(key);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string value_text(std::string_view key, const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array()) {
    std::string text;
    for (const Json& each : value) text += (text.empty() ? "" : ", ") + value_text(key, each);
    return text;
  }
  if (!value.is_number()) return value.dump();
  if (key.ends_with("bytes")) return readable_bytes(value.get<std::int64_t>());
  if (key.ends_with("seconds")) return duration_text(value.get<double>());
  if (value.is_number_integer()) return count_text(value.get<std::int64_t>());
  return number_text(value.get<double>(), 3);
}

std::optional<double> number_at(const Json& object, const char* pointer) {
  const Json::json_pointer where(pointer);
  if (!object.contains(where) || !object.at(where).is_number()) return std::nullopt;
  const auto number = object.at(where).get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string text_at(const Json& object, const char* pointer) {
  const Json::json_pointer where(pointer);
  if (!object.contains(where) || !object.at(where).is_string()) return "";
  return object.at(where).get<std::string>();
}

}  // namespace spsolve::report
