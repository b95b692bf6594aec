#include <optional>

#include "core/blas/single_threaded_blas.hpp"
#include "sparse/ranks/shared_sweeps.hpp"
#include "sparse/ranks/team_factors.hpp"
#include "sparse/ranks/team_fronts.hpp"
#include "sparse/sweeps/row_order.hpp"
#include "sparse/threshold/threshold.hpp"

namespace spsolve::inline sparse {

namespace {

/// Fronts on the host, of either kind of pivoting, with solves of a rank alone.
template <typename T>
class HostFronts : public TeamFronts<T> {
 public:
  void checkpoint_by(TeamCheckpointer* checkpointer) override { checkpointer_ = checkpointer; }

  Index most_columns() const override { return FactorSolve<T>::most_columns; }

  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override {
    x.resize(b.size());
    order_->solve(*solve_, transposed, columns, b.data(), x.data());
  }

  bool solve_in_bands(bool transposed, const RowExchange&, const RowExchange&, const Vectors& b,
                      Vectors& x) override {
    if (order_) order_->solve(*solve_, transposed, b, x);
    return order_.has_value();
  }

  bool has_substitutions() const override {
    return order_ && solve_ && tree_.off_diagonal_blocks().empty();
  }

  void substitute(Substitution step, bool transposed, const Vectors& b, Vectors& x) override {
    order_->solve(*solve_, transposed, b, x, step);
  }

 protected:
  HostFronts(const TreePartition& tree, bool in_place) : tree_(tree) {
    if (tree.whole != nullptr) order_.emplace(tree.whole, in_place);
  }

  /// The factors of the own fronts have these values, in the memory where they were before.
  void renew_values(const std::vector<double>& values) { solve_->take_values(between(values)); }

  /// These are the factors of the own fronts, with the values of A that they are of.
  void take_fronts(std::vector<FactoredFront<T>> fronts, const std::vector<double>& values,
                   int threads, const FactorStore* store = nullptr) {
    solve_.emplace(tree_.own(), std::move(fronts), tree_.kind, threads, tree_.off_diagonal_blocks(),
                   between(values), tree_.shared.order(), store);
  }

  /// Makes room for solves of one column, and touches it.
  void make_ready(int threads) {
    if (order_) order_->make_ready(threads);
    solve_->make_ready();
  }

  const TreePartition& tree_;
  TeamCheckpointer* checkpointer_ = nullptr;
  std::optional<FactorSolve<T>> solve_;  // by the own fronts

 private:
  /// The values of the off-diagonal blocks.
  std::vector<T> between(const std::vector<double>& values) const {
    const OffDiagonalBlocks& blocks = tree_.off_diagonal_blocks();
    std::vector<T> result;
    result.reserve(blocks.entries.size());
    for (const OffDiagonalEntry& entry : blocks.entries) {
      result.push_back(value_at<T>(values, entry.source));
    }
    return result;
  }

  std::optional<RowOrder<T>> order_;  // of a rank alone
};

template <typename T>
class HostTeamFronts final : public HostFronts<T> {
 public:
  HostTeamFronts(Team& team, const TreePartition& tree)
      : HostFronts<T>(tree, true), team_(team), teams_(team, tree) {}

  PivotCounts factor(const std::vector<double>* values, const PivotRule& rule,
                     const Advance& advance) override {
    const SingleThreadedBlas here;
    together(team_, [&] {
      if (!factors_) factors_.emplace(team_, tree_, teams_, here.threads());
    });
    const PivotCounts counts = factors_->factor(*values, rule, advance, this->checkpointer_);
    if (counts.failed >= 0) {
      solve_.reset();
      return counts;
    }
    together(team_, [&] {
      if (solve_) return this->renew_values(*values);
      std::vector<FactoredFront<T>> fronts;
      fronts.reserve(tree_.own().size());
      for (LocalIndex s = 0; s < tree_.own().size(); ++s) {
        fronts.push_back(factors_->own().front(s));
      }
      this->take_fronts(std::move(fronts), *values, here.threads(), factors_->own().store());
      found_.resize(static_cast<std::size_t>(tree_.shared.order() * this->most_columns()));
      this->make_ready(here.threads());
    });
    return counts;
  }

  void release_stacks() override {
    if (factors_) factors_->own().release_stacks();
  }

  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override {
    if (tree_.whole != nullptr) return HostFronts<T>::solve(transposed, columns, b, x);
    const SingleThreadedBlas here;
    const Index own = tree_.own().order() * columns;
    solve_->forward(transposed, columns, b.data(), x.data());
    const Tiles tiles(here.threads());
    const auto sweeps = [&](LocalIndex s) {
      return SharedSweeps<T>(*factors_->shared(s), teams_.at(tree_.depth[s]), tree_.kind,
                             tree_.shared.first[s], tree_.shared.border_of(s), transposed, columns,
                             tiles);
    };
    for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
      if (factors_->shared(s) != nullptr) sweeps(s).forward(b.data() + own, found_.data());
    }
    // L^H is taken as L^T.
    const auto conjugate = [&](std::span<T> found) {
      for (T& value : found) value = mirrored(is_hermitian(tree_.kind), value);
    };
    conjugate(std::span(x).first(own));
    conjugate(found_);
    for (LocalIndex s = tree_.shared.size(); s-- > 0;) {
      if (factors_->shared(s) != nullptr) sweeps(s).backward(found_.data(), x.data() + own);
    }
    solve_->backward(transposed, columns, x.data());
    conjugate(x);
  }

 private:
  using HostFronts<T>::tree_;
  using HostFronts<T>::solve_;

  Team& team_;
  NestedTeams teams_;
  std::optional<TeamFactors<T>> factors_;
  std::vector<T> found_;  // of shared rows, between the sweeps
};

template <typename T>
class ThresholdFronts final : public HostFronts<T> {
 public:
  explicit ThresholdFronts(const TreePartition& tree) : HostFronts<T>(tree, false) {}

  PivotCounts factor(const std::vector<double>* values, const PivotRule&,
                     const Advance& advance) override {
    const SingleThreadedBlas here;
    const TreePartition& tree = this->tree_;
    this->solve_.reset();
    factors_.emplace(tree.own(), tree.own_entries(), tree.kind, *values, here.threads(), advance,
                     this->checkpointer_);
    if (factors_->outcome().rows.empty()) {
      this->take_fronts(factors_->fronts(), *values, here.threads());
    }
    return factors_->outcome().counts;
  }

  const ThresholdOutcome* threshold_outcome() const override { return &factors_->outcome(); }

 private:
  std::optional<ThresholdFactors<T>> factors_;
};

}  // namespace

PivotCounts counts_of_all(Team& team, const PivotCounts& mine) {
  PivotCounts all;
  for (const PivotCounts& of : all_gather(team, mine)) {
    all.add(of);
    if (of.failed >= 0 && (all.failed < 0 || of.failed < all.failed)) all.failed = of.failed;
  }
  return all;
}

template <typename T>
std::unique_ptr<TeamFronts<T>> host_team_fronts(Team& team, const TreePartition& tree) {
  return std::make_unique<HostTeamFronts<T>>(team, tree);
}

template <typename T>
std::unique_ptr<TeamFronts<T>> threshold_fronts(const TreePartition& tree) {
  return std::make_unique<ThresholdFronts<T>>(tree);
}

SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(host_team_fronts)
SPSOLVE_INSTANTIATE_FUNCTION_FOR_FACTORS(threshold_fronts)

}  // namespace spsolve::sparse
