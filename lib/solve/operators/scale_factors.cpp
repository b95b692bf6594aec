#include "solve/operators/scale_factors.hpp"

namespace spsolve::inline solve {

const std::vector<double>& ScaleFactors::on_host() const {
  if (host_ == nullptr) {
    std::vector<double> factors;
    if (vector_ != nullptr) {
      factors.resize(static_cast<std::size_t>(vector_->height()));
      vector_->read_rows({0, vector_->height()}, factors);
    }
    host_ = std::make_shared<const std::vector<double>>(std::move(factors));
  }
  return *host_;
}

std::shared_ptr<const Vectors> ScaleFactors::shared_vector(const SystemMatrix& matrix) const {
  if (vector_ == nullptr) {
    std::unique_ptr<Vectors> made = matrix.vectors(1);
    made->write_rows({0, made->height()}, on_host());
    vector_ = std::move(made);
  }
  return vector_;
}

const Vectors& ScaleFactors::vector(const SystemMatrix& matrix) const {
  return *shared_vector(matrix);
}

}  // namespace spsolve::solve
