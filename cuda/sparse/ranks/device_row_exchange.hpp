#pragma once

#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/team/gpu_team.hpp"
#include "distribute/row_exchange.hpp"

namespace spsolve::cuda::inline sparse {

/// RowExchange for rows in GPU memory: some columns of an n x K multivector in double, in bands,
/// and vectors of T in which the listed rows have places of their own. Work is in order with a
/// stream, which `team` is on.
template <typename T>
class DeviceRowExchange {
 public:
  /// Row i of the list stands in row_of[i] of vectors.
  DeviceRowExchange(const RowExchange& rows, const std::vector<LocalIndex>& row_of);

  /// Room for so many columns; what is on its way is lost.
  void make_room(Index columns);

  /// to(row_of[i], :) <- x(row i of the list, :) for `columns` columns from `band` on, whose rows
  /// have `stride` values. Collective.
  void to_vectors(GpuTeam& team, const double* band, Index stride, int columns, T* to,
                  cudaStream_t stream);

  /// The other way, into the own band. Collective.
  void to_band(GpuTeam& team, const T* from, int columns, double* band, Index stride,
               cudaStream_t stream);

 private:
  using Parts = std::vector<HaloPlan::NeighbourRows>;
  void carry(GpuTeam& team, const Parts& sends, T* outgoing, const Parts& receives, T* incoming,
             int columns);

  Parts sends_, receives_;       // of rows of the band that leave, and of rows that come
  DeviceArray<int> in_band_;     // of rows that leave, then of those that stay
  DeviceArray<int> in_vectors_;  // of rows that come, then of those that stay
  Index leaving_ = 0, coming_ = 0, staying_ = 0;
  DeviceArray<T> outgoing_, incoming_;  // rows that stay follow rows that come
};

SPSOLVE_INSTANTIATED(class DeviceRowExchange)

}  // namespace spsolve::cuda::sparse
