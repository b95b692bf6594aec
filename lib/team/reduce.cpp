#include "team/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spsolve::inline team {

namespace {

/// Values of all ranks together that go by one all-gather: so few cost what a message costs.
constexpr std::size_t few_values = 4096;

/// Values of all ranks that are on their way to one at a time, 2 MiB; and the fewest of one rank.
constexpr Index slice_values = Index{1} << 18;
constexpr Index least_slice = 1024;

/// Brings `next`, the values of the next rank, into those of the ranks before it.
void fold(std::span<double> values, const double* next, Reduction how) {
  if (how == Reduction::sum) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += next[i];
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (next[i] > values[i] || std::isnan(next[i])) values[i] = next[i];
    }
  }
}

/// Parts of nearly equal size.
std::vector<Index> even_parts(std::size_t count, int ranks) {
  std::vector<Index> sizes(static_cast<std::size_t>(ranks), static_cast<Index>(count) / ranks);
  for (Index i = 0; i < static_cast<Index>(count) % ranks; ++i) ++sizes[i];
  return sizes;
}

}  // namespace

void reduce(Team& team, std::span<double> values, Reduction how) {
  const auto ranks = static_cast<std::size_t>(team.size());
  if (ranks == 1 || values.empty()) return;
  if (values.size() * ranks <= few_values) {
    std::vector<double> all(values.size() * ranks);
    team.all_gather_bytes(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    std::copy_n(all.begin(), values.size(), values.begin());
    for (std::size_t r = 1; r < ranks; ++r) fold(values, all.data() + r * values.size(), how);
    return;
  }
  const std::vector<Index> sizes = even_parts(values.size(), team.size());
  const auto mine = static_cast<std::size_t>(team.rank());
  const Index first = std::accumulate(sizes.begin(), sizes.begin() + team.rank(), Index{0});
  reduce_scatter(
      team, values, sizes,
      values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(sizes[mine])), how);
  all_gather_parts(team, values, sizes);
}

void reduce_scatter(Team& team, std::span<const double> values, std::span<const Index> sizes,
                    std::span<double> own, Reduction how) {
  const int ranks = team.size();
  const int me = team.rank();
  std::vector<Index> starts(static_cast<std::size_t>(ranks) + 1);
  std::partial_sum(sizes.begin(), sizes.begin() + ranks, starts.begin() + 1);
  if (ranks == 1) {
    std::copy_n(values.begin(), own.size(), own.begin());
    return;
  }
  const Index slice = std::max(slice_values / ranks, least_slice);
  const Index longest = *std::max_element(sizes.begin(), sizes.begin() + ranks);
  const auto piece_of = [&](int rank, Index done) {
    return values.subspan(
        static_cast<std::size_t>(starts[rank] + std::min(done, sizes[rank])),
        static_cast<std::size_t>(std::clamp<Index>(sizes[rank] - done, 0, slice)));
  };
  std::vector<double> arrived(static_cast<std::size_t>(std::min(slice, sizes[me]) * (ranks - 1)));
  std::vector<double> sums;
  for (Index done = 0; done < longest; done += slice) {
    const auto mine = piece_of(me, done);
    const auto from = [&](int rank) {
      return std::span(arrived).subspan(mine.size() * static_cast<std::size_t>(rank - (rank > me)),
                                        mine.size());
    };
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    // Every rank begins with its neighbour, so that no rank is everybody's first.
    for (int step = 1; step < ranks; ++step) {
      const int to = (me + step) % ranks;
      const int source = (me + ranks - step) % ranks;
      const auto piece = piece_of(to, done);
      if (!piece.empty()) outgoing.push_back({to, std::as_bytes(piece)});
      if (!mine.empty()) incoming.push_back({source, std::as_writable_bytes(from(source))});
    }
    const auto messages = team.messages(outgoing, incoming);
    messages->start();
    messages->wait();
    if (mine.empty()) continue;
    const auto of = [&](int rank) { return rank == me ? mine.data() : from(rank).data(); };
    sums.assign(of(0), of(0) + mine.size());
    for (int rank = 1; rank < ranks; ++rank) fold(sums, of(rank), how);
    std::copy(sums.begin(), sums.end(), own.begin() + done);
  }
}

}  // namespace spsolve::team
