#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"

namespace spsolve {

/// One sentence for the keys of `config` that were set and changed nothing, for each reason: of a
/// solve by `taken`, whose right-hand side was found already, or of a product; on GPUs or hosts.
std::vector<std::string> notes_on_ignored_keys(const Config& config, Method taken, bool on_gpu);

}  // namespace spsolve
