#pragma once

#include <cstddef>
#include <string>

#include "distribute/halo/halo_plan.hpp"

namespace spsolve::inline distribute {

/// Seconds of the last halo's journey.
struct HaloTimes {
  double pack = 0;      ///< own rows into messages
  double exchange = 0;  ///< letting messages go; on a GPU: until the last one is there
};

/// Brings the rows of multivectors that a rank needs of its neighbours to where the multivectors
/// lie, by the plan of one matrix: row-major rows of any type. Messages with neighbours only, one
/// each way; nothing but what leaves and what comes is copied. On a GPU all is in order with the
/// work of the current stream.
class HaloCarrier {
 public:
  explicit HaloCarrier(const HaloPlan& plan) : plan_(plan) {}
  virtual ~HaloCarrier() = default;

  /// Rows that bring() brings.
  Index rows() const { return plan_.halo_rows(); }

  /// Room for rows of `row_bytes` bytes; own ones are at `x`, with which a GPU may try how they
  /// travel best. bring() sees to it itself. Collective.
  virtual void prepare(const std::byte* x, Index row_bytes) = 0;

  /// The halo's rows if own rows of `row_bytes` bytes each are at `x`; they may be read from wait()
  /// to release(). One halo at a time. Collective among neighbours, with another `row_bytes` than
  /// the last one among all.
  virtual const std::byte* bring(const std::byte* x, Index row_bytes) = 0;

  /// Waits until the halo is there, where bring() did not.
  virtual void wait() {}

  /// All that reads the halo has been asked for by now.
  virtual void release() {}

  /// Many are to come: what makes them faster may be started. Collective.
  virtual void expect_many() {}

  /// How the last halo travelled, in words; the same on every rank.
  virtual std::string transport() const { return "host memory"; }

  virtual HaloTimes times() const = 0;

 protected:
  const HaloPlan& plan_;
};

/// bring() with rows of so many numbers.
template <typename T>
const T* bring(HaloCarrier& carrier, const T* x, Index columns) {
  return reinterpret_cast<const T*>(carrier.bring(reinterpret_cast<const std::byte*>(x),
                                                  columns * static_cast<Index>(sizeof(T))));
}

}  // namespace spsolve::distribute
