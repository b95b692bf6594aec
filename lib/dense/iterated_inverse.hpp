#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solve/gmres_inverse.hpp"
#include "solve/inverse.hpp"
#include "solve/operators/equilibrate.hpp"

namespace spsolve::inline dense {

/// The common part of inverses whose factors may be iterated with: GmresInverse on the factors of
/// an inverse that they make, or where it is gone, those alone.
class IteratedInverse : public Inverse {
 public:
  using Make = std::function<std::unique_ptr<Inverse>()>;

  void find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                    Equilibration& scaling) override;
  void prepare(SystemMatrix& matrix, const Equilibration& scaling) override;
  void apply(const Vectors& x, Vectors& y) override;
  void apply_transposed(const Vectors& x, Vectors& y) override;
  void expect(SolvePurpose purpose) override {
    if (gmres_) return gmres_->expect(purpose);
    if (factors_) factors_->expect(purpose);
  }
  bool iterates() const override {
    return (gmres_ && !gmres_->corrects_by_factors()) || (factors_ && factors_->iterates());
  }
  std::vector<double> correction_residuals() const override {
    if (gmres_) return gmres_->correction_residuals();
    return factors_ ? factors_->correction_residuals() : std::vector<double>{};
  }
  LinearOperator* factors_alone() override {
    return factors_ ? factors_->factors_alone() : nullptr;
  }
  bool eliminate_exactly() override { return !gmres_ && factors_ && factors_->eliminate_exactly(); }
  double uncorrected_part() const override { return gmres_ ? gmres_->uncorrected_part() : 0; }
  const InverseFacts& facts() const override { return facts_; }

 protected:
  /// `first` makes the inverse that every elimination begins with.
  explicit IteratedInverse(Make first) : first_(std::move(first)) {}

  /// Eliminates in the first inverse. Hands back why its elimination failed, "" where it did not:
  /// the same on every rank, as all must go on together.
  std::string eliminate_first(const EliminationRun& run);
  /// Begins anew with another one, once the first is gone, after a call of `before`.
  void take_other(const Make& other, const std::function<void()>& before = {});

  Inverse& factors() { return *factors_; }
  std::optional<GmresInverse> gmres_;
  InverseFacts facts_;

 private:
  /// Unless its factors are those here.
  void make_first();

  Make first_;
  SystemMatrix* matrix_ = nullptr;
  const Equilibration* scaling_ = nullptr;
  std::unique_ptr<Inverse> factors_;
  bool other_ = false;  // than first_ made
};

}  // namespace spsolve::dense
