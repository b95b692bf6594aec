#include "eliminate/transposed.hpp"

#include <algorithm>

#include "distribute/share_rows.hpp"

namespace spsolve {

namespace {

/// y(j, :) <- y(j, :) - a_ij x(i, :) for j in `columns`, a_i the row in buffer 0.
template <typename T>
void subtract_multiples_of_row(std::span<const T> row, Range columns, const T* x_row, Dense<T>& y) {
  for (Index j = columns.first; j < columns.last; ++j) {
    T* target = y.row(j);
    for (Index c = 0; c < y.columns; ++c) target[c] -= row[j] * x_row[c];
  }
}

template <typename T>
void solve_upper_transposed(Team& team, const RowBands& bands, Band<T>& band, Dense<T>& x) {
  const Index n = band.order();
  for (int owner = 0; owner < team.size(); ++owner) {
    const Range block = bands.band(owner);
    if (owner == team.rank()) {
      for (Index i = block.first; i < block.last; ++i) {
        band.load_row(i, {i, n}, 0);
        const std::span<const T> row = band.row_buffer(0);
        for (Index c = 0; c < x.columns; ++c) x(i, c) /= row[i];
        subtract_multiples_of_row(row, {i + 1, n}, x.row(i), x);
      }
    }
    share_rows(team, x, {block.first, n}, owner);
  }
}

/// x <- (I - M)^T D^-1 x
template <typename T>
void solve_jordan_transposed(Team& team, const RowBands& bands, Band<T>& band, Dense<T>& x) {
  const Index n = band.order();
  band.divide_by_diagonal(std::span<T>(x.values), x.columns);
  share_bands(team, bands, x);
  const Dense<T> scaled = x;
  for (int owner = 0; owner < team.size(); ++owner) {
    const Range block = bands.band(owner);
    if (owner == team.rank()) {
      for (Index i = block.first; i < block.last; ++i) {
        band.load_row(i, {i, n}, 0);
        subtract_multiples_of_row<T>(band.row_buffer(0), {i + 1, n}, scaled.row(i), x);
      }
    }
    share_rows(team, x, {block.first, n}, owner);
  }
}

template <typename T>
void solve_lower_transposed(Team& team, const RowBands& bands, Band<T>& band, Dense<T>& x) {
  for (int owner = team.size(); owner-- > 0;) {
    const Range block = bands.band(owner);
    if (owner == team.rank()) {
      for (Index i = block.last; i-- > block.first;) {
        band.load_row(i, {0, i}, 0);
        subtract_multiples_of_row<T>(band.row_buffer(0), {0, i}, x.row(i), x);
      }
    }
    share_rows(team, x, {0, block.last}, owner);
  }
}

template <typename T>
using Panel = typename LuFactors<T>::Panel;

/// The panels of a team; for a rank alone, blocks of its columns in the same form, their factors
/// left in the band.
template <typename T>
std::vector<Panel<T>> panels_of_one(const BlockedBand<T>& band) {
  std::vector<Panel<T>> panels;
  for (Index first = 0; first < band.order(); first += band.max_width()) {
    const Range columns{first, std::min(first + band.max_width(), band.order())};
    const auto width = static_cast<std::size_t>(columns.size());
    panels.push_back({columns, std::vector<int>(width, 0), {}, first, columns.size()});
  }
  return panels;
}

/// The two sweeps of a transposed solve over the panels of a blocked band; x is in the order of
/// elimination.
template <typename T>
class TransposedSweeps {
 public:
  TransposedSweeps(Team& team, const BlockedBand<T>& band, const std::vector<Panel<T>>& panels,
                   Dense<T>& x)
      : team_(team), band_(band), panels_(panels), x_(x), own_(band.height(), x.columns) {
    for (const Panel<T>& panel : panels) {
      for (Index i = 0; i < panel.columns.size(); ++i) {
        if (panel.owner[i] == team.rank()) steps_.push_back(panel.columns.first + i);
      }
    }
  }

  /// x <- U^-T x, first panel first: the rows above a panel give to it.
  void solve_upper() {
    for (const Panel<T>& panel : panels_) {
      collect(panel, {0, panel.first_active});
      const Index width = panel.columns.size();
      const std::vector<T>& factors = factors_of(panel);
      for (Index i = 0; i < width; ++i) {
        const T* row = factors.data() + i * width;
        for (Index c = 0; c < x_.columns; ++c) at(panel, i)[c] /= row[i];
        for (Index k = i + 1; k < width; ++k) subtract(panel, k, row[k], i);
      }
      keep_own(panel);
    }
  }

  /// x <- L^-T x, last panel first: the rows below a panel give to it.
  void solve_lower() {
    for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) {
      collect(*panel, {panel->first_active + panel->retired, band_.height()});
      const std::vector<T>& factors = factors_of(*panel);
      for (Index i = panel->columns.size(); i-- > 0;) {
        const T* row = factors.data() + i * panel->columns.size();
        for (Index k = 0; k < i; ++k) subtract(*panel, k, row[k], i);
      }
      keep_own(*panel);
    }
  }

 private:
  const std::vector<T>& factors_of(const Panel<T>& panel) {
    if (!panel.factors.empty()) return panel.factors;
    return fetched_ = band_.panel_values(panel.columns, panel.columns);
  }

  T* at(const Panel<T>& panel, Index i) { return x_.row(panel.columns.first + i); }

  void subtract(const Panel<T>& panel, Index k, T factor, Index i) {
    for (Index c = 0; c < x_.columns; ++c) at(panel, k)[c] -= factor * at(panel, i)[c];
  }

  /// x(panel, :) <- x(panel, :) - what the local rows `rows` of all ranks give to it, rank after
  /// rank.
  void collect(const Panel<T>& panel, Range rows) {
    const auto count = static_cast<std::size_t>(panel.columns.size() * x_.columns);
    given_.assign(count, T{});
    band_.subtract_transposed_product(
        rows, panel.columns, std::span<const T>(own_.row(rows.first), rows.size() * x_.columns),
        given_, x_.columns);
    gathered_.resize(count * static_cast<std::size_t>(team_.size()));
    team_.all_gather_bytes(std::as_bytes(std::span(given_)),
                           std::as_writable_bytes(std::span(gathered_)));
    T* target = at(panel, 0);
    for (std::size_t k = 0; k < gathered_.size(); ++k) target[k % count] += gathered_[k];
  }

  /// The panel's part of x to this rank's own pivot rows.
  void keep_own(const Panel<T>& panel) {
    for (Index i = panel.first_active; i < panel.first_active + panel.retired; ++i) {
      std::copy_n(x_.row(steps_[i]), x_.columns, own_.row(i));
    }
  }

  Team& team_;
  const BlockedBand<T>& band_;
  const std::vector<Panel<T>>& panels_;
  Dense<T>& x_;
  Dense<T> own_;              // of x, in the order of local rows
  std::vector<Index> steps_;  // in which own rows were eliminated
  std::vector<T> given_, gathered_;
  std::vector<T> fetched_;  // the factors of a panel of one
};

}  // namespace

template <typename T>
void solve_transposed(Team& team, const RowBands& bands, Band<T>& band,
                      const Elimination& elimination, Dense<T>& x) {
  permute(elimination.column_swaps, x, false);
  if (elimination.method == Method::gauss_jordan) {
    solve_jordan_transposed(team, bands, band, x);
  } else {
    solve_upper_transposed(team, bands, band, x);
  }
  solve_lower_transposed(team, bands, band, x);
  permute(elimination.row_swaps, x, true);
}

template <typename T>
void solve_lu_transposed(Team& team, const BlockedBand<T>& band, const LuFactors<T>& factors,
                         Dense<T>& x) {
  const std::vector<Panel<T>> of_one =
      team.size() == 1 ? panels_of_one(band) : std::vector<Panel<T>>{};
  const std::vector<Panel<T>>& panels = team.size() == 1 ? of_one : factors.panels;
  TransposedSweeps<T> sweeps(team, band, panels, x);
  sweeps.solve_upper();
  sweeps.solve_lower();
  const Dense<T> eliminated = x;
  for (Index k = 0; k < x.rows; ++k) {
    std::copy_n(eliminated.row(k), x.columns, x.row(factors.order[k]));
  }
}

template void solve_transposed(Team&, const RowBands&, Band<float>&, const Elimination&,
                               Dense<float>&);
template void solve_transposed(Team&, const RowBands&, Band<double>&, const Elimination&,
                               Dense<double>&);
template void solve_lu_transposed(Team&, const BlockedBand<float>&, const LuFactors<float>&,
                                  Dense<float>&);
template void solve_lu_transposed(Team&, const BlockedBand<double>&, const LuFactors<double>&,
                                  Dense<double>&);

}  // namespace spsolve
