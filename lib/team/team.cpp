#include "team/team.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "core/plain_text.hpp"
#include "process/system.hpp"
#include "team/reduce.hpp"

namespace spsolve::inline team {

void Team::all_gather_parts(std::span<std::byte> all, std::span<const Index> sizes) {
  std::vector<BroadcastPart> parts;
  std::size_t first = 0;
  for (int rank = 0; rank < size(); ++rank) {
    const auto length = static_cast<std::size_t>(sizes[rank]);
    if (length > 0) parts.push_back({rank, all.subspan(first, length)});
    first += length;
  }
  broadcast_parts(parts);
}

void SoloTeam::all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) {
  std::copy(mine.begin(), mine.end(), all.begin());
}

void SoloTeam::send_bytes(std::span<const std::byte>, int to) {
  fail(ExitCode::internal, "a process that works alone sent a message to rank {}", to);
}

void SoloTeam::receive_bytes(std::span<std::byte>, int from) {
  fail(ExitCode::internal, "a process that works alone waited for a message from rank {}", from);
}

void SoloTeam::exchange_bytes(std::span<std::byte>, int partner) {
  fail(ExitCode::internal, "a process that works alone exchanged data with rank {}", partner);
}

std::unique_ptr<Messages> SoloTeam::messages(std::span<const Outgoing> outgoing,
                                             std::span<const Incoming> incoming) {
  if (!outgoing.empty() || !incoming.empty()) {
    fail(ExitCode::internal, "a process that works alone has no neighbours");
  }
  class NoMessages final : public Messages {
   public:
    void start() override {}
    void wait() override {}
  };
  return std::make_unique<NoMessages>();
}

std::unique_ptr<Team> SoloTeam::split(int group, int) {
  return group < 0 ? nullptr : std::make_unique<SoloTeam>();
}

void SoloTeam::abort(ExitCode code) {
  std::_Exit(static_cast<int>(code));
}

std::string broadcast_text(Team& team, std::string text, int root) {
  const auto length = broadcast_value(team, static_cast<Index>(text.size()), root);
  text.resize(static_cast<std::size_t>(length));
  broadcast(team, std::span<char>(text), root);
  return text;
}

void all_sum(Team& team, std::span<double> values) {
  reduce(team, values, Reduction::sum);
}

void all_maximum(Team& team, std::span<double> values) {
  reduce(team, values, Reduction::maximum);
}

double all_maximum(Team& team, double mine) {
  all_maximum(team, std::span<double>(&mine, 1));
  return mine;
}

void agree(Team& team, const std::optional<Failure>& mine) {
  const std::vector<int> codes =
      all_gather(team, mine ? static_cast<int>(mine->code) : static_cast<int>(ExitCode::solved));
  const auto failed = std::find_if(codes.begin(), codes.end(), [](int code) { return code != 0; });
  if (failed == codes.end()) return;
  const int culprit = static_cast<int>(failed - codes.begin());
  std::string message = mine ? mine->message : std::string();
  if (team.size() > 1 && culprit != 0 && team.rank() == culprit) {
    message += fmt::format(" (rank {} of {} on host {})", culprit, team.size(), host_name());
  }
  throw Error(static_cast<ExitCode>(*failed), broadcast_text(team, message, culprit),
              Scope::every_rank);
}

Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), plain_text(error.what()), error.scope()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::resources,
            "the system refused to give more memory; run --dry-run to see what the task needs "
            "and what would make it fit, or use more ranks on more hosts"};
  } catch (const std::system_error& error) {
    // std::thread throws that one where the system gives no more threads.
    if (error.code() != std::errc::resource_unavailable_try_again) {
      return {ExitCode::internal, fmt::format("unexpected failure: {}", error.what())};
    }
    return {
        ExitCode::resources,
        "the system refused to start another thread; raise the limit of processes (ulimit -u) or "
        "of memory (ulimit -v), or use fewer ranks or threads on this host"};
  } catch (const std::exception& error) {
    return {ExitCode::internal, fmt::format("unexpected failure: {}", error.what())};
  }
}

}  // namespace spsolve::team
