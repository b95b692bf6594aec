#pragma once

#include <memory>
#include <string>

#include "core/team.hpp"
#include "eliminate/host_band.hpp"
#include "eliminate/host_blocked_band.hpp"
#include "eliminate/options.hpp"
#include "matrix/csr.hpp"

namespace spsolve {

/// Makes the dense forms of sparse rows in T.
template <typename T>
class BandsOf {
 public:
  virtual ~BandsOf() = default;

  /// The rows from `first_row` on, for an elimination column by column.
  virtual std::unique_ptr<Band<T>> columnwise(const Csr<double>& rows, Index first_row) = 0;

  /// Rows for a blocked elimination with panels of at most `max_width` columns; `alone` says that
  /// no other rank takes part, `refined` is that of EliminationChoice.
  virtual std::unique_ptr<BlockedBand<T>> blocked(const Csr<double>& rows, Index max_width,
                                                  bool alone, bool refined) = 0;
};

/// Where the dense bands of an elimination lie: makes them in the memory of one kind of device and
/// carries rows between the ranks' memories. Making a band throws std::bad_alloc or
/// Error(resources) where memory is short.
class BandFactory {
 public:
  virtual ~BandFactory() = default;

  virtual BandMemory memory() const = 0;

  /// "host", or the model of this rank's GPU.
  virtual std::string device() const = 0;

  /// How rows travel between ranks: "MPI", "NCCL", ...
  virtual std::string transport() const = 0;

  /// The ranks' team with messages that lie in the bands' own memory.
  virtual Team& rows() = 0;

  /// The same for the pivot rows of BlockedBands, which may travel beside their products, and for
  /// the values of rows that pivots are elected from.
  virtual Team& pivot_rows() = 0;
  virtual Team& candidates() = 0;

  virtual BandsOf<float>& in_float() = 0;
  virtual BandsOf<double>& in_double() = 0;

  template <typename T>
  BandsOf<T>& of() {
    if constexpr (std::is_same_v<T, float>) {
      return in_float();
    } else {
      return in_double();
    }
  }
};

/// Bands in host memory, the blocked ones of type Blocked, whose rows travel by the team that
/// everything else travels by.
template <template <typename> class Blocked>
class HostBandsOf final : public BandFactory {
 public:
  explicit HostBandsOf(Team& team) : team_(team) {}

  BandMemory memory() const override { return BandMemory::host; }
  std::string device() const override { return "host"; }
  std::string transport() const override { return team_.size() > 1 ? "MPI" : "none"; }
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
      return std::make_unique<Blocked<T>>(rows, max_width, alone);
    }
  };

  Team& team_;
  Maker<float> float_;
  Maker<double> double_;
};

using HostBands = HostBandsOf<HostBlockedBand>;

}  // namespace spsolve
