#include <algorithm>
#include <utility>

#include "core/ranges.hpp"
#include "dense/lu/lu.hpp"
#include "dense/lu/lu_state.hpp"
#include "dense/lu/small_lu.hpp"

namespace spsolve {

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

/// The two sweeps of a team's transposed solve. The part of x that a panel's pivot rows multiply
/// stays with their owners, as `own` in the order of their places.
template <typename T>
class TransposedSweeps {
 public:
  TransposedSweeps(Team& team, const BlockedRows<T>& rows, const LuFactors<T>& factors,
                   Index columns)
      : team_(team),
        rows_(rows),
        factors_(factors),
        band_(RowLayout{rows.order(), team.size()}.band(team.rank())),
        numbers_(numbers_in_panels(factors, team.rank())),
        own_(rows.height(), columns) {}

  /// own <- U^-T b for the band b, first panel first: the rows above a panel give to it.
  void solve_upper(const Dense<T>& b) {
    for (const Panel<T>& panel : factors_.panels) {
      begin(panel);
      if (const Range both = intersect(panel.columns, band_); both.size() > 0) {
        std::copy_n(b.row(both.first - band_.first), both.size() * b.columns,
                    given_.begin() + (both.first - panel.columns.first) * b.columns);
      }
      solve(Triangle::upper, panel, {0, panel.first_active});
    }
  }

  /// own <- L^-T own, last panel first: the rows below a panel give to it.
  void solve_lower() {
    for (auto panel = factors_.panels.rbegin(); panel != factors_.panels.rend(); ++panel) {
      begin(*panel);
      const Range retired = retired_rows<T>(*panel);
      for (Index i = retired.first; i < retired.last; ++i) {
        std::copy_n(own_.row(i), own_.columns, given_.begin() + numbers_[i] * own_.columns);
      }
      solve(Triangle::unit_lower, *panel, {retired.last, rows_.height()});
    }
  }

  const Dense<T>& own() const { return own_; }

 private:
  void begin(const Panel<T>& panel) {
    given_.assign(static_cast<std::size_t>(panel.columns.size() * own_.columns), T{});
  }

  /// The panel's part of x, from what this rank knows of its right-hand side, in given_, and what
  /// the local rows `giving` of all ranks take from it, rank after rank.
  void solve(Triangle triangle, const Panel<T>& panel, Range giving) {
    rows_.solution().subtract_transposed_product(
        giving, panel.columns,
        std::span<const T>(own_.row(giving.first), giving.size() * own_.columns), given_,
        own_.columns);
    gathered_.resize(given_.size() * static_cast<std::size_t>(team_.size()));
    team_.all_gather_bytes(std::as_bytes(std::span(given_)),
                           std::as_writable_bytes(std::span(gathered_)));
    std::ranges::fill(given_, T{});
    for (std::size_t k = 0; k < gathered_.size(); ++k) given_[k % given_.size()] += gathered_[k];
    const Index width = panel.columns.size();
    solve_small_transposed(triangle, width, panel.factors.data(), width, given_.data(),
                           own_.columns);
    const Range retired = retired_rows<T>(panel);
    for (Index i = retired.first; i < retired.last; ++i) {
      std::copy_n(given_.begin() + numbers_[i] * own_.columns, own_.columns, own_.row(i));
    }
  }

  Team& team_;
  const BlockedRows<T>& rows_;
  const LuFactors<T>& factors_;
  Range band_;
  std::vector<Index> numbers_;  // see numbers_in_panels()
  Dense<T> own_;
  std::vector<T> given_, gathered_;  // a panel's part of x, and that of all ranks
};

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

template <typename T>
void solve_lu_transposed(Team& team, const BlockedRows<T>& rows, LuFactors<T>& factors,
                         Dense<T>& x) {
  for (Panel<T>& panel : factors.panels) {
    if (panel.factors.empty()) panel.factors = factors_of(team, rows, panel);
  }
  TransposedSweeps<T> sweeps(team, rows, factors, x.columns);
  sweeps.solve_upper(x);
  sweeps.solve_lower();
  x = factors.row_order->to_bands(sweeps.own());
}

template void solve_lu(Team&, Team&, const BlockedRows<float>&, const LuFactors<float>&,
                       Dense<float>&);
template void solve_lu(Team&, Team&, const BlockedRows<double>&, const LuFactors<double>&,
                       Dense<double>&);
template void solve_lu_transposed(Team&, const BlockedRows<float>&, LuFactors<float>&,
                                  Dense<float>&);
template void solve_lu_transposed(Team&, const BlockedRows<double>&, LuFactors<double>&,
                                  Dense<double>&);

}  // namespace spsolve
