#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "helpers/complex_cases.hpp"
#include "io/matrix_source.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {
namespace {

using test::ComplexElimination;

template <typename T>
class ComplexEliminations : public testing::Test {
 protected:
  static constexpr bool single = std::is_same_v<Real<T>, float>;

  static void expect_solves(ComplexElimination<T>& system, bool perturbed) {
    const double most = single ? (perturbed ? 0.1 : 1e-4) : (perturbed ? 1e-4 : 1e-11);
    for (const Index columns : {1, 3, 20}) {
      for (const bool transposed : {false, true}) {
        EXPECT_LT(system.error(transposed, columns), most)
            << columns << " columns, transposed " << transposed;
      }
    }
  }

  SoloTeam team;
};

using ComplexTypes = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexEliminations, ComplexTypes);

TYPED_TEST(ComplexEliminations, SolveWithTheMatrixAndItsAdjoint) {
  test::for_complex_cases([&](const Csr<double>& s, Factorization kind) {
    SCOPED_TRACE(name(kind));
    ComplexElimination<TypeParam> system(this->team, host_sparse_memory(),
                                         test::turned_form(s, kind), kind);
    const PivotCounts counts = system.factor();
    ASSERT_EQ(counts.failed, -1);
    this->expect_solves(system, counts.perturbed > 0);
  });
}

TYPED_TEST(ComplexEliminations, SolveWithThresholdPivoting) {
  test::for_complex_cases([&](const Csr<double>& s, Factorization kind) {
    if (kind == Factorization::cholesky) return;
    SCOPED_TRACE(name(kind));
    ComplexElimination<TypeParam> system(this->team, threshold_sparse_memory(),
                                         test::turned_form(s, kind), kind);
    system.factor();
    if (!system.elimination->made().threshold_outcome()->rows.empty()) return;  // singular
    this->expect_solves(system, false);
  });
}

TEST(ComplexElimination, CountsNegativeEigenvaluesOnce) {
  SoloTeam team;
  const Csr<double> s = test::shifted(generate_matrix("grid2d:20"), -3);
  test::WholeElimination<double> real(test::analysis_of(s, Factorization::ldlt));
  const Index negative = real.factor(Factorization::ldlt, s.values).negative;
  ASSERT_GT(negative, 0);
  ComplexElimination<std::complex<double>> system(
      team, host_sparse_memory(), test::turned_form(s, Factorization::ldlh), Factorization::ldlh);
  EXPECT_EQ(system.factor().negative, negative);
}

TEST(ComplexMatrix, IsFoundInItsRealFormWhateverItsSigns) {
  Csr<double> form = test::turned_form(generate_matrix("grid2d:4"), Factorization::ldlt);
  const ComplexMatrix a = complex_matrix_of(form);
  EXPECT_FALSE(a.conjugates);
  for (std::size_t k = 0; k < a.moduli.values.size(); ++k) {
    EXPECT_NEAR(std::hypot(a.values[2 * k], a.values[2 * k + 1]), a.moduli.values[k], 1e-15);
  }
  ASSERT_TRUE(complex_symmetry_of(form).wants_conjugate_rows());
  conjugate_rows(form);
  const ComplexMatrix b = complex_matrix_of(form);
  EXPECT_TRUE(b.conjugates);
  EXPECT_EQ(b.values, a.values);
  EXPECT_EQ(b.moduli.values, a.moduli.values);
}

TEST(ComplexMatrix, FindsTheSymmetryThatTheFormHas) {
  const auto same_as_of_form = [](const Csr<double>& form) {
    const SymmetryFacts found = exact_symmetry_of(complex_matrix_of(form)),
                        expected = symmetry_of(form);
    EXPECT_EQ(found.symmetric, expected.symmetric);
    EXPECT_EQ(found.symmetric_pattern, expected.symmetric);
    EXPECT_EQ(found.nearly_symmetric, expected.symmetric);
    if (!expected.symmetric) return false;
    EXPECT_EQ(found.positive_diagonal, expected.positive_diagonal);
    EXPECT_EQ(found.zero_diagonals, expected.zero_diagonals);
    return true;
  };
  for (const char* name : {"zhelm2d:60", "zcircuit2d:7", "magnetic2d:60", "zconvdiff2d:8"}) {
    SCOPED_TRACE(name);
    const ComplexSymmetry symmetry = complex_symmetry_of(load_real_form(name).rows);
    Csr<double> form = load_real_form(name).rows;
    EXPECT_EQ(same_as_of_form(form), symmetry.hermitian);
    conjugate_rows(form);
    EXPECT_EQ(same_as_of_form(form), symmetry.symmetric);
    conjugate_rows(form);
    if (!symmetry.hermitian) continue;
    // a_00 = 0; then it gets an imaginary part; then a_01 and a_10 differ.
    const Csr<double> whole = form;
    form.values[0] = form.values[form.row_offsets[1] + 1] = 0;
    EXPECT_TRUE(same_as_of_form(form));
    EXPECT_EQ(exact_symmetry_of(complex_matrix_of(form)).zero_diagonals, 2);
    form.values[1] = 1;
    form.values[form.row_offsets[1]] = -1;
    EXPECT_FALSE(same_as_of_form(form));
    form = whole;
    form.values[2] = form.values[form.row_offsets[1] + 3] = -7;
    EXPECT_FALSE(same_as_of_form(form));
    form = whole;
    form.values[0] = form.values[form.row_offsets[1] + 1] = std::nan("");
    EXPECT_FALSE(same_as_of_form(form));
  }
}

TEST(ComplexMatrix, KeepsTheEntriesOfAPattern) {
  ComplexMatrix a =
      complex_matrix_of(test::turned_form(generate_matrix("tridiagonal:3"), Factorization::lu));
  const std::vector<double> before = a.values;
  Csr<double> kept;  // (0, 0), (0, 2), (1, 1), (2, 1)
  kept.rows = kept.columns = 3;
  kept.row_offsets = {0, 2, 3, 4};
  kept.column_indices = {0, 2, 1, 1};
  kept.values = {1, 1, 1, 1};
  a.take_only(kept);
  EXPECT_EQ(a.values, (std::vector<double>{before[0], before[1], 0, 0, before[6], before[7],
                                           before[10], before[11]}));
}

}  // namespace
}  // namespace spsolve
