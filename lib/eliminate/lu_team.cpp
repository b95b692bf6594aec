#include "eliminate/lu_team.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "eliminate/dense_rows.hpp"
#include "eliminate/election.hpp"
#include "eliminate/lu_state.hpp"
#include "eliminate/lu_steps.hpp"

namespace spsolve {

namespace {

/// One panel after another of a team's elimination.
template <typename T>
class TeamElimination {
 public:
  TeamElimination(Team& team, Team& rows, Team& candidates, const CyclicRows& layout,
                  BlockedBand<T>& band, Pivoting pivoting, Checkpoints* checkpoints)
      : team_(team),
        rows_(rows),
        candidates_(candidates),
        layout_(layout),
        band_(band),
        pivoting_(pivoting),
        checkpoints_(checkpoints) {}

  LuFactors<T> run(Progress& progress) {
    Range panel = panel_from(layout_, band_, begin(progress));
    Election election;
    PartTimer timer;
    if (panel.size() > 0) {
      timer.measure(&LuSeconds::panel, [&] {
        if (pivoting_ == Pivoting::tournament) band_.begin_election(first_active_, panel);
        election = elect(panel);
      });
    }
    while (panel.size() > 0) {
      timer.measure(&LuSeconds::panel, [&] { settle(election, panel); });
      const Range next = panel_from(layout_, band_, panel.last);
      const Index active = first_active_ + mine(election);
      for (const Range piece : pieces_behind(band_, panel, next)) {
        timer.measure(&LuSeconds::exchange, [&] { share_pivot_rows(election, panel, piece); });
        timer.measure(&LuSeconds::update, [&] {
          band_.solve_pivot_rows(panel, piece);
          keep_pivot_rows(election, panel, piece);
          band_.update(active, panel, piece);
        });
        if (piece.first == panel.last && next.size() > 0 && pivoting_ == Pivoting::tournament) {
          timer.measure(&LuSeconds::panel, [&] { band_.begin_election(active, next); });
        }
      }
      finish(std::move(election), panel);
      if (next.size() > 0) {
        keep(wish_, panel.last);
        timer.measure(&LuSeconds::panel, [&] { election = elect(next); });
      }
      tell(progress, panel.last, layout_.rows);
      panel = next;
    }
    result_.seconds = timer.result(band_.seconds());
    if (checkpoints_ != nullptr) keep(checkpoints_->wish_at_the_end(panel.first), panel.first);
    return take_result();
  }

 private:
  /// The first column to eliminate: 0, or where a checkpoint goes on.
  Index begin(Progress& progress) {
    auto state = resume_lu(team_, layout_, band_, checkpoints_);
    if (!state) {
      result_.rows_here = layout_.global_rows(team_.rank());
      result_.pivots.largest_entry =
          all_maximum(team_, band_.largest_in({0, band_.height()}, {0, band_.order()}));
      return 0;
    }
    result_.panels = panels_of(team_, layout_, band_, *state);
    result_.pivots.largest_entry = state->largest_entry;
    for (const auto& panel : result_.panels) {
      include_pivots(panel.factors, panel.columns);
      include_upper(panel.factors, panel.columns.size());
      first_active_ += panel.retired;
    }
    result_.order = std::move(state->pivot_rows);
    result_.rows_here = std::move(state->rows);
    result_.redone_panels = static_cast<int>(state->redone_panels);
    progress.resume(fraction_of_work(state->step, layout_.rows));
    return state->step;
  }

  /// Does what all ranks wish for behind `step` columns, nothing being on its way.
  void keep(CheckpointWish wish, Index step) {
    if (wish == CheckpointWish::none) return;
    EliminationState state = state_behind(step, layout_, result_);
    for (const auto& panel : result_.panels) state.panel_ends.push_back(panel.columns.last);
    state.rows = result_.rows_here;
    keep_lu(*checkpoints_, wish, band_, state);
  }

  void include_pivots(std::span<const T> factors, Range panel) {
    for (Index i = 0; i < panel.size(); ++i) {
      result_.pivots.include(factors[i * panel.size() + i], panel.first + i == 0);
    }
  }

  void include_upper(std::span<const T> factors, Index width) {
    for (Index i = 0; i < width; ++i) {
      largest_upper_ = std::max(largest_upper_, largest_of(&factors[i * width + i], width - i));
    }
  }

  /// Brings the elected rows to the top and puts their multipliers into the panel; elects again,
  /// column by column, where a tournament's multipliers are too large.
  void settle(Election& election, Range panel) {
    retire(election, panel);
    double largest = form_multipliers(election, panel);
    if (pivoting_ == Pivoting::tournament && !(largest <= largest_tournament_multiplier)) {
      ++result_.redone_panels;
      band_.withdraw_multipliers(first_active_ + mine(election), panel);
      election = elect_by_columns(team_, band_, first_active_, panel, result_.rows_here);
      retire(election, panel);
      largest = form_multipliers(election, panel);
    }
    check(panel, largest);
  }

  LuFactors<T> take_result() {
    for (const auto& panel : result_.panels) {
      // Behind the panel, rows are whole: their upper part begins at the panel's last column.
      const Range retired{panel.first_active, panel.first_active + panel.retired};
      largest_upper_ =
          std::max(largest_upper_, band_.largest_in(retired, {panel.columns.last, layout_.rows}));
    }
    if (layout_.rows > 0) {
      result_.pivots.growth = all_maximum(team_, largest_upper_) / result_.pivots.largest_entry;
    }
    return std::move(result_);
  }

  Election elect(Range panel) {
    switch (pivoting_) {
      case Pivoting::none:
        return take_in_order(team_, band_, first_active_, panel,
                             static_cast<int>(panel.first / layout_.block % team_.size()));
      case Pivoting::tournament:
        return elect_by_tournament(team_, candidates_, band_, first_active_, panel,
                                   result_.rows_here);
      default:
        return elect_by_columns(team_, band_, first_active_, panel, result_.rows_here);
    }
  }

  Index mine(const Election& election) const {
    return std::count(election.owner.begin(), election.owner.end(), team_.rank());
  }

  /// This rank's pivots to the top of its active rows, in the order of elimination.
  void retire(const Election& election, Range panel) {
    std::vector<Index> chosen;
    for (std::size_t i = 0; i < election.owner.size(); ++i) {
      if (election.owner[i] == team_.rank()) chosen.push_back(election.place[i]);
    }
    band_.retire(first_active_, panel, chosen);
    Index place = first_active_;
    for (const Index other : swaps_to_front(first_active_, chosen)) {
      std::swap(result_.rows_here[place++], result_.rows_here[other]);
    }
  }

  /// The largest multiplier of all ranks; with it come their wishes.
  double form_multipliers(const Election& election, Range panel) {
    const CheckpointWish wish =
        checkpoints_ == nullptr ? CheckpointWish::none : checkpoints_->wish(panel.last);
    double largest[] = {band_.form_multipliers(first_active_ + mine(election), panel),
                        static_cast<double>(wish)};
    all_maximum(team_, largest);
    wish_ = static_cast<CheckpointWish>(static_cast<int>(largest[1]));
    return largest[0];
  }

  void check(Range panel, double largest) {
    const Index width = panel.size();
    const std::span<const T> factors = band_.factors(panel);
    const std::string_view advice = pivoting_ == Pivoting::none ? advice_without_pivoting : "";
    for (Index i = 0; i < width; ++i) {
      const auto pivot = static_cast<double>(factors[i * width + i]);
      check_pivot(pivot, panel.first + i, layout_.rows, advice);
    }
    include_pivots(factors, panel);
    if (std::isfinite(largest)) return;
    fail_everywhere(
        ExitCode::not_trustworthy,
        "a multiplier of steps {} to {} of {} is not a finite number: the numbers of the "
        "matrix overflow on the way{}",
        panel.first + 1, panel.last, layout_.rows, advice);
  }

  /// A piece of all owners' pivot rows into everybody's pivot block.
  void share_pivot_rows(const Election& election, Range panel, Range piece) {
    band_.follow_retired(panel, piece);
    std::vector<Index> next(static_cast<std::size_t>(team_.size()), 0);
    for (const int owner : election.owner) ++next[owner];
    const std::span<T> buffer = band_.row_buffer(piece);
    std::vector<BroadcastPart> parts;
    Index sent = 0;
    for (int owner = 0; owner < team_.size(); ++owner) {
      const Index count = std::exchange(next[owner], sent);
      if (count == 0) continue;
      const std::span<T> rows = buffer.subspan(sent * piece.size(), count * piece.size());
      if (owner == team_.rank()) band_.pack_rows(first_active_, count, piece, rows);
      parts.push_back({owner, std::as_writable_bytes(rows)});
      sent += count;
    }
    rows_.broadcast_parts(parts);
    // Owners sent their rows in the order of elimination, one owner after another.
    std::vector<Index> order;
    for (const int owner : election.owner) order.push_back(next[owner]++);
    band_.set_pivot_block(panel, piece, order);
  }

  void keep_pivot_rows(const Election& election, Range panel, Range piece) {
    std::vector<Index> in_block;
    for (std::size_t i = 0; i < election.owner.size(); ++i) {
      if (election.owner[i] == team_.rank()) in_block.push_back(static_cast<Index>(i));
    }
    band_.keep_pivot_rows(panel, piece, in_block, first_active_);
  }

  void finish(Election&& election, Range panel) {
    const Index retired = mine(election);
    const std::span<const T> factors = band_.factors(panel);
    // Where bands overlap, beside their updates.
    include_upper(factors, panel.size());
    result_.order.insert(result_.order.end(), election.row.begin(), election.row.end());
    result_.panels.push_back({panel,
                              std::move(election.owner),
                              {factors.begin(), factors.end()},
                              first_active_,
                              retired});
    first_active_ += retired;
  }

  Team& team_;
  Team& rows_;        // for the rows of bands, in their own memory
  Team& candidates_;  // for those that are elected from
  const CyclicRows& layout_;
  BlockedBand<T>& band_;
  Pivoting pivoting_;
  Checkpoints* checkpoints_;
  LuFactors<T> result_;
  double largest_upper_ = 0;  // of the panels' factors
  Index first_active_ = 0;
  CheckpointWish wish_ = CheckpointWish::none;  // of all ranks, behind the present panel
};

}  // namespace

template <typename T>
LuFactors<T> factor_in_team(Team& team, Team& rows, Team& candidates, const CyclicRows& layout,
                            BlockedBand<T>& band, Pivoting pivoting, Progress& progress,
                            Checkpoints* checkpoints) {
  return TeamElimination<T>(team, rows, candidates, layout, band, pivoting, checkpoints)
      .run(progress);
}

template LuFactors<float> factor_in_team(Team&, Team&, Team&, const CyclicRows&,
                                         BlockedBand<float>&, Pivoting, Progress&, Checkpoints*);
template LuFactors<double> factor_in_team(Team&, Team&, Team&, const CyclicRows&,
                                          BlockedBand<double>&, Pivoting, Progress&, Checkpoints*);

}  // namespace spsolve
