#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sockets/pardiso/pattern.hpp"

namespace spsolve::sockets {

/// One of the matrices of a handle: its pattern, and a Solver of it, in the stages of PARDISO's
/// phases. What fails throws Error.
class System {
 public:
  /// Phase 1, and with `factors` 2. Without values, or with some that are not finite, phase 1
  /// takes the pattern alone, and is done with the first values.
  void analyse(const Call& call, const MatrixKind& kind, const Wishes& wishes, bool factors);

  /// Phase 2: the values of the call, for the pattern that was analysed.
  void factor(const Call& call, const MatrixKind& kind, const Wishes& wishes);

  /// Phase 3.
  void solve(const Call& call, const MatrixKind& kind, const Wishes& wishes);

  /// Phases 331, 332 and 333: a part of phase 3, whose result is not judged.
  void substitute(Substitution step, const Call& call, const MatrixKind& kind,
                  const Wishes& wishes);

  /// iparm(14) to (19), (22) and (23), as far as they are known.
  void tell(const MatrixKind& kind, Parameters& iparm);

  bool is_analysed() const { return fingerprint_.has_value(); }

  /// Takes the analysis of `other` for its own, so that factor() may follow.
  void take_pattern(const System& other) {
    order_ = other.order_;
    fingerprint_ = other.fingerprint_;
  }

  /// What happened, as lines of `name  value`.
  std::string statistics() const;

 private:
  enum class Stage { empty, analysed, failed, factored };

  void require_order(const Call& call) const;
  template <typename T>
  void make_solver(const Call& call, const WholePattern& whole, const Options& options,
                   bool factors);
  template <typename T>
  void set_values(const Call& call, bool in_float);
  void require_solvable(const Call& call, const Wishes& wishes) const;
  /// Calls solve(b, columns, x) for the numbers of a call by rows, of T.
  template <typename T, typename Solve>
  void by_rows(const Call& call, const Wishes& wishes, const Solve& solve) const;
  template <typename T>
  void solve_for(const Call& call, const Wishes& wishes);
  template <typename T>
  void substitute_for(Substitution step, const Call& call, const Wishes& wishes);
  template <typename T>
  std::vector<T> all_values(const Call& call, bool in_float) const;

  Stage stage_ = Stage::empty;
  Index order_ = 0, entries_ = 0;
  std::optional<std::uint64_t> fingerprint_;
  std::vector<Index> sources_;  ///< see WholePattern; of `entries_` entries
  std::vector<Index> places_;   ///< of rows in the matrix that is solved with; empty: their own
  std::optional<Solver> solver_;
  SolverPlan plan_;
  Solution last_;
};

}  // namespace spsolve::sockets
