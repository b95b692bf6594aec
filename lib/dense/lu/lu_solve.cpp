#include "dense/lu/lu.hpp"

namespace spsolve::inline dense {

namespace {

template <typename T>
using Panel = typename LuFactors<T>::Panel;

/// Where each step's row is among those of its panel, which come rank after rank, as many places
/// each as the panel is wide.
template <typename T>
std::vector<Index> gathered_places(const LuFactors<T>& factors, int ranks) {
  std::vector<Index> places;
  places.reserve(factors.order.size());
  for (const Panel<T>& panel : factors.panels) {
    std::vector<Index> next(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) next[rank] = rank * panel.columns.size();
    for (const int owner : panel.owner) places.push_back(next[owner]++);
  }
  return places;
}

/// The number of each of this rank's rows among the pivots of its panel, place by place.
template <typename T>
std::vector<Index> numbers_in_panels(const LuFactors<T>& factors, int rank) {
  std::vector<Index> numbers;
  numbers.reserve(factors.rows_here.size());
  for (const Panel<T>& panel : factors.panels) {
    for (Index i = 0; i < panel.columns.size(); ++i) {
      if (panel.owner[i] == rank) numbers.push_back(i);
    }
  }
  return numbers;
}

template <typename T>
Range retired_rows(const Panel<T>& panel) {
  return {panel.first_active, panel.first_active + panel.retired};
}

}  // namespace

/// Both sweeps of a team: the sums of a panel's pivots go to all ranks, which solve for the panel's
/// part of x and take it from their own sums.
template <typename T>
void solve_lu(Team& team, Team& row_team, const BlockedRows<T>& rows, const LuFactors<T>& factors,
              Dense<T>& x) {
  const Index columns = x.columns;
  const std::vector<Index> places = gathered_places(factors, team.size());
  const std::vector<Index> numbers = numbers_in_panels(factors, team.rank());
  const Range band = RowLayout{rows.order(), team.size()}.band(team.rank());
  BlockedSolution<T>& solution = rows.solution();
  solution.begin(factors.row_order->to_list(x).values, {places, numbers, band}, columns);

  const auto solve = [&](Triangle triangle, const Panel<T>& panel) {
    const Index size = panel.columns.size() * columns;
    const std::span<T> buffer = solution.buffer((team.size() + 1) * size);
    const std::span<T> mine = buffer.first(size), all = buffer.subspan(size);
    solution.pack_sums(retired_rows<T>(panel), mine);
    row_team.all_gather_bytes(std::as_bytes(mine), std::as_writable_bytes(all));
    solution.solve(triangle, panel.columns, panel.factors, all);
  };
  // z = L^-1 P b, panel by panel; its rows stay with their owners.
  for (const Panel<T>& panel : factors.panels) {
    solve(Triangle::unit_lower, panel);
    solution.subtract_product({retired_rows<T>(panel).last, rows.height()}, panel.columns);
    solution.keep_sums(retired_rows<T>(panel));
  }
  // x = U^-1 z, last panel first; its rows stay in their bands.
  for (auto panel = factors.panels.rbegin(); panel != factors.panels.rend(); ++panel) {
    solve(Triangle::upper, *panel);
    solution.subtract_product({0, panel->first_active}, panel->columns);
    solution.keep_band(panel->columns);
  }
  solution.read(x.values);
}

/// Rows above a panel give to its part of U^-T b, those below to its part of L^-T of that.
template <typename T>
void solve_lu_transposed(Team& team, Team& row_team, const BlockedRows<T>& rows,
                         const LuFactors<T>& factors, Dense<T>& x) {
  const Index columns = x.columns;
  const std::vector<Index> numbers = numbers_in_panels(factors, team.rank());
  const Range band = RowLayout{rows.order(), team.size()}.band(team.rank());
  BlockedSolution<T>& solution = rows.solution();
  solution.begin_transposed(x.values, {{}, numbers, band}, columns);

  const auto solve = [&](Triangle triangle, const Panel<T>& panel, Range giving) {
    const Index size = panel.columns.size() * columns;
    const std::span<T> buffer = solution.buffer((team.size() + 1) * size);
    const std::span<T> mine = buffer.first(size), all = buffer.subspan(size);
    const Range retired = retired_rows<T>(panel);
    if (triangle == Triangle::upper) {
      solution.pack_band(panel.columns, mine);
    } else {
      solution.pack_pivots(retired, mine);
    }
    solution.subtract_transposed_product(giving, panel.columns, mine);
    row_team.all_gather_bytes(std::as_bytes(mine), std::as_writable_bytes(all));
    solution.solve_transposed(triangle, panel.columns, panel.factors, all);
    solution.keep_sums(retired);
  };
  for (const Panel<T>& panel : factors.panels) {
    solve(Triangle::upper, panel, {0, panel.first_active});
  }
  for (auto panel = factors.panels.rbegin(); panel != factors.panels.rend(); ++panel) {
    solve(Triangle::unit_lower, *panel, {retired_rows<T>(*panel).last, rows.height()});
  }
  Dense<T> own(rows.height(), columns);
  solution.read_sums(own.values);
  x = factors.row_order->to_bands(own);
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_lu)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_lu_transposed)

}  // namespace spsolve::dense
