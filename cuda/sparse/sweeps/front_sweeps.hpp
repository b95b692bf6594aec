#pragma once

#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/sparse/sweeps/sweep_kernels.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::cuda::inline sparse {

/// Sweeps with finished fronts on their GPU, piece by piece, and the vectors they work in: rows of
/// up to most_sweep_columns values in the order of elimination.
template <typename T>
class FrontSweeps {
 public:
  /// `places`: those of `fronts`, and after them panels, which are in no level and take nothing in
  /// from children; `border`: the rows of all their borders. `piece_of` each of them, of `pieces`;
  /// vectors have `rows` rows.
  FrontSweeps(const Fronts& fronts, const DeviceLayout& layout,
              const std::vector<LocalIndex>& border, const std::vector<int>& piece_of,
              std::size_t pieces, Index rows);

  bool is_empty(std::size_t piece) const {
    return pieces_[piece].small.size() + pieces_[piece].forward.size() == 0;
  }

  /// Two sweeps with these factors begin, for what is in b() then; vectors have room for them.
  /// `places`, on the GPU: those of the fronts.
  void begin(const FrontLayout* layouts, const T* factors, bool transposed, int columns,
             cudaStream_t stream);

  /// y <- L^-1 b in the rows of the pivots of a piece, all that they wait for before, and x <- U^-1
  /// y, likewise.
  void forward(std::size_t piece, cudaStream_t stream);
  void backward(std::size_t piece, cudaStream_t stream);

  /// Room for vectors of so many columns; what was in them is lost.
  void make_room(Index columns);

  T* b() { return vectors_.data(); }
  /// x of the sweeps that began last.
  T* x() { return backward_sweep_.x; }
  /// The contributions of borders in the forward sweep, a row for each row of all borders.
  const T* contribution() const { return forward_sweep_.contribution; }

 private:
  struct SweepPiece {
    Range small;              ///< fronts of subtrees of small ones
    Range forward, backward;  ///< tasks of the fronts above
    int panel = -1;           ///< the only one there is: its number
    FrontLayout layout;       ///< of that
  };

  void write_small(const DeviceLayout& all, const std::vector<int>& piece_of);
  void write_tasks(const DeviceLayout& all, const std::vector<int>& piece_of);
  void list_contributions(const Fronts& fronts, const std::vector<FrontLayout>& layouts);
  template <typename Item>
  DeviceArray<Item> joined(const std::vector<std::vector<Item>>& lists, Range SweepPiece::*range);

  Index rows_;
  std::vector<SweepPiece> pieces_;
  DeviceArray<int> border_, small_, next_;
  DeviceArray<unsigned> taken_starts_, taken_;
  DeviceArray<SweepTask> forward_, backward_;
  DeviceArray<T> vectors_;                   // b, y, x and contributions, one after the other
  DeviceArray<T> border_parts_;              // of a panel, see subtract_border()
  Sweep<T> forward_sweep_, backward_sweep_;  // of the sweeps that began last
};

SPSOLVE_INSTANTIATED(class FrontSweeps)

}  // namespace spsolve::cuda::sparse
