#include "cuda/core/launch.cuh"
#include "cuda/core/list_offsets.cuh"
#include "cuda/multigrid/strong_connections.hpp"
#include "cuda/vectors/products/rows_by_lanes.cuh"
#include "krylov/multigrid/bounds.hpp"

namespace spsolve::cuda::inline multigrid {

using namespace rows_by_lanes;

namespace {

__global__ void norms_kernel(CsrView<double> a, int size, double* norms) {
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    double diagonal = 0, beside = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const double norm = fabs(a.values[k]);
      if (a.column_indices[k] == i) {
        diagonal = norm;
      } else {
        beside = fmax(beside, norm);
      }
    }
    diagonal = over_lanes(diagonal, Sum());
    beside = over_lanes(beside, Maximum());
    if (i < a.rows && lane_of_row() < size) {
      norms[2 * (i * size + lane_of_row())] = diagonal;
      norms[2 * (i * size + lane_of_row()) + 1] = beside;
    }
  });
}

__global__ void flags_kernel(CsrView<double> a, int size, double theta, const double* norms,
                             unsigned char* flags, Index* joining) {
  const double least_square = theta * theta;
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    const double d = i < a.rows ? norms[2 * i * size] : 0.0;
    const double largest = i < a.rows ? norms[2 * i * size + 1] : 0.0;
    int joined = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      const double norm = fabs(a.values[k]), square = norm * norm;
      const double* const others = norms + 2 * Index{j} * size;
      const double of_other = others[0];
      const bool depends = j != i && norm >= coarsening_bounds::share * largest &&
                           square > least_square * d * fmin(d, of_other);
      const bool both = depends && square > least_square * d * of_other &&
                        norm >= coarsening_bounds::share * others[1];
      flags[k] = static_cast<unsigned char>((depends ? depends_on : 0) | (both ? may_join : 0));
      joined += both;
    }
    joined = over_lanes(joined, Sum());
    if (i < a.rows && lane_of_row() == 0) joining[i] = joined;
  });
}

__global__ void neighbours_kernel(CsrView<double> a, const unsigned char* flags,
                                  const Index* offsets, LocalIndex* neighbours) {
  const unsigned first_lane = threadIdx.x % warp_size / lanes * lanes;
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    Index to = i < a.rows ? offsets[i] : 0;
    // All groups of a warp go as far as its longest row.
    int pieces = static_cast<int>((place.last - place.first + lanes - 1) / lanes);
#pragma unroll
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      pieces = max(pieces, __shfl_xor_sync(whole_warp, pieces, distance));
    }
    for (int piece = 0; piece < pieces; ++piece) {
      const Index k = place.first + Index{piece} * lanes + lane_of_row();
      const bool strong = k < place.last && (flags[k] & may_join) != 0;
      const unsigned found = __ballot_sync(whole_warp, strong) >> first_lane & ((1u << lanes) - 1);
      const unsigned before = found & ((1u << lane_of_row()) - 1);
      if (strong) neighbours[to + __popc(before)] = a.column_indices[k];
      to += __popc(found);
    }
  });
}

}  // namespace

DeviceArray<double> row_norms(const CsrView<double>& blocks, Index size, cudaStream_t stream) {
  DeviceArray<double> norms(2 * size * blocks.rows);
  norms_kernel<<<grid_of_rows(blocks.rows), threads, 0, stream>>>(blocks, static_cast<int>(size),
                                                                  norms.data());
  check_launch("norms");
  return norms;
}

StrongConnections find_strong_connections(const CsrView<double>& blocks, Index size,
                                          const double* norms, double theta, cudaStream_t stream) {
  StrongConnections result;
  result.flags.grow(blocks.nonzeros);
  result.offsets.grow(blocks.rows + 1);
  DeviceArray<Index> joining(blocks.rows + 1);
  flags_kernel<<<grid_of_rows(blocks.rows), threads, 0, stream>>>(
      blocks, static_cast<int>(size), theta, norms, result.flags.data(), joining.data());
  check_launch("flags");
  list_offsets(joining, blocks.rows, result.offsets, stream);
  result.neighbours.grow(result.offsets.brought(blocks.rows, stream));
  neighbours_kernel<<<grid_of_rows(blocks.rows), threads, 0, stream>>>(
      blocks, result.flags.data(), result.offsets.data(), result.neighbours.data());
  check_launch("neighbours");
  wait_for(stream);
  return result;
}

}  // namespace spsolve::cuda::multigrid
