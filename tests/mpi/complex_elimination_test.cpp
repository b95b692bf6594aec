#include <complex>

#include <gtest/gtest.h>

#include "helpers/complex_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "mpi/mpi_team.hpp"

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

}  // namespace
}  // namespace spsolve
