#include <complex>

#include <gtest/gtest.h>

#include "helpers/complex_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "mpi/mpi_team.hpp"
#include "sparse/sparse_inverse.hpp"

namespace spsolve {
namespace {

using test::ComplexElimination;

/// Fronts of some are large enough to be shared column by column.
TEST(ComplexTeamElimination, SolvesWithTheMatrixAndItsAdjoint) {
  MpiTeam team;
  const auto try_out = [&](const Csr<double>& s, Factorization kind) {
    SCOPED_TRACE(name(kind));
    ComplexElimination<std::complex<double>> system(team, host_sparse_memory(),
                                                    test::turned_form(s, kind), kind);
    const PivotCounts counts = system.factor();
    ASSERT_EQ(counts.failed, -1);
    for (const Index columns : {1, 3, 20}) {
      for (const bool transposed : {false, true}) {
        EXPECT_LT(system.error(transposed, columns), counts.perturbed > 0 ? 1e-4 : 1e-11)
            << columns << " columns, transposed " << transposed;
      }
    }
  };
  test::for_complex_cases(try_out);
  for (const Factorization kind :
       {Factorization::cholesky, Factorization::ldlt, Factorization::ldlh, Factorization::lu}) {
    try_out(generate_matrix("grid3d:14"), kind);
  }
}

/// Of a complex symmetric matrix the form with opposite signs; values change, and signs with them.
TEST(ComplexTeamElimination, TakesNewValuesOfARealForm) {
  MpiTeam team;
  for (const Factorization kind : {Factorization::ldlt, Factorization::lu}) {
    for (const bool over_ranks : {false, true}) {
      Csr<double> form = test::turned_form(generate_matrix("grid2d:40"), kind);
      EXPECT_EQ(complex_symmetry_of(form).wants_conjugate_rows(), kind == Factorization::ldlt);
      if (kind == Factorization::ldlt) conjugate_rows(form);
      const RowLayout bands = bands_of_nodes(form.rows, team.size(), complex_parts);
      SystemMatrix matrix = test::matrix_in_bands(team, bands, form);
      SparseChoice choice;
      choice.kind = kind;
      choice.complex = true;
      choice.over_ranks = over_ranks;
      SparseInverse<std::complex<double>> inverse(team, host_sparse_memory(), choice, nullptr);
      Equilibration scaling;
      const auto b = matrix.vectors(2), x = matrix.vectors(2);
      b->fill(1);
      Progress silent("eliminating", 1, Progress::Show::off);
      for (const double factor : {1.0, -3.0, 1e5}) {
        std::vector<double> values = matrix.local_rows().values;
        for (double& value : values) value *= factor;
        matrix.set_values(values);
        inverse.find_scaling(matrix, AutoSwitch::on, Precision::float64, scaling);
        inverse.prepare(matrix, scaling);
        inverse.eliminate({silent});
        EXPECT_TRUE(inverse.facts().sparse->complex);
        EXPECT_EQ(inverse.facts().sparse->ranks, over_ranks ? team.size() : 1);
        inverse.apply(*b, *x);
        for (const double residual : residual_maxima(matrix, scaling, *b, *x)) {
          EXPECT_LT(residual, 1e-10);
        }
      }
    }
  }
}

}  // namespace
}  // namespace spsolve
