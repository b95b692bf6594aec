#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "config/config.hpp"
#include "config/override.hpp"

namespace spsolve::inline config {

/// Reads a configuration from a YAML file, then applies `overrides`, each "section.key=value", in
/// their order.
///
/// Checked are the syntax, unknown and duplicate keys, types, allowed words and ranges, and what
/// belongs together: exactly one of matrix.file and matrix.generate; right_hand_side.file with
/// kind: file and no other, which it implies where no kind is given. An override replaces what the
/// file says; setting one of matrix.file and matrix.generate drops the other, and setting one of
/// right_hand_side.file and kind drops the other where they contradict each other. Refused are
/// anchors, aliases, tags, more than one document, more than 8 levels and more than 1 MiB.
///
/// A relative input path of the file is sought in the file's folder first, then in the working
/// directory; that of an override in the working directory first. One found in neither, and every
/// output path, stays relative to the working directory.
///
/// Throws Error(input) with ALL problems, one a line as "FILE:LINE:COLUMN: sentence" in the order
/// of the file, then those of overrides as "--set KEY=VALUE: sentence".
Config load_config(const std::filesystem::path& file, std::span<const Override> overrides = {});

/// The text of a configuration file; of "-", what comes from the standard input. Throws
/// Error(input) where it cannot be read.
std::string read_config(const std::filesystem::path& file);

/// load_config() from a text. `name` stands for the file in messages; `folder` is where relative
/// input paths are sought first.
Config parse_config(std::string_view text, std::string_view name,
                    std::span<const Override> overrides = {},
                    const std::filesystem::path& folder = {});

}  // namespace spsolve::config
