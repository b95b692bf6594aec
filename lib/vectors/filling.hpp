#pragma once

#include <memory>
#include <utility>

#include "vectors/multivector/host_vectors.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::inline vectors {

/// A band of a multivector being filled, in host memory: the vectors' own where they are there.
class Filling {
 public:
  Filling(Team& team, const RowLayout& layout, const VectorMemory& memory, Index columns)
      : vectors_(memory.vectors(team, layout, columns)),
        host_(dynamic_cast<HostVectors*>(vectors_.get())) {
    if (host_ != nullptr) return;
    elsewhere_ = std::make_unique<HostVectors>(team, layout, columns);
    host_ = elsewhere_.get();
  }

  Range own() const { return host_->own(); }
  double& at(Index row, Index column) { return host_->row(row - own().first)[column]; }
  double* row(Index row) { return host_->row(row - own().first); }

  std::unique_ptr<Vectors> finish() {
    if (elsewhere_ && host_->height() > 0) {
      const auto size = static_cast<std::size_t>(host_->height() * host_->columns());
      vectors_->write_rows({0, host_->height()}, {host_->row(0), size});
    }
    return std::move(vectors_);
  }

 private:
  std::unique_ptr<Vectors> vectors_;
  std::unique_ptr<HostVectors> elsewhere_;
  HostVectors* host_;
};

}  // namespace spsolve::vectors
