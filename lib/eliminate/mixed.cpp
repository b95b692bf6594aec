#include "eliminate/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "distribute/share_rows.hpp"
#include "eliminate/gmres.hpp"
#include "eliminate/residual.hpp"
#include "multiply/csr_openmp.hpp"

namespace spsolve {

namespace {

/// One rank's rows of R A C, and what it takes to multiply with all of it.
struct ScaledBand {
  Team& team;
  RowBands bands;
  const Csr<double>& band;
  Equilibration scaling;

  Range mine() const { return bands.band(team.rank()); }

  void scale(Dense<double>& x, const std::vector<double>& factors) const {
    if (scaling.scales()) multiply_rows(factors, x);
  }

  void multiply(Dense<double>& x) const {
    scale(x, scaling.columns);
    Dense<double> product(x.rows, x.columns);
    csr_openmp(band, x.values.data(), product.row(mine().first), x.columns, 0);
    share_bands(team, bands, product);
    scale(product, scaling.rows);
    x = std::move(product);
  }

  /// Each rank adds up what its own rows give to the components; the ranks' sums meet at the end.
  void multiply_transposed(Dense<double>& x) const {
    scale(x, scaling.rows);
    Dense<double> product(x.rows, x.columns);
    for (Index i = mine().first; i < mine().last; ++i) {
      const auto columns = band.row_columns(i - mine().first);
      const auto values = band.row_values(i - mine().first);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        double* const target = product.row(columns[k]);
        for (Index c = 0; c < x.columns; ++c) target[c] += values[k] * x(i, c);
      }
    }
    all_sum(team, product.values);
    scale(product, scaling.columns);
    x = std::move(product);
  }
};

/// Largest sums of |r_i a_ij c_j| over rows, and over columns.
void find_norms(const ScaledBand& matrix, MatrixProducts& products) {
  const Equilibration& scaling = matrix.scaling;
  std::vector<double> of_columns(static_cast<std::size_t>(matrix.bands.rows));
  for (Index i = 0; i < matrix.band.rows; ++i) {
    const auto columns = matrix.band.row_columns(i);
    const auto values = matrix.band.row_values(i);
    double of_row = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      double entry = std::abs(values[k]);
      if (scaling.scales()) {
        entry = entry * scaling.rows[matrix.mine().first + i] * scaling.columns[columns[k]];
      }
      of_row += entry;
      of_columns[columns[k]] += entry;
    }
    products.norm = larger(products.norm, of_row);
  }
  products.norm = all_maximum(matrix.team, products.norm);
  all_sum(matrix.team, of_columns);
  for (const double sum : of_columns) {
    products.norm_transposed = larger(products.norm_transposed, sum);
  }
}

/// The factors in float with which a trial solve went well; or why there are none.
struct Attempt {
  std::optional<Eliminated> factors;
  Dense<double> x;  ///< of the trial solve
  int steps = 0;
  std::string failure;
};

Attempt try_in_float(const PreparedElimination& prepared, const MatrixProducts& products,
                     const Dense<double>& b, Progress& progress) {
  Attempt attempt;
  try {
    attempt.factors = prepared(progress);
  } catch (const Error& error) {
    // The same on every rank, as all must go on together.
    if (error.code() != ExitCode::not_trustworthy || error.scope() != Scope::every_rank) throw;
    attempt.failure = fmt::format("the elimination in float failed ({})", error.what());
    return attempt;
  }
  attempt.x = b;
  const GmresOutcome outcome =
      solve_by_gmres(products.multiply, attempt.factors->solve, products.norm, attempt.x);
  attempt.steps = outcome.steps;
  if (!outcome.converged) {
    attempt.factors.reset();
    attempt.failure = fmt::format(
        "GMRES with the float factors stopped at a backward error of {:.1e} after {} steps, as the "
        "matrix is too ill-conditioned for float",
        outcome.backward_error, outcome.steps);
  }
  return attempt;
}

/// A system that is solved already.
struct SolvedSystem {
  Dense<double> b, x;
};

/// What solves with A to the accuracy of double by the factors in float; at once where `trial` is
/// asked for.
Eliminated with_gmres(Eliminated factors, const MatrixProducts& products, SolvedSystem trial) {
  const auto known = std::make_shared<std::optional<SolvedSystem>>(std::move(trial));
  Eliminated result = factors;
  result.solve = [products, known, precondition = factors.solve](Dense<double>& x) {
    if (known->has_value() && (*known)->b.values == x.values) {
      x = std::move((*known)->x);
      known->reset();
      return;
    }
    solve_by_gmres(products.multiply, precondition, products.norm, x);
  };
  if (factors.solve_transposed) {
    result.solve_transposed = [products,
                               precondition = factors.solve_transposed](Dense<double>& x) {
      solve_by_gmres(products.multiply_transposed, precondition, products.norm_transposed, x);
    };
  }
  return result;
}

}  // namespace

MatrixProducts products_of(Team& team, const RowBands& bands, const Csr<double>& band,
                           const Equilibration& scaling) {
  const auto matrix = std::make_shared<const ScaledBand>(ScaledBand{team, bands, band, scaling});
  MatrixProducts products;
  products.multiply = [matrix](Dense<double>& x) { matrix->multiply(x); };
  products.multiply_transposed = [matrix](Dense<double>& x) { matrix->multiply_transposed(x); };
  find_norms(*matrix, products);
  return products;
}

PreparedElimination prepare_mixed(Team& team, BandFactory& bands,
                                  std::shared_ptr<const Csr<double>> dealt,
                                  const EliminationChoice& choice, MatrixProducts products,
                                  Dense<double> b, Checkpoints* checkpoints,
                                  BeforeDouble before_double) {
  EliminationChoice in_float = choice;
  in_float.precision = Precision::float32;
  in_float.refined = true;
  const Index order = b.rows;
  // Shared, so that the float band can go before the double one comes.
  const auto prepared = std::make_shared<PreparedElimination>(
      prepare_elimination(team, bands, order, *dealt, in_float, checkpoints));
  return [=, &team, &bands](Progress& progress) {
    Attempt attempt = try_in_float(*prepared, products, b, progress);
    *prepared = nullptr;
    if (attempt.factors) {
      Eliminated result =
          with_gmres(std::move(*attempt.factors), products, {b, std::move(attempt.x)});
      result.mixed = MixedOutcome{attempt.steps, false};
      return result;
    }
    if (before_double) before_double(attempt.failure);
    EliminationChoice in_double = choice;
    in_double.precision = Precision::float64;
    Eliminated result =
        prepare_elimination(team, bands, order, *dealt, in_double, checkpoints)(progress);
    result.mixed = MixedOutcome{attempt.steps, true};
    result.notes.push_back(
        fmt::format("eliminated in double after all: {}; solve.precision=double saves the attempt",
                    attempt.failure));
    return result;
  };
}

PreparedElimination prepare_system(Team& team, BandFactory& bands, const RowBands& rows,
                                   const Csr<double>& band, const Equilibration& scaling,
                                   std::shared_ptr<const Csr<double>> dealt,
                                   const EliminationChoice& choice, const Dense<double>& b,
                                   Checkpoints* checkpoints, BeforeDouble before_double) {
  if (choice.precision != Precision::mixed) {
    return prepare_elimination(team, bands, rows.rows, *dealt, choice, checkpoints);
  }
  Dense<double> scaled = b;
  if (scaling.scales()) multiply_rows(scaling.rows, scaled);
  return prepare_mixed(team, bands, std::move(dealt), choice,
                       products_of(team, rows, band, scaling), std::move(scaled), checkpoints,
                       std::move(before_double));
}

}  // namespace spsolve
