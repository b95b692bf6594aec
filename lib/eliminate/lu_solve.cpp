#include <algorithm>

#include "core/blas.hpp"
#include "eliminate/lu.hpp"

namespace spsolve {

namespace {

/// The values of a panel's pivot rows in everybody's sums (own rows x K), brought to all.
template <typename T>
std::vector<T> gather_pivot_rows(Team& team, const BlockedBand<T>& band,
                                 const typename LuFactors<T>::Panel& panel, Index columns) {
  const Index width = panel.columns.size();
  std::vector<T> mine(static_cast<std::size_t>(width * columns));
  band.read_sums({panel.first_active, panel.first_active + panel.retired}, mine, columns);
  std::vector<T> all(mine.size() * static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  std::vector<T> values(mine.size());
  std::vector<Index> next(static_cast<std::size_t>(team.size()), 0);
  for (Index i = 0; i < width; ++i) {
    const int owner = panel.owner[i];
    std::copy_n(all.begin() + (owner * width + next[owner]++) * columns, columns,
                values.begin() + i * columns);
  }
  return values;
}

template <typename T>
void solve_in_team(Team& team, const BlockedBand<T>& band, const LuFactors<T>& factors,
                   Dense<T>& x) {
  const Index columns = x.columns;
  std::vector<T> c;  // own rows of the right-hand side
  c.reserve(factors.rows_here.size() * static_cast<std::size_t>(columns));
  for (const Index row : factors.rows_here) c.insert(c.end(), x.row(row), x.row(row) + columns);
  band.set_sums(c, columns);

  // z = L^-1 P b, panel by panel; z takes the place of x, in the order of elimination.
  for (const auto& panel : factors.panels) {
    const Index width = panel.columns.size();
    const std::vector<T> right = gather_pivot_rows<T>(team, band, panel, columns);
    T* z = x.row(panel.columns.first);
    std::copy(right.begin(), right.end(), z);
    blas::solve_unit_lower(width, columns, panel.factors.data(), width, z, columns);
    band.subtract_product({panel.first_active + panel.retired, band.height()}, panel.columns,
                          std::span<const T>(z, right.size()), columns);
  }
  // Own pivot rows start the way back from their z.
  for (const auto& panel : factors.panels) {
    Index place = panel.first_active;
    for (Index i = 0; i < panel.columns.size(); ++i) {
      if (panel.owner[i] != team.rank()) continue;
      std::copy_n(x.row(panel.columns.first + i), columns, c.begin() + place++ * columns);
    }
  }
  band.set_sums(c, columns);
  // x = U^-1 z, last panel first.
  for (auto panel = factors.panels.rbegin(); panel != factors.panels.rend(); ++panel) {
    const Index width = panel->columns.size();
    const std::vector<T> right = gather_pivot_rows<T>(team, band, *panel, columns);
    T* solution = x.row(panel->columns.first);
    std::copy(right.begin(), right.end(), solution);
    blas::solve_upper(width, columns, panel->factors.data(), width, solution, columns);
    band.subtract_product({0, panel->first_active}, panel->columns,
                          std::span<const T>(solution, right.size()), columns);
  }
}

}  // namespace

template <typename T>
void solve_lu(Team& team, const BlockedBand<T>& band, const LuFactors<T>& factors, Dense<T>& x) {
  if (team.size() > 1) return solve_in_team(team, band, factors, x);
  Dense<T> permuted(x.rows, x.columns);
  for (Index k = 0; k < x.rows; ++k)
    std::copy_n(x.row(factors.order[k]), x.columns, permuted.row(k));
  band.solve_unit_lower(permuted.values, x.columns);
  band.solve_upper(permuted.values, x.columns);
  x = std::move(permuted);
}

template void solve_lu(Team&, const BlockedBand<float>&, const LuFactors<float>&, Dense<float>&);
template void solve_lu(Team&, const BlockedBand<double>&, const LuFactors<double>&, Dense<double>&);

}  // namespace spsolve
