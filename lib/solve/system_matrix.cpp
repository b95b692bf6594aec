#include "solve/system_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/extremes.hpp"
#include "solve/equilibrate.hpp"

namespace spsolve {

namespace {

/// Columns of others' rows that the band names, ascending.
std::vector<Index> foreign_columns(const Csr<double>& rows, Range own) {
  std::vector<bool> named(static_cast<std::size_t>(rows.columns), false);
  for (const LocalIndex j : rows.column_indices) named[static_cast<std::size_t>(j)] = true;
  std::vector<Index> columns;
  for (Index j = 0; j < rows.columns; ++j) {
    if (named[static_cast<std::size_t>(j)] && !own.contains(j)) columns.push_back(j);
  }
  return columns;
}

HaloPlan plan_for(Team& team, const RowLayout& layout, const Csr<double>& rows) {
  if (team.size() == 1) return make_halo_plan(team, layout, {});
  const std::vector<Index> needed =
      together(team, [&] { return foreign_columns(rows, layout.band(team.rank())); });
  return make_halo_plan(team, layout, needed);
}

/// Numbers the columns as BandProducts does: own ones first, then the halo.
void number_columns(Csr<double>& rows, const HaloPlan& plan) {
  const std::vector<Index>& halo = plan.halo;
  const Index own = plan.own.size();
  rows.columns = own + plan.halo_rows();
  if (halo.empty() && plan.own.first == 0) return;  // they have these numbers already
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < rows.nonzeros(); ++k) {
    const Index j = rows.column_indices[k];
    rows.column_indices[k] = static_cast<LocalIndex>(
        plan.own.contains(j)
            ? j - plan.own.first
            : own + (std::lower_bound(halo.begin(), halo.end(), j) - halo.begin()));
  }
}

}  // namespace

SystemMatrix::SystemMatrix(Team& team, const RowLayout& layout, Csr<double> rows,
                           const VectorMemory& memory)
    : team_(team),
      layout_(layout),
      nonzeros_(all_sum(team, rows.nonzeros())),
      rows_(std::move(rows)),
      halo_(team, plan_for(team, layout, rows_)),
      memory_(memory) {
  together(team, [&] {
    number_columns(rows_, halo_.plan());
    products_ = memory_.products(rows_, own().size());
  });
}

void SystemMatrix::set_values(std::vector<double> values) {
  together(team_, [&] {
    if (values.size() != rows_.values.size()) {
      fail(ExitCode::input,
           "the matrix has {} non-zeros on this rank, and {} new values came; give one for each",
           rows_.values.size(), values.size());
    }
    rows_.values = std::move(values);
    products_ = memory_.products(rows_, own().size());
  });
}

std::unique_ptr<Vectors> SystemMatrix::vectors(Index columns) const {
  return together(team_, [&] { return memory_.vectors(team_, layout_, columns); });
}

void SystemMatrix::apply(const Vectors& x, Vectors& y) {
  const Dense<double> halo = halo_.fetch(x);
  products_->multiply(x, halo, y);
}

void SystemMatrix::apply_transposed(const Vectors& x, Vectors& y) {
  Dense<double> halo;
  products_->multiply_transposed(x, y, halo);
  if (team_.size() == 1) return;
  Dense<double> own = own_rows(y);
  halo_.give_back(halo, Meeting::sum, own);
  set_own_rows(y, own);
}

void SystemMatrix::apply_magnitudes(double h, const Vectors& x, Vectors& y) {
  const Dense<double> halo = halo_.fetch(x);
  products_->multiply_magnitudes(h, x, halo, y);
}

ResidualNorms SystemMatrix::residual(const Vectors& b, const Vectors& x, Vectors& r) {
  const Dense<double> halo = halo_.fetch(x);
  ResidualNorms norms = products_->residual(b, x, halo, r);
  std::vector<double> all{norms.matrix, norms.componentwise};
  for (auto* norm : {&norms.residual, &norms.right_hand_side, &norms.solution}) {
    all.insert(all.end(), norm->begin(), norm->end());
  }
  all_maximum(team_, all);
  auto next = all.begin();
  norms.matrix = *next++;
  norms.componentwise = *next++;
  for (auto* norm : {&norms.residual, &norms.right_hand_side, &norms.solution}) {
    std::copy_n(next, norm->size(), norm->begin());
    next += static_cast<std::ptrdiff_t>(norm->size());
  }
  return norms;
}

std::vector<double> SystemMatrix::with_halo(const std::vector<double>& own) const {
  Dense<double> column(static_cast<Index>(own.size()), 1);
  column.values = own;
  std::vector<double> all = own;
  const Dense<double> others = halo_.fetch(column);
  all.insert(all.end(), others.values.begin(), others.values.end());
  return all;
}

Dense<double> SystemMatrix::over_columns(Dense<double> local, Meeting how) const {
  const auto own_size = own().size() * local.columns;
  Dense<double> halo(local.rows - own().size(), local.columns);
  std::copy(local.values.begin() + own_size, local.values.end(), halo.values.begin());
  local.values.resize(static_cast<std::size_t>(own_size));
  local.rows = own().size();
  halo_.give_back(halo, how, local);
  return local;
}

Dense<double> SystemMatrix::row_maxima() const {
  Dense<double> largest(rows_.rows, 1);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows_.rows; ++i) {
    for (const double value : rows_.row_values(i)) {
      largest(i, 0) = std::max(largest(i, 0), std::abs(value));
    }
  }
  return largest;
}

Dense<double> SystemMatrix::column_maxima(const std::vector<double>& row_factors) const {
  Dense<double> largest(rows_.columns, 1);
  for (Index i = 0; i < rows_.rows; ++i) {
    const auto columns = rows_.row_columns(i);
    const auto values = rows_.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      double& of_column = largest(columns[k], 0);
      of_column = std::max(of_column, row_factors[i] * std::abs(values[k]));
    }
  }
  return over_columns(std::move(largest), Meeting::maximum);
}

SystemMatrix::Norms SystemMatrix::norms(const Equilibration& scaling) {
  const std::vector<double> column_factors =
      scaling.scales ? with_halo(scaling.columns) : std::vector<double>{};
  Norms result;
  Dense<double> of_columns(rows_.columns, 1);
  for (Index i = 0; i < rows_.rows; ++i) {
    const auto columns = rows_.row_columns(i);
    const auto values = rows_.row_values(i);
    double of_row = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      double entry = std::abs(values[k]);
      if (scaling.scales) entry = entry * scaling.rows[i] * column_factors[columns[k]];
      of_row += entry;
      of_columns(columns[k], 0) += entry;
    }
    result.infinity = larger(result.infinity, of_row);
  }
  for (const double sum : over_columns(std::move(of_columns), Meeting::sum).values) {
    result.one = larger(result.one, sum);
  }
  std::vector<double> both{result.infinity, result.one};
  all_maximum(team_, both);
  return {both[0], both[1]};
}

Csr<double> SystemMatrix::scaled_rows(const Equilibration& scaling) {
  const std::vector<double> column_factors =
      scaling.scales ? with_halo(scaling.columns) : std::vector<double>{};
  return together(team_, [&] {
    Csr<double> rows = rows_;
    rows.columns = order();
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        const LocalIndex j = rows.column_indices[k];
        // One after the other: their product may overflow where the entry does not.
        if (scaling.scales) rows.values[k] = rows.values[k] * scaling.rows[i] * column_factors[j];
        rows.column_indices[k] = static_cast<LocalIndex>(global_column(j));
      }
    }
    return rows;
  });
}

}  // namespace spsolve
