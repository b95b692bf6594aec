#pragma once

#include <memory>
#include <span>
#include <string>

#include "cuda/core/stream.hpp"
#include "cuda/team/transports.hpp"
#include "distribute/halo/halo_plan.hpp"
#include "team/team.hpp"

namespace spsolve::cuda::inline distribute {

/// Carries the rows of a plan between the memories of the ranks' GPUs, for one K at a time. Another
/// transport is another implementation and a line in make_exchange().
class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;

  /// How rows travel, in a few words for reports.
  virtual std::string name() const = 0;

  /// From now on rows of `row_bytes` bytes travel; own rows of X are at `x` in GPU memory, for
  /// trials. Nothing may be on its way. Collective.
  virtual void prepare(const std::byte* x, Index row_bytes) = 0;

  /// Where the sent rows are to be packed before start(), in GPU memory, the same until the next
  /// prepare(); null where they leave from X itself.
  virtual std::byte* outgoing() = 0;

  /// Where the halo rows are between finish() and release(), in GPU memory; likewise.
  virtual const std::byte* incoming() const = 0;

  /// Rows that `stream` has packed by then, or has in X, may leave. Waits for nothing.
  virtual void start(const std::byte* x, cudaStream_t stream) = 0;

  /// Work of `stream` from then on finds the halo. May wait for the neighbours.
  virtual void finish(cudaStream_t stream) = 0;

  /// All that reads this halo has been launched on `stream` by then.
  virtual void release(cudaStream_t stream) { static_cast<void>(stream); }
};

/// Carries the halo of `plan` by a transport that works, see Transports. The exchange ends before
/// `transports` and `plan` do. Collective.
std::unique_ptr<DeviceExchange> make_exchange(Transports& transports, Transport transport,
                                              const HaloPlan& plan);

}  // namespace spsolve::cuda::distribute
