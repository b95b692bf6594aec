#include "dense/columnwise/columnwise.hpp"

namespace spsolve::inline dense {

namespace {

/// Which way a sweep goes through the ranks' blocks of rows.
enum class Sweep { down, up };

/// The k-th rank of a sweep.
int rank_of(Sweep sweep, int k, int ranks) {
  return sweep == Sweep::down ? k : ranks - 1 - k;
}

/// The block of x that `owner` has in `x`, on every rank.
template <typename T>
std::vector<T> block_for_all(Team& team, const RowLayout& bands, const Dense<T>& x, int owner) {
  std::vector<T> block;
  if (owner == team.rank()) {
    block = x.values;
  } else {
    block.resize(static_cast<std::size_t>(bands.band(owner).size() * x.columns));
  }
  broadcast(team, std::span<T>(block), owner);
  return block;
}

/// Rank after rank solves with its own block, which then takes its part from those still to come.
template <typename T>
void solve_triangle(Team& team, const RowLayout& bands, const DenseRows<T>& rows, Sweep sweep,
                    Dense<T>& x) {
  bool done = false;
  for (int k = 0; k < team.size(); ++k) {
    const int owner = rank_of(sweep, k, team.size());
    if (owner == team.rank()) {
      rows.apply_block(
          sweep == Sweep::down ? BlockOperation::solve_unit_lower : BlockOperation::solve_upper,
          x.values, x.columns);
      done = true;
    }
    if (team.size() == 1) return;
    const std::vector<T> block = block_for_all(team, bands, x, owner);
    if (!done) rows.subtract_product(bands.band(owner), block, x.values, x.columns);
  }
}

/// x <- D^-1 (I - M) x: a product, no recurrence.
template <typename T>
void apply_jordan(Team& team, const RowLayout& bands, const DenseRows<T>& rows, Dense<T>& x) {
  const Dense<T> z = x;
  rows.apply_block(BlockOperation::jordan_upper, x.values, x.columns);
  for (int owner = 1; owner < team.size(); ++owner) {
    const std::vector<T> block = block_for_all(team, bands, z, owner);
    if (owner > team.rank()) {
      rows.subtract_product(bands.band(owner), block, x.values, x.columns);
    }
  }
  rows.divide_by_diagonal(x.values, x.columns);
}

/// Adds what the ranks before this one in the sweep give to this rank's block of x.
template <typename T>
void take_contributions(Team& team, Sweep sweep, Dense<T>& x) {
  std::vector<T> given(team.size() > 1 ? x.values.size() : 0);
  for (int k = 0; k < team.size(); ++k) {
    const int giver = rank_of(sweep, k, team.size());
    if (giver == team.rank()) return;
    receive(team, std::span<T>(given), giver);
    for (std::size_t i = 0; i < given.size(); ++i) x.values[i] += given[i];
  }
}

/// Sends the ranks after this one in the sweep the contributions of its rows to their blocks of x:
/// -A(own rows, block)^T x.
template <typename T>
void give_contributions(Team& team, const RowLayout& bands, const DenseRows<T>& rows, Sweep sweep,
                        const Dense<T>& x) {
  bool behind = false;
  for (int k = 0; k < team.size(); ++k) {
    const int taker = rank_of(sweep, k, team.size());
    if (behind) {
      const Range block = bands.band(taker);
      std::vector<T> given(static_cast<std::size_t>(block.size() * x.columns));
      rows.subtract_transposed_product(block, x.values, given, x.columns);
      send(team, std::span<const T>(given), taker);
    }
    behind = behind || taker == team.rank();
  }
}

/// x <- the inverse of the transposed triangle, times x.
template <typename T>
void solve_triangle_transposed(Team& team, const RowLayout& bands, const DenseRows<T>& rows,
                               Sweep sweep, Dense<T>& x) {
  take_contributions(team, sweep, x);
  rows.apply_block(sweep == Sweep::down ? BlockOperation::solve_upper_transposed
                                        : BlockOperation::solve_unit_lower_transposed,
                   x.values, x.columns);
  give_contributions(team, bands, rows, sweep, x);
}

/// x <- (I - M)^T D^-1 x
template <typename T>
void apply_jordan_transposed(Team& team, const RowLayout& bands, const DenseRows<T>& rows,
                             Dense<T>& x) {
  rows.divide_by_diagonal(x.values, x.columns);
  const Dense<T> scaled = x;
  rows.apply_block(BlockOperation::jordan_upper_transposed, x.values, x.columns);
  take_contributions(team, Sweep::down, x);
  give_contributions(team, bands, rows, Sweep::down, scaled);
}

}  // namespace

template <typename T>
void solve_columnwise(Team& team, const RowLayout& bands, const DenseRows<T>& rows,
                      const Elimination& elimination, Dense<T>& x) {
  x = elimination.row_order->to_list(x);
  solve_triangle(team, bands, rows, Sweep::down, x);
  if (elimination.method == Method::gauss_jordan) {
    apply_jordan(team, bands, rows, x);
  } else {
    solve_triangle(team, bands, rows, Sweep::up, x);
  }
  if (elimination.column_order) x = elimination.column_order->to_bands(x);
}

template <typename T>
void solve_columnwise_transposed(Team& team, const RowLayout& bands, const DenseRows<T>& rows,
                                 const Elimination& elimination, Dense<T>& x) {
  if (elimination.column_order) x = elimination.column_order->to_list(x);
  if (elimination.method == Method::gauss_jordan) {
    apply_jordan_transposed(team, bands, rows, x);
  } else {
    solve_triangle_transposed(team, bands, rows, Sweep::down, x);
  }
  solve_triangle_transposed(team, bands, rows, Sweep::up, x);
  x = elimination.row_order->to_bands(x);
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_columnwise)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(solve_columnwise_transposed)

}  // namespace spsolve::dense
