#pragma once

#include <functional>
#include <memory>
#include <string>

#include "dense/iterated_inverse.hpp"

namespace spsolve::inline dense {

/// Called with a sentence that says why float did not do, before the matrix is eliminated in double
/// after all and once the float factors are gone. May throw, on every rank. Collective.
using BeforeDouble = std::function<void(const std::string& why)>;

/// An inverse in mixed precision: eliminated in float, and solved with the factors to the accuracy
/// of double by solve_by_gmres(). Right away it solves for the first right-hand sides, or the row
/// sums, as a trial; where that does not converge, or where the elimination in float fails, the
/// matrix is eliminated in double, and a note says why. The float factors are gone before the
/// double ones are made. Both eliminations keep themselves by the run's checkpoints, where there
/// are any.
class MixedInverse final : public IteratedInverse {
 public:
  /// `in_float` and `in_double` make the inverses.
  MixedInverse(Make in_float, Make in_double, BeforeDouble before_double = {});

  std::unique_ptr<Vectors> eliminate(const EliminationRun& run) override;

 private:
  /// The solution of the trial, or null and why float does not do.
  std::unique_ptr<Vectors> try_in_float(const EliminationRun& run, std::string& failure);

  Make in_double_;
  BeforeDouble before_double_;
};

}  // namespace spsolve::dense
