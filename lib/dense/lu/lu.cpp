#include "dense/lu/lu.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "dense/lu/factor_collector.hpp"
#include "dense/lu/lu_state.hpp"
#include "dense/lu/lu_steps.hpp"
#include "dense/lu/panel_pivots.hpp"
#include "dense/lu/replicated_tail.hpp"
#include "dense/state/fill_rows.hpp"
#include "dense/state/swaps.hpp"

namespace spsolve::inline dense {

namespace {

/// One panel after another.
template <typename T>
class BlockedElimination {
 public:
  BlockedElimination(Team& team, Team& pivot_team, Team& candidate_team, const RowLayout& layout,
                     BlockedRows<T>& rows, Pivoting pivoting, Checkpoints* checkpoints,
                     Index steps_before)
      : team_(team),
        pivot_team_(pivot_team),
        candidate_team_(candidate_team),
        layout_(layout),
        rows_(rows),
        pivoting_(pivoting),
        checkpoints_(checkpoints),
        steps_before_(steps_before),
        // Rows of a rest come rank after rank, not as they stand in the matrix.
        tail_(team.size() == 1 || pivoting == Pivoting::none ? nullptr : rows.tail()) {}

  LuFactors<T> run(Progress& progress) {
    Range panel = panel_at(begin(progress));
    PanelPivots pivots;
    PartTimer timer;
    const auto begin_panel = [&](Index first_active, Range columns) {
      timer.measure(&LuSeconds::panel, [&] {
        if (merges_all_rows(columns)) {
          candidates_ =
              all_candidates(candidate_team_, rows_, active_rows(), team_.rank(), columns);
        } else {
          rows_.begin_panel(first_active, columns, pivoting_);
        }
      });
    };
    const auto choose_pivots = [&](Range columns) {
      timer.measure(&LuSeconds::panel, [&] { pivots = select_pivots(columns); });
    };
    if (panel.size() > 0) {
      begin_panel(first_active_, panel);
      choose_pivots(panel);
    }
    while (panel.size() > 0) {
      timer.measure(&LuSeconds::panel, [&] { apply_pivots(pivots, panel); });
      const Range next = panel_at(panel.last);
      const std::vector<Index> own = pivots.of(team_.rank());
      const Index active = first_active_ + std::ssize(own);
      for (const Range piece : pieces_behind(rows_, panel, next)) {
        timer.measure(&LuSeconds::exchange, [&] { share_pivot_rows(pivots, panel, piece); });
        timer.measure(&LuSeconds::update, [&] {
          rows_.solve_pivot_rows(panel, piece, own, first_active_);
          rows_.update(active, panel, piece);
        });
        // A checkpoint keeps the next panel as it is before its elimination.
        const bool begins = piece.first == panel.last && next.size() > 0;
        if (begins && request_ == CheckpointRequest::none) begin_panel(active, next);
      }
      finish(std::move(pivots), panel, std::ssize(own));
      if (request_ != CheckpointRequest::none && panel.last < layout_.rows) {
        save_checkpoint(request_, panel.last);
        if (next.size() > 0) begin_panel(active, next);
      }
      if (next.size() > 0) choose_pivots(next);
      tell(progress, panel.last, layout_.rows);
      panel = next;
    }
    if (panel.first < layout_.rows) {
      timer.measure(&LuSeconds::panel, [&] { finish_by_tail(); });
      panel = {layout_.rows, layout_.rows};
      tell(progress, panel.last, layout_.rows);
    }
    result_.seconds = timer.result(rows_.seconds());
    if (checkpoints_ != nullptr)
      save_checkpoint(checkpoints_->request_at_the_end(panel.first), panel.first);
    return take_result();
  }

 private:
  bool alone() const { return team_.size() == 1; }

  /// The panel that begins at column `first`; none where the rest begins.
  Range panel_at(Index first) const {
    Range panel = panel_from(layout_, rows_, first);
    if (tail_ != nullptr && first <= tail_->first()) {
      panel.last = std::min(panel.last, tail_->first());
    }
    return panel;
  }

  /// The first column to eliminate: 0, or where a checkpoint goes on.
  Index begin(Progress& progress) {
    const Index first = begin_columns(progress);
    first_of_ranks_ = all_gather(team_, first_active_);
    return first;
  }

  Index begin_columns(Progress& progress) {
    auto state = resume_lu(team_, layout_, rows_, checkpoints_);
    if (!state) {
      result_.rows_here = layout_.global_rows(team_.rank());
      result_.pivots.largest_entry =
          all_maximum(team_, rows_.largest_in({0, rows_.height()}, {0, rows_.order()}));
      return 0;
    }
    result_.panels = panels_of(team_, layout_, rows_, *state);
    result_.pivots.largest_entry = state->largest_entry;
    for (const auto& panel : result_.panels) {
      include(panel.factors, panel.columns);
      collector_.include(panel);
      first_active_ += panel.retired;
    }
    result_.order = std::move(state->pivot_rows);
    result_.rows_here = std::move(state->rows);
    result_.redone_panels = static_cast<int>(state->redone_panels);
    progress.resume(share_done(Method::lu, state->step, layout_.rows));
    return state->step;
  }

  /// Does what all ranks wish for after `step` columns, nothing being on its way.
  void save_checkpoint(CheckpointRequest request, Index step) {
    if (request == CheckpointRequest::none) return;
    collector_.collect();
    EliminationState state = state_behind(step, layout_, result_);
    for (const auto& panel : result_.panels) state.panel_ends.push_back(panel.columns.last);
    state.rows = result_.rows_here;
    save_lu(*checkpoints_, request, rows_, state);
  }

  std::string_view advice() const {
    return pivoting_ == Pivoting::none ? advice_without_pivoting : "";
  }

  // --- the pivots of a panel

  /// The election of the pivots of a panel. A rank alone eliminates the panel here.
  PanelPivots select_pivots(Range panel) {
    if (alone()) return eliminate_panel(panel);
    // Only a stack leaves the factors before it where they are.
    pivoting_ == Pivoting::tournament ? collector_.end() : collector_.collect();
    switch (pivoting_) {
      case Pivoting::none:
        return pivots_in_order(team_, rows_, first_active_, panel,
                               static_cast<int>(panel.first / layout_.block % team_.size()));
      case Pivoting::tournament: {
        if (!candidates_) {
          candidates_ = best_candidates(team_, candidate_team_, rows_, first_active_, panel,
                                        result_.rows_here);
        }
        collector_.start();
        const PanelPivots candidates = *std::exchange(candidates_, std::nullopt);
        return merge_candidates(candidates, team_, rows_, panel, result_.rows_here);
      }
      default:
        return pivots_by_columns(team_, rows_, first_active_, panel, result_.rows_here);
    }
  }

  PanelPivots eliminate_panel(Range panel) {
    const PanelOutcome outcome = rows_.factor_panel(panel, pivoting_);
    result_.redone_panels += outcome.redone ? 1 : 0;
    if (outcome.bad_column >= 0) {
      check(magnitude(rows_.diagonal()[outcome.bad_column]), outcome.bad_column);
    }
    swap_numbers(outcome.swaps);
    const auto first = result_.rows_here.begin() + first_active_;
    PanelPivots pivots;
    pivots.owner.assign(outcome.swaps.size(), team_.rank());
    pivots.row.assign(first, first + panel.size());
    return pivots;
  }

  /// In a team, brings the elected rows to the top and puts their multipliers into the panel;
  /// elects again, column by column, where a tournament's multipliers are too large.
  void apply_pivots(PanelPivots& pivots, Range panel) {
    if (alone()) {
      request_ = own_request(panel);
      return;
    }
    retire(pivots, panel);
    double largest = form_multipliers(pivots, panel);
    if (pivoting_ == Pivoting::tournament && !(largest <= largest_tournament_multiplier)) {
      ++result_.redone_panels;
      rows_.withdraw_multipliers(behind(pivots), panel);
      pivots = pivots_by_columns(team_, rows_, first_active_, panel, result_.rows_here);
      retire(pivots, panel);
      largest = form_multipliers(pivots, panel);
    }
    check(panel, largest);
    for (const int owner : pivots.owner) ++first_of_ranks_[owner];
  }

  /// The places of the rows of every rank that stay active after the panel that was settled last.
  std::vector<Range> active_rows() const {
    std::vector<Range> active;
    for (int rank = 0; rank < team_.size(); ++rank) {
      active.push_back({first_of_ranks_[rank], layout_.height(rank)});
    }
    return active;
  }

  bool merges_all_rows(Range panel) const {
    if (pivoting_ != Pivoting::tournament || alone() || !rows_.prefers_all(panel)) return false;
    const Index most = most_candidates(layout_.rows - panel.first, panel.size(), team_.size());
    return std::ranges::all_of(active_rows(), [&](Range rows) { return rows.size() <= most; });
  }

  /// The first row that stays active.
  Index behind(const PanelPivots& pivots) const {
    return first_active_ + std::ranges::count(pivots.owner, team_.rank());
  }

  CheckpointRequest own_request(Range panel) const {
    return checkpoints_ == nullptr ? CheckpointRequest::none : checkpoints_->request(panel.last);
  }

  /// This rank's pivots to the top of its active rows, in the order of elimination.
  void retire(const PanelPivots& pivots, Range panel) {
    std::vector<Index> chosen;
    for (const Index i : pivots.of(team_.rank())) chosen.push_back(pivots.place[i]);
    const std::vector<Index> swaps = swaps_to_front(first_active_, chosen);
    rows_.retire(first_active_, panel, swaps);
    swap_numbers(swaps);
  }

  /// The numbers in A follow their rows, which step i swapped at first_active_ + i and swaps[i].
  void swap_numbers(std::span<const Index> swaps) {
    Index place = first_active_;
    for (const Index other : swaps) {
      std::swap(result_.rows_here[place++], result_.rows_here[other]);
    }
  }

  /// The largest multiplier of all ranks; with it come their wishes.
  double form_multipliers(const PanelPivots& pivots, Range panel) {
    double largest[] = {rows_.form_multipliers(behind(pivots), panel),
                        static_cast<double>(own_request(panel))};
    all_maximum(team_, largest);
    request_ = static_cast<CheckpointRequest>(static_cast<int>(largest[1]));
    return largest[0];
  }

  void check(double pivot, Index step) const {
    check_pivot(pivot, steps_before_ + step, steps_before_ + layout_.rows, advice());
  }

  void check(Range panel, double largest) {
    const std::span<const T> factors = rows_.factors(panel);
    for (Index i = 0; i < panel.size(); ++i) {
      check(magnitude(factors[i * panel.size() + i]), panel.first + i);
    }
    include(factors, panel);
    if (std::isfinite(largest)) return;
    fail_everywhere(
        ExitCode::not_trustworthy,
        "a multiplier of steps {} to {} of {} is not a finite number: the numbers of the "
        "matrix overflow on the way{}",
        panel.first + 1, panel.last, layout_.rows, advice());
  }

  // --- the columns after it

  /// A piece of all owners' pivot rows into everybody's pivot block; alone, it is the rows.
  void share_pivot_rows(const PanelPivots& pivots, Range panel, Range piece) {
    rows_.follow_swaps(panel, piece);
    if (alone()) return;
    std::vector<Index> next(static_cast<std::size_t>(team_.size()), 0);
    for (const int owner : pivots.owner) ++next[owner];
    std::vector<BroadcastPart> parts;
    Index sent = 0;
    for (int owner = 0; owner < team_.size(); ++owner) {
      const Index count = std::exchange(next[owner], sent);
      if (count == 0) continue;
      const std::span<T> packed =
          rows_.pack_rows(piece, first_active_, owner == team_.rank() ? count : 0, sent);
      parts.push_back({owner, std::as_writable_bytes(
                                  packed.subspan(sent * piece.size(), count * piece.size()))});
      sent += count;
    }
    pivot_team_.broadcast_parts(parts);
    // Owners sent their rows in the order of elimination, one owner after another.
    std::vector<Index> order;
    for (const int owner : pivots.owner) order.push_back(next[owner]++);
    rows_.set_pivot_block(panel, piece, order);
  }

  void finish(PanelPivots&& pivots, Range panel, Index retired) {
    result_.order.insert(result_.order.end(), pivots.row.begin(), pivots.row.end());
    typename LuFactors<T>::Panel done{panel, std::move(pivots.owner), {}, first_active_, retired};
    result_.panels.push_back(std::move(done));
    if (!alone()) collector_.put(rows_.factors(panel));
    first_active_ += retired;
  }

  /// Every rank eliminates the rest after the last panel for itself.
  void finish_by_tail() {
    collector_.collect();
    EliminatedTail rest =
        eliminate_tail(team_, pivot_team_, *tail_, active_rows(), result_.rows_here, pivoting_);
    swap_numbers(rest.swaps);
    result_.order.insert(result_.order.end(), rest.row.begin(), rest.row.end());
    result_.redone_panels += rest.redone_panels;
    result_.pivots.include(rest.pivots.smallest_pivot, tail_->first() == 0);
    result_.pivots.include(rest.pivots.largest_pivot, false);
    largest_of_tail_ = rest.largest_upper;
    const auto owner = rest.owner.begin() - tail_->first();
    for (Range panel{0, tail_->first()}; panel.last < layout_.rows;) {
      panel = panel_from(layout_, rows_, panel.last);
      typename LuFactors<T>::Panel done{panel,
                                        {owner + panel.first, owner + panel.last},
                                        tail_->keep_factors(panel),
                                        first_active_};
      done.retired = std::ranges::count(done.owner, team_.rank());
      first_active_ += done.retired;
      result_.panels.push_back(std::move(done));
    }
  }

  // --- what is told of it

  /// The pivots of a team's panel, on the diagonal of its factors.
  void include(std::span<const T> factors, Range panel) {
    for (Index i = 0; i < panel.size() && !factors.empty(); ++i) {
      result_.pivots.include(magnitude(factors[i * panel.size() + i]), panel.first + i == 0);
    }
  }

  /// max |u_ij| of this rank's rows.
  double largest_upper() const {
    const Index n = layout_.rows;
    if (alone()) return n > 0 ? rows_.largest_in({0, n}, {0, n}, true) : 0;
    double largest = std::max(collector_.largest_upper(), largest_of_tail_);
    for (const auto& panel : result_.panels) {
      if (largest_of_tail_ > 0 && panel.columns.first >= tail_->first()) break;
      // After the panel, rows are whole: their upper part begins at the panel's last column.
      const Range retired{panel.first_active, panel.first_active + panel.retired};
      largest = std::max(largest, rows_.largest_in(retired, {panel.columns.last, n}));
    }
    return largest;
  }

  LuFactors<T> take_result() {
    collector_.collect();
    const Index n = layout_.rows;
    if (alone()) {
      const std::vector<T> diagonal = rows_.diagonal();
      for (Index k = 0; k < n; ++k) {
        check(magnitude(diagonal[k]), k);
        result_.pivots.include(magnitude(diagonal[k]), k == 0);
      }
    }
    if (n > 0) {
      result_.largest_upper = largest_upper();
      result_.pivots.growth =
          all_maximum(team_, result_.largest_upper) / result_.pivots.largest_entry;
    }
    if (alone()) {
      rows_.solution().take_order(result_.rows_here);
    } else {
      result_.row_order.emplace(team_, RowLayout{n, team_.size()}, result_.rows_here);
    }
    return std::move(result_);
  }

  Team& team_;
  Team& pivot_team_;      // for pivot rows, in the ranks' own memory
  Team& candidate_team_;  // for the rows that pivots are elected from
  const RowLayout& layout_;
  BlockedRows<T>& rows_;
  Pivoting pivoting_;
  Checkpoints* checkpoints_;
  Index steps_before_;
  ReplicatedTail<T>* tail_;     // of a team, or null
  double largest_of_tail_ = 0;  // max |u_ij| there, once it is eliminated
  LuFactors<T> result_;
  FactorCollector<T> collector_{result_.panels, rows_};
  Index first_active_ = 0;
  std::vector<Index> first_of_ranks_;      // first active places after the panel settled last
  std::optional<PanelPivots> candidates_;  // what all offer, where it is being eliminated already
  CheckpointRequest request_ = CheckpointRequest::none;  // of all ranks, after the present panel
};

}  // namespace

template <typename T>
LuFactors<T> factor_lu(Team& team, Team& pivot_team, Team& candidate_team, const RowLayout& layout,
                       BlockedRows<T>& rows, Pivoting pivoting, Progress& progress,
                       Checkpoints* checkpoints, Index steps_before) {
  return BlockedElimination<T>(team, pivot_team, candidate_team, layout, rows, pivoting,
                               checkpoints, steps_before)
      .run(progress);
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(factor_lu)

}  // namespace spsolve::dense
