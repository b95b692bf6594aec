#include "eliminate/columnwise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "distribute/share_rows.hpp"

namespace spsolve {

namespace {

Range intersect(Range a, Range b) {
  const Index first = std::max(a.first, b.first);
  return {first, std::max(first, std::min(a.last, b.last))};
}

/// What a rank says before a step.
struct Vote {
  PivotCandidate candidate;
  CheckpointWish wish = CheckpointWish::none;
};

/// The best of all ranks' candidates, and the largest of their wishes. Ranks hold ascending rows,
/// so the first of equals is the one of the lowest row.
Vote decide(Team& team, const Vote& mine) {
  Vote best;
  for (const Vote& vote : all_gather(team, mine)) {
    if (vote.candidate.magnitude > best.candidate.magnitude) best.candidate = vote.candidate;
    best.wish = std::max(best.wish, vote.wish);
  }
  return best;
}

/// Where the candidates of step k are looked for.
template <typename T>
PivotCandidate find_candidate(const Band<T>& band, Index k, Pivoting pivoting) {
  const Range rows = pivoting == Pivoting::none ? Range{k, k + 1} : Range{k, band.order()};
  const Range columns = pivoting == Pivoting::complete ? Range{k, band.order()} : Range{k, k + 1};
  return band.find_pivot(intersect(rows, band.rows()), columns);
}

/// Swaps rows a and b of the whole matrix: inside one band, or between the two owners.
template <typename T>
void exchange_rows(Team& rows, const RowBands& bands, Band<T>& band, Index a, Index b) {
  if (a == b) return;
  const int owner_a = bands.owner(a);
  const int owner_b = bands.owner(b);
  const int me = rows.rank();
  if (owner_a == owner_b) {
    if (me == owner_a) band.swap_rows(a, b);
    return;
  }
  if (me != owner_a && me != owner_b) return;
  // Row buffer 0 holds the pivot row that everybody is about to use; buffer 1 carries the swap.
  const Range whole{0, band.order()};
  const Index mine = me == owner_a ? a : b;
  const int partner = me == owner_a ? owner_b : owner_a;
  band.load_row(mine, whole, 1);
  exchange(rows, band.row_buffer(1), partner);
  band.store_row(mine, whole, 1);
}

/// The pivot row from column k on, in row buffer 0 of every rank.
template <typename T>
void send_pivot_row(Team& rows, const RowBands& bands, Band<T>& band, Index k, Index pivot_row) {
  const int owner = bands.owner(pivot_row);
  if (rows.rank() == owner) band.load_row(pivot_row, {k, band.order()}, 0);
  broadcast(rows, band.row_buffer(0).subspan(k), owner);
}

/// The band's rows by their place in it.
template <typename T>
Range rows_at(const Band<T>& band, Index first, Index count) {
  return {band.rows().first + first, band.rows().first + first + count};
}

/// Step k over the bands of all ranks, with the pivot that they agreed on.
template <typename T>
void eliminate_column(Team& rows, const RowBands& bands, Band<T>& band, Index k,
                      const PivotCandidate& pivot, bool jordan) {
  if (pivot.column != k) band.swap_columns(k, pivot.column);
  send_pivot_row(rows, bands, band, k, pivot.row);
  exchange_rows(rows, bands, band, k, pivot.row);
  const Range mine = band.rows();
  band.eliminate(k, intersect({k + 1, band.order()}, mine));
  if (jordan) band.eliminate(k, intersect({0, k}, mine));
}

/// The state of a checkpoint, its rows in the band; nothing where there is none to go on from.
template <typename T>
std::optional<EliminationState> resume(Checkpoints* checkpoints, Band<T>& band) {
  if (checkpoints == nullptr) return std::nullopt;
  std::optional<EliminationState> state = checkpoints->resume(precision_of<T>, 0);
  if (!state) return state;
  state->rows.resize(static_cast<std::size_t>(band.rows().size()));
  std::iota(state->rows.begin(), state->rows.end(), band.rows().first);
  checkpoints->load_rows(state->rows,
                         [&band](Index first, Index count, std::span<const std::byte> bytes) {
                           band.write_rows(rows_at(band, first, count), values_in<T>(bytes));
                         });
  return state;
}

/// Does what all ranks wish for before step k.
template <typename T>
void keep(Checkpoints& checkpoints, CheckpointWish wish, const Band<T>& band, Index k,
          const Elimination& elimination, double largest_in_pivot_rows) {
  EliminationState state;
  state.step = k;
  state.pivot_rows = elimination.row_swaps;
  state.column_swaps = elimination.column_swaps;
  state.rows.resize(static_cast<std::size_t>(band.rows().size()));
  std::iota(state.rows.begin(), state.rows.end(), band.rows().first);
  state.largest_entry = elimination.pivots.largest_entry;
  state.largest_upper = largest_in_pivot_rows;
  state.smallest_pivot = elimination.pivots.smallest_pivot;
  state.largest_pivot = elimination.pivots.largest_pivot;
  checkpoints.keep(wish, state, [&band](Index first, Index count, std::span<std::byte> bytes) {
    band.read_rows(rows_at(band, first, count), values_in<T>(bytes));
  });
}

}  // namespace

template <typename T>
void permute(const std::vector<Index>& swaps, Dense<T>& x, bool inverse) {
  const Index count = static_cast<Index>(swaps.size());
  for (Index step = 0; step < count; ++step) {
    const Index k = inverse ? count - 1 - step : step;
    if (swaps[k] != k) std::swap_ranges(x.row(k), x.row(k) + x.columns, x.row(swaps[k]));
  }
}

template <typename T>
Elimination eliminate_columnwise(Team& team, Team& rows, const RowBands& bands, Band<T>& band,
                                 Method method, Pivoting pivoting, Progress& progress,
                                 Checkpoints* checkpoints) {
  const Index n = band.order();
  const bool jordan = method == Method::gauss_jordan;
  Elimination result;
  result.method = method;
  double largest_in_pivot_rows = 0;
  Index k = 0;
  if (const auto state = resume(checkpoints, band)) {
    k = state->step;
    result.row_swaps = state->pivot_rows;
    result.column_swaps = state->column_swaps;
    result.pivots = {state->largest_entry, 0, state->smallest_pivot, state->largest_pivot};
    largest_in_pivot_rows = state->largest_upper;
  } else {
    result.pivots.largest_entry = all_maximum(team, band.find_pivot(band.rows(), {0, n}).magnitude);
  }
  const auto fraction = [&](Index step) {
    return 1.0 - std::pow(1.0 - static_cast<double>(step) / n, jordan ? 2 : 3);
  };
  if (k > 0) progress.resume(fraction(k));
  // The pivot of step k, looked at before anything is done with it.
  const auto accept = [&](const PivotCandidate& pivot) {
    check_pivot(pivot.magnitude, k, n, pivoting == Pivoting::none ? advice_without_pivoting : "");
    result.row_swaps.push_back(pivot.row);
    if (pivoting == Pivoting::complete) result.column_swaps.push_back(pivot.column);
    result.pivots.include(pivot.magnitude, k == 0);
  };
  while (k < n) {
    // A rank alone has nobody to ask for a pivot: its band may do many steps by itself.
    const Index run = team.size() == 1 ? band.longest_run(k, method, pivoting) : 0;
    const auto [pivot, wish] =
        decide(team, {run > 0 ? PivotCandidate{} : find_candidate(band, k, pivoting),
                      checkpoints == nullptr ? CheckpointWish::none : checkpoints->wish(k)});
    if (wish != CheckpointWish::none) {
      keep(*checkpoints, wish, band, k, result, largest_in_pivot_rows);
    }
    if (run > 0) {
      const EliminatedRun done = band.eliminate_run({k, std::min(k + run, n)}, method, pivoting);
      for (const PivotCandidate& chosen : done.pivots) {
        accept(chosen);
        ++k;
      }
      largest_in_pivot_rows = std::max(largest_in_pivot_rows, done.largest_in_pivot_rows);
    } else {
      accept(pivot);
      eliminate_column(rows, bands, band, k, pivot, jordan);
      if (band.rows().contains(k)) {
        largest_in_pivot_rows =
            std::max(largest_in_pivot_rows, band.find_pivot({k, k + 1}, {k, n}).magnitude);
      }
      ++k;
    }
    progress.done(k, n, fraction(k));
  }
  if (checkpoints != nullptr) {
    keep(*checkpoints, checkpoints->wish_at_the_end(n), band, n, result, largest_in_pivot_rows);
  }
  if (n > 0) {
    result.pivots.growth = all_maximum(team, largest_in_pivot_rows) / result.pivots.largest_entry;
  }
  return result;
}

template <typename T>
void solve(Team& team, const RowBands& bands, const Band<T>& band, const Elimination& elimination,
           Dense<T>& x) {
  const Index n = band.order();
  const Index columns = x.columns;
  const Range mine = band.rows();
  const std::span<T> values(x.values);
  permute(elimination.row_swaps, x, false);

  // z = L^-1 P b: each band in turn solves its own block and sends it to those below.
  for (int owner = 0; owner < team.size(); ++owner) {
    const Range block = bands.band(owner);
    if (owner == team.rank()) {
      band.apply_block(BlockOperation::solve_unit_lower, block, values, columns);
    }
    share_rows(team, x, block, owner);
    band.subtract_product(intersect({block.last, n}, mine), block, values, values, columns);
  }

  if (elimination.method == Method::gauss_jordan) {
    // x = D^-1 (z - M z), M the multipliers above the diagonal: a product, no recurrence.
    Dense<T> z = x;
    band.apply_block(BlockOperation::jordan_upper, mine, values, columns);
    band.subtract_product(mine, {mine.last, n}, z.values, values, columns);
    band.divide_by_diagonal(values, columns);
    share_bands(team, bands, x);
  } else {
    // x = U^-1 z: each band from the last solves its own block and sends it to those above.
    for (int owner = team.size(); owner-- > 0;) {
      const Range block = bands.band(owner);
      if (owner == team.rank()) {
        band.apply_block(BlockOperation::solve_upper, block, values, columns);
      }
      share_rows(team, x, block, owner);
      band.subtract_product(intersect({0, block.first}, mine), block, values, values, columns);
    }
  }
  permute(elimination.column_swaps, x, true);
}

template void permute(const std::vector<Index>&, Dense<float>&, bool);
template void permute(const std::vector<Index>&, Dense<double>&, bool);
template Elimination eliminate_columnwise(Team&, Team&, const RowBands&, Band<float>&, Method,
                                          Pivoting, Progress&, Checkpoints*);
template Elimination eliminate_columnwise(Team&, Team&, const RowBands&, Band<double>&, Method,
                                          Pivoting, Progress&, Checkpoints*);
template void solve(Team&, const RowBands&, const Band<float>&, const Elimination&, Dense<float>&);
template void solve(Team&, const RowBands&, const Band<double>&, const Elimination&,
                    Dense<double>&);

}  // namespace spsolve
