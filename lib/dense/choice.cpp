#include "dense/choice.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/tuning.hpp"
#include "dense/columnwise/host_dense_rows.hpp"
#include "dense/lu/host_blocked_rows.hpp"
#include "dense/lu/panel_width.hpp"

namespace spsolve::inline dense {

namespace {

/// Bytes of host memory that the L and U of all panels take on each of several ranks.
template <typename T>
std::int64_t panel_factors_bytes(const EliminationChoice& choice, Index order, int ranks) {
  return ranks == 1 ? 0 : choice.block * order * static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

EliminationChoice choose_elimination(const SolverOptions& options, Index order, int ranks,
                                     MemoryKind memory) {
  EliminationChoice choice;
  choice.precision = options.precision;
  choice.method = options.method;
  if (options.method == Method::automatic) {
    choice.method = options.pivoting == Pivoting::complete ? Method::gauss : Method::lu;
  }
  const bool blocked = choice.method == Method::lu;
  if (options.precision == Precision::mixed && blocked && memory == MemoryKind::gpu && ranks == 1 &&
      order < gpu_tuning.least_mixed_order) {
    choice.precision = Precision::float64;
  }
  choice.pivoting = options.pivoting;
  if (options.pivoting == Pivoting::automatic) {
    const bool in_parts = ranks > 1 || memory == MemoryKind::gpu;
    choice.pivoting = blocked && in_parts ? Pivoting::tournament : Pivoting::partial;
  }
  if (const auto reason = why_not(choice.method, choice.pivoting); !reason.empty()) {
    fail_everywhere(ExitCode::input, "{}", reason);
  }
  choice.refined = blocked && choice.precision == Precision::float32 && options.refinement > 0;
  choice.block = options.block > 0 ? options.block : panel_width(order, memory, ranks);
  choice.block = std::clamp<Index>(choice.block, 1, std::max<Index>(order, 1));
  return choice;
}

RowLayout dense_layout(const EliminationChoice& choice, Index order, int ranks) {
  if (choice.method == Method::lu && ranks > 1) {
    return RowLayout::cyclic(order, ranks, choice.block);
  }
  return {order, ranks};
}

std::int64_t elimination_bytes(const EliminationChoice& choice, Index height, Index order,
                               int ranks) {
  return with_scalar_of(choice, [&]<typename T>(T) {
    return choice.method != Method::lu
               ? HostDenseRows<T>::bytes(height, order)
               : panel_factors_bytes<T>(choice, order, ranks) +
                     HostBlockedRows<T>::bytes(height, order, choice.block, ranks);
  });
}

}  // namespace spsolve::dense
