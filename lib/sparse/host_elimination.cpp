#include "sparse/host_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/over_blocks.hpp"
#include "solve/in_precision.hpp"
#include "sparse/kernels/single_threaded_blas.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::inline sparse {

namespace {

/// The values of the off-diagonal blocks.
template <typename T>
std::vector<T> between(const SparseAnalysis& analysis, const std::vector<double>& values) {
  std::vector<T> result;
  result.reserve(analysis.off_diagonal_blocks.entries.size());
  for (const OffDiagonalEntry& off_diagonal_entry : analysis.off_diagonal_blocks.entries) {
    result.push_back(static_cast<T>(values[off_diagonal_entry.source]));
  }
  return result;
}

}  // namespace

template <typename T>
PivotRule perturbing_rule() {
  return {std::sqrt(static_cast<double>(std::numeric_limits<Real<T>>::epsilon()) / 2)};
}

template <typename T>
PivotRule perturbing_rule(double largest) {
  return {perturbing_rule<T>().least * largest};
}

template <typename T>
HostSparseElimination<T>::HostSparseElimination(std::shared_ptr<const SparseAnalysis> analysis)
    : analysis_(std::move(analysis)) {}

template <typename T>
PivotCounts HostSparseElimination<T>::factor(Factorization kind, const std::vector<double>& values,
                                             const Advance& advance) {
  const SingleThreadedBlas here;
  if (!factors_ || factors_->kind() != kind) {
    solve_.reset();
    threshold_.reset();
    factors_.reset();
    factors_.emplace(analysis_->fronts, kind, here.threads());
  }
  const PivotCounts counts =
      factors_->factor(analysis_->entries, values, perturbing_rule<T>(largest_magnitude(values)),
                       advance, checkpointer_);
  if (counts.failed >= 0) {
    solve_.reset();
    return counts;
  }
  if (solve_) {  // by the same memory
    solve_->take_values(between<T>(*analysis_, values));
    return counts;
  }
  std::vector<FactoredFront<T>> fronts;
  fronts.reserve(analysis_->fronts.size());
  for (LocalIndex s = 0; s < analysis_->fronts.size(); ++s) fronts.push_back(factors_->front(s));
  solve_.emplace(analysis_->fronts, std::move(fronts), kind, here.threads(),
                 analysis_->off_diagonal_blocks, between<T>(*analysis_, values));
  make_ready(here.threads());
  return counts;
}

/// Makes room for solves of one column, and touches it.
template <typename T>
void HostSparseElimination<T>::make_ready(int threads) {
  const Index n = analysis_->rows();
  if (found_.size() < n) found_ = UntouchedArray<T>(n);
  T* const found = found_.data();
#pragma omp parallel for schedule(static) num_threads(threads) if (n > worthwhile_elements)
  for (Index k = 0; k < n; ++k) found[k] = 0;
  solve_->make_ready();
}

template <typename T>
const ThresholdOutcome& HostSparseElimination<T>::factor_with_threshold(
    Factorization kind, const std::vector<double>& values, const Advance& advance) {
  const SingleThreadedBlas here;
  solve_.reset();
  factors_.reset();
  threshold_.emplace(*analysis_, kind, values, here.threads(), advance, checkpointer_);
  if (threshold_->outcome().rows.empty()) {
    solve_.emplace(analysis_->fronts, threshold_->fronts(), kind, here.threads(),
                   analysis_->off_diagonal_blocks, between<T>(*analysis_, values));
  }
  return threshold_->outcome();
}

template <typename T>
template <typename Work>
void HostSparseElimination<T>::over_rows(LocalIndex n, Index columns, bool rows, int threads,
                                         const Work& work) const {
  const LocalIndex* const order = analysis_->order.data();
  const LocalIndex* const row_of =
      rows && !analysis_->row_of.empty() ? analysis_->row_of.data() : nullptr;
#pragma omp parallel for schedule(static) \
    num_threads(threads) if (n * columns > worthwhile_elements)
  for (LocalIndex k = 0; k < n; ++k) {
    const Index at = row_of != nullptr ? row_of[order[k]] : order[k];
    if (columns == 1) {
      work(k, at, std::integral_constant<Index, 1>{});
    } else {
      work(k * columns, at * columns, columns);
    }
  }
}

template <typename T>
void HostSparseElimination<T>::solve(bool transposed, Index columns, const T* b, T* x) {
  constexpr Index few = 2;  // columns whose room is kept
  const SingleThreadedBlas here;
  const LocalIndex n = static_cast<LocalIndex>(analysis_->rows());
  const Index size = n * columns;
  if (found_.size() < size) {
    found_ = {};
    found_ = UntouchedArray<T>(size);
  }
  T* const found = found_.data();
  // Where rows and columns of all pivots are their front's own, what is found takes the place of
  // what it was found from. Else x is worked in, where it is not b.
  T* in_order = found;
  if (threshold_) {
    if (b == x && in_order_.size() < size) in_order_ = UntouchedArray<T>(size);
    in_order = b == x ? in_order_.data() : x;
  }
  over_rows(n, columns, !transposed, here.threads(), [=](Index k, Index at, auto width) {
    for (Index c = 0; c < width; ++c) in_order[k + c] = b[at + c];
  });
  solve_->solve(transposed, columns, in_order, found);
  over_rows(n, columns, transposed, here.threads(), [=](Index k, Index at, auto width) {
    for (Index c = 0; c < width; ++c) x[at + c] = found[k + c];
  });
  if (columns > few) {
    in_order_ = {};
    found_ = {};
  }
}

template <typename T>
void HostSparseElimination<T>::solve(bool transposed, Index columns, std::vector<T>& b,
                                     std::vector<T>& x) {
  x.resize(b.size());
  solve(transposed, columns, b.data(), x.data());
}

template <typename T>
void HostSparseElimination<T>::solve(bool transposed, const Vectors& b, Vectors& x) {
  if constexpr (std::is_same_v<T, double>) {
    return solve(transposed, b.columns(), on_host(b).row(0), on_host(x).row(0));
  } else {
    solve_in<T>(b, x, [&](Dense<T>& rows) {
      solve(transposed, rows.columns, rows.values.data(), rows.values.data());
    });
  }
}

SPSOLVE_INSTANTIATE(class HostSparseElimination)
#define SPSOLVE_FOR(T)                     \
  template PivotRule perturbing_rule<T>(); \
  template PivotRule perturbing_rule<T>(double);
SPSOLVE_FOR_SCALARS(SPSOLVE_FOR)

}  // namespace spsolve::sparse
