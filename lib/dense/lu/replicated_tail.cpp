#include "dense/lu/replicated_tail.hpp"

#include "dense/lu/lu.hpp"
#include "dense/state/swaps.hpp"

namespace spsolve::inline dense {

template <typename T>
EliminatedTail eliminate_tail(Team& team, Team& pivot_team, ReplicatedTail<T>& tail,
                              std::span<const Range> active, const std::vector<Index>& rows_here,
                              Pivoting pivoting) {
  // The rows as they come together, rank after rank.
  std::vector<Index> sizes;
  std::vector<int> owners;
  Index place = 0;
  for (int rank = 0; rank < team.size(); ++rank) {
    sizes.push_back(active[rank].size());
    if (rank < team.rank()) place += sizes.back();
    owners.insert(owners.end(), static_cast<std::size_t>(sizes.back()), rank);
  }
  const auto count = std::ssize(owners);
  const Range own = active[team.rank()];
  const std::vector<Index> numbers =
      all_gather_parts(team, std::span(rows_here).subspan(own.first, own.size()));

  const std::span<T> values = tail.copy_active_rows(own.first, place);
  for (Index& size : sizes) size *= std::ssize(values) / count;
  all_gather_parts(pivot_team, values, std::span<const Index>(sizes));

  SoloTeam alone;
  Progress silent("", 0, Progress::Show::off);
  BlockedRows<T>& rows = tail.rows();
  const RowLayout layout = RowLayout::cyclic(count, 1, rows.max_width());
  const LuFactors<T> factors =
      factor_lu<T>(alone, alone, alone, layout, rows, pivoting, silent, nullptr, tail.first());

  EliminatedTail result;
  result.pivots = factors.pivots;
  result.largest_upper = factors.largest_upper;
  result.redone_panels = factors.redone_panels;
  std::vector<Index> mine, chosen;
  for (Index step = 0; step < count; ++step) {
    const Index row = factors.rows_here[step];
    result.owner.push_back(owners[row]);
    result.row.push_back(numbers[row]);
    if (owners[row] != team.rank()) continue;
    mine.push_back(step);
    chosen.push_back(own.first + row - place);
  }
  result.swaps = swaps_to_front(own.first, chosen);
  tail.take(own.first, mine, result.swaps);
  return result;
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(eliminate_tail)

}  // namespace spsolve::dense
