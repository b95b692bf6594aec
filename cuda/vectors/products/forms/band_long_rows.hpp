#pragma once

#include <optional>
#include <span>

#include "cuda/core/device_array.hpp"

namespace spsolve::cuda::inline vectors {

/// Non-zeros of a row beyond which thread blocks share it, and of a piece for one of them: supply
/// rails of circuits and hubs of graphs have tens of thousands among rows of three.
inline constexpr Index most_of_shared_row = 2048, nonzeros_of_piece = 1024;

/// Numbers that a piece adds up for each column, at most.
inline constexpr Index numbers_of_column = 4;

/// The long rows of A, ascending, their pieces one after another, and room for what the pieces add
/// up to.
struct BandLongRowsView {
  int count;
  const Index* rows;
  const Index* piece_starts;  ///< of each among all pieces, count + 1
  Index pieces;
  double* parts;
};

/// Where the long rows are.
class BandLongRows {
 public:
  /// The long ones of rows with these offsets; nothing where none is long.
  static std::optional<BandLongRows> of(std::span<const Index> row_offsets);

  /// The view with room for the sums of so many columns.
  BandLongRowsView view(Index columns);

 private:
  BandLongRows(const std::vector<Index>& rows, const std::vector<Index>& piece_starts);

  DeviceArray<Index> rows_, piece_starts_;
  Index pieces_;
  DeviceArray<double> parts_;
};

}  // namespace spsolve::cuda::vectors
