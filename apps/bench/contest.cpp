#include "apps/bench/contest.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>

#include "core/error.hpp"

namespace spsolve::bench {

namespace {

/// Returns when every rank of the run has come here. The ranks sleep meanwhile, so that whoever
/// still works has the processors to itself; up to a millisecond may be lost. Collective.
void wait_idly(Team& team) {
  if (team.size() == 1) return;
  MPI_Request all_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  int done = 0;
  for (;;) {
    MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Runs a turn, and hands back why it is refused, or "". Collective.
std::string take_turn(Team& team, const Contender& contender, Turn& turn, bool strict) {
  std::string why;
  wait_idly(team);
  if (contender.all_ranks || team.rank() == 0) {
    try {
      contender.turn(turn);
    } catch (...) {
      const Failure failure = current_failure();
      const bool shared = turn.team.size() == 1 || failure.scope == Scope::every_rank;
      const bool refuses = turn.row.peer || (shared && failure.code != ExitCode::internal);
      if (strict || !refuses) throw;
      why = failure.message;
    }
  }
  wait_idly(team);
  const std::vector<char> failed = all_gather(team, static_cast<char>(why.empty() ? 0 : 1));
  const auto first = std::ranges::find(failed, 1);
  return first == failed.end()
             ? ""
             : broadcast_text(team, why, static_cast<int>(first - failed.begin()));
}

/// A line of what a turn came to.
std::string told(const Row& row, const Rules& rules, int round) {
  std::string text = fmt::format("{} on {}, {} of {}:", row.name, rules.where, round, rules.rounds);
  if (!row.measured()) return text + " refused: " + row.refused;
  for (const auto& [column, seconds] : row.samples) {
    text += fmt::format(" {} {:.3g}", column, seconds.back());
  }
  return text;
}

}  // namespace

int repeats_for(const std::function<double(int)>& run, double sample_seconds) {
  constexpr int most_repeats = 1 << 20;
  run(1);  // touches pages, wakes threads, fills caches
  int repeats = 1;
  while (run(repeats) < sample_seconds && repeats < most_repeats) repeats *= 2;
  return repeats;
}

Sampled sample(const std::function<double(int)>& run, const SamplingOptions& options) {
  Sampled result{options.repeats, {}, {}};
  if (options.repeats > 0) {
    run(1);
  } else {
    result.repeats = repeats_for(run, options.sample_seconds);
  }
  result.samples.resize(static_cast<std::size_t>(std::max(1, options.samples)));
  for (double& value : result.samples) value = run(result.repeats) / result.repeats;
  return result;
}

void Turn::add(std::string_view column, double seconds) {
  row.samples[std::string(column)].push_back(all_maximum(team, seconds));
}

void Rules::tell_on_stderr(const std::string& line) {
  std::cerr << "  " << line << '\n';
}

std::vector<Row> compete(Team& team, std::vector<Contender> contenders, const Rules& rules) {
  SoloTeam alone;
  std::vector<Row> rows;
  for (Contender& contender : contenders) rows.push_back(contender.row);
  for (int round = rules.warm_up ? 0 : 1; round <= rules.rounds; ++round) {
    if (rules.each_round) rules.each_round();
    for (std::size_t place = 0; place < contenders.size(); ++place) {
      const bool backwards = round > 0 && round % 2 == 0;
      const std::size_t k = backwards ? contenders.size() - 1 - place : place;
      Contender& contender = contenders[k];
      if (!contender.turn) continue;
      Row now = rows[k];
      Turn turn(round, now, contender.all_ranks ? team : alone);
      const std::string why = take_turn(team, contender, turn, rules.strict);
      if (!why.empty()) {
        now = contender.row;
        now.refused = why;
      }
      if (!why.empty() || round == rules.rounds) contender.turn = nullptr;
      const bool tells = !rules.brief || contender.turn == nullptr;
      if (tells && team.rank() == 0) rules.tell(told(now, rules, round));
      if (!why.empty() || round > 0) rows[k] = std::move(now);
    }
  }
  for (Row& row : rows) {
    if (row.measured()) row.settle();
  }
  return rows;
}

void compare(std::span<Row> rows, std::string_view seconds, std::string_view ratio,
             const std::function<bool(const Row& own, const Row& other)>& are_rivals) {
  for (Row& row : rows) {
    std::optional<double> least;
    for (const Row& other : rows) {
      if (!row.measured() || !other.measured() || !are_rivals(row, other)) continue;
      const double time = other.number(seconds);
      if (!least || time < *least) least = time;
    }
    row[ratio] = least ? Cell(*least / row.number(seconds)) : Cell();
  }
}

}  // namespace spsolve::bench
