#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "matrix/pattern.hpp"

namespace spsolve::inline report::svg {

// Pictures as text: each function returns one complete <svg> element that needs no other file, so
// that it may stand in HTML or be a file of its own.

/// `text` with &, <, > and " as XML wants them.
std::string escaped(std::string_view text);

/// A value with a whisker: `least` and `most` may be equal to it.
struct Bar {
  std::string label;
  double value = 0;
  double least = 0;
  double most = 0;
  std::string note;  ///< stands after the bar
};

/// Horizontal bars from zero, one a line.
std::string bars(std::string_view title, const std::vector<Bar>& bars, std::string_view unit);

/// Positive values on a logarithmic axis, joined by lines, one a step; with horizontal lines for
/// `levels`, each with its name.
struct AxisLevel {
  std::string name;
  double value = 0;
};
struct Line {
  std::string name;
  std::vector<double> values;
};
std::string steps(std::string_view title, const std::vector<Line>& lines,
                  const std::vector<std::string>& labels, const std::vector<AxisLevel>& levels);

/// Where the non-zeros lie: the darker a cell, the more of its elements are not zero.
std::string pattern(std::string_view title, const Pattern& pattern);
std::string pattern(const Pattern& pattern);  ///< with a title that says so

/// Rows by length, in powers of two.
std::string row_lengths(const Pattern& pattern);

}  // namespace spsolve::report::svg
