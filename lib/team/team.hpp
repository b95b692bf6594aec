#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/types.hpp"

namespace spsolve::inline team {

/// Bytes that go to a rank, and room for bytes that come from one.
struct Outgoing {
  int to = 0;
  std::span<const std::byte> data;
};
struct Incoming {
  int from = 0;
  std::span<std::byte> data;
};

/// Bytes that all ranks get from one of them.
struct BroadcastPart {
  int root = 0;
  std::span<std::byte> data;
};

/// A fixed set of messages between this rank and its neighbours, sent as often as wanted: start()
/// lets them go, wait() returns when the outgoing data may be changed and the incoming ones are
/// there. Between the two other work can be done.
class Messages {
 public:
  virtual ~Messages() = default;
  virtual void start() = 0;
  virtual void wait() = 0;
};

/// The ranks of one run, and the messages between them. Every call but send(), receive(),
/// messages() and exchange_parts() is collective: all ranks make it, in the same order. Nothing
/// here throws on one rank only; a broken link ends all ranks.
class Team {
 public:
  virtual ~Team() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Ranks of this team on this rank's host, this one included.
  virtual int ranks_on_host() const = 0;

  /// This rank's number among them, from 0: which of the host's GPUs is its own.
  virtual int rank_on_host() const = 0;

  /// Copies root's `data` to every rank, which gets it once; log2 P steps for short data.
  virtual void broadcast_bytes(std::span<std::byte> data, int root) = 0;

  /// Broadcasts several parts: one after another, or at once where messages can travel so.
  virtual void broadcast_parts(std::span<const BroadcastPart> parts) {
    for (const BroadcastPart& part : parts) broadcast_bytes(part.data, part.root);
  }

  /// Puts the `mine` of rank r at position r of `all` on every rank; all the same length. Where m
  /// bytes are one rank's, every rank gets (P - 1) m bytes; few bytes take log2 P messages a rank.
  virtual void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  /// Fills `all` on every rank, whose parts stand one after another in it by rank: that of rank r,
  /// sizes[r] bytes, is there on rank r already. `sizes` is the same on every rank, and their sum
  /// the length of `all`. Every rank gets what it lacks of the n bytes, in at most P pieces of work
  /// one after another; nothing is held in addition to `all`.
  virtual void all_gather_parts(std::span<std::byte> all, std::span<const Index> sizes);

  /// Blocking point-to-point messages; the receiver knows the length.
  virtual void send_bytes(std::span<const std::byte> data, int to) = 0;
  virtual void receive_bytes(std::span<std::byte> data, int from) = 0;

  /// Swaps `data` with that of `partner`, of the same length; both of the two ranks call this.
  virtual void exchange_bytes(std::span<std::byte> data, int partner) = 0;

  /// Prepares messages with neighbours only: at most one each way with each, none with itself; the
  /// two ends agree on their lengths, and on the order in which they start() several sets. The
  /// buffers stay where they are as long as the object lives.
  virtual std::unique_ptr<Messages> messages(std::span<const Outgoing> outgoing,
                                             std::span<const Incoming> incoming) = 0;

  /// Sends and receives together: at most one message each way with each rank, none with itself.
  /// Ranks without messages need not take part.
  virtual void exchange_parts(std::span<const Outgoing> outgoing,
                              std::span<const Incoming> incoming) {
    if (outgoing.empty() && incoming.empty()) return;
    const std::unique_ptr<Messages> sent = messages(outgoing, incoming);
    sent->start();
    sent->wait();
  }

  /// The team of those ranks that name the same `group`, ordered by `order`, and where that is the
  /// same by their rank here; null for those whose group is negative. Both teams can be used side
  /// by side, and the smaller one may outlive this one. Collective; costs a few values from each
  /// rank to each, and messages of the layer below.
  virtual std::unique_ptr<Team> split(int group, int order) = 0;

  /// Returns once rank `root` has made the call as well; the other ranks sleep until then, for at
  /// most a millisecond longer, and leave their processors to it.
  virtual void rest_until_called(int root) {
    std::byte nothing{};
    broadcast_bytes({&nothing, 1}, root);
  }

  /// Whether messages() says that it takes buffers in GPU memory; whether that works is to be
  /// tried.
  virtual bool claims_gpu_memory() const { return false; }

  /// Memory that the ranks of this host share, `bytes` for each of them by rank_on_host(), all
  /// zero; as long as the team. Empty where there is none: then on every rank of the host.
  /// Collective.
  virtual std::span<std::byte> shared_on_host(std::size_t bytes) {
    static_cast<void>(bytes);
    return {};
  }

  /// Ends every rank of the run at once with this exit code; for failures that the others can't
  /// know of. From any thread, whatever the one that works is doing.
  [[noreturn]] virtual void abort(ExitCode code) = 0;
};

/// The team of a process that works alone.
class SoloTeam final : public Team {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int ranks_on_host() const override { return 1; }
  int rank_on_host() const override { return 0; }
  void broadcast_bytes(std::span<std::byte>, int) override {}
  void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void send_bytes(std::span<const std::byte> data, int to) override;
  void receive_bytes(std::span<std::byte> data, int from) override;
  void exchange_bytes(std::span<std::byte> data, int partner) override;
  std::unique_ptr<Messages> messages(std::span<const Outgoing> outgoing,
                                     std::span<const Incoming> incoming) override;
  std::unique_ptr<Team> split(int group, int order) override;
  [[noreturn]] void abort(ExitCode code) override;
};

/// Typed forms of the calls above.
template <typename T>
void broadcast(Team& team, std::span<T> data, int root) {
  static_assert(std::is_trivially_copyable_v<T>);
  team.broadcast_bytes(std::as_writable_bytes(data), root);
}

template <typename T>
T broadcast_value(Team& team, T value, int root) {
  broadcast(team, std::span<T>(&value, 1), root);
  return value;
}

/// Root's text on every rank.
std::string broadcast_text(Team& team, std::string text, int root);

template <typename T, std::size_t Extent>
void send(Team& team, std::span<T, Extent> data, int to) {
  static_assert(std::is_trivially_copyable_v<T>);
  team.send_bytes(std::as_bytes(data), to);
}

template <typename T, std::size_t Extent>
void receive(Team& team, std::span<T, Extent> data, int from) {
  static_assert(std::is_trivially_copyable_v<T>);
  team.receive_bytes(std::as_writable_bytes(data), from);
}

template <typename T>
void exchange(Team& team, std::span<T> data, int partner) {
  static_assert(std::is_trivially_copyable_v<T>);
  team.exchange_bytes(std::as_writable_bytes(data), partner);
}

/// The value of each rank, by rank.
template <typename T>
std::vector<T> all_gather(Team& team, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// The parts of all ranks, one after another by rank. Every rank gets what it lacks of all parts,
/// and the sizes by an all-gather. Collective.
template <typename T, std::size_t Extent>
std::vector<std::remove_const_t<T>> all_gather_parts(Team& team, std::span<T, Extent> mine) {
  std::vector<Index> sizes = all_gather(team, static_cast<Index>(mine.size_bytes()));
  const auto bytes = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  const auto before = std::accumulate(sizes.begin(), sizes.begin() + team.rank(), Index{0});
  std::vector<std::remove_const_t<T>> all(static_cast<std::size_t>(bytes) / sizeof(T));
  std::copy(mine.begin(), mine.end(), all.begin() + before / Index{sizeof(T)});
  team.all_gather_parts(std::as_writable_bytes(std::span(all)), sizes);
  return all;
}

/// Team::all_gather_parts() with sizes in values, for parts that stand in place.
template <typename T>
void all_gather_parts(Team& team, std::span<T> all, std::span<const Index> sizes) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<Index> bytes(sizes.begin(), sizes.end());
  for (Index& size : bytes) size *= Index{sizeof(T)};
  team.all_gather_parts(std::as_writable_bytes(all), bytes);
}

/// Puts the `mine` of rank r, sizes[r] values, after those of the ranks before it into root's
/// `all`, which no other rank needs. One message from each rank to root, of its own part; root
/// holds nothing in addition to `all`. Collective.
template <typename T>
void gather_parts(Team& team, std::span<const T> mine, std::span<T> all,
                  std::span<const Index> sizes, int root) {
  if (team.rank() != root) {
    if (!mine.empty()) send(team, mine, root);
    return;
  }
  std::size_t first = 0;
  for (int rank = 0; rank < team.size(); ++rank) {
    const auto size = static_cast<std::size_t>(sizes[rank]);
    const std::span<T> part = all.subspan(first, size);
    first += size;
    if (rank == root) {
      std::copy(mine.begin(), mine.end(), part.begin());
    } else if (size > 0) {
      receive(team, part, rank);
    }
  }
}

/// The sum over all ranks of their values. One all-gather. Collective.
template <typename T>
requires std::is_arithmetic_v<T> T all_sum(Team& team, T mine) {
  T sum{};
  for (const T& value : all_gather(team, mine)) sum += value;
  return sum;
}

/// reduce() by sums: replaces each value by the sum over all ranks, in their order, of those at its
/// position.
void all_sum(Team& team, std::span<double> values);

/// Returns when every rank has come here. Collective.
inline void wait_for_all(Team& team) {
  all_gather(team, char{});
}

/// reduce() by maxima: replaces each value by the largest of all ranks at its position; a nan
/// anywhere stays a nan.
void all_maximum(Team& team, std::span<double> values);
double all_maximum(Team& team, double mine);

/// The failure of one rank, told to all.
struct Failure {
  ExitCode code;
  std::string message;
  Scope scope = Scope::one_rank;
};

/// Ends a phase together: where any rank brings a failure, every rank throws the Error of the
/// lowest such rank, its text naming that rank and its host. Collective.
void agree(Team& team, const std::optional<Failure>& mine);

/// The failure that the exception being handled stands for: an Error as it is, bad_alloc as
/// ExitCode::resources, anything else as ExitCode::internal.
Failure current_failure();

/// Runs `work` on this rank and then agrees: it either succeeded everywhere, or every rank throws
/// the same Error. `work` must not talk to other ranks. Collective.
template <typename Work>
auto together(Team& team, Work&& work) {
  std::optional<Failure> failure;
  if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      failure = current_failure();
    }
    agree(team, failure);
  } else {
    std::optional<std::invoke_result_t<Work>> result;
    try {
      result.emplace(std::forward<Work>(work)());
    } catch (...) {
      failure = current_failure();
    }
    agree(team, failure);
    return std::move(*result);
  }
}

}  // namespace spsolve::team
