#pragma once

#include <memory>

#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline vectors {

/// Room for a multivector that is worked in again and again: memory that is taken anew each time
/// costs as much as what is done in it.
class SpareVectors {
 public:
  /// Vectors like x, with whatever they hold; good until the next call. Collective.
  Vectors& like(const Vectors& x) {
    if (kept_ == nullptr || kept_->columns() != x.columns()) {
      kept_ = together(x.team(), [&] { return x.similar(x.columns()); });
    }
    return *kept_;
  }

  /// Lets go of what is large.
  void finish() {
    constexpr Index few_columns = 2, few_elements = Index{1} << 23;
    if (kept_ == nullptr || kept_->columns() <= few_columns) return;
    if (kept_->height() * kept_->columns() > few_elements) kept_ = nullptr;
  }

 private:
  std::unique_ptr<Vectors> kept_;
};

}  // namespace spsolve::vectors
