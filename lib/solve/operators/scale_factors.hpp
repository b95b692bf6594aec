#pragma once

#include <memory>
#include <vector>

#include "solve/operators/system_matrix.hpp"

namespace spsolve::inline solve {

/// Scale factors of a rank's own rows or columns of a matrix, powers of two: in host memory, or as
/// a vector where the matrix is; each is made of the other when it is first asked for, by one
/// thread. Copies share them.
class ScaleFactors {
 public:
  ScaleFactors() = default;
  ScaleFactors(std::vector<double> factors)
      : host_(std::make_shared<const std::vector<double>>(std::move(factors))) {}
  explicit ScaleFactors(std::shared_ptr<const Vectors> vector) : vector_(std::move(vector)) {}

  /// The factors in host memory; none where there are none.
  const std::vector<double>& on_host() const;

  /// The factors as one column of the matrix' vectors; not where there are none. Collective.
  const Vectors& vector(const SystemMatrix& matrix) const;
  std::shared_ptr<const Vectors> shared_vector(const SystemMatrix& matrix) const;

  bool operator==(const std::vector<double>& factors) const { return on_host() == factors; }
  bool operator==(const ScaleFactors& other) const { return on_host() == other.on_host(); }

 private:
  mutable std::shared_ptr<const std::vector<double>> host_;
  mutable std::shared_ptr<const Vectors> vector_;
};

}  // namespace spsolve::solve
