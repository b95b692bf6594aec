#include "eliminate/lu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/blas.hpp"
#include "eliminate/election.hpp"

namespace spsolve {

namespace {

/// Multipliers above this make a tournament's panel worth redoing with partial pivoting.
constexpr double largest_multiplier = 10;

/// One panel after another of a team's elimination.
template <typename T>
class TeamElimination {
 public:
  TeamElimination(Team& team, const CyclicRows& layout, BlockedBand<T>& band, Pivoting pivoting)
      : team_(team), layout_(layout), band_(band), pivoting_(pivoting) {
    result_.rows_here = layout.global_rows(team.rank());
    packed_.resize(static_cast<std::size_t>(layout.block * layout.rows));
  }

  void eliminate(Range panel) {
    Election<T> election = elect(panel);
    retire(election);
    double largest = form_multipliers(election, panel);
    if (pivoting_ == Pivoting::tournament && !(largest <= largest_multiplier)) {
      ++result_.redone_panels;
      election = elect_by_columns(team_, band_, first_active_, panel, result_.rows_here);
      retire(election);
      largest = form_multipliers(election, panel);
    }
    check(election, panel, largest);
    band_.accept_multipliers(first_active_ + mine(election), panel);

    const Range rest{panel.last, layout_.rows};
    share_pivot_rows(election, panel);
    band_.solve_pivot_rows(panel, rest);
    keep_pivot_rows(election, panel);
    band_.update(first_active_ + mine(election), panel, rest);
    finish(std::move(election), panel);
  }

  LuFactors<T> take_result() {
    double largest_upper = 0;
    for (const auto& panel : result_.panels) {
      const Index width = panel.columns.size();
      for (Index i = 0; i < width; ++i) {
        for (Index j = i; j < width; ++j) {
          largest_upper = std::max<double>(largest_upper, std::abs(panel.factors[i * width + j]));
        }
      }
      // Behind the panel, rows are whole: their upper part begins at the panel's last column.
      for (Index i = 0; i < panel.retired; ++i) {
        const Index row = panel.first_active + i;
        largest_upper =
            std::max(largest_upper, band_.largest_upper({row, row + 1}, panel.columns.last));
      }
    }
    result_.pivots.growth = all_maximum(team_, largest_upper) / result_.pivots.largest_entry;
    return std::move(result_);
  }

  void set_largest_entry(double value) { result_.pivots.largest_entry = value; }

 private:
  Election<T> elect(Range panel) {
    switch (pivoting_) {
      case Pivoting::none:
        return take_in_order(team_, band_, first_active_, panel,
                             static_cast<int>(panel.first / layout_.block % team_.size()));
      case Pivoting::tournament:
        return elect_by_tournament(team_, band_, first_active_, panel, result_.rows_here);
      default:
        return elect_by_columns(team_, band_, first_active_, panel, result_.rows_here);
    }
  }

  Index mine(const Election<T>& election) const {
    return std::count(election.owner.begin(), election.owner.end(), team_.rank());
  }

  /// This rank's pivots to the top of its active rows, in the order of elimination.
  void retire(const Election<T>& election) {
    std::vector<Index> chosen;
    for (std::size_t i = 0; i < election.owner.size(); ++i) {
      if (election.owner[i] == team_.rank()) chosen.push_back(election.place[i]);
    }
    band_.retire(first_active_, chosen);
    swap_to_front(std::span(result_.rows_here), first_active_, chosen);
  }

  double form_multipliers(const Election<T>& election, Range panel) {
    return all_maximum(
        team_, band_.form_multipliers(first_active_ + mine(election), panel, election.factors));
  }

  void check(const Election<T>& election, Range panel, double largest) {
    const Index width = panel.size();
    const std::string_view advice = pivoting_ == Pivoting::none ? advice_without_pivoting : "";
    for (Index i = 0; i < width; ++i) {
      const auto pivot = static_cast<double>(election.factors[i * width + i]);
      check_pivot(pivot, panel.first + i, layout_.rows, advice);
      result_.pivots.include(pivot, panel.first + i == 0);
    }
    check_pivot(std::isfinite(largest) ? 1.0 : largest, panel.last - 1, layout_.rows, advice);
  }

  /// The pivot rows of all owners, one broadcast each, into everybody's pivot block.
  void share_pivot_rows(const Election<T>& election, Range panel) {
    const Index length = layout_.rows - panel.first;
    std::vector<Index> next(static_cast<std::size_t>(team_.size()), 0);
    for (const int owner : election.owner) ++next[owner];
    Index sent = 0;
    for (int owner = 0; owner < team_.size(); ++owner) {
      const Index count = std::exchange(next[owner], sent);
      if (count == 0) continue;
      const std::span<T> rows = std::span(packed_).subspan(sent * length, count * length);
      if (owner == team_.rank()) band_.pack_rows(first_active_, count, panel, rows);
      broadcast(team_, rows, owner);
      sent += count;
    }
    // Owners sent their rows in the order of elimination, one owner after another.
    std::vector<Index> order;
    for (const int owner : election.owner) order.push_back(next[owner]++);
    band_.set_pivot_block(panel, election.factors, packed_, order);
  }

  void keep_pivot_rows(const Election<T>& election, Range panel) {
    std::vector<Index> in_block;
    for (std::size_t i = 0; i < election.owner.size(); ++i) {
      if (election.owner[i] == team_.rank()) in_block.push_back(static_cast<Index>(i));
    }
    band_.keep_pivot_rows(panel, in_block, first_active_);
  }

  void finish(Election<T>&& election, Range panel) {
    const Index retired = mine(election);
    result_.order.insert(result_.order.end(), election.row.begin(), election.row.end());
    result_.panels.push_back({panel, std::move(election.owner), std::move(election.row),
                              std::move(election.factors), first_active_, retired});
    first_active_ += retired;
  }

  Team& team_;
  const CyclicRows& layout_;
  BlockedBand<T>& band_;
  Pivoting pivoting_;
  LuFactors<T> result_;
  std::vector<T> packed_;
  Index first_active_ = 0;
};

/// The elimination of a rank that has all rows.
template <typename T>
LuFactors<T> factor_alone(const CyclicRows& layout, BlockedBand<T>& band, Pivoting pivoting,
                          Progress& progress) {
  const Index n = layout.rows;
  LuFactors<T> result;
  result.pivots.largest_entry = band.largest();
  result.order.resize(n);
  std::iota(result.order.begin(), result.order.end(), Index{0});
  std::vector<Index> swaps(n);
  for (Index first = 0; first < n; first += layout.block) {
    const Range panel{first, std::min(first + layout.block, n)};
    const Range rest{panel.last, n};
    const std::span<Index> panel_swaps = std::span(swaps).subspan(first, panel.size());
    const Index bad = band.factor_panel(panel, pivoting != Pivoting::none, panel_swaps);
    if (bad >= 0) {
      check_pivot(band.diagonal()[bad], bad, n,
                  pivoting == Pivoting::none ? advice_without_pivoting : "");
    }
    band.solve_pivot_rows(panel, rest);
    band.update(panel.last, panel, rest);
    progress.done(panel.last, n, 1.0 - std::pow(1.0 - static_cast<double>(panel.last) / n, 3));
  }
  for (Index k = 0; k < n; ++k) std::swap(result.order[k], result.order[swaps[k]]);
  const std::vector<T> diagonal = band.diagonal();
  for (Index k = 0; k < n; ++k) {
    check_pivot(diagonal[k], k, n, "");
    result.pivots.include(diagonal[k], k == 0);
  }
  if (n > 0) result.pivots.growth = band.largest_upper({0, n}, 0) / result.pivots.largest_entry;
  return result;
}

/// The values of a panel's pivot rows in everybody's `c` (own rows x K), brought to all.
template <typename T>
std::vector<T> gather_pivot_rows(Team& team, const typename LuFactors<T>::Panel& panel,
                                 const std::vector<T>& c, Index columns) {
  const Index width = panel.columns.size();
  std::vector<T> mine(static_cast<std::size_t>(width * columns));
  std::copy_n(c.begin() + panel.first_active * columns, panel.retired * columns, mine.begin());
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

  // z = L^-1 P b, panel by panel; z takes the place of x, in the order of elimination.
  for (const auto& panel : factors.panels) {
    const Index width = panel.columns.size();
    const std::vector<T> right = gather_pivot_rows<T>(team, panel, c, columns);
    T* z = x.row(panel.columns.first);
    std::copy(right.begin(), right.end(), z);
    blas::solve_unit_lower(width, columns, panel.factors.data(), width, z, columns);
    band.subtract_product({panel.first_active + panel.retired, band.height()}, panel.columns,
                          std::span<const T>(z, right.size()), c, columns);
  }
  // Own pivot rows start the way back from their z.
  for (const auto& panel : factors.panels) {
    Index place = panel.first_active;
    for (Index i = 0; i < panel.columns.size(); ++i) {
      if (panel.owner[i] != team.rank()) continue;
      std::copy_n(x.row(panel.columns.first + i), columns, c.begin() + place++ * columns);
    }
  }
  // x = U^-1 z, last panel first.
  for (auto panel = factors.panels.rbegin(); panel != factors.panels.rend(); ++panel) {
    const Index width = panel->columns.size();
    const std::vector<T> right = gather_pivot_rows<T>(team, *panel, c, columns);
    T* solution = x.row(panel->columns.first);
    std::copy(right.begin(), right.end(), solution);
    blas::solve_upper(width, columns, panel->factors.data(), width, solution, columns);
    band.subtract_product({0, panel->first_active}, panel->columns,
                          std::span<const T>(solution, right.size()), c, columns);
  }
}

}  // namespace

template <typename T>
LuFactors<T> factor_lu(Team& team, const CyclicRows& layout, BlockedBand<T>& band,
                       Pivoting pivoting, Progress& progress) {
  if (team.size() == 1) return factor_alone(layout, band, pivoting, progress);
  const Index n = layout.rows;
  TeamElimination<T> elimination(team, layout, band, pivoting);
  elimination.set_largest_entry(all_maximum(team, band.largest()));
  for (Index first = 0; first < n; first += layout.block) {
    const Range panel{first, std::min(first + layout.block, n)};
    elimination.eliminate(panel);
    progress.done(panel.last, n, 1.0 - std::pow(1.0 - static_cast<double>(panel.last) / n, 3));
  }
  return elimination.take_result();
}

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

template LuFactors<float> factor_lu(Team&, const CyclicRows&, BlockedBand<float>&, Pivoting,
                                    Progress&);
template LuFactors<double> factor_lu(Team&, const CyclicRows&, BlockedBand<double>&, Pivoting,
                                     Progress&);
template void solve_lu(Team&, const BlockedBand<float>&, const LuFactors<float>&, Dense<float>&);
template void solve_lu(Team&, const BlockedBand<double>&, const LuFactors<double>&, Dense<double>&);

}  // namespace spsolve
