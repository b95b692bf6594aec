#include "sparse/fronts/factor_solve.hpp"

#include <algorithm>
#include <numeric>

#include "sparse/fronts/vector_sweeps.hpp"

namespace spsolve {

using namespace column_blas;
using vector_sweeps::Ends;

namespace {

constexpr Index columns_at_a_time = 16;
constexpr Index block = 256;  // of a large front's triangle
constexpr Index rows_of_piece = 512;
constexpr Index columns_of_piece = 32;
constexpr Index large_front = 200000;  // entries times columns, from which it is cut into pieces

/// The same triangle for a system that is transposed.
Triangle flipped(Triangle t) {
  t.op = t.op == CblasNoTrans ? CblasTrans : CblasNoTrans;
  return t;
}

/// Z <- op(A)^-1 Z for rows of K values.
template <typename T>
void solve_rows(Triangle t, Index w, Index columns, const T* a, Index ld, T* z) {
  if (columns > 1) {
    return solve_triangle(CblasRight, flipped(t), columns, w, a, ld, z, columns);
  }
  const bool transposed = t.op == CblasTrans, unit = t.diagonal == CblasUnit;
  if (t.part == CblasUpper) {
    transposed ? vector_sweeps::forward_upper(w, a, ld, z)
               : vector_sweeps::backward_upper(w, a, ld, z);
  } else {
    transposed ? vector_sweeps::backward_lower<Ends::exact>(unit, w, w, a, ld, z)
               : vector_sweeps::forward_lower<Ends::exact>(unit, w, w, a, ld, z);
  }
}

/// B <- B - A Z for A of m x w and rows of K values.
template <typename T>
void subtract_product(Index m, Index w, Index columns, const T* a, Index ld, const T* z, T* b) {
  if (m == 0) return;
  if (columns == 1) return vector_sweeps::subtract<Ends::exact>(m, w, a, ld, z, b);
  multiply_transposed<T>(columns, m, w, -1, z, columns, a, ld, 1, b, columns);
}

/// Z <- Z - A^T B likewise.
template <typename T>
void subtract_transposed_product(Index m, Index w, Index columns, const T* a, Index ld, const T* b,
                                 T* z) {
  if (m == 0) return;
  if (columns == 1) return vector_sweeps::subtract_transposed<Ends::exact>(m, w, a, ld, b, z);
  multiply<T>(false, columns, w, m, -1, b, columns, a, ld, 1, z, columns);
}

constexpr LocalIndex ahead =
    3;  // fronts whose values are asked for: memory is slower than small ones

/// Asks for a front's values while others are worked on; of a large front for its beginning, as the
/// processor foresees the rest.
template <typename T>
void prefetch(const FactoredFront<T>& f) {
  constexpr Index most = 4096, line = 64;
  const auto ask = [&](const T* values, Index count) {
    const char* at = reinterpret_cast<const char*>(values);
    const Index bytes = std::min(most, count * static_cast<Index>(sizeof(T)));
    for (Index i = 0; i < bytes; i += line) __builtin_prefetch(at + i);
  };
  const Index e = f.pivots, m = f.border;
  ask(f.lower, e * f.ld);
  if (f.upper != nullptr) ask(f.upper, e * m);
  __builtin_prefetch(f.border_rows);
}

template <typename T>
void copy_row(Index columns, const T* from, T* to) {
  for (Index c = 0; c < columns; ++c) to[c] = from[c];
}

}  // namespace

/// Which parts of the fronts a sweep goes through, forward with one triangle and backward with the
/// other.
template <typename T>
struct FactorSolve<T>::Sweep {
  bool transposed = false;
  bool lu = false;
  Triangle first, second;

  /// Below the triangle, forward and backward: m x e.
  const T* below(const FactoredFront<T>& f) const {
    return transposed ? f.upper : f.lower + f.pivots;
  }
  Index ld_below(const FactoredFront<T>& f) const { return transposed ? f.ldu : f.ld; }
  const T* beyond(const FactoredFront<T>& f) const {
    return lu && !transposed ? f.upper : f.lower + f.pivots;
  }
  Index ld_beyond(const FactoredFront<T>& f) const { return lu && !transposed ? f.ldu : f.ld; }
  const LocalIndex* in(const FactoredFront<T>& f) const { return transposed ? f.columns : f.rows; }
  const LocalIndex* out(const FactoredFront<T>& f) const { return transposed ? f.rows : f.columns; }
  const LocalIndex* border_in(const FactoredFront<T>& f) const {
    return transposed ? f.border_columns : f.border_rows;
  }
  const LocalIndex* border_out(const FactoredFront<T>& f) const {
    return transposed ? f.border_rows : f.border_columns;
  }
};

/// What a solve works in, kept from one to the next.
template <typename T>
struct FactorSolve<T>::Workspace {
  Index columns = 0;
  std::vector<std::vector<T>> rows;  ///< of threads: a front's rows, pivots first, then border
  std::vector<UntouchedArray<LocalIndex>> outside;  ///< of threads: places in the subtree's copy
  std::vector<T> above;                             ///< the subtrees' copies
};

template <typename T>
FactorSolve<T>::~FactorSolve() = default;

template <typename T>
FactorSolve<T>::FactorSolve(const Fronts& tree, std::vector<FactoredFront<T>> fronts,
                            Factorization kind, int threads, const Couplings& couplings,
                            std::vector<T> between)
    : tree_(tree),
      fronts_(std::move(fronts)),
      kind_(kind),
      couplings_(couplings),
      between_(std::move(between)) {
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
  constexpr double worth_cutting = 2e5;
  const auto add = [&](Schedule schedule, double all) {
    schedule.threads = all > worth_cutting ? threads : 1;
    threads_ = std::max(threads_, schedule.threads);
    Group group{std::move(schedule), {0}, {}};
    for (const LocalIndex s : group.schedule.subtrees) {
      group.above_starts.push_back(group.above_starts.back() + tree_.border_size(s));
    }
    groups_.push_back(std::move(group));
  };
  const auto share = [&](double all) { return all > worth_cutting ? 1.0 / 32 : 2; };
  if (couplings_.empty()) {
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    return add(cut_subtrees(tree_, work, share(all)), all);
  }
  const std::vector<double> below = work_below(tree_, work);
  for (std::size_t tree = 0; tree < couplings_.roots.size(); ++tree) {
    const LocalIndex root = couplings_.roots[tree];
    if (below[root] > worth_cutting) {
      add(cut_subtrees(tree_, work, share(below[root]), std::span(&root, 1)), below[root]);
    } else if (groups_.empty() || !groups_.back().schedule.subtrees.empty()) {
      groups_.push_back({{}, {0}, {}});
    }
    groups_.back().trees.push_back(static_cast<Index>(tree));
  }
}

template <typename T>
std::int64_t FactorSolve<T>::bytes(Index columns) const {
  const Index k = std::min(columns, columns_at_a_time);
  Index above = 0;
  for (const Group& group : groups_) above = std::max(above, group.above_starts.back());
  return (above + (threads_ + 1) * static_cast<Index>(tallest_)) * k *
             static_cast<Index>(sizeof(T)) +
         threads_ * tree_.order() * static_cast<Index>(sizeof(LocalIndex)) +
         static_cast<Index>(fronts_.size() * sizeof(FactoredFront<T>) +
                            between_.size() * sizeof(T));
}

template <typename T>
void FactorSolve<T>::divide_by_d(const FactoredFront<T>& f, Index columns, T* z) const {
  for (Index k = 0; k < f.pivots; ++k) {
    const T d = f.lower[k + k * f.ld];
    T* first = z + k * columns;
    if (f.off_diagonal[k] == 0) {
      for (Index c = 0; c < columns; ++c) first[c] /= d;
      continue;
    }
    T* second = first + columns;
    const double x = d, y = f.off_diagonal[k], w = f.lower[k + 1 + (k + 1) * f.ld];
    const double determinant = x * w - y * y;
    for (Index c = 0; c < columns; ++c) {
      const double u = first[c], v = second[c];
      first[c] = static_cast<T>((w * u - y * v) / determinant);
      second[c] = static_cast<T>((x * v - y * u) / determinant);
    }
    ++k;
  }
}

template <typename T>
void FactorSolve<T>::forward(const Sweep& sweep, LocalIndex s, const Tiles* shared, Index columns,
                             T* b, T* x, LocalIndex end, const LocalIndex* outside, T* above,
                             T* z) const {
  const FactoredFront<T>& f = fronts_[s];
  const Index e = f.pivots, m = f.border, ldb = sweep.ld_below(f);
  const LocalIndex* in = sweep.in(f);
  const LocalIndex* out = sweep.out(f);
  const LocalIndex* border = sweep.border_in(f);
  const T* below = sweep.below(f);
  T* t = z + e * columns;
  if (columns == 1 && shared == nullptr) {
    for (Index k = 0; k < e; ++k) z[k] = b[in[k]];
    const auto target = [&](Index i) -> T& {
      return border[i] < end ? b[border[i]] : above[outside[border[i]]];
    };
    for (Index i = 0; i < m; ++i) t[i] = target(i);
    if (sweep.transposed) {
      vector_sweeps::forward_upper(e, f.lower, f.ld, z);
      vector_sweeps::subtract<Ends::padded>(m, e, f.upper, f.ldu, z, t);
    } else {
      vector_sweeps::forward_lower<Ends::padded>(kind_ != Factorization::cholesky, e + m, e,
                                                 f.lower, f.ld, z);
    }
    if (kind_ == Factorization::ldlt) divide_by_d(f, columns, z);
    for (Index k = 0; k < e; ++k) x[out[k]] = z[k];
    for (Index i = 0; i < m; ++i) target(i) = t[i];
    return;
  }
  for (Index k = 0; k < e; ++k) copy_row(columns, b + in[k] * columns, z + k * columns);
  std::fill(t, t + m * columns, T(0));
  const Tiles tiles = shared != nullptr ? *shared : Tiles(1);
  for (Index k = 0; k < e; k += block) {
    const Index w = std::min(block, e - k);
    const T* diagonal = f.lower + k + k * f.ld;
    solve_rows(sweep.first, w, columns, diagonal, f.ld, z + k * columns);
    if (!sweep.transposed) {  // the rest of the triangle and the border lie below each other
      tiles.run_pieces(k + w, e + m, rows_of_piece, [&](Index from, Index to) {
        subtract_product(to - from, w, columns, f.lower + from + k * f.ld, f.ld, z + k * columns,
                         z + from * columns);
      });
      continue;
    }
    tiles.run_pieces(k + w, e, rows_of_piece, [&](Index from, Index to) {
      subtract_transposed_product(w, to - from, columns, f.lower + k + from * f.ld, f.ld,
                                  z + k * columns, z + from * columns);
    });
    tiles.run_pieces(0, m, rows_of_piece, [&](Index from, Index to) {
      subtract_product(to - from, w, columns, below + from + k * ldb, ldb, z + k * columns,
                       t + from * columns);
    });
  }
  if (kind_ == Factorization::ldlt) divide_by_d(f, columns, z);
  for (Index k = 0; k < e; ++k) copy_row(columns, z + k * columns, x + out[k] * columns);
  for (Index i = 0; i < m; ++i) {
    T* target = border[i] < end ? b + border[i] * columns : above + outside[border[i]] * columns;
    for (Index c = 0; c < columns; ++c) target[c] += t[i * columns + c];
  }
}

template <typename T>
void FactorSolve<T>::backward(const Sweep& sweep, LocalIndex s, const Tiles* shared, Index columns,
                              T* x, T* z) const {
  const FactoredFront<T>& f = fronts_[s];
  const Index e = f.pivots, m = f.border, ldb = sweep.ld_beyond(f);
  const LocalIndex* out = sweep.out(f);
  const LocalIndex* border = sweep.border_out(f);
  const T* beyond = sweep.beyond(f);
  T* t = z + e * columns;
  const bool by_columns = sweep.second.op == CblasNoTrans;  // U11 itself, not a transpose
  if (columns == 1 && shared == nullptr) {
    for (Index k = 0; k < e; ++k) z[k] = x[out[k]];
    for (Index i = 0; i < m; ++i) t[i] = x[border[i]];
    std::fill_n(t + m, vector_sweeps::padding<T>, T(0));
    if (by_columns) {
      vector_sweeps::subtract_transposed<Ends::padded>(m, e, beyond, ldb, t, z);
      vector_sweeps::backward_upper(e, f.lower, f.ld, z);
    } else {
      vector_sweeps::backward_lower<Ends::padded>(kind_ != Factorization::cholesky, e + m, e,
                                                  f.lower, f.ld, z);
    }
    for (Index k = 0; k < e; ++k) x[out[k]] = z[k];
    return;
  }
  for (Index k = 0; k < e; ++k) copy_row(columns, x + out[k] * columns, z + k * columns);
  for (Index i = 0; i < m; ++i) copy_row(columns, x + border[i] * columns, t + i * columns);
  const Tiles tiles = shared != nullptr ? *shared : Tiles(1);
  for (Index k = (e - 1) / block * block; k >= 0; k -= block) {
    const Index w = std::min(block, e - k), after = k + w;
    tiles.run_pieces(k, after, columns_of_piece, [&](Index from, Index to) {
      T* own = z + from * columns;
      if (!by_columns) {  // L11 and L21 lie below each other
        return subtract_transposed_product(e + m - after, to - from, columns,
                                           f.lower + after + from * f.ld, f.ld, z + after * columns,
                                           own);
      }
      subtract_transposed_product(m, to - from, columns, beyond + from * ldb, ldb, t, own);
      subtract_product(to - from, e - after, columns, f.lower + from + after * f.ld, f.ld,
                       z + after * columns, own);
    });
    solve_rows(sweep.second, w, columns, f.lower + k + k * f.ld, f.ld, z + k * columns);
  }
  for (Index k = 0; k < e; ++k) copy_row(columns, z + k * columns, x + out[k] * columns);
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
    cut = cut || !group.schedule.upper.empty();
  }
  workspace_->above.resize(above * columns);
  for (int thread = 0; thread < threads_; ++thread) {
    workspace_->rows.emplace_back(tallest_ * columns + vector_sweeps::padding<T>);
    workspace_->outside.emplace_back(cut ? tree_.order() : 0);
  }
  return *workspace_;
}

template <typename T>
void FactorSolve<T>::couple(bool transposed, Index tree, Index columns, const T* x, T* b) const {
  for (Index k = couplings_.starts[tree]; k < couplings_.starts[tree + 1]; ++k) {
    const Coupling& entry = couplings_.entries[k];
    const T* from = x + (transposed ? entry.row : entry.column) * columns;
    T* to = b + (transposed ? entry.column : entry.row) * columns;
    for (Index c = 0; c < columns; ++c) to[c] -= between_[k] * from[c];
  }
}

template <typename T>
void FactorSolve<T>::solve_tree(const Sweep& sweep, LocalIndex root, Index columns, T* b, T* x,
                                T* z) const {
  const LocalIndex first = tree_.first_of_subtree[root];
  for (LocalIndex s = first; s <= root; ++s) {
    forward(sweep, s, nullptr, columns, b, x, tree_.order(), nullptr, nullptr, z);
  }
  for (LocalIndex s = root; s >= first; --s) backward(sweep, s, nullptr, columns, x, z);
}

template <typename T>
void FactorSolve<T>::solve_side_by_side(const Sweep& sweep, const Group& group, Index columns, T* b,
                                        T* x, Workspace& space) const {
  const Schedule& schedule = group.schedule;
  std::vector<T>& above = space.above;
  std::fill_n(above.begin(), group.above_starts.back() * columns, T(0));
  for_subtrees(schedule, [&](std::size_t i, int thread) {
    const LocalIndex root = schedule.subtrees[i];
    const auto border = tree_.border_of(root);
    LocalIndex* outside = space.outside[thread].data();
    for (std::size_t r = 0; r < border.size(); ++r) outside[border[r]] = static_cast<LocalIndex>(r);
    T* own = above.data() + group.above_starts[i] * columns;
    for (LocalIndex s = tree_.first_of_subtree[root]; s <= root; ++s) {
      prefetch(fronts_[std::min(s + ahead, root)]);
      forward(sweep, s, nullptr, columns, b, x, tree_.first[root + 1], outside, own,
              space.rows[thread].data());
    }
  });
  for (std::size_t i = 0; i < schedule.subtrees.size(); ++i) {
    const T* own = above.data() + group.above_starts[i] * columns;
    for (const LocalIndex row : tree_.border_of(schedule.subtrees[i])) {
      for (Index c = 0; c < columns; ++c) b[row * columns + c] += own[c];
      own += columns;
    }
  }
  const Tiles all(schedule.threads);
  const auto tiles_for = [&](LocalIndex s) {
    const Index entries = static_cast<Index>(fronts_[s].pivots) * fronts_[s].ld * columns;
    return entries > large_front ? &all : nullptr;
  };
  T* z = space.rows[0].data();
  for (const LocalIndex s : schedule.upper) {
    forward(sweep, s, tiles_for(s), columns, b, x, tree_.order(), nullptr, nullptr, z);
  }
  for (std::size_t i = schedule.upper.size(); i-- > 0;) {
    const LocalIndex s = schedule.upper[i];
    backward(sweep, s, tiles_for(s), columns, x, z);
  }
  for_subtrees(schedule, [&](std::size_t i, int thread) {
    const LocalIndex root = schedule.subtrees[i];
    const LocalIndex first = tree_.first_of_subtree[root];
    for (LocalIndex s = root; s >= first; --s) {
      prefetch(fronts_[std::max(s - ahead, first)]);
      backward(sweep, s, nullptr, columns, x, space.rows[thread].data());
    }
  });
}

template <typename T>
void FactorSolve<T>::solve_block(bool transposed, Index columns, T* b, T* x) const {
  Sweep sweep;
  sweep.lu = kind_ == Factorization::lu;
  sweep.transposed = transposed && sweep.lu;
  switch (kind_) {
    case Factorization::cholesky:
      sweep.first = lower;
      sweep.second = lower_transposed;
      break;
    case Factorization::ldlt:
      sweep.first = unit_lower;
      sweep.second = unit_lower_transposed;
      break;
    case Factorization::lu:
      sweep.first = transposed ? upper_transposed : unit_lower;
      sweep.second = transposed ? unit_lower_transposed : upper;
  }
  Workspace& space = workspace(columns);
  const std::size_t count = groups_.size();
  for (std::size_t g = 0; g < count; ++g) {
    const Group& group = groups_[transposed ? count - 1 - g : g];
    if (group.trees.empty()) {
      solve_side_by_side(sweep, group, columns, b, x, space);
      continue;
    }
    for (std::size_t i = 0; i < group.trees.size(); ++i) {
      const Index tree = group.trees[transposed ? group.trees.size() - 1 - i : i];
      if (!transposed) couple(false, tree, columns, x, b);
      if (group.schedule.subtrees.empty()) {
        solve_tree(sweep, couplings_.roots[tree], columns, b, x, space.rows[0].data());
      } else {
        solve_side_by_side(sweep, group, columns, b, x, space);
      }
      if (transposed) couple(true, tree, columns, x, b);
    }
  }
}

template <typename T>
void FactorSolve<T>::solve(bool transposed, Index columns, T* b, T* x) const {
  if (columns <= columns_at_a_time) return solve_block(transposed, columns, b, x);
  const Index n = tree_.order();
  std::vector<T> part(static_cast<std::size_t>(n * columns_at_a_time)), result(part.size());
  for (Index from = 0; from < columns; from += columns_at_a_time) {
    const Index width = std::min(columns_at_a_time, columns - from);
    for (Index i = 0; i < n; ++i) copy_row(width, b + i * columns + from, part.data() + i * width);
    solve_block(transposed, width, part.data(), result.data());
    for (Index i = 0; i < n; ++i) {
      copy_row(width, result.data() + i * width, x + i * columns + from);
    }
  }
}

template class FactorSolve<float>;
template class FactorSolve<double>;

}  // namespace spsolve
