#include "apps/bench/table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace spsolve::bench {

namespace {

bool says_nothing(const Cell& cell) {
  return cell.is_null() || (cell.is_number_float() && !std::isfinite(cell.get<double>()));
}

std::string csv_cell(const Cell& cell) {
  if (says_nothing(cell)) return "";
  if (!cell.is_string()) return cell.dump();
  const auto& text = cell.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

std::string shown_cell(const Cell& cell, const std::string& format) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_boolean()) return cell.get<bool>() ? "yes" : "no";
  if (cell.is_number_integer()) return fmt::format("{}", cell.get<std::int64_t>());
  return fmt::format(fmt::runtime(format), cell.get<double>());
}

}  // namespace

void add_constant(Table& table, std::string name, const Cell& value) {
  table.headings.push_back({std::move(name), "", ""});
  for (auto& row : table.rows) row.push_back(value);
}

std::string to_csv(const Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.headings.size(); ++c) {
    if (c > 0) text += ',';
    text += table.headings[c].name;
  }
  text += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) text += ',';
      text += csv_cell(row[c]);
    }
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json to_json(const Table& table) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (std::size_t c = 0; c < row.size(); ++c) {
      object[table.headings[c].name] = says_nothing(row[c]) ? Cell() : row[c];
    }
    json.push_back(std::move(object));
  }
  return json;
}

std::string to_text(const Table& table) {
  std::vector<std::string> lines(table.rows.size() + 1);
  for (std::size_t c = 0; c < table.headings.size(); ++c) {
    const auto& [name, shown, heading] = table.headings[c];
    if (shown.empty()) continue;
    std::vector<std::string> cells{heading};
    bool texts = false;
    for (const auto& row : table.rows) {
      cells.push_back(shown_cell(row[c], shown));
      texts = texts || row[c].is_string();
    }
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (std::size_t r = 0; r < lines.size(); ++r) {
      if (!lines[r].empty()) lines[r] += "  ";
      lines[r] +=
          texts ? fmt::format("{:<{}}", cells[r], width) : fmt::format("{:>{}}", cells[r], width);
    }
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace spsolve::bench
