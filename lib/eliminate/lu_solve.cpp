#include <algorithm>

#include "eliminate/lu.hpp"

namespace spsolve {

namespace {

/// Where each step's row is among those of its panel, which come rank after rank, as many places
/// each as the panel is wide.
template <typename T>
std::vector<Index> gathered_places(const LuFactors<T>& factors, int ranks) {
  std::vector<Index> places;
  places.reserve(factors.order.size());
  for (const auto& panel : factors.panels) {
    std::vector<Index> next(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) next[rank] = rank * panel.columns.size();
    for (const int owner : panel.owner) places.push_back(next[owner]++);
  }
  return places;
}

/// The steps of this rank's rows, in the order of their local places.
template <typename T>
std::vector<Index> own_steps(const LuFactors<T>& factors, int rank) {
  std::vector<Index> steps;
  steps.reserve(factors.rows_here.size());
  for (const auto& panel : factors.panels) {
    for (Index i = 0; i < panel.columns.size(); ++i) {
      if (panel.owner[i] == rank) steps.push_back(panel.columns.first + i);
    }
  }
  return steps;
}

template <typename T>
void solve_in_team(Team& team, Team& rows, const BlockedBand<T>& band, const LuFactors<T>& factors,
                   Dense<T>& x) {
  const Index columns = x.columns;
  std::vector<T> b;  // own rows of the right-hand side
  b.reserve(factors.rows_here.size() * static_cast<std::size_t>(columns));
  for (const Index row : factors.rows_here) b.insert(b.end(), x.row(row), x.row(row) + columns);
  const std::vector<Index> places = gathered_places(factors, team.size());
  const std::vector<Index> steps = own_steps(factors, team.rank());
  TeamSolution<T>& solution = band.solution();
  solution.begin(b, {places, steps}, columns);

  const auto solve = [&](Triangle triangle, const typename LuFactors<T>::Panel& panel) {
    const Index size = panel.columns.size() * columns;
    const std::span<T> buffer = solution.buffer((team.size() + 1) * size);
    const std::span<T> mine = buffer.first(size), all = buffer.subspan(size);
    solution.pack_sums({panel.first_active, panel.first_active + panel.retired}, mine);
    rows.all_gather_bytes(std::as_bytes(mine), std::as_writable_bytes(all));
    solution.solve(triangle, panel.columns, panel.factors, all);
  };
  // z = L^-1 P b, panel by panel.
  for (const auto& panel : factors.panels) {
    solve(Triangle::unit_lower, panel);
    solution.subtract_product({panel.first_active + panel.retired, band.height()}, panel.columns);
  }
  // x = U^-1 z, last panel first.
  solution.turn_back();
  for (auto panel = factors.panels.rbegin(); panel != factors.panels.rend(); ++panel) {
    solve(Triangle::upper, *panel);
    solution.subtract_product({0, panel->first_active}, panel->columns);
  }
  solution.read(x.values);
}

}  // namespace

template <typename T>
void solve_lu(Team& team, Team& rows, const BlockedBand<T>& band, const LuFactors<T>& factors,
              Dense<T>& x) {
  if (team.size() > 1) return solve_in_team(team, rows, band, factors, x);
  Dense<T> permuted(x.rows, x.columns);
  for (Index k = 0; k < x.rows; ++k)
    std::copy_n(x.row(factors.order[k]), x.columns, permuted.row(k));
  band.solve_unit_lower(permuted.values, x.columns);
  band.solve_upper(permuted.values, x.columns);
  x = std::move(permuted);
}

template void solve_lu(Team&, Team&, const BlockedBand<float>&, const LuFactors<float>&,
                       Dense<float>&);
template void solve_lu(Team&, Team&, const BlockedBand<double>&, const LuFactors<double>&,
                       Dense<double>&);

}  // namespace spsolve
