#include "sparse/fronts/factors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/blas/flushed_subnormals.hpp"
#include "core/worth_threads.hpp"
#include "process/system.hpp"
#include "sparse/fronts/front_walk.hpp"
#include "sparse/kernels/vector_sweeps.hpp"

namespace spsolve::inline sparse {

namespace {

/// Adds the rows of a child's contribution block from `from` on, of one column, to a column of its
/// parent. `shift` is taken off the places in the parent.
template <typename T>
void add_rows(const T* values, const LocalIndex* places, Index from, Index end, Index shift,
              T* column) {
  if (from >= end) return;
  if (places[end - 1] - places[from] == end - 1 - from) {
    T* target = column + places[from] - shift;
    for (Index r = from; r < end; ++r) target[r - from] += values[r];
    return;
  }
  T* target = column - shift;
  for (Index r = from; r < end; ++r) target[places[r]] += values[r];
}

constexpr Index columns_of_piece = 32;

constexpr double worth_all_threads = 1e6;  // flops of a front, or values that are moved

/// Whether factors in T may have zeros for subnormal numbers, which decaying inverses are full of:
/// where products of two entries of A are none, one is far below the rounding of any row.
template <typename T>
bool may_flush(const std::vector<double>& values) {
  const double least = std::sqrt(static_cast<double>(std::numeric_limits<Real<T>>::min()));
  const auto count = static_cast<Index>(values.size());
  bool flushes = true;
#pragma omp parallel for schedule(static) reduction(&& : flushes) if (worth_threads(count))
  for (Index k = 0; k < count; ++k) {
    const double size = std::abs(values[k]);
    flushes = flushes && (size == 0 || size >= least);
  }
  return flushes;
}

Index entries_of_factors(const Fronts& fronts, Factorization kind) {
  Index entries = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) entries += factor_entries(fronts, s, kind);
  return entries;
}

}  // namespace

template <typename T>
SparseFactors<T>::~SparseFactors() = default;

template <typename T>
SparseFactors<T>::SparseFactors(const Fronts& fronts, Factorization kind, int threads,
                                const StackBound& bound)
    : fronts_(fronts),
      kind_(kind),
      schedule_(factor_schedule(fronts, kind, threads, bound)),
      offsets_(fronts.size() + 1, 0),
      factors_(entries_of_factors(fronts, kind) + vector_sweeps::padding<T>),
      rows_(fronts.order()),
      in_order_(kind == Factorization::lu ? fronts.order() : 0),
      off_diagonal_(has_d(kind) ? fronts.order() : 0),
      stacks_(fronts, kind, schedule_),
      updates_(fronts, kind, factors_.data(), offsets_) {
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    offsets_[s + 1] = offsets_[s] + factor_entries(fronts, s, kind);
  }
  std::iota(in_order_.begin(), in_order_.end(), 0);
  std::fill_n(factors_.data() + offsets_.back(), vector_sweeps::padding<T>, T(0));
  if (bound.factors_folder.empty()) return;
  store_ = std::make_unique<FactorStore>(bound.factors_folder, factors_.data(),
                                         offsets_.back() * static_cast<Index>(sizeof(T)));
}

template <typename T>
FactoredFront<T> SparseFactors<T>::front(LocalIndex s) const {
  const LocalIndex p = fronts_.pivots(s), m = fronts_.border_size(s), first = fronts_.first[s];
  FactoredFront<T> result;
  result.pivots = p;
  result.border = m;
  result.lower = factors_.data() + offsets_[s];
  result.ld = p + m;
  result.upper = kind_ == Factorization::lu ? result.lower + result.ld * p : nullptr;
  result.ldu = m;
  result.rows = rows_.data() + first;
  result.columns = kind_ == Factorization::lu ? in_order_.data() + first : result.rows;
  result.border_rows = result.border_columns = fronts_.border.data() + fronts_.border_starts[s];
  result.off_diagonal = has_d(kind_) ? off_diagonal_.data() + first : nullptr;
  return result;
}

template <typename T>
Front<T> SparseFactors<T>::front_of(LocalIndex s) {
  Front<T> front;
  front.pivots = fronts_.pivots(s);
  front.border = fronts_.border_size(s);
  front.lower = factors_.data() + offsets_[s];
  front.upper = kind_ == Factorization::lu ? front.lower + front.height() * front.pivots : nullptr;
  return front;
}

/// The entries of A, and zeros.
template <typename T>
void SparseFactors<T>::set_entries(const Front<T>& front, LocalIndex s, const FrontEntries& entries,
                                   const std::vector<double>& values, const Tiles& tiles) const {
  const Index p = front.pivots, m = front.border, ld = front.height();
  const bool lu = kind_ == Factorization::lu;
  tiles.run_pieces(0, p, columns_of_piece, [&](Index from, Index to) {
    std::fill(front.lower + from * ld, front.lower + to * ld, T(0));
    if (lu) std::fill(front.upper + from * m, front.upper + to * m, T(0));
  });
  for (const FrontEntry& entry : entries.of(s)) {
    const T value = value_at<T>(values, entry.source);
    if (entry.column >= 0) {
      front.lower[entry.row + entry.column * ld] += value;
    } else {
      front.upper[entry.row + static_cast<Index>(~entry.column) * m] += value;
    }
  }
}

/// The children's contributions to the pivots' rows and columns.
template <typename T>
void SparseFactors<T>::add_children(const Front<T>& front, LocalIndex s, const Tiles& tiles) const {
  const Index p = front.pivots, m = front.border, ld = front.height();
  const bool lu = kind_ == Factorization::lu;
  tiles.run_pieces(0, p, columns_of_piece, [&](Index from, Index to) {
    for (const LocalIndex child : fronts_.children_of(s)) {
      const auto places = fronts_.in_parent_of(child);
      const Index size = static_cast<Index>(places.size());
      const BorderBlock columns(size, !lu);
      const T* block = stacks_.of(child);
      const Index first = std::lower_bound(places.begin(), places.end(), from) - places.begin();
      const Index last =
          std::lower_bound(places.begin() + first, places.end(), to) - places.begin();
      for (Index c = first; c < last; ++c) {
        add_rows(block + columns.column_start(c), places.data(), lu ? 0 : c, size, 0,
                 front.lower + places[c] * ld);
      }
      if (!lu) continue;
      const Index inner = std::lower_bound(places.begin() + last, places.end(), p) - places.begin();
      for (Index c = inner; c < size; ++c) {
        T* row = front.upper + places[c] - p;
        const T* column = block + c * size;
        for (Index r = first; r < last; ++r) row[places[r] * m] += column[r];
      }
    }
  });
}

template <typename T>
void SparseFactors<T>::add_children_to_border(const Front<T>& front, LocalIndex s, Index begin,
                                              Index end) const {
  const Index p = front.pivots;
  const bool lu = kind_ == Factorization::lu;
  const BorderBlock to(front.border, !lu);
  for (const LocalIndex child : fronts_.children_of(s)) {
    const auto places = fronts_.in_parent_of(child);
    const Index size = static_cast<Index>(places.size());
    const BorderBlock of(size, !lu);
    const T* block = stacks_.of(child);
    const Index inner = std::lower_bound(places.begin(), places.end(), p) - places.begin();
    const Index first =
        std::lower_bound(places.begin() + inner, places.end(), p + begin) - places.begin();
    for (Index c = first; c < size && places[c] < p + end; ++c) {
      add_rows(block + of.column_start(c), places.data(), lu ? inner : c, size, p,
               front.contribution + to.column_start(places[c] - p));
    }
  }
}

/// Fronts that others update directly have the entries of A before any is eliminated.
template <typename T>
void SparseFactors<T>::begin_direct_fronts(const FrontEntries& entries,
                                           const std::vector<double>& values) {
  for (const LocalIndex s : schedule_.upper) {
    if (!schedule_.is_direct(s)) continue;
    const auto size = static_cast<double>(offsets_[s + 1] - offsets_[s]);
    set_entries(front_of(s), s, entries, values,
                Tiles(size > worth_all_threads ? schedule_.threads : 1));
  }
}

/// Fronts first ... last are done; their factors go to the file, where there is one.
template <typename T>
void SparseFactors<T>::put(LocalIndex first, LocalIndex last) const {
  if (store_ == nullptr || first > last) return;
  store_->put(factors_.data() + offsets_[first], factors_.data() + offsets_[last + 1]);
}

template <typename T>
void SparseFactors<T>::add_to_ancestors(LocalIndex s, const Tiles& tiles) {
  updates_.add_block(s, stacks_.of(s), tiles, stacks_.scratch(schedule_.threads));
  added_[s] = 1;
  if (stacks_.is_restored(s)) stacks_.release(s);
}

/// Assembles front s, whose children are done, factors it, and passes on its contribution block, or
/// updates its ancestors.
template <typename T>
void SparseFactors<T>::eliminate(LocalIndex s, const FrontEntries& entries,
                                 const std::vector<double>& values, const PivotRule& rule,
                                 const Tiles& tiles, const Place& place) {
  const int lane = place.lane;
  const bool direct = schedule_.is_direct(s);
  const LocalIndex first = fronts_.first[s];
  Front<T> front = front_of(s);
  front.contribution = stacks_.push(s, lane, place.subtree);
  T* const scratch = stacks_.scratch(lane);
  if (!direct) {
    set_entries(front, s, entries, values, tiles);
    add_children(front, s, tiles);
  }
  LocalIndex* rows = rows_.data() + first;
  T* off_diagonal = has_d(kind_) ? off_diagonal_.data() + first : nullptr;
  PivotCounts own;
  switch (kind_) {
    case Factorization::cholesky:
      eliminate_cholesky(front, tiles, own);
      std::iota(rows, rows + front.pivots, 0);
      break;
    case Factorization::ldlt:
    case Factorization::ldlh:
      eliminate_ldlt(front, rule, tiles, rows, off_diagonal, scratch, own);
      break;
    case Factorization::lu:
      eliminate_lu(front, rule, tiles, rows, own);
      if (own.swaps == 0) std::iota(rows, rows + front.pivots, 0);
  }
  if (own.failed >= 0) {
    if (counts_[lane].failed < 0) counts_[lane].failed = first + own.failed;
    return;
  }
  for (Index k = 0; k < front.pivots; ++k) rows[k] += first;
  counts_[lane].add(own);
  if (direct) return updates_.subtract_product(s, front, off_diagonal, tiles, scratch);
  const Index piece = border_piece(front.border, kind_);
  tiles.run_pieces(0, front.border, piece, [&](Index begin, Index end, Index slot) {
    update_border(kind_, front, off_diagonal, begin, end, scratch + slot * piece * front.pivots);
    add_children_to_border(front, s, begin, end);
  });
  stacks_.pop_children(s, lane);
}

template <typename T>
PivotCounts SparseFactors<T>::factor(const FrontEntries& entries, const std::vector<double>& values,
                                     const PivotRule& rule, const Advance& advance,
                                     FrontCheckpointer* checkpointer) {
  const auto work_of = [&](LocalIndex s) {
    const auto pivots = static_cast<double>(fronts_.pivots(s));
    const double height = pivots + static_cast<double>(fronts_.border_size(s));
    return pivots * height * height;
  };
  // Parts are told of large fronts that are eliminated while no other is.
  double told = 0;
  const Tiles::Tell tell = [&](double flops) {
    told += flops;
    advance.part(flops);
  };
  const auto listener = [&](LocalIndex s) {
    constexpr double worth_telling = 1e8;  // flops
    return advance.part && work_of(s) > worth_telling ? &tell : nullptr;
  };
  const auto finish = [&](LocalIndex s, bool alone) {
    advance(front_flops(fronts_, s, kind_ != Factorization::lu) -
            (alone ? std::exchange(told, 0.0) : 0.0));
  };
  const int threads = schedule_.threads;
  const FlushedSubnormals flushed(may_flush<T>(values));
  stacks_.begin();
  counts_.assign(threads + 2, {});
  not_put_.assign(threads, -1);
  done_.assign(fronts_.size(), 0);
  added_.assign(schedule_.direct.size(), 0);
  begin_direct_fronts(entries, values);
  if (checkpointer != nullptr) checkpointer->begin(*this);
  const auto below = [&](LocalIndex s, int lane, std::size_t i) {
    const bool alone = threads == 1;
    eliminate(s, entries, values, rule, Tiles(1, alone ? listener(s) : nullptr), {lane, i});
    finish(s, alone);
    if (not_put_[lane] < 0) not_put_[lane] = s;
    const Index waiting = (offsets_[s + 1] - offsets_[not_put_[lane]]) * Index{sizeof(T)};
    if (waiting >= FactorStore::window) put(std::exchange(not_put_[lane], -1), s);
    return counts_[lane].failed < 0;
  };
  const auto left = [&](std::size_t i, int lane) {
    stacks_.leave(i, lane);
    if (not_put_[lane] >= 0) put(std::exchange(not_put_[lane], -1), schedule_.subtrees[i]);
  };
  const auto step = [&](LocalIndex s) {
    if (done_[s] == 0) {
      const Tiles tiles(work_of(s) > worth_all_threads ? threads : 1, listener(s));
      eliminate(s, entries, values, rule, tiles, {threads, 0});
      finish(s, true);
      if (counts_[threads].failed >= 0) return false;
      put(s, s);
    }
    if (schedule_.adds_to_ancestors(fronts_, s) && added_[s] == 0) {
      const auto size = static_cast<double>(border_block(fronts_, s, kind_).size());
      add_to_ancestors(s, Tiles(size > worth_all_threads ? threads : 1));
    }
    return true;
  };
  walk_fronts(fronts_, schedule_, kind_ != Factorization::lu, checkpointer, *this, done_, below,
              left, step);
  PivotCounts all;
  for (const PivotCounts& own : counts_) {
    all.add(own);
    const Index place = own.failed;
    if (place >= 0 && (all.failed < 0 || place < all.failed)) all.failed = place;
  }
  return all;
}

// --- to be kept

template <typename T>
std::int64_t SparseFactors<T>::bytes_of(LocalIndex s) const {
  return (offsets_[s + 1] - offsets_[s]) * static_cast<Index>(sizeof(T)) +
         fronts_.pivots(s) * static_cast<Index>(sizeof(LocalIndex));
}

template <typename T>
std::int64_t SparseFactors<T>::contribution_bytes(LocalIndex s) const {
  if (schedule_.is_direct(s)) return 0;
  return border_block(fronts_, s, kind_).size() * static_cast<Index>(sizeof(T));
}

template <typename T>
bool SparseFactors<T>::name(LocalIndex s, bool waits, SectionBytes& bytes) {
  const LocalIndex first = fronts_.first[s], pivots = fronts_.pivots(s);
  bytes.values(factors_.data() + offsets_[s], offsets_[s + 1] - offsets_[s]);
  bytes.values(rows_.data() + first, pivots);
  if (has_d(kind_)) bytes.values(off_diagonal_.data() + first, pivots);
  bool has_block = waits && !schedule_.is_direct(s);
  if (has_block && schedule_.adds_to_ancestors(fronts_, s)) {
    char added = bytes.reads() ? 0 : added_[s];
    bytes.value(added);
    has_block = added == 0;
  }
  if (has_block) {
    const Index size = border_block(fronts_, s, kind_).size();
    T* const block = bytes.reads() ? stacks_.restore(s) : stacks_.of(s);
    bytes.values(block, size);
  }
  if (!bytes.reads()) return true;
  done_[s] = 1;
  return are_rows(std::span<const LocalIndex>(rows_).subspan(first, pivots), first) &&
         (!has_d(kind_) || are_pairs(std::span<const T>(off_diagonal_).subspan(first, pivots)));
}

template <typename T>
bool SparseFactors<T>::name_totals(SectionBytes& bytes) {
  PivotCounts all;
  for (const PivotCounts& own : counts_) all.add(own);
  bytes.value(all);
  if (bytes.reads()) counts_.back() = all;
  // Fronts that are updated directly are as far as those below them, and change until their turn.
  if (!schedule_.direct.empty()) bytes.values(added_.data(), std::ssize(added_));
  for (const LocalIndex s : schedule_.upper) {
    if (!schedule_.is_direct(s) || done_[s] != 0) continue;
    bytes.values(factors_.data() + offsets_[s], offsets_[s + 1] - offsets_[s]);
  }
  return all.failed < 0;
}

template <typename T>
void SparseFactors<T>::release_stacks() {
  stacks_.release_stacks();
  // Solves come next, whose vectors are many and small.
  constexpr std::int64_t least_bytes = 32 << 20;
  if (factors_.bytes() >= least_bytes) hand_back_freed_memory();
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class SparseFactors)

}  // namespace spsolve::sparse
