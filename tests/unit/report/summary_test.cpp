#include "report/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/report.hpp"

namespace spsolve {
namespace {

SolveReport solved(double estimate) {
  SolveReport report;
  report.status = "solved";
  report.seconds = {{"total", 0.22, 0.22, 0.22}};
  report.trust.estimate = estimate;
  report.configuration.output.solution = "x.npy";
  return report;
}

TEST(Summary, OfASolve) {
  EXPECT_EQ(summary(solved(1.1e-16)), "solved: x in x.npy, about 16 digits, 0.22 s");
  EXPECT_EQ(summary(solved(0)), "solved: x in x.npy, about 16 digits, 0.22 s");
  EXPECT_EQ(summary(solved(2e-2)), "solved: x in x.npy, about 2 digits, 0.22 s");
  EXPECT_EQ(summary(solved(0.1)), "solved: x in x.npy, about 1 digit, 0.22 s");
  EXPECT_EQ(summary(solved(0.9)), "solved: x in x.npy, no certain digit, 0.22 s");
  SolveReport report = solved(Trust::unknown);
  EXPECT_EQ(summary(report), "solved: x in x.npy, 0.22 s");
  report.trust.bound = 1e-9;  // where no correction tells
  EXPECT_EQ(summary(report), "solved: x in x.npy, about 9 digits, 0.22 s");
  report.configuration.output.solution.clear();
  report.seconds = {{"total", 0.0042, 0.0042, 0.0042}};
  EXPECT_EQ(summary(report), "solved: x not written, about 9 digits, 0.0042 s");
  report.configuration.output.solution = "-";
  report.seconds = {{"total", 90.4, 90.4, 90.4}};
  EXPECT_EQ(summary(report), "solved: x in the standard output, about 9 digits, 90 s");
}

TEST(Summary, OfSeveralSystems) {
  SolveReport report = solved(1e-16);
  report.steps = {{"b-1.npy", "", "x-1.npy", "solved", 1e-17, 1e-15, 10, 0.01, "", false},
                  {"b-2.npy", "A-2.npz", "", "uncertain", 1e-17, Trust::unknown, Trust::unknown,
                   0.02, "", false},
                  {"b-3.npy", "", "", "failed", Trust::unknown, Trust::unknown, Trust::unknown,
                   0.03, "is singular", false},
                  {"b-4.npy", "", "", "solved", 1e-17, 1e-15, 3e11, 0.04, "", false}};
  EXPECT_EQ(summary(report), "solved: 2 of 4 systems, 0.22 s");
  EXPECT_EQ(summary(report.steps[0]), "solved: b-1.npy, x in x-1.npy, about 15 digits, 0.01 s");
  EXPECT_EQ(summary(report.steps[1]), "uncertain: b-2.npy with A-2.npz, 0.02 s");
  EXPECT_EQ(summary(report.steps[2]), "failed: b-3.npy: is singular, 0.03 s");
  EXPECT_EQ(summary(report.steps[3]),
            "solved: b-4.npy, about 15 digits (4 if A and b are rounded), 0.04 s");
}

TEST(ReportText, PhasesThatTookNoTimeAreOneLine) {
  using testing::HasSubstr;
  using testing::Not;
  SolveReport report = solved(1e-16);
  report.ranks = 1;
  report.seconds = {{"read", 0, 0, 0}, {"eliminate", 0.2, 0.2, 0.2}, {"total", 0.22, 0.22, 0.22}};
  EXPECT_THAT(to_text(report), HasSubstr("    eliminate        0.2000\n"));
  EXPECT_THAT(to_text(report), HasSubstr("  others           less than 0.0022 each\n"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("  read")));
  report.ranks = 2;
  report.seconds = {{"read", 0.003, 0.004, 0.005}, {"total", 0.22, 0.22, 0.22}};
  EXPECT_THAT(to_text(report), HasSubstr("    read             0.0030 / 0.0040 / 0.0050\n"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("others")));
}

TEST(Summary, OfAFailureIsItsFirstLine) {
  EXPECT_EQ(summary(Failure{ExitCode::input, "a.mtx:3: wrong\nb.mtx: too", Scope::one_rank}),
            "failed: a.mtx:3: wrong");
  EXPECT_EQ(summary(Failure{ExitCode::interrupted, "as asked", Scope::one_rank}),
            "stopped: as asked");
}

}  // namespace
}  // namespace spsolve
