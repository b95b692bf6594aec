#include "eliminate/eliminate.hpp"

#include <algorithm>
#include <memory>

#include "eliminate/columnwise.hpp"
#include "eliminate/host_band.hpp"
#include "eliminate/host_blocked_band.hpp"
#include "eliminate/lu.hpp"

namespace spsolve {

namespace {

/// Calls solve(y) with y in T and brings the answer back to double.
template <typename T, typename Solve>
void solve_in(Dense<double>& x, const Solve& solve) {
  if constexpr (std::is_same_v<T, double>) {
    solve(x);
  } else {
    Dense<T> reduced(x.rows, x.columns);
    std::copy(x.values.begin(), x.values.end(), reduced.values.begin());
    solve(reduced);
    std::copy(reduced.values.begin(), reduced.values.end(), x.values.begin());
  }
}

template <typename T>
PreparedElimination prepare_by_columns(Team& team, Index order, const Csr<double>& rows,
                                       const EliminationChoice& choice) {
  const RowBands bands{order, team.size()};
  const auto band = together(
      team, [&] { return std::make_shared<HostBand<T>>(rows, bands.band(team.rank()).first); });
  return [&team, bands, band, choice](Progress& progress) {
    const Elimination elimination =
        eliminate_columnwise<T>(team, bands, *band, choice.method, choice.pivoting, progress);
    Eliminated result;
    result.pivots = elimination.pivots;
    result.solve = [&team, bands, band, elimination](Dense<double>& x) {
      solve_in<T>(x, [&](Dense<T>& y) { solve(team, bands, *band, elimination, y); });
    };
    return result;
  };
}

template <typename T>
PreparedElimination prepare_by_blocks(Team& team, Index order, const Csr<double>& rows,
                                      const EliminationChoice& choice) {
  const CyclicRows layout = cyclic_rows(choice, order, team.size());
  const auto band = together(team, [&] {
    return std::make_shared<HostBlockedBand<T>>(rows, layout.block, team.size() == 1);
  });
  return [&team, layout, band, choice](Progress& progress) {
    const auto factors = std::make_shared<const LuFactors<T>>(
        factor_lu<T>(team, layout, *band, choice.pivoting, progress));
    Eliminated result;
    result.pivots = factors->pivots;
    result.solve = [&team, band, factors](Dense<double>& x) {
      solve_in<T>(x, [&](Dense<T>& y) { solve_lu<T>(team, *band, *factors, y); });
    };
    if (factors->redone_panels > 0) {
      result.notes.push_back(
          fmt::format("{} of {} panels were done again with partial pivoting, because the "
                      "tournament's multipliers grew too large",
                      factors->redone_panels, factors->panels.size()));
    }
    return result;
  };
}

}  // namespace

EliminationChoice choose_elimination(Method method, Pivoting pivoting, Precision precision,
                                     Index block, Index order, int ranks) {
  EliminationChoice choice;
  choice.precision = precision;
  choice.method = method;
  if (method == Method::automatic) {
    choice.method = pivoting == Pivoting::complete ? Method::gauss : Method::lu;
  }
  const bool blocked = choice.method == Method::lu;
  choice.pivoting = pivoting;
  if (pivoting == Pivoting::automatic) {
    choice.pivoting = blocked && ranks > 1 ? Pivoting::tournament : Pivoting::partial;
  }
  if (blocked && choice.pivoting == Pivoting::complete) {
    fail_everywhere(ExitCode::input,
                    "solve.pivoting=complete does not go with solve.method=lu; use "
                    "solve.method=gauss, or solve.pivoting=tournament or partial");
  }
  if (!blocked && choice.pivoting == Pivoting::tournament) {
    fail_everywhere(ExitCode::input,
                    "solve.pivoting=tournament goes with solve.method=lu only; use "
                    "solve.pivoting=partial or solve.method=lu");
  }
  // Narrow panels while a matrix is small: their latency counts, not the update's rate.
  constexpr Index widest = 128;
  constexpr Index narrowest = 16;
  choice.block = block > 0 ? block : std::clamp(order / 16 / 8 * 8, narrowest, widest);
  choice.block = std::clamp<Index>(choice.block, 1, std::max<Index>(order, 1));
  return choice;
}

bool deals_in_cycles(const EliminationChoice& choice, int ranks) {
  return choice.method == Method::lu && ranks > 1;
}

CyclicRows cyclic_rows(const EliminationChoice& choice, Index order, int ranks) {
  return {order, ranks, choice.block};
}

PreparedElimination prepare_elimination(Team& team, Index order, const Csr<double>& rows,
                                        const EliminationChoice& choice) {
  const bool blocked = choice.method == Method::lu;
  if (choice.precision == Precision::float32) {
    return blocked ? prepare_by_blocks<float>(team, order, rows, choice)
                   : prepare_by_columns<float>(team, order, rows, choice);
  }
  return blocked ? prepare_by_blocks<double>(team, order, rows, choice)
                 : prepare_by_columns<double>(team, order, rows, choice);
}

std::int64_t elimination_bytes(const EliminationChoice& choice, Index height, Index order,
                               int ranks) {
  const bool reduced = choice.precision == Precision::float32;
  if (choice.method != Method::lu) {
    return reduced ? HostBand<float>::bytes(height, order) : HostBand<double>::bytes(height, order);
  }
  const bool alone = ranks == 1;
  const std::int64_t band =
      reduced ? HostBlockedBand<float>::bytes(height, order, choice.block, alone)
              : HostBlockedBand<double>::bytes(height, order, choice.block, alone);
  // Packed pivot rows and the L and U of all panels.
  const std::int64_t value = reduced ? sizeof(float) : sizeof(double);
  return alone ? band : band + 2 * choice.block * order * value;
}

}  // namespace spsolve
