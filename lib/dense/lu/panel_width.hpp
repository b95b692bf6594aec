#pragma once

#include <algorithm>

#include "core/tuning.hpp"
#include "core/types.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline dense {

/// Narrow panels while a matrix is small: their latency counts, not the update's rate. A GPU alone
/// eliminates inside a wide panel by halves, so that only the update's rate counts, and a small
/// matrix is one panel; among several the rows are dealt out in blocks of the same width.
inline Index panel_width(Index order, MemoryKind memory, int ranks) {
  if (memory == MemoryKind::host) {
    constexpr HostTuning host = host_tuning;
    return std::clamp(order / host.panels_of_matrix / 8 * 8, host.least_panel, host.most_panel);
  }
  constexpr GpuTuning gpu = gpu_tuning;
  if (ranks == 1) {
    if (order <= gpu.one_panel_order) return std::max<Index>(order, 1);
    return order < gpu.wide_panel_order ? gpu.narrow_panel : gpu.wide_panel;
  }
  if (order >= gpu.wide_order_a_gpu * ranks) return gpu.shared_wide_panel;
  const Index* const above = std::ranges::upper_bound(gpu.shared_orders, order);
  return gpu.shared_panels[above - gpu.shared_orders];
}

/// Whether updates of a team that looks ahead no longer hide the election of panels of `block`
/// columns, `rows` being left: panels half as wide pay then. Narrower ones would only be more.
inline bool halves_panels(Index block, Index rows, int ranks) {
  return ranks > 1 && block >= gpu_tuning.wide_panel &&
         rows < gpu_tuning.rows_that_hide_a_panel * ranks;
}

/// The first column of what each of several GPUs eliminates for itself, where panels have `block`
/// columns; `order` where that is nothing.
inline Index rest_begins(Index order, Index block) {
  const Index rows = std::min(gpu_tuning.rows_for_each, order / 2);
  return std::min((order - rows + block - 1) / block * block, order);
}

}  // namespace spsolve::dense
