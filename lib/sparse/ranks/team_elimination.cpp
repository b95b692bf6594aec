#include "sparse/ranks/team_elimination.hpp"

#include <algorithm>

#include "solve/in_precision.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve {

template <typename T>
TeamElimination<T>::TeamElimination(Team& team, SparseMemory& memory,
                                    const SparseAnalysis* analysis, Factorization kind,
                                    const RowLayout& bands, const SharingRule& rule)
    : team_(team),
      tree_(deal_analysis(team, analysis, kind, rule)),
      rows_(team, bands, tree_.rows),
      columns_(team, bands, tree_.columns),
      made_(memory.make_for_team<T>(team, tree_)) {
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
  return made_->factor(deal_values(team_, analysis, values, tree_), rule, advance);
}

template <typename T>
void TeamElimination<T>::solve(bool transposed, const Vectors& b, Vectors& x) {
  solve_in<T>(b, x, [&](Dense<T>& band) {
    Dense<T> listed = (transposed ? columns_ : rows_).to_list(band);
    const Index n = tree_.own.order(), shared = tree_.shared.order();
    const Index most = std::min(listed.columns, made_->most_columns());
    std::vector<T> right, left;
    together(team_, [&] {
      right.resize(static_cast<std::size_t>((n + shared) * most));
      left.resize(right.size());
    });
    const auto row_of = [&](Index i) { return i < n ? i : n + tree_.shared_rows[i - n]; };
    for (Index from = 0; from < listed.columns; from += most) {
      const Index width = std::min(most, listed.columns - from);
      std::fill(right.begin() + n * width, right.end(), T(0));
      for (Index i = 0; i < listed.rows; ++i) {
        std::copy_n(&listed(i, from), width, right.begin() + row_of(i) * width);
      }
      made_->solve(transposed, width, right, left);
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
