#include "solve/trust/trust.hpp"

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace spsolve {
namespace {

constexpr double unknown = Trust::unknown;
constexpr Probe found{1e-14, 1};
constexpr Probe lost{3.0, 2};
constexpr Probe near{1e-8, 4, 0.02, 0.03, true};

/// Figures of a system that is solved to the last digit.
TrustFigures harmless() {
  TrustFigures figures;
  figures.order = 100;
  figures.pivots = {1, 1, 0.1, 1};
  figures.refinement.before = {1e-16, 2e-16};
  figures.refinement.after = {1e-17, 5e-17};
  figures.refinement.forward_error = unit_roundoff;
  figures.condition = Condition{1e3, 1e2};
  figures.probe = found;
  return figures;
}

struct Case {
  std::string name;
  std::function<void(TrustFigures&)> change;
  Doubt doubt;
  std::optional<int> digits;
  bool has_bound, has_estimate;
  std::string words;  ///< in the notes; "": there is none
};

class Judge : public testing::TestWithParam<Case> {};

TEST_P(Judge, TheFigureThatLeavesNoDigitDecides) {
  const Case& wanted = GetParam();
  TrustFigures figures = harmless();
  wanted.change(figures);
  const Trust trust = judge(figures);
  EXPECT_EQ(trust.doubt, wanted.doubt);
  EXPECT_EQ(trust.digits, wanted.digits);
  EXPECT_EQ(std::isfinite(trust.bound), wanted.has_bound);
  EXPECT_EQ(std::isfinite(trust.estimate), wanted.has_estimate);
  std::string notes;
  for (const std::string& note : trust.notes) notes += note + "\n";
  if (wanted.words.empty()) {
    EXPECT_EQ(notes, "");
  } else {
    EXPECT_NE(notes.find(wanted.words), std::string::npos) << notes;
  }
  EXPECT_EQ(why_unknown(trust.doubt).empty(), trust.doubt == Doubt::none);
  EXPECT_EQ(name(trust.verdict), trust.doubt == Doubt::none ? "solved" : "uncertain");
  figures.accept = Acceptance::residual;
  const Trust by_residual = judge(figures);
  EXPECT_EQ(by_residual.verdict, Verdict::solved);
  EXPECT_EQ(by_residual.doubt, trust.doubt);
  EXPECT_EQ(by_residual.notes, trust.notes);
}

const Case cases[] = {
    {"harmless", [](TrustFigures&) {}, Doubt::none, 14, true, true, ""},
    {"scale_alone",
     [](TrustFigures& f) {
       f.condition = Condition{1e120, 40};
     },
     Doubt::none, 14, true, true, ""},
    {"scale_alone_that_overflows",
     [](TrustFigures& f) {
       f.condition = Condition{unknown, 2};
       f.refinement.after = {0, 0};
     },
     Doubt::none, 15, true, true, ""},
    {"scale_alone_with_components_of_rounding",
     [](TrustFigures& f) {
       f.condition = Condition{6e35, 40};
       f.refinement.after.componentwise_error = 1;
     },
     Doubt::none, 14, true, true, ""},
    {"ill_conditioned",
     [](TrustFigures& f) {
       f.condition = Condition{1e12, 2e10};
     },
     Doubt::none, 5, true, true, "about 11 of its 16 digits are lost"},
    // A graph's adjacency matrix of order 37 and rank 36, as it was told in earlier versions.
    {"singular_with_a_small_condition_by_components",
     [](TrustFigures& f) {
       f.condition = Condition{5e18, 137};
       f.refinement.after = {6e-18, 1};
       f.refinement.forward_error = 1.4e-15;
       f.probe = lost;
     },
     Doubt::singular, 0, false, false,
     "singular to working precision (condition number about 5e+18"},
    // b is in the range, and even no component is large.
    {"singular_with_every_other_figure_kind",
     [](TrustFigures& f) {
       f.condition = Condition{1e18, 0};
       f.refinement.after = {0, 0};
       f.refinement.forward_error = 0;
       f.probe = lost;
     },
     Doubt::singular, 0, false, false, "none of its digits is certain"},
    {"known_solution_not_finite",
     [](TrustFigures& f) {
       f.condition = Condition{1e18, 10};
       f.probe = Probe{unknown, 1};
     },
     Doubt::singular, 0, false, false, "singular to working precision"},
    {"singular_by_components",
     [](TrustFigures& f) {
       f.condition = Condition{2e17, 1e16};
     },
     Doubt::singular, 0, false, false, "(condition number about 1e+16 by components)"},
    {"infinite_condition",
     [](TrustFigures& f) {
       f.condition = Condition{unknown, unknown};
     },
     Doubt::singular, 0, false, false, "singular to working precision"},
    {"factors_too_bad",
     [](TrustFigures& f) {
       f.condition.reset();
       f.probe = lost;
       f.refinement.before.backward_error = 0.3;
     },
     Doubt::factors, 0, false, false, "lost too many digits"},
    {"known_solution_lost_though_the_condition_is_small", [](TrustFigures& f) { f.probe = lost; },
     Doubt::factors, 0, false, false, "none of the digits of x is certain"},
    {"float_near_its_limit",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition = Condition{1e8, 2e6};
     },
     Doubt::factors, 0, false, false, "solve.precision=double"},
    {"float_by_near_factors",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition = Condition{1e8, 2e6};
       f.probe = near;
     },
     Doubt::none, 9, true, true, ""},
    {"float_by_factors_that_are_near_in_two_steps_alone",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition = Condition{1e8, 2e6};
       f.probe = near;
       f.probe->steps = 2;
       f.probe->left = 1e-7;
     },
     Doubt::factors, 0, false, false, "solve.precision=double"},
    {"float_by_factors_that_are_not_near",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition = Condition{1e8, 2e6};
       f.probe = near;
       f.probe->slowest = 0.6;
     },
     Doubt::factors, 0, false, false, "solve.precision=double"},
    {"float_by_an_iteration_that_comes_near",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition = Condition{1e8, 2e6};
       f.probe = near;
       f.probe->by_factors = false;
     },
     Doubt::factors, 0, false, false, "solve.precision=double"},
    {"near_factors_and_a_bound_without_digits",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition = Condition{1e15, 1e13};
       f.refinement.after = {1e-15, 1e-13};
       f.probe = near;
     },
     Doubt::bound, 0, false, false, "as large as x itself"},
    {"near_factors_and_rows_that_vanish_in_them",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition.reset();
       f.refinement.after.componentwise_error = 1;
       f.probe = near;
     },
     Doubt::factors, 0, false, false, "a componentwise backward error of 1e+00"},
    {"float_and_lost",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.probe = lost;
     },
     Doubt::factors, 0, false, false, "factors in float can't tell"},
    {"float_and_harmless", [](TrustFigures& f) { f.float_factors = true; }, Doubt::none, 14, true,
     true, ""},
    {"float_without_a_condition_and_rows_that_vanish_in_it",
     [](TrustFigures& f) {
       f.float_factors = true;
       f.condition.reset();
       f.refinement.after.componentwise_error = 1;
     },
     Doubt::factors, 0, false, false, "a componentwise backward error of 1e+00"},
    {"bound_without_convergence",
     [](TrustFigures& f) {
       f.condition = Condition{1e15, 1e13};
       f.refinement.after = {1e-15, 1e-13};
       f.refinement.forward_error = unknown;
     },
     Doubt::bound, 0, false, false, "as large as x itself"},
    {"correction_as_large_as_x", [](TrustFigures& f) { f.refinement.forward_error = 0.5; },
     Doubt::correction, 0, false, false, "refinement did not converge"},
    {"corrections_that_came_to_nothing",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.refinement.tried = true;
       f.refinement.forward_error = unknown;
     },
     Doubt::correction, 0, false, false, "found nothing that tells how far x may be off"},
    {"iterations_alone",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.condition.reset();
       f.probe.reset();
     },
     Doubt::none, std::nullopt, false, false, "nothing tells how many digits of x are right"},
    {"iterations_alone_as_it_was_asked_for",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.asked_condition = false;
       f.condition.reset();
       f.probe.reset();
     },
     Doubt::none, std::nullopt, false, false, "solve.condition=true does"},
    {"iterations_of_a_matrix_whose_null_space_was_named",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.null_space = true;
       f.condition.reset();
     },
     Doubt::none, std::nullopt, false, true, ""},
    {"iterations_of_the_transposed_one",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.null_space = true;
       f.condition.reset();
       f.probe.reset();
     },
     Doubt::none, std::nullopt, false, false, "is that of A, and not of the transposed matrix"},
    {"iterations_of_a_matrix_with_a_larger_null_space",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.null_space = true;
       f.null_vector = "positive in 2 rows";
       f.condition.reset();
       f.probe = lost;
     },
     Doubt::null_space, 0, false, false, "(one is positive in 2 rows)"},
    {"iterations_that_found_a_known_solution",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.condition.reset();
     },
     Doubt::none, std::nullopt, false, true, ""},
    {"iterations_that_lost_a_known_solution",
     [](TrustFigures& f) {
       f.has_pivots = false;
       f.iterates = true;
       f.condition.reset();
       f.probe = lost;
     },
     Doubt::factors, 0, false, false, "the iteration finds too little"},
    {"no_refinement", [](TrustFigures& f) { f.refinement.forward_error = unknown; }, Doubt::none,
     14, true, false, ""},
    {"nothing_estimated",
     [](TrustFigures& f) {
       f.condition.reset();
       f.probe.reset();
     },
     Doubt::none, std::nullopt, false, true, ""},
    {"nothing_estimated_and_pivots_that_vanish",
     [](TrustFigures& f) {
       f.condition.reset();
       f.probe.reset();
       f.pivots.smallest_pivot = 1e-15;
     },
     Doubt::pivots, std::nullopt, false, false, "pivots range over 1e+15"},
    {"no_condition_but_a_known_solution_found",
     [](TrustFigures& f) {
       f.condition.reset();
       f.pivots.smallest_pivot = 1e-15;
     },
     Doubt::none, std::nullopt, false, true, "pivots range over 1e+15"},
    {"nothing_estimated_nor_corrected",
     [](TrustFigures& f) {
       f.condition.reset();
       f.probe.reset();
       f.asked_condition = f.asked_refinement = false;
       f.refinement.forward_error = unknown;
     },
     Doubt::unmeasured, std::nullopt, false, false,
     "solve.condition=true with solve.refinement=10 may tell"},
    {"nothing_estimated_nor_corrected_though_it_was_asked_for",
     [](TrustFigures& f) {
       f.condition.reset();
       f.probe.reset();
       f.refinement.forward_error = unknown;
     },
     Doubt::unmeasured, std::nullopt, false, false, "none of its digits is certain\n"},
    {"found_but_nothing_estimated_nor_corrected",
     [](TrustFigures& f) {
       f.condition.reset();
       f.refinement.forward_error = unknown;
     },
     Doubt::unmeasured, std::nullopt, false, false, "tells how far x may be off"},
    {"growth", [](TrustFigures& f) { f.pivots.growth = 1e7; }, Doubt::none, 14, true, true,
     "entries grew by 1e+07"},
    {"no_unknowns",
     [](TrustFigures& f) {
       f.order = 0;
       f.pivots = {};
       f.condition = Condition{0, 0};
     },
     Doubt::none, 16, true, true, ""},
};

INSTANTIATE_TEST_SUITE_P(Trust, Judge, testing::ValuesIn(cases),
                         [](const auto& of) { return of.param.name; });

TEST(Judge, SaysWhatToTryWhereXDoesNotSolveTheSystem) {
  TrustFigures figures = harmless();
  figures.refinement.after.backward_error = 1e-11;
  EXPECT_EQ(judge(figures).verdict, Verdict::not_trustworthy);
  figures.accept = Acceptance::residual;
  EXPECT_EQ(judge(figures).verdict, Verdict::not_trustworthy);
  figures.accept = Acceptance::digits;
  figures.method = Method::gauss_jordan;
  EXPECT_NE(judge(figures).notes[0].find("solve.method=lu"), std::string::npos);
  figures.precision = Precision::float32;
  EXPECT_EQ(judge(figures).verdict, Verdict::solved);
  figures.refinement.after.backward_error = 1e-4;
  EXPECT_NE(judge(figures).notes[0].find("solve.precision=double"), std::string::npos);
  figures.refinement.after.backward_error = std::nan("");
  EXPECT_EQ(judge(figures).verdict, Verdict::not_trustworthy);
  EXPECT_NE(judge(figures).notes[0].find("beyond the range of double"), std::string::npos);
  EXPECT_EQ(judge(figures).notes.size(), 1u);
}

TEST(Judge, SaysThatTheMostStableMethodIsDense) {
  TrustFigures figures = harmless();
  figures.refinement.after.backward_error = 1e-11;
  for (const Method method : {Method::lu, Method::gauss, Method::sparse_cholesky,
                              Method::sparse_ldlt, Method::sparse_lu}) {
    figures.method = method;
    const std::string note = judge(figures).notes[0];
    EXPECT_NE(note.find("solve.method=gauss with solve.pivoting=complete"), std::string::npos);
    EXPECT_EQ(note.ends_with(" (which makes A dense)"), is_sparse(method)) << note;
  }
}

TEST(ForwardBound, IsTheSmallerOfTwo) {
  const Quality quality{1e-16, 1e-14};
  EXPECT_DOUBLE_EQ(forward_bound({100, 1000}, quality), 2e-14);
  EXPECT_DOUBLE_EQ(forward_bound({1e9, 10}, quality), 1e-13);
  EXPECT_TRUE(std::isinf(forward_bound({unknown, unknown}, {0, 0})));
  EXPECT_EQ(forward_bound({unknown, 10}, {0, 0}), 0);
  EXPECT_DOUBLE_EQ(forward_bound({unknown, 10}, quality), 1e-13);
  EXPECT_DOUBLE_EQ(forward_bound({100, unknown}, quality), 2e-14);
}

TEST(Judge, UnmeasuredErrorIsAddedToBoundAndEstimate) {
  TrustFigures figures = harmless();
  figures.condition = Condition{1e14, 1e13};
  figures.refinement.after = {1e-16, 1e-16};
  const double exact = judge(figures).estimate;
  EXPECT_EQ(exact, unit_roundoff);
  figures.unmeasured = 1e-6;
  const Trust trust = judge(figures);
  EXPECT_EQ(trust.bound, 1e13 * 1e-16 + 1e-6);
  EXPECT_EQ(trust.estimate, exact + 1e-6);
  // Residuals and corrections that are as small as they get say nothing compared with the error
  // that they hide.
  figures.unmeasured = 0.2;
  const Trust doubted = judge(figures);
  EXPECT_EQ(doubted.doubt, Doubt::bound);
  EXPECT_EQ(doubted.verdict, Verdict::uncertain);
  EXPECT_NE(doubted.notes.front().find("too small, or too inaccurate"), std::string::npos);
}

TEST(Judge, WhatAnIterationDoesNotSeeCounts) {
  TrustFigures figures = harmless();
  figures.has_pivots = false;
  figures.iterates = true;
  figures.probe = Probe{1e-9, 2};
  const Trust seen = judge(figures);
  EXPECT_EQ(seen.doubt, Doubt::none);
  EXPECT_GE(seen.bound, 1e-9);
  EXPECT_EQ(seen.estimate, unit_roundoff);
  figures.refinement.forward_error = 1e-7;
  EXPECT_GE(judge(figures).bound, 1e-7);
  figures.refinement.forward_error = unit_roundoff;
  figures.condition.reset();
  EXPECT_GE(judge(figures).estimate, 1e-9);
  figures.iterates = false;
  EXPECT_EQ(judge(figures).estimate, unit_roundoff);
}

}  // namespace
}  // namespace spsolve
