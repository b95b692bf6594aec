#include "sparse/fronts/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sparse/fronts/front_walk.hpp"
#include "sparse/fronts/threshold_front.hpp"
#include "sparse/sweeps/vector_sweeps.hpp"

namespace spsolve {

void ThresholdOutcome::add(const ThresholdOutcome& other) {
  counts.add(other.counts);
  delayed += other.delayed;
  factor_entries += other.factor_entries;
  rows.insert(rows.end(), other.rows.begin(), other.rows.end());
  columns.insert(columns.end(), other.columns.begin(), other.columns.end());
}

template <typename T>
ThresholdFactors<T>::ThresholdFactors(const SparseAnalysis& analysis, Factorization kind,
                                      const std::vector<double>& values, int threads,
                                      const Advance& advance, FrontKeeper* keeper)
    : analysis_(analysis),
      kind_(kind),
      kept_(analysis.fronts.size()),
      passed_(analysis.fronts.size()),
      done_(analysis.fronts.size(), 0) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  tiny_ = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * most;
  const Fronts& fronts = analysis.fronts;
  const auto step = [&](LocalIndex s, const Tiles& tiles, ThresholdOutcome& outcome) {
    eliminate(s, values, tiles, outcome);
    advance(front_flops(fronts, s, kind != Factorization::lu));
    return true;
  };
  const Schedule schedule = factor_schedule(fronts, kind, threads);
  outcomes_.resize(schedule.threads + 1);
  if (keeper != nullptr) keeper->begin(*this);
  walk_fronts(
      fronts, schedule, kind != Factorization::lu, keeper, *this, done_,
      [&](LocalIndex s, int lane) { return step(s, Tiles(1), outcomes_[lane]); },
      [&](LocalIndex s) { return step(s, Tiles(threads), outcomes_.front()); });
  outcome_ = all();
  std::sort(outcome_.rows.begin(), outcome_.rows.end());
  std::sort(outcome_.columns.begin(), outcome_.columns.end());
}

template <typename T>
ThresholdOutcome ThresholdFactors<T>::all() const {
  ThresholdOutcome result;
  for (const ThresholdOutcome& outcome : outcomes_) result.add(outcome);
  return result;
}

template <typename T>
void ThresholdFactors<T>::eliminate(LocalIndex s, const std::vector<double>& values,
                                    const Tiles& tiles, ThresholdOutcome& outcome) {
  const Fronts& fronts = analysis_.fronts;
  const bool symmetric = kind_ != Factorization::lu;
  const Index own = fronts.pivots(s), m = fronts.border_size(s);
  Index candidates = own;
  for (const LocalIndex child : fronts.children_of(s)) {
    candidates += static_cast<Index>(passed_[child].rows.size());
  }
  const bool is_root = fronts.parent[s] == -1;
  ThresholdFront<T> work(candidates + m, candidates, symmetric, is_root ? 0 : tiny_);
  work.rows.resize(own);
  std::iota(work.rows.begin(), work.rows.end(), fronts.first[s]);
  work.columns = work.rows;
  // Own candidates, those that were delayed, the border.
  const auto place = [&](Index position) {
    return position < own ? position : position - own + candidates;
  };
  const auto add = [&](Index row, Index column, T value) {
    work.at(row, column) += value;
    if (symmetric && row != column) work.at(column, row) += value;
  };
  for (const FrontEntry& entry : analysis_.entries.of(s)) {
    const T value = static_cast<T>(values[entry.source]);
    if (entry.column >= 0) {
      add(place(entry.row), entry.column, value);
    } else {
      work.at(~entry.column, candidates + entry.row) += value;
    }
  }
  for (const LocalIndex child : fronts.children_of(s)) {
    Passed& passed = passed_[child];
    const auto places = fronts.in_parent_of(child);
    std::vector<Index> to;
    for (std::size_t d = 0; d < passed.rows.size(); ++d) {
      to.push_back(static_cast<Index>(work.rows.size()));
      work.rows.push_back(passed.rows[d]);
      work.columns.push_back(passed.columns[d]);
    }
    for (const LocalIndex position : places) to.push_back(place(position));
    const Index size = static_cast<Index>(to.size());
    for (Index c = 0; c < size; ++c) {
      for (Index r = 0; r < size; ++r) work.at(to[r], to[c]) += passed.block[r + c * size];
    }
    passed = {};
  }
  PivotCounts counts;
  work.eliminate(tiles, counts);
  outcome.counts.add(counts);
  const Index e = work.done(), left = candidates - e, border = left + m;

  Kept& kept = kept_[s];
  kept.pivots = static_cast<LocalIndex>(e);
  kept.border = static_cast<LocalIndex>(border);
  kept.rows = work.rows;
  kept.columns = work.columns;
  const auto rows = fronts.border_of(s);
  kept.rows.insert(kept.rows.end(), rows.begin(), rows.end());
  kept.columns.insert(kept.columns.end(), rows.begin(), rows.end());
  const Index padding = e > 0 ? vector_sweeps::padding<T> : 0;  // for solves
  kept.lower.resize(static_cast<std::size_t>((e + border) * e + padding));
  for (Index k = 0; k < e; ++k)
    std::copy_n(&work.at(0, k), e + border, &kept.lower[k * (e + border)]);
  if (symmetric) {
    kept.off_diagonal.assign(work.off_diagonal().begin(), work.off_diagonal().begin() + e);
  } else {
    kept.upper.resize(static_cast<std::size_t>(border * e + padding));
    for (Index k = 0; k < e; ++k) {
      for (Index j = 0; j < border; ++j) kept.upper[j + k * border] = work.at(k, e + j);
    }
  }
  outcome.factor_entries += (e + border) * e + (symmetric ? 0 : border * e);
  if (left > 0 && is_root) {
    outcome.rows.insert(outcome.rows.end(), work.rows.begin() + e, work.rows.end());
    outcome.columns.insert(outcome.columns.end(), work.columns.begin() + e, work.columns.end());
    return;
  }
  outcome.delayed += left;
  Passed& passed = passed_[s];
  passed.rows.assign(work.rows.begin() + e, work.rows.end());
  passed.columns.assign(work.columns.begin() + e, work.columns.end());
  passed.block.resize(static_cast<std::size_t>(border * border));
  for (Index c = 0; c < border; ++c) {
    std::copy_n(&work.at(e, e + c), border, &passed.block[c * border]);
  }
}

template <typename T>
std::vector<FactoredFront<T>> ThresholdFactors<T>::fronts() const {
  std::vector<FactoredFront<T>> result;
  for (const Kept& kept : kept_) {
    FactoredFront<T> front;
    front.pivots = kept.pivots;
    front.border = kept.border;
    front.lower = kept.lower.data();
    front.ld = kept.pivots + kept.border;
    front.upper = kept.upper.empty() ? nullptr : kept.upper.data();
    front.ldu = kept.border;
    front.rows = kept.rows.data();
    front.columns = kept.columns.data();
    front.border_rows = kept.rows.data() + kept.pivots;
    front.border_columns = kept.columns.data() + kept.pivots;
    front.off_diagonal = kind_ == Factorization::ldlt ? kept.off_diagonal.data() : nullptr;
    result.push_back(front);
  }
  return result;
}

// --- to be kept

template <typename T>
std::int64_t ThresholdFactors<T>::bytes_of(LocalIndex s) const {
  const Kept& kept = kept_[s];
  return static_cast<std::int64_t>(
      (kept.lower.size() + kept.upper.size() + kept.off_diagonal.size()) * sizeof(T) +
      (kept.rows.size() + kept.columns.size()) * sizeof(LocalIndex));
}

template <typename T>
std::int64_t ThresholdFactors<T>::passed_up_bytes(LocalIndex s) const {
  const Passed& passed = passed_[s];
  return static_cast<std::int64_t>(passed.block.size() * sizeof(T) +
                                   (passed.rows.size() + passed.columns.size()) *
                                       sizeof(LocalIndex));
}

/// Whether sizes and places of what was read of a front go together.
template <typename T>
bool ThresholdFactors<T>::is_good(LocalIndex s) const {
  const Kept& kept = kept_[s];
  const bool symmetric = kind_ != Factorization::lu;
  const Index e = kept.pivots, border = kept.border, n = analysis_.fronts.order();
  if (e < 0 || border < analysis_.fronts.border_size(s) || e + border > n) return false;
  const Index padding = e > 0 ? vector_sweeps::padding<T> : 0;
  const auto has = [](const auto& list, Index size) { return std::ssize(list) == size; };
  const auto are_places = [&](const std::vector<LocalIndex>& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](LocalIndex place) { return place >= 0 && place < n; });
  };
  return has(kept.lower, (e + border) * e + padding) &&
         has(kept.upper, symmetric ? 0 : border * e + padding) &&
         has(kept.off_diagonal, symmetric ? e : 0) &&
         are_pairs(std::span<const T>(kept.off_diagonal)) && has(kept.rows, e + border) &&
         has(kept.columns, e + border) && are_places(kept.rows) && are_places(kept.columns);
}

template <typename T>
bool ThresholdFactors<T>::name(LocalIndex s, bool waits, FrontBytes& bytes) {
  Kept& kept = kept_[s];
  bytes.value(kept.pivots);
  bytes.value(kept.border);
  bytes.list(kept.lower);
  bytes.list(kept.upper);
  bytes.list(kept.off_diagonal);
  bytes.list(kept.rows);
  bytes.list(kept.columns);
  Passed& passed = passed_[s];
  if (waits) {
    bytes.list(passed.block);
    bytes.list(passed.rows);
    bytes.list(passed.columns);
  }
  if (!bytes.reads()) return true;
  done_[s] = 1;
  if (!is_good(s)) return false;
  if (!waits) return true;
  // Delayed rows and columns are the first of its border.
  const Index border = kept.border, delayed = border - analysis_.fronts.border_size(s);
  return std::ssize(passed.rows) == delayed && std::ssize(passed.block) == border * border &&
         std::equal(passed.rows.begin(), passed.rows.end(), kept.rows.begin() + kept.pivots) &&
         std::ssize(passed.columns) == delayed &&
         std::equal(passed.columns.begin(), passed.columns.end(),
                    kept.columns.begin() + kept.pivots);
}

template <typename T>
bool ThresholdFactors<T>::name_totals(FrontBytes& bytes) {
  ThresholdOutcome result = all();
  bytes.value(result.counts);
  bytes.value(result.delayed);
  bytes.value(result.factor_entries);
  bytes.list(result.rows);
  bytes.list(result.columns);
  if (!bytes.reads()) return true;
  const auto are_places = [&](const std::vector<LocalIndex>& list) {
    return std::all_of(list.begin(), list.end(), [&](LocalIndex place) {
      return place >= 0 && place < analysis_.fronts.order();
    });
  };
  const bool good = result.rows.size() == result.columns.size() && are_places(result.rows) &&
                    are_places(result.columns);
  outcomes_.back() = std::move(result);
  return good;
}

template class ThresholdFactors<float>;
template class ThresholdFactors<double>;

}  // namespace spsolve
