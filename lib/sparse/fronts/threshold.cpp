#include "sparse/fronts/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/blas/column_blas.hpp"
#include "sparse/fronts/front_walk.hpp"
#include "sparse/sweeps/vector_sweeps.hpp"

namespace spsolve {

using namespace column_blas;

namespace {

constexpr Index panel_width = 32;
constexpr Index columns_of_piece = 128;

}  // namespace

void ThresholdOutcome::add(const ThresholdOutcome& other) {
  counts.add(other.counts);
  delayed += other.delayed;
  factor_entries += other.factor_entries;
  rows.insert(rows.end(), other.rows.begin(), other.rows.end());
  columns.insert(columns.end(), other.columns.begin(), other.columns.end());
}

/// A front with all that was delayed to it: n x n, column-major, of which the first `candidates`
/// rows and columns are fully summed. Symmetric matrices are there with both triangles.
template <typename T>
class ThresholdFactors<T>::Work {
 public:
  Work(Index n, Index candidates, bool symmetric, double tiny)
      : n_(n),
        candidates_(candidates),
        symmetric_(symmetric),
        tiny_(tiny),
        f_(static_cast<std::size_t>(n * n), T(0)),
        products_(static_cast<std::size_t>(symmetric ? n * panel_width : 0)),
        column_(static_cast<std::size_t>(n)),
        second_(static_cast<std::size_t>(n)) {
    if (symmetric) off_diagonal_.assign(static_cast<std::size_t>(candidates), T(0));
  }

  T& at(Index i, Index j) { return f_[static_cast<std::size_t>(i + j * n_)]; }
  Index done() const { return done_; }
  std::vector<LocalIndex> rows, columns;  // of the candidates
  const std::vector<T>& off_diagonal() const { return off_diagonal_; }

  /// Takes pivots until no column that is left has one.
  void eliminate(const Tiles& tiles, PivotCounts& counts) {
    while (done_ < candidates_) {
      const Index first = done_;
      for (Index j = first; j < candidates_ && done_ - first + 1 < panel_width;) {
        const Index before = done_;
        if (symmetric_ ? take_symmetric(first, j, counts) : take(first, j, counts)) {
          j = std::max(j + (done_ - before), done_);
        } else {
          ++j;
        }
      }
      if (done_ == first) return;
      update(first, tiles);
    }
  }

 private:
  static constexpr double threshold = 0.1, symmetric_threshold = 0.01;

  void swap_rows(Index i, Index j) {
    if (i == j) return;
    for (Index k = 0; k < n_; ++k) std::swap(at(i, k), at(j, k));
    std::swap(rows[i], rows[j]);
  }
  void swap_columns(Index i, Index j) {
    if (i == j) return;
    std::swap_ranges(&at(0, i), &at(0, i) + n_, &at(0, j));
    std::swap(columns[i], columns[j]);
  }
  void swap_both(Index first, Index i, Index j) {
    if (i == j) return;
    swap_rows(i, j);
    swap_columns(i, j);
    for (Index k = 0; k < done_ - first; ++k) {
      std::swap(products_[i + k * n_], products_[j + k * n_]);
    }
  }

  /// Column j as the pivots first ... done leave it, in `column`.
  void refresh(Index first, Index j, std::vector<T>& column) {
    std::copy_n(&at(0, j), n_, column.data());
    const Index w = done_ - first;
    if (w == 0) return;
    if (symmetric_) {
      std::vector<T> row(static_cast<std::size_t>(w));
      for (Index k = 0; k < w; ++k) row[k] = at(j, first + k);
      multiply_vector<T>(false, n_ - done_, w, -1, products_.data() + done_, n_, row.data(), 1,
                         column.data() + done_);
    } else {
      solve_triangle_vector(unit_lower, w, &at(first, first), n_, column.data() + first);
      multiply_vector<T>(false, n_ - done_, w, -1, &at(done_, first), n_, column.data() + first, 1,
                         column.data() + done_);
    }
  }

  /// The row of the largest magnitude in begin ... end but for `skip`; -1 where all are zero.
  static Index largest(const std::vector<T>& column, Index begin, Index end, Index skip = -1) {
    Index best = -1;
    T most = 0;
    for (Index i = begin; i < end; ++i) {
      if (i != skip && std::abs(column[i]) > most) {
        most = std::abs(column[i]);
        best = i;
      }
    }
    return best;
  }
  static double magnitude(const std::vector<T>& column, Index i) {
    return i < 0 ? 0 : static_cast<double>(std::abs(column[i]));
  }

  bool take(Index first, Index j, PivotCounts& counts) {
    refresh(first, j, column_);
    Index best = largest(column_, done_, candidates_);
    const double most =
        std::max(magnitude(column_, best), magnitude(column_, largest(column_, candidates_, n_)));
    if (best < 0 || !std::isfinite(most) || magnitude(column_, best) < threshold * most ||
        magnitude(column_, best) < tiny_) {
      return false;
    }
    if (magnitude(column_, j) >= threshold * most && magnitude(column_, j) >= tiny_) best = j;
    if (best != j) ++counts.swaps;
    std::copy_n(column_.data(), n_, &at(0, j));
    swap_columns(j, done_);
    swap_rows(best, done_);
    const T pivot = at(done_, done_);
    counts.include(std::abs(pivot));
    for (Index i = done_ + 1; i < n_; ++i) at(i, done_) /= pivot;
    ++done_;
    return true;
  }

  bool take_symmetric(Index first, Index j, PivotCounts& counts) {
    refresh(first, j, column_);
    const Index other = largest(column_, done_, candidates_, j);
    const double most =
        std::max(magnitude(column_, other), magnitude(column_, largest(column_, candidates_, n_)));
    const double diagonal = magnitude(column_, j);
    if (diagonal >= tiny_ && diagonal > 0 && diagonal >= symmetric_threshold * most) {
      swap_both(first, j, done_);
      std::swap(column_[j], column_[done_]);
      take_one(first, counts);
      return true;
    }
    if (other < 0 || done_ - first + 2 > panel_width) return false;
    refresh(first, other, second_);
    const double a = column_[j], b = column_[other], c = second_[other];
    const double determinant = a * c - b * b;
    double first_most = 0, second_most = 0;
    for (Index i = done_; i < n_; ++i) {
      if (i == j || i == other) continue;
      first_most = std::max(first_most, static_cast<double>(std::abs(column_[i])));
      second_most = std::max(second_most, static_cast<double>(std::abs(second_[i])));
    }
    const double size = std::abs(determinant), limit = size / symmetric_threshold;
    if (!(size > 0) || std::abs(b) < tiny_ ||
        std::abs(c) * first_most + std::abs(b) * second_most > limit ||
        std::abs(b) * first_most + std::abs(a) * second_most > limit) {
      return false;
    }
    // The pair moves to the next two places; `other` may be where j goes first.
    swap_both(first, j, done_);
    std::swap(column_[j], column_[done_]);
    std::swap(second_[j], second_[done_]);
    const Index now = other == done_ ? j : other;
    swap_both(first, now, done_ + 1);
    std::swap(column_[now], column_[done_ + 1]);
    std::swap(second_[now], second_[done_ + 1]);
    ++counts.swaps;
    take_pair(first, counts);
    return true;
  }

  void take_one(Index first, PivotCounts& counts) {
    const T d = column_[done_];
    counts.include(std::abs(d));
    if (d < 0) ++counts.negative;
    T* product = products_.data() + (done_ - first) * n_;
    std::copy_n(column_.data(), n_, product);
    for (Index i = done_; i < n_; ++i) at(i, done_) = i == done_ ? d : column_[i] / d;
    ++done_;
  }

  void take_pair(Index first, PivotCounts& counts) {
    const Index k = done_;
    const double a = column_[k], b = column_[k + 1], c = second_[k + 1];
    const double determinant = a * c - b * b;
    const double half = (a + c) / 2, root = std::hypot((a - c) / 2, b);
    const double large = std::abs(half) + root;
    counts.include(large);
    counts.include(std::abs(determinant) / large);
    counts.negative += determinant < 0 ? 1 : (half < 0 ? 2 : 0);
    ++counts.pairs;
    T* product = products_.data() + (k - first) * n_;
    std::copy_n(column_.data(), n_, product);
    std::copy_n(second_.data(), n_, product + n_);
    for (Index i = k + 2; i < n_; ++i) {
      const double x = column_[i], y = second_[i];
      at(i, k) = static_cast<T>((x * c - y * b) / determinant);
      at(i, k + 1) = static_cast<T>((y * a - x * b) / determinant);
    }
    at(k, k) = static_cast<T>(a);
    at(k + 1, k) = 0;
    at(k + 1, k + 1) = static_cast<T>(c);
    off_diagonal_[k] = static_cast<T>(b);
    done_ += 2;
  }

  /// The rest of the front after the pivots first ... done.
  void update(Index first, const Tiles& tiles) {
    const Index w = done_ - first;
    tiles.run_pieces(done_, n_, columns_of_piece, [&](Index from, Index to) {
      if (symmetric_) {
        multiply_transposed<T>(n_ - done_, to - from, w, -1, products_.data() + done_, n_,
                               &at(from, first), n_, 1, &at(done_, from), n_);
      } else {
        solve_triangle(CblasLeft, unit_lower, w, to - from, &at(first, first), n_, &at(first, from),
                       n_);
        multiply<T>(false, n_ - done_, to - from, w, -1, &at(done_, first), n_, &at(first, from),
                    n_, 1, &at(done_, from), n_);
      }
    });
  }

  Index n_, candidates_;
  bool symmetric_;
  double tiny_;
  Index done_ = 0;
  std::vector<T> f_, products_, column_, second_, off_diagonal_;
};

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
  Work work(candidates + m, candidates, symmetric, is_root ? 0 : tiny_);
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
