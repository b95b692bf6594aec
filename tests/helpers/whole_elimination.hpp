#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sparse/team_elimination.hpp"
#include "sparse/threshold/threshold.hpp"

namespace spsolve::test {

/// Eliminations by a process alone, of any kind and with either pivoting, by an analysis.
template <typename T>
class WholeElimination {
 public:
  explicit WholeElimination(std::shared_ptr<const SparseAnalysis> analysis)
      : analysis_(std::move(analysis)), memory_(host_sparse_memory()) {}
  WholeElimination(std::shared_ptr<const SparseAnalysis> analysis,
                   std::unique_ptr<SparseMemory> memory)
      : analysis_(std::move(analysis)), owned_(std::move(memory)), memory_(*owned_) {}

  /// Deals out what comes next.
  TeamElimination<T>& deal(Factorization kind, bool threshold) {
    SparseMemory& memory = threshold ? threshold_sparse_memory() : memory_;
    if (!dealt_ || !dealt_->is_of(team_, memory, analysis_.get(), kind)) {
      dealt_.emplace(team_, memory, analysis_, kind, RowLayout{analysis_->rows(), 1});
    }
    return *dealt_;
  }

  PivotCounts factor(Factorization kind, const std::vector<double>& values,
                     const Advance& advance = {}) {
    return deal(kind, false).factor(values, perturbing_rule<T>(largest_magnitude(values)), advance);
  }
  const ThresholdOutcome& factor_with_threshold(Factorization kind,
                                                const std::vector<double>& values) {
    deal(kind, true).factor(values, {});
    return *dealt_->made().threshold_outcome();
  }
  void release_stacks() { dealt_->made().release_stacks(); }
  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) {
    dealt_->made().solve(transposed, columns, b, x);
  }
  void solve(bool transposed, const Vectors& b, Vectors& x) { dealt_->solve(transposed, b, x); }

 private:
  SoloTeam team_;
  std::shared_ptr<const SparseAnalysis> analysis_;
  std::unique_ptr<SparseMemory> owned_;
  SparseMemory& memory_;
  std::optional<TeamElimination<T>> dealt_;
};

}  // namespace spsolve::test
