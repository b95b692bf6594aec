#include "sparse/ranks/team_elimination.hpp"

#include <algorithm>

#include "solve/in_precision.hpp"
#include "sparse/single_threaded_blas.hpp"

namespace spsolve {

namespace {

const Couplings no_couplings;

}  // namespace

template <typename T>
TeamElimination<T>::TeamElimination(Team& team, const SparseAnalysis* analysis, Factorization kind,
                                    const RowLayout& bands)
    : team_(team),
      tree_(deal_analysis(team, analysis, kind)),
      teams_(team, tree_),
      rows_(team, bands, tree_.rows),
      columns_(team, bands, tree_.columns) {
  const bool symmetric = kind != Factorization::lu;
  for (LocalIndex s = 0; s < tree_.own.size(); ++s) flops_ += front_flops(tree_.own, s, symmetric);
  fronts_ = tree_.own.size();
  for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
    if (!tree_.teams[s].holds(tree_.rank)) continue;
    flops_ += front_flops(tree_.shared, s, symmetric) / tree_.teams[s].count;
    ++fronts_;
  }
}

template <typename T>
PivotCounts TeamElimination<T>::factor(const SparseAnalysis* analysis,
                                       const std::vector<double>& values, const PivotRule& rule,
                                       const std::function<void(double)>& advance) {
  const SingleThreadedBlas here;
  own_solve_.reset();
  const std::vector<double> mine = deal_values(team_, analysis, values, tree_);
  together(team_, [&] {
    if (!factors_) factors_.emplace(team_, tree_, teams_, here.threads());
  });
  const PivotCounts counts = factors_->factor(mine, rule, advance);
  if (counts.failed >= 0) return counts;
  together(team_, [&] {
    std::vector<FactoredFront<T>> fronts;
    fronts.reserve(tree_.own.size());
    for (LocalIndex s = 0; s < tree_.own.size(); ++s) fronts.push_back(factors_->own().front(s));
    own_solve_.emplace(tree_.own, std::move(fronts), tree_.kind, here.threads(), no_couplings,
                       std::vector<T>{}, tree_.shared.order());
  });
  return counts;
}

/// b: rows of own pivots, then those of the shared fronts.
template <typename T>
void TeamElimination<T>::solve_columns(bool transposed, Index columns, std::vector<T>& b,
                                       std::vector<T>& x, std::vector<T>& found, int threads) {
  const Index own = tree_.own.order() * columns;
  own_solve_->forward(transposed, columns, b.data(), x.data());
  const Tiles tiles(threads);
  const auto sweeps = [&](LocalIndex s) {
    return SharedSweeps<T>(*factors_->shared(s), teams_.at(tree_.depth[s]), tree_.kind,
                           tree_.shared.first[s], tree_.shared.border_of(s), transposed, columns,
                           tiles);
  };
  for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
    if (factors_->shared(s) != nullptr) sweeps(s).forward(b.data() + own, found.data());
  }
  for (LocalIndex s = tree_.shared.size(); s-- > 0;) {
    if (factors_->shared(s) != nullptr) sweeps(s).backward(found.data(), x.data() + own);
  }
  own_solve_->backward(transposed, columns, x.data());
}

template <typename T>
void TeamElimination<T>::solve(bool transposed, const Vectors& b, Vectors& x) {
  const SingleThreadedBlas here;
  solve_in<T>(b, x, [&](Dense<T>& band) {
    Dense<T> listed = (transposed ? columns_ : rows_).to_list(band);
    const Index n = tree_.own.order(), shared = tree_.shared.order();
    const Index most = std::min<Index>(listed.columns, FactorSolve<T>::most_columns);
    std::vector<T> right, left, found;
    together(team_, [&] {
      right.resize(static_cast<std::size_t>((n + shared) * most));
      left.resize(right.size());
      found.resize(static_cast<std::size_t>(shared * most));
    });
    const auto row_of = [&](Index i) { return i < n ? i : n + tree_.shared_rows[i - n]; };
    for (Index from = 0; from < listed.columns; from += most) {
      const Index width = std::min(most, listed.columns - from);
      std::fill(right.begin() + n * width, right.end(), T(0));
      for (Index i = 0; i < listed.rows; ++i) {
        std::copy_n(&listed(i, from), width, right.begin() + row_of(i) * width);
      }
      solve_columns(transposed, width, right, left, found, here.threads());
      for (Index i = 0; i < listed.rows; ++i) {
        std::copy_n(left.begin() + row_of(i) * width, width, &listed(i, from));
      }
    }
    band = (transposed ? rows_ : columns_).to_bands(listed);
  });
}

template class TeamElimination<float>;
template class TeamElimination<double>;

}  // namespace spsolve
