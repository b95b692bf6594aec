#pragma once

#include "eliminate/band_factory.hpp"

namespace spsolve::test {

/// A host band whose columns are worked on as a GPU's are: the next panel's first, then pieces, of
/// 10 columns here.
template <typename T>
class PiecewiseBand final : public HostBlockedBand<T> {
 public:
  using HostBlockedBand<T>::HostBlockedBand;
  bool overlaps() const override { return true; }
  Index piece_width() const override { return 10; }
};

class PiecewiseBands final : public BandFactory {
 public:
  explicit PiecewiseBands(Team& team) : team_(team) {}

  BandMemory memory() const override { return BandMemory::host; }
  std::string device() const override { return "host"; }
  std::string transport() const override { return "MPI"; }
  Team& rows() override { return team_; }
  Team& pivot_rows() override { return team_; }
  Team& candidates() override { return team_; }
  BandsOf<float>& in_float() override { return float_; }
  BandsOf<double>& in_double() override { return double_; }

 private:
  template <typename T>
  struct Maker final : BandsOf<T> {
    std::unique_ptr<Band<T>> columnwise(const Csr<double>& rows, Index first_row) override {
      return std::make_unique<HostBand<T>>(rows, first_row);
    }
    std::unique_ptr<BlockedBand<T>> blocked(const Csr<double>& rows, Index max_width, bool alone,
                                            bool) override {
      return std::make_unique<PiecewiseBand<T>>(rows, max_width, alone);
    }
  };

  Team& team_;
  Maker<float> float_;
  Maker<double> double_;
};

}  // namespace spsolve::test
