#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spsolve::inline config {

struct YamlEntry;

/// A node of a YAML document that knows where it stood. The subset that a configuration needs:
/// one document, no anchors, aliases or tags.
struct YamlNode {
  enum class Kind {
    null,      ///< nothing, `~` or `null`
    scalar,    ///< `text`; `quoted` if it stood in quotes
    mapping,   ///< `entries`, duplicates included
    sequence,  ///< its elements are not kept
    refused,   ///< listed among the problems already
  };

  Kind kind = Kind::null;
  std::string text;
  bool quoted = false;
  int line = 1;  ///< from 1, as `column`
  int column = 1;
  std::vector<YamlEntry> entries;
};

struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

/// The problem at a place of a text: one sentence.
struct YamlProblem {
  int line;
  int column;
  std::string sentence;
};

/// Parses `text`; what is not allowed is added to `problems`. An empty document is a null node.
/// After a syntax error, or more than 8 levels, the tree is empty as well.
YamlNode parse_yaml(std::string_view text, std::vector<YamlProblem>& problems);

}  // namespace spsolve::config
