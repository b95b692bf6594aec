#pragma once

#include <memory>
#include <string>

#include "apps/bench/gpu/gpu_system.hpp"
#include "cuda/dense/rank_streams.hpp"
#include "device/compute_device.hpp"
#include "team/team.hpp"

namespace spsolve::cuda {

/// Dense rows of a random system, each rank's rows made on its GPU; the sparse rows that they are
/// asked for with tell them nothing.
class RandomRows final : public spsolve::ComputeDevice {
 public:
  /// Where `stored` is not null, it is the whole matrix in double in the GPU memory of a rank
  /// alone, and rows in float are rounded from it.
  RandomRows(Team& team, RankStreams& ranks, const GpuSystem& system, const double* stored)
      : ranks_(ranks), makers_(Scalars::make<Maker>(team, ranks, system, stored)) {}

  MemoryKind memory() const override { return MemoryKind::gpu; }
  std::string device() const override { return "GPU"; }
  std::string transport() const override { return ranks_.row_team->transport(); }
  Team& row_team() override { return *ranks_.row_team; }
  Team& pivot_team() override { return *ranks_.pivot_team; }
  Team& candidate_team() override { return *ranks_.candidate_team; }
  PerScalar per_scalar() override { return pointers_to(makers_); }

 private:
  template <typename T>
  class Maker final : public DenseRowsOf<T> {
   public:
    Maker(Team& team, RankStreams& ranks, const GpuSystem& system, const double* stored)
        : team_(team),
          streams_(ranks.streams),
          system_(system),
          stored_(std::is_same_v<T, float> ? stored : nullptr) {}

    std::unique_ptr<DenseRows<T>> columnwise(const ScaledRows& rows, const BandProducts* there,
                                             Index first_row) override;
    std::unique_ptr<BlockedRows<T>> blocked(const ScaledRows& rows, const BandProducts* there,
                                            Index max_width, bool alone, bool refined) override;

   private:
    Team& team_;
    DenseStreams& streams_;
    GpuSystem system_;
    const double* stored_;
  };

  RankStreams& ranks_;
  Scalars::Tuple<Maker> makers_;
};

}  // namespace spsolve::cuda
