#pragma once

#include <memory>
#include <string>

#include "dense/columnwise/host_dense_rows.hpp"
#include "dense/lu/host_blocked_rows.hpp"
#include "device/compute_device.hpp"

namespace spsolve::inline dense {

/// Makes dense rows in host memory, the blocked ones of type Blocked.
template <typename T, template <typename> class Blocked = HostBlockedRows>
struct HostRowsOf final : DenseRowsOf<T> {
  std::unique_ptr<DenseRows<T>> columnwise(const ScaledRows& rows, const BandProducts*,
                                           Index first_row) override {
    return std::make_unique<HostDenseRows<T>>(rows, first_row);
  }
  std::unique_ptr<BlockedRows<T>> blocked(const ScaledRows& rows, const BandProducts*,
                                          Index max_width, bool alone, bool) override {
    return std::make_unique<Blocked<T>>(rows, max_width, alone);
  }
};

/// Dense rows in host memory, which travel by the team that everything else travels by.
template <template <typename> class Blocked>
class HostDeviceOf final : public ComputeDevice {
 public:
  explicit HostDeviceOf(Team& team) : team_(team) {}

  MemoryKind memory() const override { return MemoryKind::host; }
  std::string device() const override { return "host"; }
  std::string transport() const override { return team_.size() > 1 ? "MPI" : "none"; }
  Team& row_team() override { return team_; }
  Team& pivot_team() override { return team_; }
  Team& candidate_team() override { return team_; }
  PerScalar per_scalar() override { return pointers_to(makers_); }

 private:
  template <typename T>
  using Maker = HostRowsOf<T, Blocked>;

  Team& team_;
  Scalars::Tuple<Maker> makers_;
};

using HostDevice = HostDeviceOf<HostBlockedRows>;

}  // namespace spsolve::dense
