#include "solve/operators/system_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "solve/operators/equilibrate.hpp"

namespace spsolve::inline solve {

SystemMatrix::SystemMatrix(Team& team, const RowLayout& layout, Csr<double> rows,
                           const VectorMemory& memory)
    : bands_(team, layout, layout, std::move(rows), memory) {}

void SystemMatrix::apply_magnitudes(double h, const Vectors& x, Vectors& y) {
  bands_.with_halo(
      x, [&](const HaloView& halo) { bands_.products().multiply_magnitudes(h, x, halo, y); });
}

ResidualNorms SystemMatrix::residual(const Vectors& b, const Vectors& x, Vectors& r,
                                     Vectors* magnitudes) {
  ResidualNorms norms;
  bands_.with_halo(x, [&](const HaloView& halo) {
    norms = bands_.products().residual(b, x, halo, r, magnitudes);
  });
  std::vector<double> all{norms.matrix, norms.inverse_row, norms.componentwise};
  for (auto* norm : {&norms.residual, &norms.right_hand_side, &norms.solution}) {
    all.insert(all.end(), norm->begin(), norm->end());
  }
  all_maximum(team(), all);
  auto next = all.begin();
  norms.matrix = *next++;
  norms.inverse_row = *next++;
  norms.componentwise = *next++;
  for (auto* norm : {&norms.residual, &norms.right_hand_side, &norms.solution}) {
    std::copy_n(next, norm->size(), norm->begin());
    next += static_cast<std::ptrdiff_t>(norm->size());
  }
  row_sums_ = {norms.matrix, norms.inverse_row};
  return norms;
}

std::vector<double> SystemMatrix::with_halo(const std::vector<double>& own) const {
  Dense<double> column(static_cast<Index>(own.size()), 1);
  column.values = own;
  std::vector<double> all = own;
  const Dense<double> others = bands_.halo().fetch(column);
  all.insert(all.end(), others.values.begin(), others.values.end());
  return all;
}

Dense<double> SystemMatrix::over_columns(Dense<double> local, Combination how) const {
  const auto own_size = own().size() * local.columns;
  Dense<double> halo(local.rows - own().size(), local.columns);
  std::copy(local.values.begin() + own_size, local.values.end(), halo.values.begin());
  local.values.resize(static_cast<std::size_t>(own_size));
  local.rows = own().size();
  bands_.halo().give_back(halo, how, local);
  return local;
}

Dense<double> SystemMatrix::row_maxima() const {
  Dense<double> largest(local_rows().rows, 1);
  bands_.products().row_maxima(largest.values);
  return largest;
}

Dense<double> SystemMatrix::column_maxima(const std::vector<double>& row_factors) const {
  Dense<double> largest(local_rows().columns, 1);
  bands_.products().column_maxima(row_factors, largest.values);
  return over_columns(std::move(largest), Combination::maximum);
}

/// The infinity norm of R A C, or of its transposed matrix, where vectors are. Not a finite number
/// where entries overflow before both factors are there.
double SystemMatrix::norm_by_product(const Equilibration& scaling, bool transposed) {
  const std::unique_ptr<Vectors> sums = vectors(1);
  const auto multiply = [&](const Vectors& x) {
    transposed ? bands_.apply_magnitudes_transposed(x, *sums) : apply_magnitudes(1, x, *sums);
  };
  if (scaling.scales) {
    const ScaleFactors &first = transposed ? scaling.rows : scaling.columns,
                       &second = transposed ? scaling.columns : scaling.rows;
    multiply(first.vector(*this));
    sums->scale_rows(second.vector(*this));
  } else {
    const std::unique_ptr<Vectors> ones = vectors(1);
    ones->fill(1);
    multiply(*ones);
  }
  return maxima(*sums).front();
}

double SystemMatrix::infinity_norm(const Equilibration& scaling) {
  if (&memory() != &host_vector_memory()) {
    const double norm = norm_by_product(scaling, false);
    if (std::isfinite(norm)) return norm;
  }
  const std::vector<double> column_factors =
      scaling.scales ? with_halo(scaling.columns.on_host()) : std::vector<double>{};
  const std::vector<double>& row_factors = scaling.rows.on_host();
  double norm = 0;
#pragma omp parallel if (worth_threads(local_rows().nonzeros()))
  {
    double of_thread = 0;
#pragma omp for schedule(static) nowait
    for (Index i = 0; i < local_rows().rows; ++i) {
      const auto columns = local_rows().row_columns(i);
      const auto values = local_rows().row_values(i);
      double of_row = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const double entry = std::abs(values[k]);
        of_row += scaling.scales ? entry * row_factors[i] * column_factors[columns[k]] : entry;
      }
      of_thread = larger(of_thread, of_row);
    }
#pragma omp critical
    norm = larger(norm, of_thread);
  }
  return all_maximum(team(), norm);
}

double SystemMatrix::one_norm(const Equilibration& scaling) {
  const double by_product = norm_by_product(scaling, true);
  if (std::isfinite(by_product)) return by_product;
  const Csr<double>& rows = local_rows();
  const std::vector<double> column_factors =
      scaling.scales ? with_halo(scaling.columns.on_host()) : std::vector<double>{};
  const std::vector<double>& row_factors = scaling.rows.on_host();
  Dense<double> of_columns(rows.columns, 1);
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double entry = std::abs(values[k]);
      of_columns(columns[k], 0) +=
          scaling.scales ? entry * row_factors[i] * column_factors[columns[k]] : entry;
    }
  }
  double norm = 0;
  for (const double sum : over_columns(std::move(of_columns), Combination::sum).values) {
    norm = larger(norm, sum);
  }
  return all_maximum(team(), norm);
}

void SystemMatrix::set_coordinates(Dense<double> own_nodes) {
  if (own_nodes.rows * own_nodes.columns != own().size()) {
    fail(ExitCode::internal, "{} x {} coordinates for {} rows of the matrix", own_nodes.rows,
         own_nodes.columns, own().size());
  }
  coordinates_ = std::move(own_nodes);
}

Csr<double> SystemMatrix::scaled_rows(const Equilibration& scaling) {
  const std::vector<double> column_factors =
      scaling.scales ? with_halo(scaling.columns.on_host()) : std::vector<double>{};
  const std::vector<double>& row_factors = scaling.rows.on_host();
  return together(team(), [&] {
    Csr<double> rows = local_rows();
    rows.columns = order();
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        const LocalIndex j = rows.column_indices[k];
        // One after the other: their product may overflow where the entry does not.
        if (scaling.scales) rows.values[k] = rows.values[k] * row_factors[i] * column_factors[j];
        rows.column_indices[k] = static_cast<LocalIndex>(global_column(j));
      }
    }
    return rows;
  });
}

}  // namespace spsolve::solve
