#include <optional>

#include "sparse/kernels/single_threaded_blas.hpp"
#include "sparse/ranks/shared_sweeps.hpp"
#include "sparse/ranks/team_factors.hpp"
#include "sparse/ranks/team_fronts.hpp"
#include "sparse/sweeps/factor_solve.hpp"

namespace spsolve::inline sparse {

namespace {

const OffDiagonalBlocks no_off_diagonal_blocks;

template <typename T>
class HostTeamFronts final : public TeamFronts<T> {
 public:
  HostTeamFronts(Team& team, const TreePartition& tree)
      : team_(team), tree_(tree), teams_(team, tree) {}

  PivotCounts factor(const std::vector<double>* values, const PivotRule& rule,
                     const std::function<void(double)>& advance) override {
    const SingleThreadedBlas here;
    own_solve_.reset();
    together(team_, [&] {
      if (!factors_) factors_.emplace(team_, tree_, teams_, here.threads());
    });
    const PivotCounts counts = factors_->factor(*values, rule, advance, checkpointer_);
    if (counts.failed >= 0) return counts;
    together(team_, [&] {
      std::vector<FactoredFront<T>> fronts;
      fronts.reserve(tree_.own.size());
      for (LocalIndex s = 0; s < tree_.own.size(); ++s) fronts.push_back(factors_->own().front(s));
      own_solve_.emplace(tree_.own, std::move(fronts), tree_.kind, here.threads(),
                         no_off_diagonal_blocks, std::vector<T>{}, tree_.shared.order());
      found_.resize(static_cast<std::size_t>(tree_.shared.order() * most_columns()));
    });
    return counts;
  }

  void checkpoint_by(TeamCheckpointer* checkpointer) override { checkpointer_ = checkpointer; }

  Index most_columns() const override { return FactorSolve<T>::most_columns; }

  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override {
    const SingleThreadedBlas here;
    const Index own = tree_.own.order() * columns;
    own_solve_->forward(transposed, columns, b.data(), x.data());
    const Tiles tiles(here.threads());
    const auto sweeps = [&](LocalIndex s) {
      return SharedSweeps<T>(*factors_->shared(s), teams_.at(tree_.depth[s]), tree_.kind,
                             tree_.shared.first[s], tree_.shared.border_of(s), transposed, columns,
                             tiles);
    };
    for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
      if (factors_->shared(s) != nullptr) sweeps(s).forward(b.data() + own, found_.data());
    }
    for (LocalIndex s = tree_.shared.size(); s-- > 0;) {
      if (factors_->shared(s) != nullptr) sweeps(s).backward(found_.data(), x.data() + own);
    }
    own_solve_->backward(transposed, columns, x.data());
  }

 private:
  Team& team_;
  const TreePartition& tree_;
  NestedTeams teams_;
  std::optional<TeamFactors<T>> factors_;
  TeamCheckpointer* checkpointer_ = nullptr;
  std::optional<FactorSolve<T>> own_solve_;
  std::vector<T> found_;  // of shared rows, between the sweeps
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

SPSOLVE_INSTANTIATE_FUNCTION(host_team_fronts)

}  // namespace spsolve::sparse
