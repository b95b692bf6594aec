#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "solve/inverse.hpp"

namespace spsolve::inline task {

/// One sentence for the keys of `config` that were set and changed nothing, for each reason: of a
/// solve by `taken`, whose right-hand side was found already and which told `facts`, or of a
/// product; on GPUs or hosts.
std::vector<std::string> notes_on_ignored_keys(const Config& config, Method taken, bool on_gpu,
                                               const InverseFacts& facts = {});

}  // namespace spsolve::task
