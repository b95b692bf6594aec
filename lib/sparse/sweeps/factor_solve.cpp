#include "sparse/sweeps/factor_solve.hpp"

#include <algorithm>
#include <numeric>

#include "core/over_blocks.hpp"
#include "sparse/kernels/vector_sweeps.hpp"

namespace spsolve::inline sparse {

namespace {

constexpr Index large_front = 80000;     // entries times columns, from which it is cut into pieces
constexpr Index worth_cutting = 200000;  // numbers of factors that are worth threads
constexpr LocalIndex ahead = 3;  // fronts whose values are asked for: small ones wait for memory

/// Asks for a front's values while others are worked on; of a large front for its beginning, as the
/// processor foresees the rest. `upper`: U12, too, where there is one.
template <typename T>
void prefetch(const FactoredFront<T>& f, bool upper) {
  constexpr Index most = 4096, line = 64;
  const auto ask = [&](const T* values, Index count) {
    const char* at = reinterpret_cast<const char*>(values);
    const Index bytes = std::min(most, count * static_cast<Index>(sizeof(T)));
    for (Index i = 0; i < bytes; i += line) __builtin_prefetch(at + i);
  };
  const Index e = f.pivots, m = f.border;
  ask(f.lower, e * f.ld);
  if (upper && f.upper != nullptr) ask(f.upper, e * m);
  __builtin_prefetch(f.border_rows);
}

}  // namespace

/// The arrays that a solve works in, kept from one to the next.
template <typename T>
struct FactorSolve<T>::Workspace {
  Index columns = 0;
  std::vector<std::vector<T>> rows;  ///< of threads: a front's rows, pivots first, then border
  std::vector<UntouchedArray<LocalIndex>> outside;  ///< of threads: places in the part's copy
  std::vector<T> above;                             ///< the parts' copies
};

template <typename T>
FactorSolve<T>::~FactorSolve() = default;

template <typename T>
FactorSolve<T>::FactorSolve(const Fronts& tree, std::vector<FactoredFront<T>> fronts,
                            Factorization kind, int threads,
                            const OffDiagonalBlocks& off_diagonal_blocks, std::vector<T> between,
                            LocalIndex outside, const FactorStore* store)
    : tree_(tree),
      fronts_(std::move(fronts)),
      kind_(kind),
      store_(store),
      off_diagonal_blocks_(off_diagonal_blocks),
      between_(std::move(between)),
      rows_(tree.order() + outside) {
  group_trees(threads);
}

template <typename T>
void FactorSolve<T>::group_trees(int threads) {
  std::vector<double> work(fronts_.size());
  for (std::size_t s = 0; s < fronts_.size(); ++s) {
    const double p = fronts_[s].pivots, m = fronts_[s].border;
    work[s] = p * p + 2 * p * m + 2 * m + 50;
    tallest_ = std::max(tallest_, fronts_[s].pivots + fronts_[s].border);
  }
  // The fronts above, one after another, have the memory of one thread for much of their time.
  constexpr double most_of_subtree = 1.0 / 16, most_of_few = 1.0 / 32;
  constexpr Index line = 64 / sizeof(T);  // no two threads write into one
  const auto add = [&](Schedule schedule, double all) {
    Group group;
    group.threads = all > worth_cutting ? threads : 1;
    group.work = static_cast<Index>(all);
    threads_ = std::max(threads_, group.threads);
    group.parts = tree_parts(tree_, schedule, work, most_of_few);
    group.upper = std::move(schedule.upper);
    for (const TreePart& part : group.parts) {
      const Index rows = static_cast<Index>(part.border.size());
      group.above_starts.push_back(group.above_starts.back() + (rows + line - 1) / line * line);
    }
    groups_.push_back(std::move(group));
  };
  const auto share = [&](double all) { return all > worth_cutting ? most_of_subtree : 2; };
  if (off_diagonal_blocks_.empty()) {
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    return add(cut_subtrees(tree_, work, share(all)), all);
  }
  const std::vector<double> below = work_below(tree_, work);
  for (std::size_t tree = 0; tree < off_diagonal_blocks_.roots.size(); ++tree) {
    const LocalIndex root = off_diagonal_blocks_.roots[tree];
    if (below[root] > worth_cutting) {
      add(cut_subtrees(tree_, work, share(below[root]), std::span(&root, 1)), below[root]);
    } else if (groups_.empty() || !groups_.back().parts.empty()) {
      groups_.emplace_back();
    }
    groups_.back().trees.push_back(static_cast<Index>(tree));
  }
}

template <typename T>
typename FactorSolve<T>::Workspace& FactorSolve<T>::workspace(Index columns) const {
  if (workspace_ != nullptr && workspace_->columns >= columns) return *workspace_;
  workspace_ = nullptr;
  workspace_ = std::make_unique<Workspace>();
  workspace_->columns = columns;
  Index above = 0;
  bool cut = false;
  for (const Group& group : groups_) {
    above = std::max(above, group.above_starts.back());
    cut = cut || group.above_starts.back() > 0;
  }
  workspace_->above.resize(above * columns);
  for (int thread = 0; thread < threads_; ++thread) {
    workspace_->rows.emplace_back(tallest_ * columns + vector_sweeps::padding<T>);
    workspace_->outside.emplace_back(cut ? rows_ : 0);
  }
  return *workspace_;
}

template <typename T>
void FactorSolve<T>::make_ready() const {
  Workspace& space = workspace(1);
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
  for (int thread = 0; thread < threads_; ++thread) {
    UntouchedArray<LocalIndex>& outside = space.outside[thread];
    std::fill_n(outside.data(), outside.size(), LocalIndex(0));
  }
}

template <typename T>
void FactorSolve<T>::couple(bool transposed, Index tree, Index columns, const T* x, T* b) const {
  for (Index k = off_diagonal_blocks_.starts[tree]; k < off_diagonal_blocks_.starts[tree + 1];
       ++k) {
    const OffDiagonalEntry& entry = off_diagonal_blocks_.entries[k];
    const T* from = x + (transposed ? entry.row : entry.column) * columns;
    T* to = b + (transposed ? entry.column : entry.row) * columns;
    for (Index c = 0; c < columns; ++c) to[c] -= between_[k] * from[c];
  }
}

template <typename T>
void FactorSolve<T>::conjugate(LocalIndex first, LocalIndex end, Index columns, T* x) const {
  if (!is_complex<T> || !is_hermitian(kind_)) return;
  const Index from = first * columns, to = end * columns;
#pragma omp parallel for schedule(static) num_threads(threads_) if (worth_threads(to - from))
  for (Index i = from; i < to; ++i) x[i] = conj(x[i]);
}

template <typename T>
void FactorSolve<T>::solve_tree(const FrontSweeps<T>& sweeps, LocalIndex root, Index columns, T* b,
                                T* x, T* z) const {
  const LocalIndex first = tree_.first_of_subtree[root];
  FrontWindows<T> rising = windows(first, root, true), falling = windows(first, root, false);
  for (LocalIndex s = first; s <= root; ++s) {
    rising.enter(s);
    sweeps.forward(fronts_[s], nullptr, columns, {b, rows_, nullptr, nullptr}, x, z);
  }
  conjugate(tree_.first[first], tree_.first[root + 1], columns, x);
  for (LocalIndex s = root; s >= first; --s) {
    falling.enter(s);
    sweeps.backward(fronts_[s], nullptr, columns, x, z);
  }
  conjugate(tree_.first[first], tree_.first[root + 1], columns, x);
}

template <typename T>
int FactorSolve<T>::threads_for(const Group& group, Index columns) {
  return worth_threads(group.work * columns, worth_cutting) ? group.threads : 1;
}

template <typename T>
const Tiles* FactorSolve<T>::tiles_for(LocalIndex s, Index columns, const Tiles& all) const {
  const Index entries = static_cast<Index>(fronts_[s].pivots) * fronts_[s].ld * columns;
  return entries > large_front ? &all : nullptr;
}

template <typename T>
void FactorSolve<T>::forward_side_by_side(const FrontSweeps<T>& sweeps, const Group& group,
                                          Index columns, T* b, T* x, Workspace& space) const {
  std::vector<T>& above = space.above;
  std::fill_n(above.begin(), group.above_starts.back() * columns, T(0));
  for_subtrees(group.parts.size(), threads_for(group, columns), [&](std::size_t i, int thread) {
    const TreePart& part = group.parts[i];
    LocalIndex* outside = space.outside[thread].data();
    for (std::size_t r = 0; r < part.border.size(); ++r) {
      outside[part.border[r]] = static_cast<LocalIndex>(r);
    }
    const FrontRows<T> rows{b, tree_.first[part.last + 1], outside,
                            above.data() + group.above_starts[i] * columns};
    FrontWindows<T> in_memory = windows(part.first, part.last, true);
    for (LocalIndex s = part.first; s <= part.last; ++s) {
      in_memory.enter(s);
      prefetch(fronts_[std::min(s + ahead, part.last)], sweeps.transposed());
      sweeps.forward(fronts_[s], nullptr, columns, rows, x, space.rows[thread].data());
    }
  });
  for (std::size_t i = 0; i < group.parts.size(); ++i) {
    const T* own = above.data() + group.above_starts[i] * columns;
    for (const LocalIndex row : group.parts[i].border) {
      for (Index c = 0; c < columns; ++c) b[row * columns + c] += own[c];
      own += columns;
    }
  }
  const Tiles all(threads_for(group, columns));
  T* z = space.rows[0].data();
  for (const LocalIndex s : group.upper) {
    FrontWindows<T> in_memory = windows(s, s, true);
    in_memory.enter(s);
    sweeps.forward(fronts_[s], tiles_for(s, columns, all), columns, {b, rows_, nullptr, nullptr}, x,
                   z);
  }
}

template <typename T>
void FactorSolve<T>::backward_side_by_side(const FrontSweeps<T>& sweeps, const Group& group,
                                           Index columns, T* x, Workspace& space) const {
  const Tiles all(threads_for(group, columns));
  for (std::size_t i = group.upper.size(); i-- > 0;) {
    const LocalIndex s = group.upper[i];
    FrontWindows<T> in_memory = windows(s, s, false);
    in_memory.enter(s);
    sweeps.backward(fronts_[s], tiles_for(s, columns, all), columns, x, space.rows[0].data());
  }
  for_subtrees(group.parts.size(), threads_for(group, columns), [&](std::size_t i, int thread) {
    const auto [first, last] = std::pair(group.parts[i].first, group.parts[i].last);
    FrontWindows<T> in_memory = windows(first, last, false);
    for (LocalIndex s = last; s >= first; --s) {
      in_memory.enter(s);
      prefetch(fronts_[std::max(s - ahead, first)], !sweeps.transposed());
      sweeps.backward(fronts_[s], nullptr, columns, x, space.rows[thread].data());
    }
  });
}

template <typename T>
void FactorSolve<T>::solve_block(bool transposed, Index columns, T* b, T* x) const {
  const FrontSweeps<T> sweeps(kind_, transposed);
  Workspace& space = workspace(columns);
  const std::size_t count = groups_.size();
  const auto solve_cut = [&](const Group& group, LocalIndex first, LocalIndex last) {
    const LocalIndex row = tree_.first[first], end = tree_.first[last + 1];
    forward_side_by_side(sweeps, group, columns, b, x, space);
    conjugate(row, end, columns, x);
    backward_side_by_side(sweeps, group, columns, x, space);
    conjugate(row, end, columns, x);
  };
  for (std::size_t g = 0; g < count; ++g) {
    const Group& group = groups_[transposed ? count - 1 - g : g];
    if (group.trees.empty()) {
      solve_cut(group, 0, tree_.size() - 1);
      continue;
    }
    for (std::size_t i = 0; i < group.trees.size(); ++i) {
      const Index tree = group.trees[transposed ? group.trees.size() - 1 - i : i];
      if (!transposed) couple(false, tree, columns, x, b);
      const LocalIndex root = off_diagonal_blocks_.roots[tree];
      if (group.parts.empty()) {
        solve_tree(sweeps, root, columns, b, x, space.rows[0].data());
      } else {
        solve_cut(group, tree_.first_of_subtree[root], root);
      }
      if (transposed) couple(true, tree, columns, x, b);
    }
  }
}

template <typename T>
void FactorSolve<T>::forward(bool transposed, Index columns, T* b, T* x) const {
  forward_side_by_side(FrontSweeps<T>(kind_, transposed), groups_.front(), columns, b, x,
                       workspace(columns));
}

template <typename T>
void FactorSolve<T>::backward(bool transposed, Index columns, T* x) const {
  backward_side_by_side(FrontSweeps<T>(kind_, transposed), groups_.front(), columns, x,
                        workspace(columns));
}

template <typename T>
void FactorSolve<T>::substitute_in_block(Substitution step, bool transposed, Index columns, T* b,
                                         T* x) const {
  const FrontSweeps<T> sweeps(kind_, transposed, false);
  const Group& all = groups_.front();
  Workspace& space = workspace(columns);
  const LocalIndex n = tree_.order();
  if (step == Substitution::forward) {
    return forward_side_by_side(sweeps, all, columns, b, x, space);
  }
  if (b != x) std::copy_n(b, n * columns, x);
  if (step == Substitution::backward) {
    conjugate(0, n, columns, x);
    backward_side_by_side(sweeps, all, columns, x, space);
    return conjugate(0, n, columns, x);
  }
  FrontWindows<T> rising = windows(0, tree_.size() - 1, true);
  for (LocalIndex s = 0; s < tree_.size(); ++s) {
    rising.enter(s);
    sweeps.diagonal(fronts_[s], columns, x, space.rows[0].data());
  }
}

template <typename T>
void FactorSolve<T>::solve(bool transposed, Index columns, T* b, T* x) const {
  by_columns(columns, b, x,
             [&](Index width, T* from, T* to) { solve_block(transposed, width, from, to); });
}

template <typename T>
void FactorSolve<T>::substitute(Substitution step, bool transposed, Index columns, T* b,
                                T* x) const {
  by_columns(columns, b, x, [&](Index width, T* from, T* to) {
    substitute_in_block(step, transposed, width, from, to);
  });
}

template <typename T>
template <typename Work>
void FactorSolve<T>::by_columns(Index columns, T* b, T* x, const Work& work) const {
  if (columns <= most_columns) return work(columns, b, x);
  const Index n = tree_.order();
  std::vector<T> part(static_cast<std::size_t>(n * most_columns)), result(part.size());
  for (Index from = 0; from < columns; from += most_columns) {
    const Index width = std::min(most_columns, columns - from);
    for (Index i = 0; i < n; ++i)
      std::copy_n(b + i * columns + from, width, part.data() + i * width);
    work(width, part.data(), result.data());
    for (Index i = 0; i < n; ++i) {
      std::copy_n(result.data() + i * width, width, x + i * columns + from);
    }
  }
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class FactorSolve)

}  // namespace spsolve::sparse
