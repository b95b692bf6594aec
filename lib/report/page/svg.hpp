#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "matrix/pattern.hpp"

namespace spsolve::inline report::svg {

// Pictures as text: each function returns one complete <svg> element that needs no other file, so
// that it may stand in HTML or be a file of its own. All are 400 wide, as a phone is, and a third
// of a desk. Colours are those of a light page; a page that gives the classes paper, ink, quiet,
// grid, cell, c0 to c3 and l0 to l3 colours of its own has them.

/// `text` with &, <, > and " as XML wants them.
std::string escaped(std::string_view text);

/// A value with a whisker: `least` and `most` may be equal to it.
struct Bar {
  std::string label;
  double value = 0;
  double least = 0;
  double most = 0;
  std::string note;  ///< the value in words, at the right
};

/// Horizontal bars from zero, each below its label and note. `about`, a few words on all of them,
/// may be empty.
std::string bars(std::string_view title, std::string_view about, const std::vector<Bar>& bars);

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
