#pragma once

#include <span>

#include "cuda/core/device_array.hpp"
#include "distribute/halo/halo_plan.hpp"

namespace spsolve::cuda::inline distribute {

/// Where rows of X are in GPU memory that leave for the neighbours: packed, neighbour after
/// neighbour, or in X itself, where those of each neighbour follow each other.
class LeavingRows {
 public:
  /// `packs`: they are packed in any case.
  LeavingRows(const HaloPlan& plan, bool packs)
      : plan_(plan), packs_(packs || !sends_ranges_only(plan)) {}

  /// For rows of `row_bytes` bytes; what was packed is lost.
  void make_room(Index row_bytes) {
    row_bytes_ = row_bytes;
    if (packs_) packed_.grow(bytes());
  }

  /// Where they are to be packed; null where they leave from X.
  std::byte* packed() { return packs_ ? packed_.data() : nullptr; }
  Index bytes() const { return plan_.sent_rows() * row_bytes_; }

  /// The rows of one neighbour, by `part` of the plan's sends; `x` is where own rows of X are.
  std::span<const std::byte> of(const HaloPlan::NeighbourRows& part, const std::byte* x) const {
    const std::byte* const first =
        packs_ ? packed_.data() + part.first * row_bytes_
               : x + static_cast<Index>(plan_.rows_to_send[part.first]) * row_bytes_;
    return {first, static_cast<std::size_t>(part.count * row_bytes_)};
  }

 private:
  const HaloPlan& plan_;
  bool packs_;
  Index row_bytes_ = 0;
  DeviceArray<std::byte> packed_;
};

}  // namespace spsolve::cuda::distribute
