#include "dense/columnwise/columnwise.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/ranges.hpp"
#include "dense/state/elimination_state.hpp"
#include "dense/state/flops.hpp"
#include "dense/state/swaps.hpp"

namespace spsolve::inline dense {

namespace {

/// A rank's candidate and wish before a step.
struct Vote {
  PivotCandidate candidate;
  CheckpointRequest request = CheckpointRequest::none;
};

/// The best of all ranks' candidates, and the largest of their wishes. Ranks hold ascending rows,
/// so the first of equals is the one of the lowest row.
Vote decide(Team& team, const Vote& mine) {
  Vote best;
  for (const Vote& vote : all_gather(team, mine)) {
    if (vote.candidate.magnitude > best.candidate.magnitude) best.candidate = vote.candidate;
    best.request = std::max(best.request, vote.request);
  }
  return best;
}

/// Where the candidates of step k are looked for.
template <typename T>
PivotCandidate find_candidate(const DenseRows<T>& rows, Index k, Pivoting pivoting) {
  const Range searched = pivoting == Pivoting::none ? Range{k, k + 1} : Range{k, rows.order()};
  const Range columns = pivoting == Pivoting::complete ? Range{k, rows.order()} : Range{k, k + 1};
  return rows.find_pivot(intersect(searched, rows.range()), columns);
}

/// Swaps rows a and b of the whole matrix: inside one rank's rows, or between the two owners.
template <typename T>
void exchange_rows(Team& row_team, const RowLayout& bands, DenseRows<T>& rows, Index a, Index b) {
  if (a == b) return;
  const int owner_a = bands.owner(a);
  const int owner_b = bands.owner(b);
  const int me = row_team.rank();
  if (owner_a == owner_b) {
    if (me == owner_a) rows.swap_rows(a, b);
    return;
  }
  if (me != owner_a && me != owner_b) return;
  // Row buffer 0 holds the pivot row that everybody is about to use; buffer 1 carries the swap.
  const Range whole{0, rows.width()};
  const Index mine = me == owner_a ? a : b;
  const int partner = me == owner_a ? owner_b : owner_a;
  rows.load_row(mine, whole, 1);
  exchange(row_team, rows.row_buffer(1), partner);
  rows.store_row(mine, whole, 1);
}

/// The pivot row from column k on, in row buffer 0 of every rank.
template <typename T>
void send_pivot_row(Team& row_team, const RowLayout& bands, DenseRows<T>& rows, Index k,
                    Index pivot_row) {
  const int owner = bands.owner(pivot_row);
  if (row_team.rank() == owner) rows.load_row(pivot_row, {k, rows.width()}, 0);
  broadcast(row_team, rows.row_buffer(0).subspan(k), owner);
}

/// A rank's rows by their place among them.
template <typename T>
Range rows_at(const DenseRows<T>& rows, Index first, Index count) {
  return {rows.range().first + first, rows.range().first + first + count};
}

/// Step k over the rows of all ranks, with the pivot that they agreed on.
template <typename T>
void eliminate_column(Team& row_team, const RowLayout& bands, DenseRows<T>& rows, Index k,
                      const PivotCandidate& pivot, bool jordan) {
  if (pivot.column != k) rows.swap_columns(k, pivot.column);
  send_pivot_row(row_team, bands, rows, k, pivot.row);
  exchange_rows(row_team, bands, rows, k, pivot.row);
  const Range mine = rows.range();
  rows.eliminate(k, intersect({k + 1, rows.order()}, mine));
  if (jordan) rows.eliminate(k, intersect({0, k}, mine));
}

/// The state of a checkpoint, its rows among the dense ones; nothing where there is none to go on
/// from.
template <typename T>
std::optional<EliminationState> resume(Checkpoints* checkpoints, DenseRows<T>& rows) {
  if (checkpoints == nullptr) return std::nullopt;
  std::optional<EliminationState> state = resume_elimination(*checkpoints, precision_of<T>, 0);
  if (!state) return state;
  state->rows.resize(static_cast<std::size_t>(rows.range().size()));
  std::iota(state->rows.begin(), state->rows.end(), rows.range().first);
  load_rows(*checkpoints, state->rows,
            [&rows](Index first, Index count, std::span<const std::byte> bytes) {
              rows.write_rows(rows_at(rows, first, count), values_in<T>(bytes));
            });
  return state;
}

/// Does what all ranks wish for before step k.
template <typename T>
void save_checkpoint(Checkpoints& checkpoints, CheckpointRequest request, const DenseRows<T>& rows,
                     Index k, const Elimination& elimination, double largest_in_pivot_rows) {
  EliminationState state;
  state.step = k;
  state.pivot_rows = elimination.row_swaps;
  state.column_swaps = elimination.column_swaps;
  state.rows.resize(static_cast<std::size_t>(rows.range().size()));
  std::iota(state.rows.begin(), state.rows.end(), rows.range().first);
  state.largest_entry = elimination.pivots.largest_entry;
  state.largest_upper = largest_in_pivot_rows;
  state.smallest_pivot = elimination.pivots.smallest_pivot;
  state.largest_pivot = elimination.pivots.largest_pivot;
  save_elimination(checkpoints, request, state,
                   [&rows](Index first, Index count, std::span<std::byte> bytes) {
                     rows.read_rows(rows_at(rows, first, count), values_in<T>(bytes));
                   });
}

/// Between bands of x and of P x, where P is swap after swap of rows k and swaps[k].
RowExchange exchange_of(Team& team, const RowLayout& bands, const std::vector<Index>& swaps) {
  const std::vector<Index> order = rows_in_front<Index>(0, bands.rows, swaps);
  const Range own = bands.band(team.rank());
  return {team, bands, {order.begin() + own.first, order.begin() + own.last}};
}

/// From here on right-hand sides go along, as the steps that are done would have left them: those
/// before a checkpoint, which holds none, so that they may be others than of the run that left it.
template <typename T>
void carry(Team& team, Team& row_team, const RowLayout& bands, DenseRows<T>& rows,
           const std::vector<Index>& swaps_done, const Dense<T>& right_hand_sides) {
  const Index n = rows.order(), done = std::ssize(swaps_done);
  std::vector<Index> swaps = swaps_done;
  while (std::ssize(swaps) < n) swaps.push_back(std::ssize(swaps));
  const Dense<T> swapped =
      done > 0 ? exchange_of(team, bands, swaps).to_list(right_hand_sides) : Dense<T>{};
  together(team, [&] {
    rows.carry(done > 0 ? swapped.values : right_hand_sides.values, right_hand_sides.columns);
  });
  for (Index k = 0; k < done; ++k) {
    const int owner = bands.owner(k);
    if (row_team.rank() == owner) rows.load_row(k, {n, rows.width()}, 0);
    broadcast(row_team, rows.row_buffer(0).subspan(static_cast<std::size_t>(n)), owner);
    rows.repeat_step(k);
  }
}

/// Own rows of x in place of the right-hand sides that went along.
template <typename T>
void take_solutions(DenseRows<T>& rows, const Elimination& elimination, Dense<T>& x) {
  rows.release_carried(x.values);
  rows.divide_by_diagonal(x.values, x.columns);
  if (elimination.column_order) x = elimination.column_order->to_bands(x);
}

}  // namespace

template <typename T>
Elimination eliminate_columnwise(Team& team, Team& row_team, const RowLayout& bands,
                                 DenseRows<T>& rows, Method method, Pivoting pivoting,
                                 Progress& progress, Checkpoints* checkpoints,
                                 Dense<T>* right_hand_sides) {
  const Index n = rows.order();
  const bool jordan = method == Method::gauss_jordan;
  Elimination result;
  result.method = method;
  double largest_in_pivot_rows = 0;
  Index k = 0;
  if (const auto state = resume(checkpoints, rows)) {
    k = state->step;
    result.row_swaps = state->pivot_rows;
    result.column_swaps = state->column_swaps;
    result.pivots = {state->largest_entry, 0, state->smallest_pivot, state->largest_pivot};
    largest_in_pivot_rows = state->largest_upper;
  } else {
    result.pivots.largest_entry =
        all_maximum(team, rows.find_pivot(rows.range(), {0, n}).magnitude);
  }
  const bool carries = jordan && right_hand_sides != nullptr;
  if (carries) carry(team, row_team, bands, rows, result.row_swaps, *right_hand_sides);
  if (k > 0) progress.resume(share_done(method, k, n));
  // The pivot of step k, looked at before anything is done with it.
  const auto accept = [&](const PivotCandidate& pivot) {
    check_pivot(pivot.magnitude, k, n, pivoting == Pivoting::none ? advice_without_pivoting : "");
    result.row_swaps.push_back(pivot.row);
    if (pivoting == Pivoting::complete) result.column_swaps.push_back(pivot.column);
    result.pivots.include(pivot.magnitude, k == 0);
  };
  while (k < n) {
    // A rank alone has nobody to ask for a pivot: its rows may do many steps by itself.
    const Index run = team.size() == 1 ? rows.longest_run(k, method, pivoting) : 0;
    const auto [pivot, request] =
        decide(team, {run > 0 ? PivotCandidate{} : find_candidate(rows, k, pivoting),
                      checkpoints == nullptr ? CheckpointRequest::none : checkpoints->request(k)});
    if (request != CheckpointRequest::none) {
      save_checkpoint(*checkpoints, request, rows, k, result, largest_in_pivot_rows);
    }
    if (run > 0) {
      const EliminatedRun done = rows.eliminate_run({k, std::min(k + run, n)}, method, pivoting);
      for (const PivotCandidate& chosen : done.pivots) {
        accept(chosen);
        ++k;
      }
      largest_in_pivot_rows = std::max(largest_in_pivot_rows, done.largest_in_pivot_rows);
    } else {
      accept(pivot);
      eliminate_column(row_team, bands, rows, k, pivot, jordan);
      if (rows.range().contains(k)) {
        largest_in_pivot_rows =
            std::max(largest_in_pivot_rows, rows.find_pivot({k, k + 1}, {k, n}).magnitude);
      }
      ++k;
    }
    progress.done_by_all(k, n, share_done(method, k, n));
  }
  if (checkpoints != nullptr) {
    save_checkpoint(*checkpoints, checkpoints->request_at_the_end(n), rows, n, result,
                    largest_in_pivot_rows);
  }
  if (n > 0) {
    result.pivots.growth = all_maximum(team, largest_in_pivot_rows) / result.pivots.largest_entry;
  }
  result.row_order = exchange_of(team, bands, result.row_swaps);
  if (!result.column_swaps.empty()) {
    result.column_order = exchange_of(team, bands, result.column_swaps);
  }
  if (carries) take_solutions(rows, result, *right_hand_sides);
  return result;
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(eliminate_columnwise)

}  // namespace spsolve::dense
