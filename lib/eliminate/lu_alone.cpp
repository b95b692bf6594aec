#include "eliminate/lu_alone.hpp"

#include <utility>

#include "eliminate/lu_state.hpp"
#include "eliminate/lu_steps.hpp"

namespace spsolve {

namespace {

/// The elimination of a rank that has all rows.
template <typename T>
class LoneElimination {
 public:
  LoneElimination(Team& team, const CyclicRows& layout, BlockedBand<T>& band, Pivoting pivoting,
                  Checkpoints* checkpoints)
      : team_(team), layout_(layout), band_(band), pivoting_(pivoting), checkpoints_(checkpoints) {}

  LuFactors<T> run(Progress& progress) {
    const Index n = layout_.rows;
    Range panel = panel_from(layout_, band_, begin(progress));
    PartTimer timer;
    const auto begin_panel = [&](Range columns) {
      timer.measure(&LuSeconds::panel, [&] { band_.begin_panel(columns, pivoting_); });
    };
    if (panel.size() > 0) {
      begin_panel(panel);
      timer.measure(&LuSeconds::panel, [&] { factor(panel); });
    }
    while (panel.size() > 0) {
      const Range next = panel_from(layout_, band_, panel.last);
      const CheckpointWish wish = checkpoints_ == nullptr || next.size() == 0
                                      ? CheckpointWish::none
                                      : checkpoints_->wish(panel.last);
      for (const Range piece : pieces_behind(band_, panel, next)) {
        timer.measure(&LuSeconds::exchange, [&] { band_.follow_swaps(panel, swaps_, piece); });
        timer.measure(&LuSeconds::update, [&] {
          band_.solve_pivot_rows(panel, piece);
          band_.update(panel.last, panel, piece);
        });
        // A checkpoint keeps the next panel as it is before its elimination.
        const bool begins = piece.first == panel.last && next.size() > 0;
        if (begins && wish == CheckpointWish::none) begin_panel(next);
      }
      finish(panel);
      if (next.size() > 0) {
        if (wish != CheckpointWish::none) {
          keep(wish, panel.last);
          begin_panel(next);
        }
        timer.measure(&LuSeconds::panel, [&] { factor(next); });
      }
      tell(progress, panel.last, n);
      panel = next;
    }
    const std::optional<LuSeconds> of_band = band_.seconds();
    result_.seconds = timer.result(of_band);
    if (checkpoints_ != nullptr) keep(checkpoints_->wish_at_the_end(n), n);
    return take_result();
  }

 private:
  /// The first column to eliminate: 0, or where a checkpoint goes on.
  Index begin(Progress& progress) {
    auto state = resume_lu(team_, layout_, band_, checkpoints_);
    if (!state) {
      result_.order = layout_.global_rows(0);
      result_.pivots.largest_entry = band_.largest_in({0, layout_.rows}, {0, layout_.rows});
      return 0;
    }
    panel_ends_ = std::move(state->panel_ends);
    result_.order = std::move(state->rows);
    result_.pivots.largest_entry = state->largest_entry;
    result_.redone_panels = static_cast<int>(state->redone_panels);
    progress.resume(fraction_of_work(state->step, layout_.rows));
    return state->step;
  }

  void factor(Range panel) {
    swaps_.resize(static_cast<std::size_t>(panel.size()));
    const auto outcome = band_.factor_panel(panel, pivoting_, swaps_);
    result_.redone_panels += outcome.redone;
    if (outcome.bad_column < 0) return;
    check_pivot(band_.diagonal()[outcome.bad_column], outcome.bad_column, layout_.rows,
                pivoting_ == Pivoting::none ? advice_without_pivoting : "");
  }

  void finish(Range panel) {
    for (Index i = 0; i < panel.size(); ++i) {
      std::swap(result_.order[panel.first + i], result_.order[swaps_[i]]);
    }
    panel_ends_.push_back(panel.last);
  }

  void keep(CheckpointWish wish, Index step) {
    if (wish == CheckpointWish::none) return;
    EliminationState state = state_behind(step, layout_, result_);
    state.panel_ends = panel_ends_;
    state.rows = result_.order;
    keep_lu(*checkpoints_, wish, band_, state);
  }

  LuFactors<T> take_result() {
    const Index n = layout_.rows;
    const std::vector<T> diagonal = band_.diagonal();
    for (Index k = 0; k < n; ++k) {
      check_pivot(diagonal[k], k, n, "");
      result_.pivots.include(diagonal[k], k == 0);
    }
    if (n > 0) result_.pivots.growth = band_.largest_upper() / result_.pivots.largest_entry;
    return std::move(result_);
  }

  Team& team_;
  const CyclicRows& layout_;
  BlockedBand<T>& band_;
  Pivoting pivoting_;
  Checkpoints* checkpoints_;
  LuFactors<T> result_;
  std::vector<Index> panel_ends_;
  std::vector<Index> swaps_;  // of the present panel
};

}  // namespace

template <typename T>
LuFactors<T> factor_alone(Team& team, const CyclicRows& layout, BlockedBand<T>& band,
                          Pivoting pivoting, Progress& progress, Checkpoints* checkpoints) {
  return LoneElimination<T>(team, layout, band, pivoting, checkpoints).run(progress);
}

template LuFactors<float> factor_alone(Team&, const CyclicRows&, BlockedBand<float>&, Pivoting,
                                       Progress&, Checkpoints*);
template LuFactors<double> factor_alone(Team&, const CyclicRows&, BlockedBand<double>&, Pivoting,
                                        Progress&, Checkpoints*);

}  // namespace spsolve
