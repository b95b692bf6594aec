#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apps/bench/iterate/iterative_contender.hpp"

namespace spsolve::bench {

/// A Krylov method with a preconditioner from another house, on all ranks, one thread each. Its
/// library is loaded when it is first asked for; nothing is linked with it.
struct IterativePeer {
  std::string_view name;
  std::string_view sentence;  ///< what it is, for help

  /// Why it cannot be called here, or "".
  std::string (*missing)();

  /// For `system`; null where it is missing. Collective.
  std::unique_ptr<IterativeContender> (*make)(const IterativeSystem& system, Team& team);
};

/// All of them: hypre, petsc.
std::span<const IterativePeer> iterative_peers();

// The rows of the table, each in its own file.
extern const IterativePeer hypre_peer, petsc_peer;

}  // namespace spsolve::bench
