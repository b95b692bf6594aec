#include "sparse/team_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/in_precision.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

template <typename T>
TeamElimination<T>::TeamElimination(Team& team, SparseMemory& memory,
                                    std::shared_ptr<const SparseAnalysis> analysis,
                                    Factorization kind, const RowLayout& bands,
                                    const SharingRule& rule)
    : team_(team),
      memory_(memory),
      analysis_(std::move(analysis)),
      tree_(deal_analysis(team, analysis_, kind, rule)),
      dealer_(team, analysis_.get(), tree_, parts),
      rows_(std::make_shared<RowExchange>(team, layout_of_nodes(bands, parts), tree_.rows)),
      columns_(
          all_sum(team, tree_.rows == tree_.columns ? 0 : 1) == 0
              ? rows_
              : std::make_shared<RowExchange>(team, layout_of_nodes(bands, parts), tree_.columns)),
      made_(memory.of<T>().make(team, tree_)) {
  const bool symmetric = kind != Factorization::lu;
  for (LocalIndex s = 0; s < tree_.own().size(); ++s)
    flops_ += front_flops(tree_.own(), s, symmetric);
  fronts_ = tree_.own().size();
  for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
    if (!tree_.teams[s].holds(tree_.rank)) continue;
    flops_ += front_flops(tree_.shared, s, symmetric) / tree_.teams[s].count;
    ++fronts_;
  }
}

template <typename T>
PivotCounts TeamElimination<T>::factor(const std::vector<double>& values, const PivotRule& rule,
                                       const Advance& advance) {
  return made_->factor(&dealer_.deal(values), of_kind(rule), advance);
}

template <typename T>
PivotCounts TeamElimination<T>::factor(ScaledValues* values, const PivotRule& rule,
                                       const Advance& advance) {
  if (made_->take_values(dealer_, values)) return made_->factor(nullptr, of_kind(rule), advance);
  const std::vector<double> none;
  return factor(values != nullptr ? values->on_host() : none, rule, advance);
}

template <typename T>
void TeamElimination<T>::solve(bool transposed, const Vectors& b, Vectors& x) {
  const RowExchange& from = transposed ? *columns_ : *rows_;
  const RowExchange& to = transposed ? *rows_ : *columns_;
  if (made_->solve_in_bands(transposed, from, to, b, x)) return;
  solve_in<T>(b, x, [&](Dense<T>& band) {
    // A^-H b is what A^-T makes of the conjugate of b, conjugated.
    const auto conjugate = [&, conjugates = transposed && !is_hermitian(tree_.kind)] {
      for (T& value : band.values) value = mirrored(conjugates, value);
    };
    conjugate();
    Dense<T> listed = from.to_list(band);
    const Index n = tree_.own().order(), shared = tree_.shared.order();
    const Index most = std::min(listed.columns, made_->most_columns());
    std::vector<T> right, left;
    together(team_, [&] {
      right.resize(static_cast<std::size_t>((n + shared) * most));
      left.resize(right.size());
    });
    const auto row_of = [&](Index i) { return Index{tree_.row_of(static_cast<LocalIndex>(i))}; };
    for (Index first = 0; first < listed.columns; first += most) {
      const Index width = std::min(most, listed.columns - first);
      std::fill(right.begin() + n * width, right.end(), T(0));
      for (Index i = 0; i < listed.rows; ++i) {
        std::copy_n(&listed(i, first), width, right.begin() + row_of(i) * width);
      }
      made_->solve(transposed, width, right, left);
      for (Index i = 0; i < listed.rows; ++i) {
        std::copy_n(left.begin() + row_of(i) * width, width, &listed(i, first));
      }
    }
    band = to.to_bands(listed);
    conjugate();
  });
}

template <typename T>
PivotRule perturbing_rule(double largest) {
  return {std::sqrt(static_cast<double>(std::numeric_limits<Real<T>>::epsilon()) / 2) * largest};
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class TeamElimination)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(perturbing_rule)

}  // namespace spsolve::sparse
