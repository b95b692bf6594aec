#pragma once

#include <memory>

#include "distribute/halo/halo_carrier.hpp"

namespace spsolve::inline distribute {

/// For multivectors in host memory, by the team's messages.
std::unique_ptr<HaloCarrier> host_halo_carrier(Team& team, const HaloPlan& plan);

}  // namespace spsolve::distribute
