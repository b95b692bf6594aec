#pragma once

#include <string>
#include <string_view>

// Keeps names of files, and values of options, from harming a terminal or misleading a reader.

namespace spsolve::inline core {

/// `text` with control characters, but for ends of lines and tabs, and with bytes that are no UTF-8
/// as \x1b.
std::string without_controls(std::string_view text);

/// A message, likewise, with long lines cut short: of more than 1000 bytes a line keeps its first
/// and its last ones.
std::string plain_text(std::string_view message);

/// Throws Error(input) where a name holds a zero byte: the system would take the part before it.
/// `what`: the thing that the name is of.
void require_whole_name(std::string_view what, std::string_view name);

}  // namespace spsolve::core
