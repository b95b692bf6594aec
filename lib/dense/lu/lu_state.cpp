#include "dense/lu/lu_state.hpp"

#include <algorithm>

namespace spsolve::inline dense {

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
std::vector<int> owners_of_rows(Team& team, const RowLayout& layout,
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
std::vector<T> factors_of(Team& team, const BlockedRows<T>& rows,
                          const typename LuFactors<T>::Panel& panel) {
  const Index width = panel.columns.size();
  std::vector<T> factors(static_cast<std::size_t>(width * width));
  for (int rank = 0; rank < team.size(); ++rank) {
    const Index count = std::ranges::count(panel.owner, rank);
    if (count == 0) continue;
    std::vector<T> values(static_cast<std::size_t>(count * width));
    if (rank == team.rank()) {
      values = rows.read({panel.first_active, panel.first_active + count}, panel.columns);
    }
    broadcast(team, std::span(values), rank);
    auto next = values.begin();
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
std::optional<EliminationState> resume_lu(Team& team, const RowLayout& layout, BlockedRows<T>& rows,
                                          Checkpoints* checkpoints) {
  if (checkpoints == nullptr) return std::nullopt;
  std::optional<EliminationState> state =
      resume_elimination(*checkpoints, precision_of<T>, layout.block);
  if (!state) return state;
  if (static_cast<Index>(state->rows.size()) != rows.height()) {
    state->rows = pivots_first(state->pivot_rows, layout.global_rows(team.rank()));
  }
  load_rows(*checkpoints, state->rows,
            [&rows](Index first, Index, std::span<const std::byte> bytes) {
              rows.write_rows(first, values_in<T>(bytes));
            });
  return state;
}

template <typename T>
EliminationState state_behind(Index step, const RowLayout& layout, const LuFactors<T>& result) {
  EliminationState state;
  state.step = step;
  state.block = layout.block;
  state.pivot_rows.assign(result.order.begin(), result.order.begin() + step);
  state.largest_entry = result.pivots.largest_entry;
  state.redone_panels = result.redone_panels;
  return state;
}

template <typename T>
std::vector<typename LuFactors<T>::Panel> panels_of(Team& team, const RowLayout& layout,
                                                    const BlockedRows<T>& rows,
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
    if (team.size() > 1) panel.factors = factors_of(team, rows, panel);
    first_active += panel.retired;
    first = last;
    panels.push_back(std::move(panel));
  }
  return panels;
}

template <typename T>
void save_lu(Checkpoints& checkpoints, CheckpointRequest request, const BlockedRows<T>& rows,
             const EliminationState& state) {
  save_elimination(checkpoints, request, state,
                   [&rows](Index first, Index count, std::span<std::byte> bytes) {
                     std::ranges::copy(rows.read({first, first + count}, {0, rows.order()}),
                                       values_in<T>(bytes).begin());
                   });
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(resume_lu)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(state_behind)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(panels_of)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(save_lu)

}  // namespace spsolve::dense
