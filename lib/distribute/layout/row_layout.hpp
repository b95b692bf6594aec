#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "distribute/layout/options.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// Rows that bands keep together: the unknowns of a node, be they 2, 3, 4 or 6, often have rows of
/// equal columns, and products take such rows together. Bands of few rows keep pairs together,
/// which may be the parts of complex numbers.
constexpr Index rows_together(Index rows, int ranks) {
  return rows / ranks < 4096 ? 2 : 12;
}

/// Which rank has which rows. Contiguous: rank r has one band of rows, of nearly equal height, in
/// whole rows_together(), the first bands holding one such group more than the others; or with the
/// borders given. Some bands may be empty. Cyclic: rows are dealt out in blocks, block b, the rows
/// [b block, (b + 1) block), to rank b mod ranks. A rank numbers its rows from 0 in ascending
/// order.
struct RowLayout {
  Index rows = 0;
  int ranks = 1;
  /// ranks + 1 numbers, ascending from 0 to rows: rank r holds the rows [borders[r],
  /// borders[r + 1]). Empty: bands of nearly equal height.
  std::vector<Index> borders = {};
  Index block = 0;  ///< rows of a cyclic block; 0: contiguous

  static RowLayout cyclic(Index rows, int ranks, Index block) { return {rows, ranks, {}, block}; }

  /// All rows on rank 0.
  static RowLayout on_first_rank(Index rows, int ranks) {
    RowLayout layout{rows, ranks};
    layout.borders.assign(static_cast<std::size_t>(ranks) + 1, rows);
    layout.borders.front() = 0;
    return layout;
  }

  bool is_cyclic() const { return block > 0; }

  /// The rows of a rank of a contiguous layout.
  Range band(int rank) const { return {border(rank), border(rank + 1)}; }

  /// The rows of `rank` as ranges, ascending.
  std::vector<Range> segments(int rank) const {
    if (!is_cyclic()) return {band(rank)};
    std::vector<Range> ranges;
    for (Index first = rank * block; first < rows; first += ranks * block) {
      ranges.push_back({first, std::min(first + block, rows)});
    }
    return ranges;
  }

  /// How many rows `rank` has.
  Index height(int rank) const {
    if (!is_cyclic()) return band(rank).size();
    const Index round = ranks * block;
    const Index rest = rows % round;
    return rows / round * block + std::clamp<Index>(rest - rank * block, 0, block);
  }

  /// The rows of `rank`, ascending.
  std::vector<Index> global_rows(int rank) const {
    std::vector<Index> numbers;
    numbers.reserve(static_cast<std::size_t>(height(rank)));
    for (const Range& segment : segments(rank)) {
      for (Index row = segment.first; row < segment.last; ++row) numbers.push_back(row);
    }
    return numbers;
  }

  /// The rank that holds `row`.
  int owner(Index row) const {
    if (is_cyclic()) return static_cast<int>(row / block % ranks);
    if (!borders.empty()) {
      return static_cast<int>(std::upper_bound(borders.begin(), borders.end(), row) -
                              borders.begin()) -
             1;
    }
    const Index group = row / rows_together(rows, ranks);
    const Index height = groups() / ranks;
    const Index higher = groups() % ranks;  // bands of height + 1 groups
    const Index in_higher = higher * (height + 1);
    if (group < in_higher) return static_cast<int>(group / (height + 1));
    return static_cast<int>(higher + (group - in_higher) / height);
  }

  /// The local number of `row` with its owner.
  Index local_row(Index row) const {
    if (!is_cyclic()) return row - border(owner(row));
    return row / (ranks * block) * block + row % block;
  }

  bool operator==(const RowLayout&) const = default;

 private:
  Index groups() const {
    const Index together = rows_together(rows, ranks);
    return (rows + together - 1) / together;
  }
  Index border(int rank) const {
    if (!borders.empty()) return borders[static_cast<std::size_t>(rank)];
    const Index before = rank * (groups() / ranks) + std::min<Index>(rank, groups() % ranks);
    return std::min(rows, before * rows_together(rows, ranks));
  }
};

/// Bands of the height that each rank names. Collective.
RowLayout bands_of_heights(Team& team, Index own);

/// Bands of nearly equal height that keep the `size` rows of a node together, of rows that are
/// whole nodes.
RowLayout bands_of_nodes(Index rows, int ranks, Index size);

/// The layout of the nodes of a layout of rows, whose bands are bands_of_nodes().
RowLayout layout_of_nodes(const RowLayout& rows, Index size);

/// The layout of rows, `size` to a row of `nodes`.
RowLayout layout_of_rows(const RowLayout& nodes, Index size);

/// Non-zeros before every `step`-th row, which is all that balancing needs: nonzeros_before[b] of
/// them before row min(b step, rows), for b = 0 to ceil(rows / step).
struct NonzeroProfile {
  Index rows = 0;
  Index step = 1;
  std::vector<Index> nonzeros_before;

  /// The step of a profile of so many rows: at most about 65536 entries.
  static Index step_for(Index rows) { return std::max<Index>(1, (rows + 65535) / 65536); }
};

/// The profile of compressed rows.
NonzeroProfile profile_of(std::span<const Index> row_offsets);

/// Bands of nearly equal numbers of non-zeros: border r is the row of the profile where the
/// non-zeros before come nearest to r / ranks of all, to whole rows_together(). Without non-zeros,
/// of equal height.
RowLayout bands_by_nonzeros(const NonzeroProfile& profile, int ranks);

/// Non-zeros of the fullest band over the mean of all bands, to the profile's accuracy; 1 without
/// non-zeros.
double imbalance(const NonzeroProfile& profile, const RowLayout& bands);

/// The bands of the choice; automatic: of equal non-zeros where equal rows would give one rank 5 %
/// more than the mean.
RowLayout choose_bands(BandsChoice choice, const NonzeroProfile& profile, int ranks);

/// The bands of the choice on every rank, from rank 0's profile. Collective.
RowLayout choose_bands(Team& team, BandsChoice choice, const NonzeroProfile& profile);

/// The word for bands in reports: rows or nonzeros.
constexpr std::string_view kind_of(const RowLayout& bands) {
  return bands.borders.empty() ? "rows" : "nonzeros";
}

/// The bands of X for an m x n matrix with the bands `bands`: the same where it is square, so that
/// its diagonal blocks are square too; else of equal height.
RowLayout bands_of_x(const RowLayout& bands, Index columns);

}  // namespace spsolve::distribute
