#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace spsolve::bench {

/// A cell: a number, a text, or null for "does not apply".
using Cell = nlohmann::ordered_json;

/// A figure of something that may not have been measured.
template <typename T>
Cell figure_of(const std::optional<T>& something, double T::*figure) {
  return something ? Cell((*something).*figure) : Cell();
}

/// One column of results. CSV, JSON, the printed table and the help all read this.
template <typename Row>
struct Column {
  std::string_view name;  ///< in CSV and JSON
  std::string_view help;  ///< what it is, with its unit
  /// How the printed table shows it, a format of fmt such as "{:.2f}"; "" leaves it out there.
  std::string_view shown;
  std::string_view heading;  ///< in the printed table
  std::function<Cell(const Row&)> value;
};

/// Results with the words for them, one row of cells each.
struct Table {
  struct Heading {
    std::string name, shown, heading;
  };
  std::vector<Heading> headings;
  std::vector<std::vector<Cell>> rows;
};

/// The table of `rows`.
template <typename Row>
Table tabulate(std::span<const Column<Row>> columns, std::span<const Row> rows) {
  Table table;
  for (const auto& column : columns) {
    table.headings.push_back(
        {std::string(column.name), std::string(column.shown), std::string(column.heading)});
  }
  for (const Row& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto& column : columns) cells.push_back(column.value(row));
  }
  return table;
}

/// Adds a column that is the same in every row; it is not shown in print.
void add_constant(Table& table, std::string name, const Cell& value);

/// A first line with the names, then a line a row (RFC 4180, but lines end in LF). Numbers in the
/// shortest form that reads back as the same double; null, nan and inf are empty.
std::string to_csv(const Table& table);

/// A list of objects, keys in the order of the columns.
nlohmann::ordered_json to_json(const Table& table);

/// The columns with a `shown`, aligned: texts to the left, numbers to the right, null as "-".
std::string to_text(const Table& table);

/// "name  help", a line a column.
template <typename Row>
std::string help_of(std::span<const Column<Row>> columns) {
  std::string text;
  for (const auto& column : columns) {
    text += "  " + std::string(column.name) +
            std::string(column.name.size() < 24 ? 24 - column.name.size() : 1, ' ') +
            std::string(column.help) + "\n";
  }
  return text;
}

}  // namespace spsolve::bench
