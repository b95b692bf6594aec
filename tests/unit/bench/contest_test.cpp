// The contest, and the tables made of its rows. Nothing here depends on how long anything takes.

#include "apps/bench/contest.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/bench/convert.hpp"
#include "apps/bench/eliminate_bench.hpp"
#include "apps/bench/iterate/iterate_bench.hpp"
#include "apps/bench/multiply/multiply_bench.hpp"
#include "apps/bench/sparse/sparse_bench.hpp"
#include "core/error.hpp"
#include "helpers/error_of.hpp"

namespace spsolve::bench {
namespace {

using testing::ElementsAre;

/// A contender that notes its turns, and adds their numbers as seconds.
Contender noted(const std::string& name, std::vector<std::string>& turns) {
  Contender contender;
  contender.row.name = name;
  contender.row["label"] = name;
  contender.turn = [name, &turns](Turn& turn) {
    turns.push_back(fmt::format("{}{}", name, turn.round));
    turn.add("work_s", turn.round);
    turn.row.keep_most("worst", 10 - turn.round);
  };
  return contender;
}

/// A contender that refuses in a round.
Contender refusing(const std::string& name, int in_round, ExitCode code,
                   std::vector<std::string>& turns) {
  Contender contender = noted(name, turns);
  contender.turn = [=, turn = contender.turn](Turn& now) {
    turn(now);
    if (now.round == in_round) fail(code, "{} does not like it", name);
  };
  return contender;
}

Rules rules_of(int rounds) {
  Rules rules;
  rules.where = std::string("a case");
  rules.rounds = rounds;
  rules.tell = [](const std::string&) {};
  return rules;
}

TEST(Contest, ContendersTakeTurns) {
  SoloTeam team;
  std::vector<std::string> turns, lines;
  Rules rules = rules_of(3);
  rules.tell = [&](const std::string& line) { lines.push_back(line); };
  const std::vector<Row> rows = compete(team, {noted("a", turns), noted("b", turns)}, rules);
  EXPECT_THAT(turns, ElementsAre("a1", "b1", "b2", "a2", "a3", "b3"));
  EXPECT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[2], "b on a case, 2 of 3: work_s 2");
  for (const Row& row : rows) {
    EXPECT_EQ(row.cell("samples"), 3);
    EXPECT_EQ(row.number("work_s"), 2);
    EXPECT_EQ(row.number("worst"), 9);
    EXPECT_EQ(row.cell("label"), row.name);
  }
}

TEST(Contest, ARoundOfWarmUpDoesNotCount) {
  SoloTeam team;
  std::vector<std::string> turns;
  int rounds = 0;
  Rules rules = rules_of(2);
  rules.warm_up = true;
  rules.each_round = [&] { ++rounds; };
  const std::vector<Row> rows = compete(team, {noted("a", turns)}, rules);
  EXPECT_THAT(turns, ElementsAre("a0", "a1", "a2"));
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(rows[0].cell("samples"), 2);
  EXPECT_EQ(rows[0].number("worst"), 9);
}

TEST(Contest, BriefProgressIsOfLastTurns) {
  SoloTeam team;
  std::vector<std::string> turns, lines;
  Rules rules = rules_of(3);
  rules.brief = true;
  rules.tell = [&](const std::string& line) { lines.push_back(line); };
  compete(team, {noted("a", turns), refusing("b", 2, ExitCode::input, turns)}, rules);
  EXPECT_THAT(lines, ElementsAre("b on a case, 2 of 3: refused: b does not like it",
                                 "a on a case, 3 of 3: work_s 3"));
}

TEST(Contest, WhoRefusesHasNoFurtherTurnAndTheReasonInTheRow) {
  SoloTeam team;
  std::vector<std::string> turns;
  const std::vector<Row> rows =
      compete(team, {refusing("a", 2, ExitCode::resources, turns), noted("b", turns)}, rules_of(3));
  EXPECT_THAT(turns, ElementsAre("a1", "b1", "b2", "a2", "b3"));
  EXPECT_EQ(rows[0].refused, "a does not like it");
  EXPECT_EQ(rows[0].cell("label"), "a");
  EXPECT_TRUE(rows[0].cell("work_s").is_null());
  EXPECT_TRUE(rows[0].cell("worst").is_null());
  EXPECT_TRUE(rows[1].measured());
}

TEST(Contest, DefectsOfOwnCodeAreThrownAndThoseOfPeersAreNot) {
  SoloTeam team;
  std::vector<std::string> turns;
  Contender broken = refusing("a", 1, ExitCode::internal, turns);
  EXPECT_EQ(test::error_of([&] { compete(team, {broken}, rules_of(1)); }, ExitCode::internal),
            "a does not like it");
  broken.row.peer = true;
  EXPECT_FALSE(compete(team, {broken}, rules_of(1))[0].measured());
  Rules strict = rules_of(1);
  strict.strict = true;
  const Contender refuses = refusing("b", 1, ExitCode::resources, turns);
  EXPECT_EQ(test::error_of([&] { compete(team, {refuses}, strict); }, ExitCode::resources),
            "b does not like it");
}

TEST(Contest, AContenderGoesAfterItsLastTurn) {
  SoloTeam team;
  std::vector<long> holders;
  const auto held = std::make_shared<int>(0);
  std::vector<Contender> contenders(2);
  for (Contender& contender : contenders) {
    contender.turn = [&holders, mine = held](Turn&) { holders.push_back(mine.use_count()); };
  }
  compete(team, std::move(contenders), rules_of(2));
  EXPECT_THAT(holders, ElementsAre(3, 3, 3, 2));
}

TEST(Contest, RatiosAreOfTheBestRival) {
  std::vector<Row> rows(4);
  const double seconds[] = {4, 1, 2, 8};
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k]["work_s"] = seconds[k];
  rows[1].refused = std::string("it does not");
  for (std::size_t k = 1; k < rows.size(); ++k) rows[k].peer = true;
  compare(rows, "work_s", "speedup", [](const Row&, const Row& other) { return other.peer; });
  EXPECT_EQ(rows[0].number("speedup"), 0.5);
  EXPECT_TRUE(rows[1].cell("speedup").is_null());
  EXPECT_EQ(rows[3].number("speedup"), 0.25);
}

constexpr Column pair_columns[] = {
    {"text", "a text", "{}", "Text"}, {"number", "a number", "{:.1f}", "Number"},
    {"hidden", "only in files"},      {"nowhere", "no row has it", "{}", "Nowhere"},
    {"refused", "why not"},
};

TEST(BenchTable, SaysTheSameInEveryForm) {
  std::vector<Row> rows(4);
  rows[0].cells = {{"text", "plain"}, {"number", 0.1}};
  rows[1].cells = {{"text", "a, \"b\""}, {"number", std::nan("")}};
  rows[2].cells = {{"text", "long text"}, {"number", 1e300}};
  rows[3].name = std::string("fourth");
  rows[3].refused = std::string("it does not");
  EXPECT_EQ(to_csv(pair_columns, rows, {{"same", 7}}),
            "text,number,hidden,nowhere,refused,same\n"
            "plain,0.1,,,,7\n"
            "\"a, \"\"b\"\"\",,,,,7\n"
            "long text,1e+300,,,,7\n"
            ",,,,it does not,7\n");
  const auto json = to_json(pair_columns, rows);
  EXPECT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0]["number"], 0.1);
  EXPECT_TRUE(json[1]["number"].is_null());
  EXPECT_TRUE(json[0]["hidden"].is_null());
  EXPECT_EQ(json[3]["refused"], "it does not");
  rows.erase(rows.begin() + 2);
  rows.push_back(rows.back());
  EXPECT_EQ(to_text(pair_columns, rows),
            "Text    Number\n"
            "plain      0.1\n"
            "a, \"b\"     nan\n"
            "refused: fourth: it does not\n");
}

TEST(BenchTable, TheWorstOfNumbersIsKept) {
  Row row;
  row.keep_most("error", 1e-3);
  row.keep_most("error", 1e-5);
  EXPECT_EQ(row.cell("error"), 1e-3);
  row.keep_most("error", std::nan(""));
  row.keep_most("error", 1.0);
  EXPECT_TRUE(std::isnan(row.number("error")));
}

TEST(BenchTable, ColumnsAreUniqueAndExplained) {
  for (const Columns columns : {multiply_columns(), conversion_columns(), elimination_columns(),
                                sparse_columns(), sparse_summary_columns(), iteration_columns()}) {
    std::set<std::string_view> names;
    for (const Column& column : columns) {
      EXPECT_TRUE(names.insert(column.name).second) << column.name;
      EXPECT_GT(column.help.size(), 3u) << column.name;
      EXPECT_EQ(column.shown.empty(), column.heading.empty()) << column.name;
    }
  }
}

}  // namespace
}  // namespace spsolve::bench
