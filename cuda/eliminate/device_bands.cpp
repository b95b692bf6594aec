#include "cuda/eliminate/device_bands.hpp"

#include "cuda/core/device_info.hpp"
#include "cuda/eliminate/device_band.hpp"
#include "cuda/eliminate/device_blocked_band.hpp"
#include "cuda/eliminate/rank_streams.hpp"

namespace spsolve::cuda {

namespace {

template <typename T>
class Maker final : public BandsOf<T> {
 public:
  explicit Maker(BandStreams& streams) : streams_(streams) {}

  std::unique_ptr<Band<T>> columnwise(const Csr<double>& rows, Index first_row) override {
    auto band = std::make_unique<DeviceBand<T>>(streams_, Range{first_row, first_row + rows.rows},
                                                rows.columns);
    band->fill(rows);
    return band;
  }
  std::unique_ptr<BlockedBand<T>> blocked(const Csr<double>& rows, Index max_width, bool alone,
                                          bool refined) override {
    auto band = std::make_unique<DeviceBlockedBand<T>>(streams_, rows.rows, rows.columns, max_width,
                                                       alone, refined);
    band->fill(rows);
    return band;
  }

 private:
  BandStreams& streams_;
};

class DeviceBands final : public BandFactory {
 public:
  DeviceBands(Team& team, const std::string& transport)
      : ranks_(team, transport),
        float_(ranks_.streams),
        double_(ranks_.streams),
        name_(current_device().name) {}

  BandMemory memory() const override { return BandMemory::gpu; }
  std::string device() const override { return name_; }
  std::string transport() const override {
    return ranks_.rows->size() > 1 ? ranks_.rows->transport() : "none";
  }
  Team& rows() override { return *ranks_.rows; }
  Team& pivot_rows() override { return *ranks_.pivot_rows; }
  Team& candidates() override { return *ranks_.candidates; }
  BandsOf<float>& in_float() override { return float_; }
  BandsOf<double>& in_double() override { return double_; }

 private:
  RankStreams ranks_;
  Maker<float> float_;
  Maker<double> double_;
  std::string name_;
};

}  // namespace

std::unique_ptr<BandFactory> device_bands(Team& team, const std::string& transport) {
  return std::make_unique<DeviceBands>(team, transport);
}

std::int64_t device_band_bytes(const EliminationChoice& choice, Index height, Index order,
                               int ranks, Index right_hand_sides) {
  const auto bytes = [&]<typename T>(T) {
    return choice.method == Method::lu
               ? DeviceBlockedBand<T>::bytes(height, order, choice.block, ranks, right_hand_sides,
                                             choice.refined)
               : DeviceBand<T>::bytes(height, order, right_hand_sides);
  };
  return choice.precision == Precision::float32 ? bytes(float{}) : bytes(double{});
}

}  // namespace spsolve::cuda
