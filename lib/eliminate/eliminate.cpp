#include "eliminate/eliminate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "eliminate/columnwise.hpp"
#include "eliminate/lu.hpp"
#include "eliminate/panel_width.hpp"
#include "eliminate/transposed.hpp"

namespace spsolve {

namespace {

/// Calls solve(y) with y in T and brings the answer back to double. Columns go to float with their
/// largest entry near 1: a small residual would underflow.
template <typename T, typename Solve>
void solve_in(Dense<double>& x, const Solve& solve) {
  if constexpr (std::is_same_v<T, double>) {
    solve(x);
  } else {
    std::vector<int> exponents(static_cast<std::size_t>(x.columns));
    Dense<T> reduced(x.rows, x.columns);
    for (Index c = 0; c < x.columns; ++c) {
      double largest = 0;
      for (Index i = 0; i < x.rows; ++i) largest = std::max(largest, std::abs(x(i, c)));
      std::frexp(largest, &exponents[c]);
      for (Index i = 0; i < x.rows; ++i) {
        reduced(i, c) = static_cast<T>(std::ldexp(x(i, c), -exponents[c]));
      }
    }
    solve(reduced);
    for (Index i = 0; i < x.rows; ++i) {
      for (Index c = 0; c < x.columns; ++c) {
        x(i, c) = std::ldexp(static_cast<double>(reduced(i, c)), exponents[c]);
      }
    }
  }
}

template <typename T>
PreparedElimination prepare_by_columns(Team& team, BandFactory& bands, Index order,
                                       const Csr<double>& rows, const EliminationChoice& choice,
                                       Checkpoints* checkpoints) {
  const RowBands layout{order, team.size()};
  const auto band = std::shared_ptr<Band<T>>(together(
      team, [&] { return bands.of<T>().columnwise(rows, layout.band(team.rank()).first); }));
  return [&team, &bands, layout, band, choice, checkpoints](Progress& progress) {
    const Elimination elimination = eliminate_columnwise<T>(
        team, bands.rows(), layout, *band, choice.method, choice.pivoting, progress, checkpoints);
    Eliminated result;
    result.pivots = elimination.pivots;
    result.solve = [&team, layout, band, elimination](Dense<double>& x) {
      solve_in<T>(x, [&](Dense<T>& y) { solve(team, layout, *band, elimination, y); });
    };
    if (bands.memory() == BandMemory::host) {
      result.solve_transposed = [&team, layout, band, elimination](Dense<double>& x) {
        solve_in<T>(x, [&](Dense<T>& y) { solve_transposed(team, layout, *band, elimination, y); });
      };
    }
    return result;
  };
}

template <typename T>
PreparedElimination prepare_by_blocks(Team& team, BandFactory& bands, Index order,
                                      const Csr<double>& rows, const EliminationChoice& choice,
                                      Checkpoints* checkpoints) {
  const CyclicRows layout = cyclic_rows(choice, order, team.size());
  const auto band = std::shared_ptr<BlockedBand<T>>(together(team, [&] {
    return bands.of<T>().blocked(rows, layout.block, team.size() == 1, choice.refined);
  }));
  return [&team, &bands, layout, band, choice, checkpoints](Progress& progress) {
    const auto factors = std::make_shared<const LuFactors<T>>(
        factor_lu<T>(team, bands.pivot_rows(), bands.candidates(), layout, *band, choice.pivoting,
                     progress, checkpoints));
    Eliminated result;
    result.pivots = factors->pivots;
    result.seconds = factors->seconds;
    // Not the factory itself: bands of hosts outlive theirs.
    result.solve = [&team, &rows = bands.rows(), band, factors](Dense<double>& x) {
      solve_in<T>(x, [&](Dense<T>& y) { solve_lu<T>(team, rows, *band, *factors, y); });
    };
    result.solve_transposed = [&team, band, factors](Dense<double>& x) {
      solve_in<T>(x, [&](Dense<T>& y) { solve_lu_transposed<T>(team, *band, *factors, y); });
    };
    if (factors->redone_panels > 0) {
      result.notes.push_back(
          fmt::format("{} of {} panels were done again with partial pivoting, because the "
                      "tournament's multipliers grew too large",
                      factors->redone_panels,
                      factors->panels.empty() ? (layout.rows + layout.block - 1) / layout.block
                                              : std::ssize(factors->panels)));
    }
    return result;
  };
}

/// Below this order panels take most of the time on a GPU alone, as long in float as in double, and
/// GMRES comes on top: measured on an H200, 1.36 times the time of double at 7548, 0.91 at 16384.
constexpr Index least_mixed_order = 12000;

}  // namespace

EliminationChoice choose_elimination(Method method, Pivoting pivoting, Precision precision,
                                     Index block, Index order, int ranks, BandMemory memory) {
  EliminationChoice choice;
  choice.precision = precision;
  choice.method = method;
  if (method == Method::automatic) {
    choice.method = pivoting == Pivoting::complete ? Method::gauss : Method::lu;
  }
  const bool blocked = choice.method == Method::lu;
  if (precision == Precision::mixed && blocked && memory == BandMemory::gpu && ranks == 1 &&
      order < least_mixed_order) {
    choice.precision = Precision::float64;
  }
  choice.pivoting = pivoting;
  if (pivoting == Pivoting::automatic) {
    const bool in_parts = ranks > 1 || memory == BandMemory::gpu;
    choice.pivoting = blocked && in_parts ? Pivoting::tournament : Pivoting::partial;
  }
  if (const auto reason = why_not(choice.method, choice.pivoting); !reason.empty()) {
    fail_everywhere(ExitCode::input, "{}", reason);
  }
  choice.block = block > 0 ? block : panel_width(order, memory, ranks);
  choice.block = std::clamp<Index>(choice.block, 1, std::max<Index>(order, 1));
  return choice;
}

bool deals_in_cycles(const EliminationChoice& choice, int ranks) {
  return choice.method == Method::lu && ranks > 1;
}

CyclicRows cyclic_rows(const EliminationChoice& choice, Index order, int ranks) {
  return {order, ranks, choice.block};
}

Index height_of(const EliminationChoice& choice, Index order, int rank, int ranks) {
  return deals_in_cycles(choice, ranks) ? cyclic_rows(choice, order, ranks).height(rank)
                                        : RowBands{order, ranks}.band(rank).size();
}

PreparedElimination prepare_elimination(Team& team, BandFactory& bands, Index order,
                                        const Csr<double>& rows, const EliminationChoice& choice,
                                        Checkpoints* checkpoints) {
  const bool blocked = choice.method == Method::lu;
  if (choice.precision == Precision::float32) {
    return blocked ? prepare_by_blocks<float>(team, bands, order, rows, choice, checkpoints)
                   : prepare_by_columns<float>(team, bands, order, rows, choice, checkpoints);
  }
  return blocked ? prepare_by_blocks<double>(team, bands, order, rows, choice, checkpoints)
                 : prepare_by_columns<double>(team, bands, order, rows, choice, checkpoints);
}

PreparedElimination prepare_elimination(Team& team, Index order, const Csr<double>& rows,
                                        const EliminationChoice& choice, Checkpoints* checkpoints) {
  const auto bands = std::make_shared<HostBands>(team);
  PreparedElimination prepared =
      prepare_elimination(team, *bands, order, rows, choice, checkpoints);
  return [bands, prepared = std::move(prepared)](Progress& progress) { return prepared(progress); };
}

std::int64_t elimination_bytes(const EliminationChoice& choice, Index height, Index order,
                               int ranks) {
  const bool reduced = choice.precision == Precision::float32;
  if (choice.method != Method::lu) {
    return reduced ? HostBand<float>::bytes(height, order) : HostBand<double>::bytes(height, order);
  }
  return panel_factors_bytes(choice, order, ranks) +
         (reduced ? HostBlockedBand<float>::bytes(height, order, choice.block, ranks)
                  : HostBlockedBand<double>::bytes(height, order, choice.block, ranks));
}

std::int64_t panel_factors_bytes(const EliminationChoice& choice, Index order, int ranks) {
  if (choice.method != Method::lu || ranks == 1) return 0;
  const std::int64_t value = value_bytes(choice.precision);
  return choice.block * order * value;
}

}  // namespace spsolve
