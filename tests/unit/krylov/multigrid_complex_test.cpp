// The parts of a multigrid hierarchy of a complex matrix, by its real form.

#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "helpers/systems_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "krylov/multigrid/aggregates.hpp"
#include "krylov/multigrid/filtered_rows.hpp"
#include "krylov/multigrid/paired_rows.hpp"
#include "krylov/multigrid/sparse_product.hpp"
#include "krylov/multigrid/turned_rows.hpp"
#include "matrix/real_form.hpp"

namespace spsolve {
namespace {

Csr<double> form_of(const std::string& name) {
  return load_real_form(name).rows;
}

/// The number at (i, j) of a real form.
std::complex<double> number_of(const Csr<double>& form, Index i, Index j) {
  const auto columns = form.row_columns(complex_parts * i);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k] != complex_parts * j) continue;
    return {form.row_values(complex_parts * i)[k], -form.row_values(complex_parts * i)[k + 1]};
  }
  return 0;
}

TEST(PairedRows, OfAProductAreThoseOfTheWholeOneAndARealForm) {
  const Csr<double> a = form_of("zhelm2d:23"), b = form_of("zconvdiff2d:23");
  const Csr<double> none;
  const Csr<double> whole = sparse_product(a, {b, none, {0, b.columns}});
  for (const Index together : {1, 2}) {
    const Csr<double> paired = sparse_product(a, {b, none, {0, b.columns}, together, true});
    EXPECT_EQ(paired.row_offsets, whole.row_offsets);
    EXPECT_EQ(paired.column_indices, whole.column_indices);
    EXPECT_EQ(real_form_kind(paired), RealFormKind::plain);
    for (std::size_t k = 0; k < whole.values.size(); ++k) {
      EXPECT_NEAR(paired.values[k], whole.values[k], 1e-13);
    }
  }
}

TEST(Phases, MakeConnectionsWithinAggregatesNegative) {
  // D^H L D for a grid's L has them so with n = D^H 1, but for a phase of each aggregate.
  const Csr<double> real = load_matrix("grid2d:20");
  Csr<double> re = real, im = real;
  for (Index i = 0; i < real.rows; ++i) {
    for (Index k = real.row_offsets[i]; k < real.row_offsets[i + 1]; ++k) {
      const double phase = 0.7 * static_cast<double>(real.column_indices[k] - i);
      re.values[k] *= std::cos(phase);
      im.values[k] *= std::sin(phase);
    }
  }
  const Csr<double> form = real_form(re, im);
  SoloTeam team;
  SystemMatrix matrix(test::matrix_in_bands(team, form));
  const NodeConnections found = connections(matrix.bands(), complex_parts, 0.08);
  const Aggregates aggregates = aggregate(found.strong);
  NearNullSpace near{complex_parts, Dense<double>(form.rows, complex_parts)};
  for (Index i = 0; i < form.rows; ++i) near.vectors(i, i % complex_parts) = 2;
  turn_within_aggregates(matrix.bands(), aggregates, near);
  const auto n = [&](Index i) {
    return std::complex<double>(near.vectors(complex_parts * i, 0),
                                near.vectors(complex_parts * i + 1, 0));
  };
  Index within = 0;
  for (Index i = 0; i < real.rows; ++i) {
    EXPECT_NEAR(std::abs(n(i)), 2, 1e-14);
    for (const LocalIndex j : real.row_columns(i)) {
      if (j == i || aggregates.of_node[j] != aggregates.of_node[i]) continue;
      const std::complex<double> connection = number_of(form, i, j) * n(j) / n(i);
      EXPECT_NEAR(connection.real(), -1, 1e-13);
      EXPECT_NEAR(connection.imag(), 0, 1e-13);
      ++within;
    }
  }
  EXPECT_GT(within, real.rows);
  const NodeKind kind(complex_parts, NodeNumbers::turned);
  const std::vector<double> lone = lone_entries(matrix.bands(), near, kind.numbers);
  for (const double modulus : lone) EXPECT_NEAR(modulus, 2, 1e-14);
  // Without any dependences all that is between nodes is added to the diagonal.
  NodeGraph nothing;
  nothing.nodes = real.rows;
  nothing.offsets.assign(static_cast<std::size_t>(real.rows) + 1, 0);
  const Csr<double> filtered = made_of_numbers(form.rows, form.columns, true, [&] {
    return FilteredRows(matrix.bands().local_rows(), kind, nothing, lone);
  });
  for (Index i = 0; i < real.rows; ++i) {
    const double sum = 4.0 - static_cast<double>(real.row_columns(i).size() - 1);
    EXPECT_NEAR(std::abs(number_of(filtered, i, i) - sum), 0, 1e-13);
  }
}

TEST(TurnedRows, HavePositiveDiagonals) {
  const Csr<double> form = form_of("zcircuit2d:12");
  for (const bool conjugated : {false, true}) {
    Csr<double> rows = form;
    if (conjugated) conjugate_rows(rows);
    const Turns turns = turns_of(rows);
    turn_rows(turns, rows);
    EXPECT_EQ(real_form_kind(rows), RealFormKind::plain);
    for (Index i = 0; i < form.rows / complex_parts; ++i) {
      const std::complex<double> before = number_of(form, i, i), after = number_of(rows, i, i);
      EXPECT_NEAR(after.real(), std::abs(before), 1e-14 * std::abs(before));
      EXPECT_NEAR(after.imag(), 0, 1e-14 * std::abs(before));
      EXPECT_NEAR(std::abs(turns[i]), 1, 1e-15);
    }
  }
  const Turns imaginary{{0, 1}};
  const auto block_of = [&](bool conjugated) {
    const Csr<double> rows = matrix_of_turns(imaginary, conjugated, 2, 4);
    return std::vector<double>(rows.values.begin(), rows.values.end());
  };
  EXPECT_EQ(block_of(false), (std::vector<double>{0, -1, 1, 0}));
  EXPECT_EQ(block_of(true), (std::vector<double>{0, 1, 1, 0}));
}

TEST(Damping, IsOfWhatRowsSumUpTo) {
  const Csr<double> form = form_of("zhelm2d:9");
  SoloTeam team;
  Csr<double> rows = form;
  EXPECT_TRUE(add_damping(team, 2, rows));
  const Index inside = 4 * 9 + 4;
  const std::complex<double> added =
      number_of(rows, inside, inside) - number_of(form, inside, inside);
  EXPECT_EQ(added, std::complex<double>(0, -2 * 0.375));
  EXPECT_EQ(number_of(rows, inside, inside + 1), number_of(form, inside, inside + 1));
  Csr<double> dominant = form_of("zconvdiff2d:9");
  EXPECT_FALSE(add_damping(team, 1, dominant));
}

}  // namespace
}  // namespace spsolve
