#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/statistics.hpp"

namespace spsolve::bench {

/// A cell: a number, a text, or null for "does not apply".
using Cell = nlohmann::ordered_json;

template <typename T>
Cell cell_of(const std::optional<T>& figure) {
  return figure ? Cell(*figure) : Cell();
}

/// Null for a nan, which is what comes of figures that are not known.
inline Cell number_or_null(double number) {
  return number == number ? Cell(number) : Cell();
}

inline Cell text_or_null(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

/// One column of results. CSV, JSON, the printed table and the help all read this.
struct Column {
  std::string_view name;  ///< in CSV and JSON
  std::string_view help;  ///< what it is, with its unit
  /// How the printed table shows it, a format of fmt such as "{:.2f}"; "" leaves it out there.
  std::string_view shown{};
  std::string_view heading{};  ///< in the printed table
};
using Columns = std::span<const Column>;

/// One row of results: a contender on one case, with cells by the names of their columns.
struct Row {
  std::string name;     ///< of the contender, in words
  bool peer = false;    ///< whether that is another house's
  std::string refused;  ///< why it was not measured, or ""
  std::map<std::string, Cell, std::less<>> cells;
  /// Seconds by the column that has their median.
  std::map<std::string, std::vector<double>, std::less<>> samples;

  bool measured() const { return refused.empty(); }

  Cell& operator[](std::string_view column);

  /// Null where there is none; `peer` and `refused` are columns, too.
  Cell cell(std::string_view column) const;

  /// A cell's number; nan where there is none.
  double number(std::string_view column) const;

  /// Makes the cell that number, unless it is a larger one, or a nan.
  template <typename Number>
  void keep_most(std::string_view column, Number number) {
    Cell& cell = (*this)[column];
    if (!cell.is_number() || cell.get<Number>() < number || number != number) cell = number;
  }

  Statistics statistics(std::string_view column) const;

  /// Fills in the medians of the samples, and `samples`, their number.
  void settle();

  /// Fills in mean_s, variance_s2, min_s and max_s of one column's samples.
  void add_spread(std::string_view column);
};

/// A first line with the names, then a line a row (RFC 4180, but lines end in LF). Numbers in the
/// shortest form that reads back as the same double; null, nan and inf are empty. `constants` are
/// further columns, the same in every row.
std::string to_csv(Columns columns, std::span<const Row> rows, const Cell& constants = {});

/// A list of objects, keys in the order of the columns.
Cell to_json(Columns columns, std::span<const Row> rows);

/// The columns with a `shown`, aligned, of rows that were measured: texts to the left, numbers to
/// the right, null as "-"; without columns of nulls alone. Then a line for each contender and
/// reason that it refused for.
std::string to_text(Columns columns, std::span<const Row> rows);

/// "name  help", a line a column.
std::string help_of(Columns columns);

}  // namespace spsolve::bench
