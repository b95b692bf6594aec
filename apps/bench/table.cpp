#include "apps/bench/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string shown_cell(const Cell& cell, std::string_view format) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_boolean()) return cell.get<bool>() ? "yes" : "no";
  if (cell.is_number_integer()) return fmt::format("{}", cell.get<std::int64_t>());
  return fmt::format(fmt::runtime(format), cell.get<double>());
}

/// A line of cells with commas between.
std::string csv_line(const std::vector<std::string>& cells) {
  return fmt::format("{}\n", fmt::join(cells, ","));
}

}  // namespace

Cell& Row::operator[](std::string_view column) {
  const auto found = cells.find(column);
  return found != cells.end() ? found->second : cells[std::string(column)];
}

Cell Row::cell(std::string_view column) const {
  if (column == "peer") return peer;
  if (column == "refused") return text_or_null(refused);
  const auto found = cells.find(column);
  return found == cells.end() ? Cell() : found->second;
}

double Row::number(std::string_view column) const {
  const Cell found = cell(column);
  return found.is_number() ? found.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

Statistics Row::statistics(std::string_view column) const {
  const auto found = samples.find(column);
  return found == samples.end() ? Statistics() : statistics_of(found->second);
}

void Row::settle() {
  std::size_t most = 0;
  for (const auto& [column, seconds] : samples) {
    cells[column] = statistics_of(seconds).median;
    most = std::max(most, seconds.size());
  }
  (*this)["samples"] = most;
}

void Row::add_spread(std::string_view column) {
  const Statistics seconds = statistics(column);
  (*this)["mean_s"] = seconds.mean;
  (*this)["variance_s2"] = seconds.variance;
  (*this)["min_s"] = seconds.min;
  (*this)["max_s"] = seconds.max;
}

std::string to_csv(Columns columns, std::span<const Row> rows, const Cell& constants) {
  std::vector<std::string> names, values;
  for (const Column& column : columns) names.emplace_back(column.name);
  for (const auto& [name, value] : constants.items()) {
    names.push_back(name);
    values.push_back(csv_cell(value));
  }
  std::string text = csv_line(names);
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Column& column : columns) cells.push_back(csv_cell(row.cell(column.name)));
    cells.insert(cells.end(), values.begin(), values.end());
    text += csv_line(cells);
  }
  return text;
}

Cell to_json(Columns columns, std::span<const Row> rows) {
  Cell json = Cell::array();
  for (const Row& row : rows) {
    Cell& object = json.emplace_back(Cell::object());
    for (const Column& column : columns) {
      const Cell cell = row.cell(column.name);
      object[std::string(column.name)] = says_nothing(cell) ? Cell() : cell;
    }
  }
  return json;
}

std::string to_text(Columns columns, std::span<const Row> rows) {
  std::vector<std::string> lines(1), refusals;
  for (const Row& row : rows) {
    std::string refusal = fmt::format("refused: {}: {}", row.name, row.refused);
    if (row.measured()) {
      lines.emplace_back();
    } else if (std::ranges::count(refusals, refusal) == 0) {
      refusals.push_back(std::move(refusal));
    }
  }
  for (const auto& [name, help, shown, heading] : columns) {
    if (shown.empty()) continue;
    std::vector<std::string> cells{std::string(heading)};
    bool texts = false, empty = lines.size() > 1;
    for (const Row& row : rows) {
      if (!row.measured()) continue;
      const Cell cell = row.cell(name);
      cells.push_back(shown_cell(cell, shown));
      texts = texts || cell.is_string();
      empty = empty && cell.is_null();
    }
    if (empty) continue;
    const std::size_t width = std::ranges::max_element(cells, {}, &std::string::size)->size();
    for (std::size_t r = 0; r < lines.size(); ++r) {
      lines[r] += fmt::format(fmt::runtime(texts ? "{}{:<{}}" : "{}{:>{}}"),
                              lines[r].empty() ? "" : "  ", cells[r], width);
    }
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  for (const std::string& refusal : refusals) text += refusal + '\n';
  return text;
}

std::string help_of(Columns columns) {
  std::string text;
  for (const Column& column : columns) {
    text += fmt::format("  {:<23} {}\n", column.name, column.help);
  }
  return text;
}

}  // namespace spsolve::bench
