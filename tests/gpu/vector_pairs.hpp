#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/vectors/device_vectors.hpp"
#include "matrix/multivector.hpp"
#include "team/team.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::cuda {

/// One multivector of a rank alone, on the host and on the GPU.
struct VectorPair {
  VectorPair(Team& team, const Dense<double>& values)
      : host(team, RowLayout{values.rows, 1}, values.columns),
        device(team, RowLayout{values.rows, 1}, values.columns) {
    set_own_rows(host, values);
    set_own_rows(device, values);
  }
  VectorPair(Team& team, Index rows, Index columns, Index seed)
      : VectorPair(team, random_multivector(rows, columns, seed)) {}

  HostVectors host;
  DeviceVectors device;
};

/// The bits of numbers, by which a nan equals itself.
inline std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> result;
  for (const double value : values) result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}
inline std::vector<std::uint64_t> bits(const Vectors& x) {
  return bits(own_rows(x).values);
}

/// Whether both are finite, or neither.
inline bool alike(double a, double b) {
  return std::isfinite(a) == std::isfinite(b);
}

}  // namespace spsolve::cuda
