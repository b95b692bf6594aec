#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline io {

/// An array as plain text, as numpy's savetxt and spreadsheets write it.
struct NumberText {
  Index rows = 0, columns = 0;
  std::vector<double> values;  ///< row after row
};

/// Whether the first line that is neither blank nor a comment begins with a number.
bool is_number_text(std::string_view text);

/// Reads a row from each line: numbers parted by blanks, commas or semicolons. Blank lines and
/// those that begin with # are passed over. `text` is padded as MappedFile is. Throws Error(input)
/// with the line where something else stands, or the lines are not of equal length.
NumberText read_number_text(std::string_view text, const std::string& name);

}  // namespace spsolve::io
