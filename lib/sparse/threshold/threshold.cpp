#include "sparse/threshold/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sparse/fronts/front_walk.hpp"
#include "sparse/kernels/vector_sweeps.hpp"
#include "sparse/threshold/threshold_front.hpp"

namespace spsolve::inline sparse {

void ThresholdOutcome::add(const ThresholdOutcome& other) {
  counts.add(other.counts);
  delayed += other.delayed;
  factor_entries += other.factor_entries;
  rows.insert(rows.end(), other.rows.begin(), other.rows.end());
  columns.insert(columns.end(), other.columns.begin(), other.columns.end());
}

template <typename T>
ThresholdFactors<T>::ThresholdFactors(const Fronts& fronts, const FrontEntries& entries,
                                      Factorization kind, const std::vector<double>& values,
                                      int threads, const Advance& advance,
                                      FrontCheckpointer* checkpointer)
    : fronts_(fronts),
      kind_(kind),
      factors_(fronts.size()),
      contributions_(fronts.size()),
      done_(fronts.size(), 0) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  tiny_ = 8 * static_cast<double>(std::numeric_limits<Real<T>>::epsilon()) * most;
  const auto step = [&](LocalIndex s, const Tiles& tiles, ThresholdOutcome& outcome) {
    eliminate(s, entries, values, tiles, outcome);
    advance(front_flops(fronts, s, kind != Factorization::lu));
    return true;
  };
  // Its fronts pass all up, on no stack.
  const Schedule schedule = factor_schedule(
      fronts, kind, threads,
      {.entries = std::numeric_limits<Index>::max(), .least_direct = StackBound::none_direct});
  outcomes_.resize(schedule.threads + 1);
  if (checkpointer != nullptr) checkpointer->begin(*this);
  walk_fronts(
      fronts, schedule, kind != Factorization::lu, checkpointer, *this, done_,
      [&](LocalIndex s, int lane, std::size_t) { return step(s, Tiles(1), outcomes_[lane]); },
      [](std::size_t, int) {},
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
void ThresholdFactors<T>::eliminate(LocalIndex s, const FrontEntries& entries,
                                    const std::vector<double>& values, const Tiles& tiles,
                                    ThresholdOutcome& outcome) {
  Index candidates = fronts_.pivots(s);
  for (const LocalIndex child : fronts_.children_of(s)) {
    candidates += static_cast<Index>(contributions_[child].rows.size());
  }
  const bool is_root = fronts_.parent[s] == -1;
  ThresholdFront<T> work(candidates + fronts_.border_size(s), candidates, kind_,
                         is_root ? 0 : tiny_);
  assemble(s, entries, values, candidates, work);
  PivotCounts counts;
  work.eliminate(tiles, counts);
  outcome.counts.add(counts);
  outcome.factor_entries += keep_factors(s, candidates, work);
  const Index left = candidates - work.done();
  if (left == 0 || !is_root) {
    outcome.delayed += left;
    return pass_on(s, candidates, work);
  }
  outcome.rows.insert(outcome.rows.end(), work.rows.begin() + work.done(), work.rows.end());
  outcome.columns.insert(outcome.columns.end(), work.columns.begin() + work.done(),
                         work.columns.end());
}

/// The front's candidates are its own, then those that were delayed; the border follows.
template <typename T>
void ThresholdFactors<T>::assemble(LocalIndex s, const FrontEntries& entries,
                                   const std::vector<double>& values, Index candidates,
                                   ThresholdFront<T>& work) {
  const bool symmetric = kind_ != Factorization::lu, hermitian = is_hermitian(kind_);
  const Index own = fronts_.pivots(s);
  work.rows.resize(own);
  std::iota(work.rows.begin(), work.rows.end(), fronts_.first[s]);
  work.columns = work.rows;
  const auto place = [&](Index position) {
    return position < own ? position : position - own + candidates;
  };
  const auto add = [&](Index row, Index column, T value) {
    work.at(row, column) += value;
    if (symmetric && row != column) work.at(column, row) += mirrored(hermitian, value);
  };
  for (const FrontEntry& entry : entries.of(s)) {
    const T value = value_at<T>(values, entry.source);
    if (entry.column >= 0) {
      add(place(entry.row), entry.column, value);
    } else {
      work.at(~entry.column, candidates + entry.row) += value;
    }
  }
  for (const LocalIndex child : fronts_.children_of(s)) {
    Contribution& contribution = contributions_[child];
    std::vector<Index> to;
    for (std::size_t d = 0; d < contribution.rows.size(); ++d) {
      to.push_back(static_cast<Index>(work.rows.size()));
      work.rows.push_back(contribution.rows[d]);
      work.columns.push_back(contribution.columns[d]);
    }
    for (const LocalIndex position : fronts_.in_parent_of(child)) to.push_back(place(position));
    const Index size = static_cast<Index>(to.size());
    for (Index c = 0; c < size; ++c) {
      for (Index r = 0; r < size; ++r) work.at(to[r], to[c]) += contribution.block[r + c * size];
    }
    contribution = {};
  }
}

/// Keeps the factors of an eliminated front; how many entries they have.
template <typename T>
Index ThresholdFactors<T>::keep_factors(LocalIndex s, Index candidates, ThresholdFront<T>& work) {
  const bool symmetric = kind_ != Factorization::lu;
  const Index e = work.done(), border = candidates - e + fronts_.border_size(s);
  FrontFactors& factors = factors_[s];
  factors.pivots = static_cast<LocalIndex>(e);
  factors.border = static_cast<LocalIndex>(border);
  factors.rows = work.rows;
  factors.columns = work.columns;
  const auto rows = fronts_.border_of(s);
  factors.rows.insert(factors.rows.end(), rows.begin(), rows.end());
  factors.columns.insert(factors.columns.end(), rows.begin(), rows.end());
  const Index padding = e > 0 ? vector_sweeps::padding<T> : 0;  // for solves
  factors.lower.resize(static_cast<std::size_t>((e + border) * e + padding));
  for (Index k = 0; k < e; ++k)
    std::copy_n(&work.at(0, k), e + border, &factors.lower[k * (e + border)]);
  if (symmetric) {
    factors.off_diagonal.assign(work.off_diagonal().begin(), work.off_diagonal().begin() + e);
    return (e + border) * e;
  }
  factors.upper.resize(static_cast<std::size_t>(border * e + padding));
  for (Index k = 0; k < e; ++k) {
    for (Index j = 0; j < border; ++j) factors.upper[j + k * border] = work.at(k, e + j);
  }
  return (e + border) * e + border * e;
}

/// Leaves the contribution block of an eliminated front to its parent, what is delayed first.
template <typename T>
void ThresholdFactors<T>::pass_on(LocalIndex s, Index candidates, ThresholdFront<T>& work) {
  const Index e = work.done(), border = candidates - e + fronts_.border_size(s);
  Contribution& contribution = contributions_[s];
  contribution.rows.assign(work.rows.begin() + e, work.rows.end());
  contribution.columns.assign(work.columns.begin() + e, work.columns.end());
  contribution.block.resize(static_cast<std::size_t>(border * border));
  for (Index c = 0; c < border; ++c) {
    std::copy_n(&work.at(e, e + c), border, &contribution.block[c * border]);
  }
}

template <typename T>
std::vector<FactoredFront<T>> ThresholdFactors<T>::fronts() const {
  std::vector<FactoredFront<T>> result;
  for (const FrontFactors& factors : factors_) {
    FactoredFront<T> front;
    front.pivots = factors.pivots;
    front.border = factors.border;
    front.lower = factors.lower.data();
    front.ld = factors.pivots + factors.border;
    front.upper = factors.upper.empty() ? nullptr : factors.upper.data();
    front.ldu = factors.border;
    front.rows = factors.rows.data();
    front.columns = factors.columns.data();
    front.border_rows = factors.rows.data() + factors.pivots;
    front.border_columns = factors.columns.data() + factors.pivots;
    front.off_diagonal = has_d(kind_) ? factors.off_diagonal.data() : nullptr;
    result.push_back(front);
  }
  return result;
}

// --- to be kept

template <typename T>
std::int64_t ThresholdFactors<T>::bytes_of(LocalIndex s) const {
  const FrontFactors& factors = factors_[s];
  return static_cast<std::int64_t>(
      (factors.lower.size() + factors.upper.size() + factors.off_diagonal.size()) * sizeof(T) +
      (factors.rows.size() + factors.columns.size()) * sizeof(LocalIndex));
}

template <typename T>
std::int64_t ThresholdFactors<T>::contribution_bytes(LocalIndex s) const {
  const Contribution& contribution = contributions_[s];
  return static_cast<std::int64_t>(contribution.block.size() * sizeof(T) +
                                   (contribution.rows.size() + contribution.columns.size()) *
                                       sizeof(LocalIndex));
}

/// Whether sizes and places of what was read of a front go together.
template <typename T>
bool ThresholdFactors<T>::is_good(LocalIndex s) const {
  const FrontFactors& factors = factors_[s];
  const bool symmetric = kind_ != Factorization::lu;
  const Index e = factors.pivots, border = factors.border, n = fronts_.order();
  if (e < 0 || border < fronts_.border_size(s) || e + border > n) return false;
  const Index padding = e > 0 ? vector_sweeps::padding<T> : 0;
  const auto has = [](const auto& list, Index size) { return std::ssize(list) == size; };
  const auto are_places = [&](const std::vector<LocalIndex>& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](LocalIndex place) { return place >= 0 && place < n; });
  };
  return has(factors.lower, (e + border) * e + padding) &&
         has(factors.upper, symmetric ? 0 : border * e + padding) &&
         has(factors.off_diagonal, symmetric ? e : 0) &&
         are_pairs(std::span<const T>(factors.off_diagonal)) && has(factors.rows, e + border) &&
         has(factors.columns, e + border) && are_places(factors.rows) &&
         are_places(factors.columns);
}

template <typename T>
bool ThresholdFactors<T>::name(LocalIndex s, bool waits, SectionBytes& bytes) {
  FrontFactors& factors = factors_[s];
  bytes.value(factors.pivots);
  bytes.value(factors.border);
  bytes.list(factors.lower);
  bytes.list(factors.upper);
  bytes.list(factors.off_diagonal);
  bytes.list(factors.rows);
  bytes.list(factors.columns);
  Contribution& contribution = contributions_[s];
  if (waits) {
    bytes.list(contribution.block);
    bytes.list(contribution.rows);
    bytes.list(contribution.columns);
  }
  if (!bytes.reads()) return true;
  done_[s] = 1;
  if (!is_good(s)) return false;
  if (!waits) return true;
  // Delayed rows and columns are the first of its border.
  const Index border = factors.border, delayed = border - fronts_.border_size(s);
  return std::ssize(contribution.rows) == delayed &&
         std::ssize(contribution.block) == border * border &&
         std::equal(contribution.rows.begin(), contribution.rows.end(),
                    factors.rows.begin() + factors.pivots) &&
         std::ssize(contribution.columns) == delayed &&
         std::equal(contribution.columns.begin(), contribution.columns.end(),
                    factors.columns.begin() + factors.pivots);
}

template <typename T>
bool ThresholdFactors<T>::name_totals(SectionBytes& bytes) {
  ThresholdOutcome result = all();
  bytes.value(result.counts);
  bytes.value(result.delayed);
  bytes.value(result.factor_entries);
  bytes.list(result.rows);
  bytes.list(result.columns);
  if (!bytes.reads()) return true;
  const auto are_places = [&](const std::vector<LocalIndex>& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](LocalIndex place) { return place >= 0 && place < fronts_.order(); });
  };
  const bool good = result.rows.size() == result.columns.size() && are_places(result.rows) &&
                    are_places(result.columns);
  outcomes_.back() = std::move(result);
  return good;
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class ThresholdFactors)

}  // namespace spsolve::sparse
