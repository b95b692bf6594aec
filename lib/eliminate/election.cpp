#include "eliminate/election.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "eliminate/small_lu.hpp"

namespace spsolve {

namespace {

/// A rank's offer on its way: count, places, rows, values, as bytes of the same length everywhere.
template <typename T>
class Offer {
 public:
  static std::size_t bytes(Index width) {
    return sizeof(Index) * static_cast<std::size_t>(1 + 2 * width) +
           sizeof(T) * static_cast<std::size_t>(width * width);
  }

  Offer(std::byte* memory, Index width) : memory_(memory), width_(width) {}

  Index count() const { return number(0); }
  Index place(Index i) const { return number(1 + i); }
  Index row(Index i) const { return number(1 + width_ + i); }
  void set_count(Index count) { set_number(0, count); }
  void set(Index i, Index place, Index row) {
    set_number(1 + i, place);
    set_number(1 + width_ + i, row);
  }
  T* values() { return reinterpret_cast<T*>(memory_ + sizeof(Index) * (1 + 2 * width_)); }

 private:
  Index number(Index i) const {
    Index value;
    std::memcpy(&value, memory_ + i * sizeof(Index), sizeof(Index));
    return value;
  }
  void set_number(Index i, Index value) {
    std::memcpy(memory_ + i * sizeof(Index), &value, sizeof(Index));
  }

  std::byte* memory_;
  Index width_;
};

}  // namespace

template <typename T>
Election<T> elect_by_tournament(Team& team, BlockedBand<T>& band, Index first_active, Range panel,
                                const std::vector<Index>& rows_here) {
  const Index width = panel.size();
  const Candidates<T> mine = band.elect(first_active, panel);
  std::vector<std::byte> message(Offer<T>::bytes(width));
  Offer<T> offer(message.data(), width);
  offer.set_count(static_cast<Index>(mine.rows.size()));
  for (Index i = 0; i < offer.count(); ++i) offer.set(i, mine.rows[i], rows_here[mine.rows[i]]);
  std::copy(mine.values.begin(), mine.values.end(), offer.values());
  std::vector<std::byte> all(message.size() * static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(message, all);

  Election<T> stack;  // all candidates, then sorted by the factorisation
  for (int rank = 0; rank < team.size(); ++rank) {
    Offer<T> of_rank(all.data() + static_cast<std::size_t>(rank) * message.size(), width);
    for (Index i = 0; i < of_rank.count(); ++i) {
      stack.owner.push_back(rank);
      stack.place.push_back(of_rank.place(i));
      stack.row.push_back(of_rank.row(i));
    }
    stack.factors.insert(stack.factors.end(), of_rank.values(),
                         of_rank.values() + of_rank.count() * width);
  }
  std::vector<Index> order(stack.row.size());
  std::iota(order.begin(), order.end(), Index{0});
  band.factor_stack(width, stack.factors, order);

  Election<T> elected;
  for (Index i = 0; i < width; ++i) {
    elected.owner.push_back(stack.owner[order[i]]);
    elected.place.push_back(stack.place[order[i]]);
    elected.row.push_back(stack.row[order[i]]);
  }
  elected.factors.assign(stack.factors.begin(), stack.factors.begin() + width * width);
  return elected;
}

template <typename T>
Election<T> elect_by_columns(Team& team, const BlockedBand<T>& band, Index first_active,
                             Range panel, const std::vector<Index>& rows_here) {
  struct Best {
    double magnitude = -1;
    Index row = -1;
    Index place = -1;
  };
  const Index width = panel.size();
  std::vector<T> values = band.panel_values({first_active, band.height()}, panel);
  std::vector<Index> places(values.size() / static_cast<std::size_t>(width));
  std::iota(places.begin(), places.end(), first_active);

  Election<T> elected;
  for (Index j = 0; j < width; ++j) {
    Best mine;
    Index mine_at = -1;
    for (Index i = 0; i < static_cast<Index>(places.size()); ++i) {
      const double size = std::abs(static_cast<double>(values[i * width + j]));
      const double magnitude = std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
      const Index row = rows_here[places[i]];
      if (magnitude > mine.magnitude || (magnitude == mine.magnitude && row < mine.row)) {
        mine = {magnitude, row, places[i]};
        mine_at = i;
      }
    }
    int owner = 0;
    Best best;
    const std::vector<Best> all = all_gather(team, mine);
    for (int rank = 0; rank < team.size(); ++rank) {
      const Best& theirs = all[rank];
      if (theirs.magnitude > best.magnitude ||
          (theirs.magnitude == best.magnitude && theirs.row < best.row)) {
        best = theirs;
        owner = rank;
      }
    }
    elected.owner.push_back(owner);
    elected.place.push_back(best.place);
    elected.row.push_back(best.row);
    elected.factors.resize(static_cast<std::size_t>((j + 1) * width));
    T* pivot_row = elected.factors.data() + j * width;
    if (owner == team.rank()) {
      // The row leaves the ones that are still eliminated; the last one takes its place.
      std::copy_n(values.data() + mine_at * width, width, pivot_row);
      std::copy_n(values.end() - width, width, values.begin() + mine_at * width);
      values.resize(values.size() - static_cast<std::size_t>(width));
      places[mine_at] = places.back();
      places.pop_back();
    }
    broadcast(team, std::span<T>(pivot_row, width), owner);
    if (pivot_row[j] == T{}) continue;  // the caller finds the zero pivot in the factors
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < static_cast<Index>(places.size()); ++i) {
      T* row = values.data() + i * width;
      const T multiplier = row[j] /= pivot_row[j];
      for (Index c = j + 1; c < width; ++c) row[c] -= multiplier * pivot_row[c];
    }
  }
  return elected;
}

template <typename T>
Election<T> take_in_order(Team& team, const BlockedBand<T>& band, Index first_active, Range panel,
                          int owner) {
  const Index width = panel.size();
  Election<T> elected;
  elected.owner.assign(static_cast<std::size_t>(width), owner);
  elected.factors.resize(static_cast<std::size_t>(width * width));
  for (Index i = 0; i < width; ++i) {
    elected.place.push_back(first_active + i);
    elected.row.push_back(panel.first + i);
  }
  if (owner == team.rank()) {
    const std::vector<T> values = band.panel_values({first_active, first_active + width}, panel);
    std::copy_n(values.begin(), width * width, elected.factors.begin());
  }
  broadcast(team, std::span<T>(elected.factors), owner);
  factor_small<T>(width, width, elected.factors, false, {});
  return elected;
}

template Election<float> elect_by_tournament(Team&, BlockedBand<float>&, Index, Range,
                                             const std::vector<Index>&);
template Election<double> elect_by_tournament(Team&, BlockedBand<double>&, Index, Range,
                                              const std::vector<Index>&);
template Election<float> elect_by_columns(Team&, const BlockedBand<float>&, Index, Range,
                                          const std::vector<Index>&);
template Election<double> elect_by_columns(Team&, const BlockedBand<double>&, Index, Range,
                                           const std::vector<Index>&);
template Election<float> take_in_order(Team&, const BlockedBand<float>&, Index, Range, int);
template Election<double> take_in_order(Team&, const BlockedBand<double>&, Index, Range, int);

}  // namespace spsolve
