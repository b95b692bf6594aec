#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"

namespace spsolve::inline config {

/// An option whose value is right by itself, and does not go with those of others.
struct Inconsistency {
  std::string_view key;
  std::string sentence;
};

/// The inconsistencies of a configuration whose paths have been found.
std::vector<Inconsistency> inconsistencies(const Config& config);

/// The keys that only the other task looks at, and whose values are not the defaults: whoever set
/// them may expect something of them.
std::vector<std::string_view> keys_of_other_task(const Config& config);

}  // namespace spsolve::config
