#include "eliminate/lu_state.hpp"

#include <algorithm>

namespace spsolve {

namespace {

/// `rows` of this rank, ascending, with those that were pivots at the top, in the order of
/// elimination.
std::vector<Index> pivots_first(const std::vector<Index>& pivot_rows, std::vector<Index> rows) {
  const Index active = static_cast<Index>(pivot_rows.size());
  std::vector<Index> step(static_cast<std::size_t>(rows.empty() ? 0 : rows.back() + 1), active);
  for (Index k = 0; k < active; ++k) {
    if (pivot_rows[k] < static_cast<Index>(step.size())) step[pivot_rows[k]] = k;
  }
  std::ranges::stable_sort(rows, {}, [&](Index row) { return step[row]; });
  return rows;
}

/// The rank that holds each row of A.
std::vector<int> owners_of_rows(Team& team, const CyclicRows& layout,
                                const std::vector<Index>& mine) {
  std::vector<int> owner(static_cast<std::size_t>(layout.rows));
  for (int rank = 0; rank < team.size(); ++rank) {
    std::vector<Index> rows(static_cast<std::size_t>(layout.height(rank)));
    if (rank == team.rank()) rows = mine;
    broadcast(team, std::span(rows), rank);
    for (const Index row : rows) owner[row] = rank;
  }
  return owner;
}

/// L and U of a panel, whose rows lie with their owners, to all.
template <typename T>
std::vector<T> factors_of(Team& team, const BlockedBand<T>& band,
                          const typename LuFactors<T>::Panel& panel) {
  const Index width = panel.columns.size();
  std::vector<T> factors(static_cast<std::size_t>(width * width));
  for (int rank = 0; rank < team.size(); ++rank) {
    const Index count = std::ranges::count(panel.owner, rank);
    if (count == 0) continue;
    std::vector<T> rows(static_cast<std::size_t>(count * width));
    if (rank == team.rank()) {
      rows = band.panel_values({panel.first_active, panel.first_active + count}, panel.columns);
    }
    broadcast(team, std::span(rows), rank);
    auto next = rows.begin();
    for (Index i = 0; i < width; ++i) {
      if (panel.owner[i] != rank) continue;
      std::copy_n(next, width, factors.begin() + i * width);
      next += width;
    }
  }
  return factors;
}

}  // namespace

template <typename T>
std::optional<EliminationState> resume_lu(Team& team, const CyclicRows& layout,
                                          BlockedBand<T>& band, Checkpoints* checkpoints) {
  if (checkpoints == nullptr) return std::nullopt;
  std::optional<EliminationState> state = checkpoints->resume(precision_of<T>, layout.block);
  if (!state) return state;
  if (static_cast<Index>(state->rows.size()) != band.height()) {
    state->rows = pivots_first(state->pivot_rows, layout.global_rows(team.rank()));
  }
  checkpoints->load_rows(state->rows,
                         [&band](Index first, Index count, std::span<const std::byte> bytes) {
                           band.write_rows(first, count, values_in<T>(bytes));
                         });
  return state;
}

template <typename T>
EliminationState state_behind(Index step, const CyclicRows& layout, const LuFactors<T>& result) {
  EliminationState state;
  state.step = step;
  state.block = layout.block;
  state.pivot_rows.assign(result.order.begin(), result.order.begin() + step);
  state.largest_entry = result.pivots.largest_entry;
  state.redone_panels = result.redone_panels;
  return state;
}

template <typename T>
std::vector<typename LuFactors<T>::Panel> panels_of(Team& team, const CyclicRows& layout,
                                                    const BlockedBand<T>& band,
                                                    const EliminationState& state) {
  const std::vector<int> owner = owners_of_rows(team, layout, state.rows);
  std::vector<typename LuFactors<T>::Panel> panels;
  Index first_active = 0;
  Index first = 0;
  for (const Index last : state.panel_ends) {
    typename LuFactors<T>::Panel panel;
    panel.columns = {first, last};
    for (Index k = first; k < last; ++k) panel.owner.push_back(owner[state.pivot_rows[k]]);
    panel.first_active = first_active;
    panel.retired = std::ranges::count(panel.owner, team.rank());
    panel.factors = factors_of(team, band, panel);
    first_active += panel.retired;
    first = last;
    panels.push_back(std::move(panel));
  }
  return panels;
}

template <typename T>
void keep_lu(Checkpoints& checkpoints, CheckpointWish wish, const BlockedBand<T>& band,
             const EliminationState& state) {
  checkpoints.keep(wish, state, [&band](Index first, Index count, std::span<std::byte> bytes) {
    std::ranges::copy(band.panel_values({first, first + count}, {0, band.order()}),
                      values_in<T>(bytes).begin());
  });
}

template std::optional<EliminationState> resume_lu(Team&, const CyclicRows&, BlockedBand<float>&,
                                                   Checkpoints*);
template std::optional<EliminationState> resume_lu(Team&, const CyclicRows&, BlockedBand<double>&,
                                                   Checkpoints*);
template EliminationState state_behind(Index, const CyclicRows&, const LuFactors<float>&);
template EliminationState state_behind(Index, const CyclicRows&, const LuFactors<double>&);
template std::vector<LuFactors<float>::Panel> panels_of(Team&, const CyclicRows&,
                                                        const BlockedBand<float>&,
                                                        const EliminationState&);
template std::vector<LuFactors<double>::Panel> panels_of(Team&, const CyclicRows&,
                                                         const BlockedBand<double>&,
                                                         const EliminationState&);
template void keep_lu(Checkpoints&, CheckpointWish, const BlockedBand<float>&,
                      const EliminationState&);
template void keep_lu(Checkpoints&, CheckpointWish, const BlockedBand<double>&,
                      const EliminationState&);

}  // namespace spsolve
