#pragma once

#include <memory>
#include <string>

#include "core/team.hpp"
#include "cuda/bench/gpu_system.hpp"
#include "cuda/eliminate/rank_streams.hpp"
#include "eliminate/band_factory.hpp"

namespace spsolve::cuda {

/// Bands of a random system, each rank's rows made on its GPU; the sparse rows that they are asked
/// for with tell them nothing.
class RandomBands final : public BandFactory {
 public:
  /// Where `stored` is not null, it is the whole matrix in double in the GPU memory of a rank
  /// alone, and bands in float are rounded from it. All but `system` outlive the bands.
  RandomBands(Team& team, RankStreams& ranks, const GpuSystem& system, const double* stored)
      : ranks_(ranks), float_(team, ranks, system, stored), double_(team, ranks, system, nullptr) {}

  BandMemory memory() const override { return BandMemory::gpu; }
  std::string device() const override { return "GPU"; }
  std::string transport() const override { return ranks_.rows->transport(); }
  Team& rows() override { return *ranks_.rows; }
  Team& pivot_rows() override { return *ranks_.pivot_rows; }
  Team& candidates() override { return *ranks_.candidates; }
  BandsOf<float>& in_float() override { return float_; }
  BandsOf<double>& in_double() override { return double_; }

 private:
  template <typename T>
  class Maker final : public BandsOf<T> {
   public:
    Maker(Team& team, RankStreams& ranks, const GpuSystem& system, const double* stored)
        : team_(team), streams_(ranks.streams), system_(system), stored_(stored) {}

    std::unique_ptr<Band<T>> columnwise(const Csr<double>& rows, Index first_row) override;
    std::unique_ptr<BlockedBand<T>> blocked(const Csr<double>& rows, Index max_width, bool alone,
                                            bool refined) override;

   private:
    Team& team_;
    BandStreams& streams_;
    GpuSystem system_;
    const double* stored_;
  };

  RankStreams& ranks_;
  Maker<float> float_;
  Maker<double> double_;
};

}  // namespace spsolve::cuda
