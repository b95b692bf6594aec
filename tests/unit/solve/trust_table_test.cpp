#include "solve/trust/trust_table.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "solve/trust/trust.hpp"

namespace spsolve {
namespace {

/// The facts whose bits are set, in the order of the members.
TrustFacts facts_of(unsigned bits) {
  const auto bit = [&](int k) { return (bits >> k & 1) != 0; };
  return {bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6), bit(7)};
}

constexpr unsigned combinations = 1u << 8;

TEST(TrustTable, EveryCombinationOfFactsObeysTheRules) {
  std::set<std::string_view> reached;
  for (unsigned bits = 0; bits < combinations; ++bits) {
    SCOPED_TRACE(bits);
    const TrustFacts facts = facts_of(bits);
    const TrustRow& row = trust_row(facts);
    reached.insert(row.name);
    const bool usable = !facts.unnamed && (facts.fit || !facts.iterates);
    const bool loses = facts.iterates ? facts.stops_early : facts.leaves_float;
    EXPECT_EQ(row.probes, usable && (facts.condition || !loses));
    const bool has_condition = usable && facts.condition && !facts.singular;
    const InverseNorm of_condition =
        facts.known && !facts.iterates ? InverseNorm::of_any_x : InverseNorm::of_x;
    EXPECT_EQ(row.norm, has_condition && facts.fit     ? of_condition
                        : row.probes && !has_condition ? InverseNorm::of_probe
                                                       : InverseNorm::unknown);
    EXPECT_EQ(row.tells_unfit, has_condition && !facts.fit);
  }
  EXPECT_EQ(reached.size(), trust_table().size()) << "a row that never decides";
}

/// The doubts about three solutions with small residuals by what a row has estimated: one whose
/// corrections converge, one of a singular A whose corrections converge, and one without any.
struct Doubts {
  Doubt converged, of_singular, uncorrected;
};

const std::map<std::string_view, Doubts> doubts = {
    {"an iteration that is not fit", {Doubt::none, Doubt::none, Doubt::unmeasured}},
    {"a null space that was not named", {Doubt::none, Doubt::none, Doubt::unmeasured}},
    {"an iteration, with its condition", {Doubt::none, Doubt::singular, Doubt::none}},
    {"an iteration that stops early", {Doubt::none, Doubt::none, Doubt::unmeasured}},
    {"an iteration", {Doubt::none, Doubt::factors, Doubt::unmeasured}},
    {"scales that leave float", {Doubt::none, Doubt::none, Doubt::unmeasured}},
    {"factors", {Doubt::none, Doubt::factors, Doubt::unmeasured}},
    {"factors that are not fit", {Doubt::none, Doubt::factors, Doubt::unmeasured}},
    {"factors, of a later solution", {Doubt::none, Doubt::singular, Doubt::none}},
    {"factors, with their condition", {Doubt::none, Doubt::singular, Doubt::none}},
};

TEST(TrustTable, EveryRowLeadsToItsVerdict) {
  for (const TrustRow& row : trust_table()) {
    SCOPED_TRACE(row.name);
    const auto verdict_on = [&](bool singular, double correction, Doubt doubt) {
      TrustFigures figures;
      figures.order = 100;
      figures.pivots = {1, 1, 0.1, 1};
      figures.iterates = row.name.starts_with("an iteration");
      figures.refinement.after = {1e-17, 5e-17};
      figures.refinement.forward_error = correction;
      if (row.probes) figures.probe = singular ? Probe{3.0, 2} : Probe{1e-16, 1};
      if (row.norm == InverseNorm::of_x || row.norm == InverseNorm::of_any_x) {
        figures.condition = singular ? Condition{1e17, 1e2} : Condition{1e3, 1e2};
      }
      const Trust trust = judge(figures);
      EXPECT_EQ(trust.doubt, doubt);
      EXPECT_EQ(trust.verdict, doubt == Doubt::none ? Verdict::solved : Verdict::uncertain);
    };
    const Doubts& expected = doubts.at(row.name);
    verdict_on(false, unit_roundoff, expected.converged);
    verdict_on(true, unit_roundoff, expected.of_singular);
    verdict_on(false, Trust::unknown, expected.uncorrected);
  }
}

}  // namespace
}  // namespace spsolve
