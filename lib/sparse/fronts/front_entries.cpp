#include "sparse/fronts/front_entries.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <omp.h>

#include "core/over_blocks.hpp"
#include "core/untouched_vector.hpp"

namespace spsolve::inline sparse {

namespace {

/// Where each of `shares` runs of rows begins that have about as many entries; shares + 1.
std::vector<LocalIndex> shared_rows(const std::vector<Index>& row_offsets, int shares) {
  std::vector<LocalIndex> firsts;
  for (int share = 0; share <= shares; ++share) {
    const Index before = row_offsets.back() / shares * share;
    firsts.push_back(static_cast<LocalIndex>(std::ranges::lower_bound(row_offsets, before) -
                                             row_offsets.begin()));
  }
  firsts.back() = static_cast<LocalIndex>(row_offsets.size()) - 1;
  return firsts;
}

}  // namespace

FrontEntries front_entries(const Fronts& fronts, const std::vector<Index>& row_offsets,
                           const std::vector<LocalIndex>& columns,
                           const std::vector<LocalIndex>& row_place,
                           const std::vector<LocalIndex>& column_place,
                           const std::vector<LocalIndex>& block, Factorization kind) {
  const LocalIndex n = fronts.order();
  std::vector<LocalIndex> front_of(n);
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    std::fill(front_of.begin() + fronts.first[s], front_of.begin() + fronts.first[s + 1], s);
  }
  const bool symmetric = kind != Factorization::lu;
  const auto nonzeros = std::ssize(columns);
  const bool many = worth_threads(nonzeros);
  // Each thread counts the entries of its own rows by fronts, so that entries of a front come in
  // the order of A. Counters take no more memory than the entries do.
  const Index count = fronts.size();
  const int shares = many ? static_cast<int>(std::clamp<Index>(
                                2 * nonzeros / std::max<Index>(count, 1), 1, omp_get_max_threads()))
                          : 1;
  const std::vector<LocalIndex> first_row = shared_rows(row_offsets, shares);
  std::vector<std::vector<Index>> counters(shares);
  /// Calls visit(counter, source, row, column) for every entry that is assembled, in places, with
  /// the share's counter of its front; by all threads.
  const auto walk = [&](const auto& visit) {
#pragma omp parallel for schedule(static, 1) num_threads(shares)
    for (int share = 0; share < shares; ++share) {
      std::vector<Index>& counter = counters[share];
      counter.resize(count);
      for (LocalIndex i = first_row[share]; i < first_row[share + 1]; ++i) {
        const LocalIndex row = row_place[i];
        for (Index k = row_offsets[i]; k < row_offsets[i + 1]; ++k) {
          const LocalIndex column = column_place[columns[k]];
          if (symmetric && column > row) continue;
          if (!block.empty() && block[row] != block[column]) continue;
          visit(counter[front_of[std::min(row, column)]], k, row, column);
        }
      }
    }
  };
  FrontEntries result;
  result.starts.assign(count + 1, 0);
  walk([](Index& counter, Index, LocalIndex, LocalIndex) { ++counter; });
#pragma omp parallel for schedule(static) if (many)
  for (Index s = 0; s < count; ++s) {
    for (const auto& counter : counters) result.starts[s + 1] += counter[s];
  }
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
#pragma omp parallel for schedule(static) if (many)
  for (Index s = 0; s < count; ++s) {
    Index next = result.starts[s];
    for (auto& counter : counters) next += std::exchange(counter[s], next);
  }
  result.entries.resize(result.starts.back());
  walk([&](Index& counter, Index source, LocalIndex row, LocalIndex column) {
    result.entries[counter++] = {source, row, column};
  });
  // A border that is searched for many of its rows has their places looked up.
  const Index chunk = std::clamp<Index>(count / (8 * omp_get_max_threads()), 1, 256);
#pragma omp parallel if (many)
  {
    // One thread has the room of front_of, which has served.
    UntouchedVector<LocalIndex> own_places(omp_get_thread_num() == 0 ? 0 : n);
    LocalIndex* const places = own_places.empty() ? front_of.data() : own_places.data();
#pragma omp for schedule(dynamic, chunk)
    for (LocalIndex s = 0; s < fronts.size(); ++s) {
      const LocalIndex first = fronts.first[s], end = fronts.first[s + 1];
      const auto border = fronts.border_of(s);
      const std::span<FrontEntry> own(result.entries.data() + result.starts[s],
                                      result.entries.data() + result.starts[s + 1]);
      const bool looks_up = 8 * own.size() > border.size();
      if (looks_up) {
        for (std::size_t k = 0; k < border.size(); ++k) {
          places[border[k]] = static_cast<LocalIndex>(k);
        }
      }
      const auto place_of = [&](LocalIndex row) {
        return looks_up ? places[row]
                        : static_cast<LocalIndex>(std::ranges::lower_bound(border, row) -
                                                  border.begin());
      };
      for (FrontEntry& entry : own) {
        if (entry.column < end) {
          entry.row = entry.row < end ? entry.row - first : end - first + place_of(entry.row);
          entry.column -= first;
        } else {
          const LocalIndex pivot = entry.row - first;
          entry.row = place_of(entry.column);
          entry.column = ~pivot;
        }
      }
    }
  }
  return result;
}

}  // namespace spsolve::sparse
