#pragma once

#include <memory>
#include <string>

#include "core/team.hpp"
#include "cuda/core/stream.hpp"
#include "distribute/halo_plan.hpp"

namespace spsolve::cuda {

/// Carries the packed rows of a plan between the memories of the ranks' GPUs, for one K at a time.
/// Another transport is another implementation and a line in make_exchange().
class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;

  /// How rows travel, in a word or two for reports.
  virtual std::string name() const = 0;

  /// From now on rows of `row_bytes` bytes go from `outgoing`, sent rows, to `incoming`, halo rows,
  /// both in GPU memory and left in place until prepare() is called again.
  virtual void prepare(const std::byte* outgoing, std::byte* incoming, Index row_bytes) = 0;

  /// What `stream` has packed by then may leave. Waits for nothing.
  virtual void start(const Stream& stream) = 0;

  /// What `stream` does from then on finds the halo. May wait for the neighbours.
  virtual void finish(const Stream& stream) = 0;
};

/// The ways in which rows can travel.
enum class Transport {
  pinned,  ///< through page-locked host memory, and from there by the team's messages
  direct,  ///< by the team's messages from GPU memory, as a CUDA-aware MPI takes them
};

/// The best way that works for this team: direct where the team claims to take GPU memory and a
/// message of 1 MiB, really sent around the ranks from GPU to GPU, arrives as it was; else pinned.
/// Collective; every rank gets the same answer.
Transport choose_transport(Team& team);

/// The name of a transport, as DeviceExchange::name().
std::string name_of(Transport transport);

std::unique_ptr<DeviceExchange> make_exchange(Transport transport, Team& team,
                                              const HaloPlan& plan);

}  // namespace spsolve::cuda
