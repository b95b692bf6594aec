#include "sparse/host_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/in_precision.hpp"
#include "sparse/scaling.hpp"
#include "sparse/single_threaded_blas.hpp"

namespace spsolve {

namespace {

/// The values of the couplings.
template <typename T>
std::vector<T> between(const SparseAnalysis& analysis, const std::vector<double>& values) {
  std::vector<T> result;
  result.reserve(analysis.couplings.entries.size());
  for (const Coupling& coupling : analysis.couplings.entries) {
    result.push_back(static_cast<T>(values[coupling.source]));
  }
  return result;
}

}  // namespace

template <typename T>
PivotRule perturbing_rule() {
  return {std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()) / 2)};
}

template <typename T>
PivotRule perturbing_rule(const std::vector<double>& values) {
  return {perturbing_rule<T>().least * largest_magnitude(values)};
}

template <typename T>
HostSparseElimination<T>::HostSparseElimination(std::shared_ptr<const SparseAnalysis> analysis)
    : analysis_(std::move(analysis)) {}

template <typename T>
PivotCounts HostSparseElimination<T>::factor(Factorization kind, const std::vector<double>& values,
                                             const std::function<void(double)>& advance) {
  const SingleThreadedBlas here;
  solve_.reset();
  threshold_.reset();
  if (!factors_ || factors_->kind() != kind) {
    factors_.reset();
    factors_.emplace(analysis_->fronts, kind, here.threads());
  }
  const PivotCounts counts =
      factors_->factor(analysis_->entries, values, perturbing_rule<T>(values), advance);
  if (counts.failed >= 0) return counts;
  std::vector<FactoredFront<T>> fronts;
  fronts.reserve(analysis_->fronts.size());
  for (LocalIndex s = 0; s < analysis_->fronts.size(); ++s) fronts.push_back(factors_->front(s));
  solve_.emplace(analysis_->fronts, std::move(fronts), kind, here.threads(), analysis_->couplings,
                 between<T>(*analysis_, values));
  return counts;
}

template <typename T>
const ThresholdOutcome& HostSparseElimination<T>::factor_with_threshold(
    Factorization kind, const std::vector<double>& values,
    const std::function<void(double)>& advance) {
  const SingleThreadedBlas here;
  solve_.reset();
  factors_.reset();
  threshold_.emplace(*analysis_, kind, values, here.threads(), advance);
  if (threshold_->outcome().rows.empty()) {
    solve_.emplace(analysis_->fronts, threshold_->fronts(), kind, here.threads(),
                   analysis_->couplings, between<T>(*analysis_, values));
  }
  return threshold_->outcome();
}

template <typename T>
void HostSparseElimination<T>::solve(bool transposed, Index columns, std::vector<T>& b,
                                     std::vector<T>& x) {
  const SingleThreadedBlas here;
  const LocalIndex n = static_cast<LocalIndex>(analysis_->rows());
  const auto to = [&](LocalIndex k, bool rows) {
    return static_cast<Index>(rows ? analysis_->row(k) : analysis_->order[k]) * columns;
  };
  x.resize(b.size());
#pragma omp parallel for schedule(static) num_threads(here.threads())
  for (LocalIndex k = 0; k < n; ++k) {
    const T* row = b.data() + to(k, !transposed);
    for (Index c = 0; c < columns; ++c) x[k * columns + c] = row[c];
  }
  solve_->solve(transposed, columns, x.data(), b.data());
#pragma omp parallel for schedule(static) num_threads(here.threads())
  for (LocalIndex k = 0; k < n; ++k) {
    T* row = x.data() + to(k, transposed);
    for (Index c = 0; c < columns; ++c) row[c] = b[k * columns + c];
  }
}

template <typename T>
void HostSparseElimination<T>::solve(bool transposed, const Vectors& b, Vectors& x) {
  solve_in<T>(b, x, [&](Dense<T>& rows) {
    std::vector<T> result;
    solve(transposed, rows.columns, rows.values, result);
    rows.values.swap(result);
  });
}

template class HostSparseElimination<float>;
template class HostSparseElimination<double>;
template PivotRule perturbing_rule<float>();
template PivotRule perturbing_rule<double>();
template PivotRule perturbing_rule<float>(const std::vector<double>&);
template PivotRule perturbing_rule<double>(const std::vector<double>&);

}  // namespace spsolve
