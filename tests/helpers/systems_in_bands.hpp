#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "dense/choice.hpp"
#include "device/compute_device.hpp"
#include "solve/inverse.hpp"
#include "solve/operators/equilibrate.hpp"

// Systems over the ranks of any team, for tests that know them whole: matrices that rank 0 has and
// multivectors that every rank has.

namespace spsolve::test {

/// The matrix in bands of `layout`, or of equal height; `whole` counts on rank 0 only. Collective.
SystemMatrix matrix_in_bands(Team& team, const RowLayout& layout, const Csr<double>& whole,
                             const VectorMemory& memory = host_vector_memory());
SystemMatrix matrix_in_bands(Team& team, const Csr<double>& whole,
                             const VectorMemory& memory = host_vector_memory());

/// A multivector in bands, as of `matrix` or of equal height, from one that every rank has whole.
std::unique_ptr<Vectors> vectors_of(const SystemMatrix& matrix, const Dense<double>& whole);
std::unique_ptr<Vectors> vectors_of(Team& team, const Dense<double>& whole);

/// All rows of x, on every rank. Collective.
Dense<double> whole(const Vectors& x);

/// An operator that is a function of own rows, which for a team of one are all: it turns those of x
/// into those of B x.
class OperatorOf final : public LinearOperator {
 public:
  using Function = std::function<void(Dense<double>& rows)>;

  /// B, and B^T where it is another one.
  explicit OperatorOf(Function b, Function transposed = {})
      : b_(std::move(b)), transposed_(transposed ? std::move(transposed) : b_) {}

  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;

 private:
  Function b_, transposed_;
};

/// A matrix that is made dense and eliminated, whatever the choice: first prepared, by the
/// constructor, then eliminated. Collective, all of it.
class EliminatedSystem {
 public:
  /// `whole` counts on rank 0 only.
  EliminatedSystem(Team& team, ComputeDevice& memory, const Csr<double>& whole,
                   const EliminationChoice& choice, AutoSwitch equilibrate = AutoSwitch::off);
  EliminatedSystem(const EliminatedSystem&) = delete;
  EliminatedSystem& operator=(const EliminatedSystem&) = delete;

  /// `b`: right-hand sides that are known already, if it has columns; whole on every rank. Their
  /// solutions, if the elimination made them on the way.
  std::optional<Dense<double>> eliminate(const Dense<double>& b = {},
                                         Checkpoints* checkpoints = nullptr);

  SystemMatrix& matrix() { return matrix_; }
  const Equilibration& scaling() const { return scaling_; }
  LinearOperator& inverse() { return unscaled_; }  ///< A^-1
  const InverseFacts& facts() const { return inverse_->facts(); }

  /// A^-1 b and A^-T b without refinement, whole on every rank.
  Dense<double> solve(const Dense<double>& b);
  Dense<double> solve_transposed(const Dense<double>& b);

 private:
  SystemMatrix matrix_;
  Equilibration scaling_;
  std::unique_ptr<Inverse> inverse_;
  ScaledOperator unscaled_;
};

}  // namespace spsolve::test
