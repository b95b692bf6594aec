#include "eliminate/lu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/blas.hpp"
#include "core/timer.hpp"
#include "eliminate/election.hpp"

namespace spsolve {

namespace {

Range panel_from(const CyclicRows& layout, Index first) {
  return {first, std::min(first + layout.block, layout.rows)};
}

/// A(active, rest) <- A(active, rest) - L pivot block; the next panel's columns first where the
/// rest then goes on beside the search for its pivots.
template <typename T>
void update_behind(BlockedBand<T>& band, Index first_active, Range panel, Range next) {
  if (!band.overlaps()) return band.update(first_active, panel, {panel.last, band.order()});
  band.update(first_active, panel, next);
  band.update(first_active, panel, {next.last, band.order()});
}

void tell(Progress& progress, Index done, Index n) {
  progress.done(done, n, 1.0 - std::pow(1.0 - static_cast<double>(done) / n, 3));
}

/// One panel after another of a team's elimination.
template <typename T>
class TeamElimination {
 public:
  TeamElimination(Team& team, Team& rows, const CyclicRows& layout, BlockedBand<T>& band,
                  Pivoting pivoting)
      : team_(team), rows_(rows), layout_(layout), band_(band), pivoting_(pivoting) {
    result_.rows_here = layout.global_rows(team.rank());
    result_.pivots.largest_entry =
        all_maximum(team, band.largest_in({0, band.height()}, {0, band.order()}));
  }

  LuFactors<T> run(Progress& progress) {
    Range panel = panel_from(layout_, 0);
    Election<T> election;
    if (panel.size() > 0) election = elect(panel);
    while (panel.size() > 0) {
      settle(election, panel);
      share_pivot_rows(election, panel);
      band_.solve_pivot_rows(panel, {panel.last, layout_.rows});
      keep_pivot_rows(election, panel);
      finish(std::move(election), panel);
      const Range next = panel_from(layout_, panel.last);
      update_behind(band_, first_active_, panel, next);
      if (next.size() > 0) election = elect(next);
      tell(progress, panel.last, layout_.rows);
      panel = next;
    }
    return take_result();
  }

 private:
  /// Brings the elected rows to the top and puts their multipliers into the panel; elects again,
  /// column by column, where a tournament's multipliers are too large.
  void settle(Election<T>& election, Range panel) {
    retire(election);
    double largest = form_multipliers(election, panel);
    if (pivoting_ == Pivoting::tournament && !(largest <= largest_tournament_multiplier)) {
      ++result_.redone_panels;
      election = elect_by_columns(team_, band_, first_active_, panel, result_.rows_here);
      retire(election);
      largest = form_multipliers(election, panel);
    }
    check(election, panel, largest);
    band_.accept_multipliers(first_active_ + mine(election), panel);
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
      const Range retired{panel.first_active, panel.first_active + panel.retired};
      largest_upper =
          std::max(largest_upper, band_.largest_in(retired, {panel.columns.last, layout_.rows}));
    }
    result_.pivots.growth = all_maximum(team_, largest_upper) / result_.pivots.largest_entry;
    return std::move(result_);
  }

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
    Index place = first_active_;
    for (const Index other : swaps_to_front(first_active_, chosen)) {
      std::swap(result_.rows_here[place++], result_.rows_here[other]);
    }
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
      const std::span<T> rows = band_.row_buffer().subspan(sent * length, count * length);
      if (owner == team_.rank()) band_.pack_rows(first_active_, count, panel, rows);
      broadcast(rows_, rows, owner);
      sent += count;
    }
    // Owners sent their rows in the order of elimination, one owner after another.
    std::vector<Index> order;
    for (const int owner : election.owner) order.push_back(next[owner]++);
    band_.set_pivot_block(panel, election.factors, order);
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
  Team& rows_;  // for the rows of bands, in their own memory
  const CyclicRows& layout_;
  BlockedBand<T>& band_;
  Pivoting pivoting_;
  LuFactors<T> result_;
  Index first_active_ = 0;
};

/// The time of a rank alone, part by part.
class PartTimer {
 public:
  template <typename Work>
  void measure(double LuSeconds::*part, Work&& work) {
    const Timer timer;
    work();
    parts_.*part += timer.seconds();
  }

  /// What a band that overlaps knows better than who calls it.
  LuSeconds result(const std::optional<LuSeconds>& of_band) const {
    const double whole = whole_.seconds();
    LuSeconds parts = of_band.value_or(parts_);
    parts.wait = whole - parts.exchange - parts.update - (of_band ? 0.0 : parts.panel);
    return parts;
  }

 private:
  LuSeconds parts_;
  Timer whole_;
};

/// The elimination of a rank that has all rows.
template <typename T>
LuFactors<T> factor_alone(const CyclicRows& layout, BlockedBand<T>& band, Pivoting pivoting,
                          Progress& progress) {
  const Index n = layout.rows;
  LuFactors<T> result;
  result.pivots.largest_entry = band.largest_in({0, n}, {0, n});
  result.order.resize(n);
  std::iota(result.order.begin(), result.order.end(), Index{0});
  std::vector<Index> swaps(n);
  const auto swaps_of = [&](Range panel) {
    return std::span(swaps).subspan(panel.first, panel.size());
  };
  const auto factor = [&](Range panel) {
    const auto outcome = band.factor_panel(panel, pivoting, swaps_of(panel));
    result.redone_panels += outcome.redone;
    if (outcome.bad_column < 0) return;
    check_pivot(band.diagonal()[outcome.bad_column], outcome.bad_column, n,
                pivoting == Pivoting::none ? advice_without_pivoting : "");
  };
  PartTimer timer;
  Range panel = panel_from(layout, 0);
  timer.measure(&LuSeconds::panel, [&] { factor(panel); });
  while (panel.size() > 0) {
    timer.measure(&LuSeconds::exchange, [&] { band.follow_swaps(panel, swaps_of(panel)); });
    const Range next = panel_from(layout, panel.last);
    timer.measure(&LuSeconds::update, [&] {
      band.solve_pivot_rows(panel, {panel.last, n});
      update_behind(band, panel.last, panel, next);
    });
    if (next.size() > 0) timer.measure(&LuSeconds::panel, [&] { factor(next); });
    tell(progress, panel.last, n);
    panel = next;
  }
  const std::optional<LuSeconds> of_band = band.seconds();
  result.seconds = timer.result(of_band);
  for (Index k = 0; k < n; ++k) std::swap(result.order[k], result.order[swaps[k]]);
  const std::vector<T> diagonal = band.diagonal();
  for (Index k = 0; k < n; ++k) {
    check_pivot(diagonal[k], k, n, "");
    result.pivots.include(diagonal[k], k == 0);
  }
  if (n > 0) result.pivots.growth = band.largest_upper() / result.pivots.largest_entry;
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
LuFactors<T> factor_lu(Team& team, Team& rows, const CyclicRows& layout, BlockedBand<T>& band,
                       Pivoting pivoting, Progress& progress) {
  if (team.size() == 1) return factor_alone(layout, band, pivoting, progress);
  return TeamElimination<T>(team, rows, layout, band, pivoting).run(progress);
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

template LuFactors<float> factor_lu(Team&, Team&, const CyclicRows&, BlockedBand<float>&, Pivoting,
                                    Progress&);
template LuFactors<double> factor_lu(Team&, Team&, const CyclicRows&, BlockedBand<double>&,
                                     Pivoting, Progress&);
template void solve_lu(Team&, const BlockedBand<float>&, const LuFactors<float>&, Dense<float>&);
template void solve_lu(Team&, const BlockedBand<double>&, const LuFactors<double>&, Dense<double>&);

}  // namespace spsolve
