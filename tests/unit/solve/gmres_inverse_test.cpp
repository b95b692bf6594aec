#include "solve/gmres_inverse.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "solve/trust/condition.hpp"

namespace spsolve {
namespace {

/// By an inverse of R A C that is known but for a part, which was asked so many times.
struct Estimates {
  Condition condition;
  int solves;
};

struct Setting {
  SolvePurpose purpose = SolvePurpose::correction;
  AutoSwitch scales = AutoSwitch::on;
  bool looks = false;  ///< whether the factors are near
  double off = 0.02;
};

Estimates estimates_of(const Csr<double>& matrix, const Setting& setting) {
  SoloTeam team;
  SystemMatrix system = test::matrix_in_bands(team, matrix);
  const Equilibration scaling = equilibration_of(system, setting.scales, Precision::float64);
  const Csr<double> scaled = test::sparse([&] {
    Dense<double> dense = test::dense(matrix);
    for (Index i = 0; scaling.scales && i < matrix.rows; ++i) {
      for (Index j = 0; j < matrix.rows; ++j) {
        dense(i, j) *= scaling.rows.on_host()[i] * scaling.columns.on_host()[j];
      }
    }
    return dense;
  }());
  const Csr<double> transposed = transpose(scaled);
  int solves = 0;
  const auto near = [&solves, off = setting.off](const Csr<double>& of) {
    return [&solves, &of, off](Dense<double>& x) {
      ++solves;
      x = test::lapack_solve(of, x);
      for (Index i = 0; i < x.rows; ++i) {
        for (Index c = 0; c < x.columns; ++c) x(i, c) *= 1 + off * std::sin(3.0 * i + c);
      }
    };
  };
  test::OperatorOf factors(near(scaled), near(transposed));
  GmresInverse inverse(system, scaling, factors);
  if (setting.looks) inverse.probe_factors();
  inverse.expect(setting.purpose);
  ScaledOperator unscaled = ScaledOperator::unscaled(inverse, system, scaling);
  const std::unique_ptr<Vectors> b =
      test::vectors_of(system, random_multivector(matrix.rows, 1, 5));
  const std::unique_ptr<Vectors> x = copy_of(*b);
  unscaled.apply(*b, *x);
  solves = 0;
  return {estimate_condition(system, *b, *x, unscaled), solves};
}

TEST(GmresInverse, EstimatesAreTheSameFromFewerSteps) {
  const Index n = 50;
  for (const int exponents : {0, 8, 40}) {
    Dense<double> dense = random_multivector(n, n, 11);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        dense(i, j) = std::ldexp(dense(i, j), static_cast<int>((7 * i) % (exponents + 1)) -
                                                  static_cast<int>((5 * j) % (exponents + 1)));
      }
    }
    const Csr<double> matrix = test::sparse(dense);
    const Estimates all = estimates_of(matrix, {});
    const Estimates few = estimates_of(matrix, {.purpose = SolvePurpose::estimate});
    EXPECT_NEAR(few.condition.normwise / all.condition.normwise, 1, 0.1) << exponents;
    EXPECT_NEAR(few.condition.componentwise / all.condition.componentwise, 1, 0.1) << exponents;
    // Scale factors that range over 2^80 leave nothing to save.
    EXPECT_LE(few.solves, all.solves - (exponents < 40 ? 1 : 0)) << exponents;
  }
}

TEST(GmresInverse, EstimatesAreByFactorsAloneWhereTheseAreNear) {
  const Index n = 50;
  const Csr<double> matrix = test::sparse(random_multivector(n, n, 11));
  const Setting setting{.purpose = SolvePurpose::estimate, .scales = AutoSwitch::off};
  const auto like_all = [&](const Estimates& estimates) {
    const Estimates all = estimates_of(matrix, {.scales = AutoSwitch::off});
    EXPECT_NEAR(estimates.condition.normwise / all.condition.normwise, 1, 0.1);
    EXPECT_NEAR(estimates.condition.componentwise / all.condition.componentwise, 1, 0.1);
  };
  Setting near = setting, far = setting;
  near.looks = far.looks = true;
  far.off = 0.4;
  const Estimates alone = estimates_of(matrix, near), by_gmres = estimates_of(matrix, setting);
  like_all(alone);
  like_all(by_gmres);
  EXPECT_LT(alone.solves, by_gmres.solves);
  const Estimates not_near = estimates_of(matrix, far);
  like_all(not_near);
  EXPECT_GT(not_near.solves, 2 * alone.solves);
}

TEST(GmresInverse, CorrectionsByNearFactorsLeaveAsMuchAsTheyTell) {
  const Index n = 50;
  const Csr<double> matrix = test::sparse(random_multivector(n, n, 11)),
                    transposed = transpose(matrix);
  SoloTeam team;
  SystemMatrix system = test::matrix_in_bands(team, matrix);
  for (const bool of_transpose : {false, true}) {
    for (const double off : {0.0, 1e-6, 0.02, 0.4}) {
      int solves = 0;
      const auto with = [&](const Csr<double>& of) {
        return [&solves, &of, off](Dense<double>& x) {
          ++solves;
          x = test::lapack_solve(of, x);
          for (Index i = 0; i < x.rows; ++i) x(i, 0) *= 1 + off * std::sin(3.0 * i);
        };
      };
      test::OperatorOf factors(with(matrix), with(transposed));
      const Equilibration unscaled;
      GmresInverse inverse(system, unscaled, factors);
      const bool is_near = inverse.probe_factors().has_value();
      EXPECT_EQ(is_near, off < 0.1);
      inverse.expect(SolvePurpose::correction);
      solves = 0;
      const Dense<double> f = random_multivector(n, 1, 5);
      const auto right = test::vectors_of(system, f), y = system.vectors(1);
      of_transpose ? inverse.apply_transposed(*right, *y) : inverse.apply(*right, *y);
      const Dense<double> found = own_rows(*y),
                          exact = test::lapack_solve(of_transpose ? transposed : matrix, f);
      double error = 0, size = 0;
      for (Index i = 0; i < n; ++i) {
        error = std::max(error, std::abs(found(i, 0) - exact(i, 0)));
        size = std::max(size, std::abs(exact(i, 0)));
      }
      EXPECT_LE(error, 10 * (inverse.uncorrected_part() + 1e-13) * size) << off;
      EXPECT_LE(inverse.uncorrected_part(), 1e-4);
      EXPECT_EQ(inverse.correction_residuals().empty(), is_near);
      if (is_near) {
        EXPECT_EQ(solves, off == 0.02 ? 3 : 1);
      } else {
        EXPECT_EQ(inverse.uncorrected_part(), 0);
      }
    }
  }
}

}  // namespace
}  // namespace spsolve
