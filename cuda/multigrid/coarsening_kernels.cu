#include "cuda/core/launch.cuh"
#include "cuda/core/list_offsets.cuh"
#include "cuda/multigrid/coarsening_kernels.hpp"
#include "cuda/vectors/products/rows_by_lanes.cuh"
#include "cuda/vectors/products/transposed_rows.hpp"

namespace spsolve::cuda {

using namespace rows_by_lanes;

namespace {

__global__ void norms_kernel(CsrView<double> a, double* norms) {
  for_rows(a.rows, [&](Index i) {
    const Place place = place_of(a, i);
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
    if (i < a.rows && lane_of_row() == 0) {
      norms[2 * i] = diagonal;
      norms[2 * i + 1] = beside;
    }
  });
}

__global__ void flags_kernel(CsrView<double> a, double theta, const double* norms,
                             unsigned char* flags, Index* joining) {
  constexpr double share = 0.1;
  const double least_square = theta * theta;
  for_rows(a.rows, [&](Index i) {
    const Place place = place_of(a, i);
    const double d = i < a.rows ? norms[2 * i] : 0.0;
    const double largest = i < a.rows ? norms[2 * i + 1] : 0.0;
    int joined = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      const double norm = fabs(a.values[k]), square = norm * norm;
      const double of_other = norms[2 * Index{j}];
      const bool depends =
          j != i && norm >= share * largest && square > least_square * d * fmin(d, of_other);
      const bool both = depends && square > least_square * d * of_other &&
                        norm >= share * norms[2 * Index{j} + 1];
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
    const Place place = place_of(a, i);
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

__global__ void led_kernel(CsrView<double> a, const unsigned char* flags,
                           const LocalIndex* aggregates, unsigned* any) {
  constexpr double dominance = 0.5;
  for_rows(a.rows, [&](Index i) {
    const Place place = place_of(a, i);
    double diagonal = 0, beside = 0;
    int depends = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const double norm = fabs(a.values[k]);
      (a.column_indices[k] == i ? diagonal : beside) += norm;
      depends += flags[k] & depends_on;
    }
    diagonal = over_lanes(diagonal, Sum());
    beside = over_lanes(beside, Sum());
    depends = over_lanes(depends, Sum());
    const bool led =
        i < a.rows && aggregates[i] < 0 && depends > 0 && beside > dominance * diagonal;
    if (led) *any = 1;
  });
}

__global__ void taken_kernel(const LocalIndex* aggregates, Index rows, Index* taken) {
  for (Index i = thread_index(); i < rows; i += thread_count()) taken[i] = aggregates[i] >= 0;
}

__global__ void tentative_kernel(const LocalIndex* aggregates, Index rows, const double* near,
                                 const Index* offsets, LocalIndex* columns, double* values) {
  for (Index i = thread_index(); i < rows; i += thread_count()) {
    if (aggregates[i] < 0) continue;
    columns[offsets[i]] = aggregates[i];
    values[offsets[i]] = near[i];
  }
}

/// The length of each row, added up in order.
__global__ void lengths_kernel(CsrView<double> rows, double* lengths) {
  for (Index i = thread_index(); i < rows.rows; i += thread_count()) {
    double sum = 0;
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      sum += rows.values[k] * rows.values[k];
    }
    lengths[i] = sqrt(sum);
  }
}

/// Columns become as long as 1, or stay zeros.
__global__ void normalise_kernel(Index nonzeros, const LocalIndex* columns, const double* lengths,
                                 double* values) {
  for (Index k = thread_index(); k < nonzeros; k += thread_count()) {
    const double length = lengths[columns[k]];
    values[k] = length > 0 ? values[k] / length : 0.0;
  }
}

__global__ void smoothing_kernel(CsrView<double> a, const unsigned char* flags, const double* near,
                                 double omega, LocalIndex* columns, double* values) {
  for_rows(a.rows, [&](Index i) {
    const Place place = place_of(a, i);
    const double of_row = i < a.rows ? near[i] : 0.0;
    double diagonal = 0, dropped = 0;
    int stored = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      const double value = a.values[k];
      if (j == i) {
        diagonal = value;
        stored = 1;
      } else if ((flags[k] & depends_on) == 0) {
        const double of_column = near[j];
        dropped += of_row != 0 && of_column != 0 ? value * (of_column / of_row) : value;
      }
    }
    diagonal = over_lanes(diagonal, Sum());
    dropped = over_lanes(dropped, Sum());
    stored = over_lanes(stored, Sum());
    const double filtered = stored != 0 ? diagonal + dropped : 0.0;
    const double factor = filtered != 0 ? omega / filtered : 0.0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      const bool stands = j == i || (flags[k] & depends_on) != 0;
      columns[k] = stands ? j : -1;
      values[k] = j == i ? 1.0 - factor * filtered : -factor * a.values[k];
    }
  });
}

__global__ void mend_kernel(CsrView<double> rows, double* values) {
  for (Index i = thread_index(); i < rows.rows; i += thread_count()) {
    bool empty = true;
    Index diagonal = -1;
    for (Index k = rows.row_offsets[i]; empty && k < rows.row_offsets[i + 1]; ++k) {
      empty = values[k] == 0;
      if (rows.column_indices[k] == i) diagonal = k;
    }
    if (empty && diagonal >= 0) values[diagonal] = 1;
  }
}

}  // namespace

DeviceArray<double> row_norms(const CsrView<double>& a, cudaStream_t stream) {
  DeviceArray<double> norms(2 * a.rows);
  norms_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(a, norms.data());
  check_launch("norms");
  return norms;
}

Couplings find_couplings(const CsrView<double>& a, const double* norms, double theta,
                         cudaStream_t stream) {
  Couplings result;
  result.flags.grow(a.nonzeros);
  result.offsets.grow(a.rows + 1);
  DeviceArray<Index> joining(a.rows + 1);
  flags_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(a, theta, norms, result.flags.data(),
                                                             joining.data());
  check_launch("flags");
  list_offsets(joining, a.rows, result.offsets, stream);
  result.neighbours.grow(result.offsets.brought(a.rows, stream));
  neighbours_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(
      a, result.flags.data(), result.offsets.data(), result.neighbours.data());
  check_launch("neighbours");
  wait_for(stream);
  return result;
}

bool has_led_rows(const CsrView<double>& a, const unsigned char* flags,
                  const LocalIndex* aggregates, cudaStream_t stream) {
  DeviceArray<unsigned> any(1);
  CUDA_CHECK(cudaMemsetAsync(any.data(), 0, sizeof(unsigned), stream));
  led_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(a, flags, aggregates, any.data());
  check_launch("led");
  return any.brought(0, stream) != 0;
}

TentativeRows tentative_rows(const LocalIndex* aggregates, Index rows, Index count,
                             const double* near, cudaStream_t stream) {
  TentativeRows result;
  DeviceCsr<double>& p = result.rows;
  p.rows = rows;
  p.columns = count;
  p.row_offsets.grow(rows + 1);
  DeviceArray<Index> taken(rows + 1);
  taken_kernel<<<grid_for(rows, threads), threads, 0, stream>>>(aggregates, rows, taken.data());
  check_launch("taken");
  list_offsets(taken, rows, p.row_offsets, stream);
  const Index nonzeros = p.row_offsets.brought(rows, stream);
  p.column_indices.grow(nonzeros);
  p.values.grow(nonzeros);
  tentative_kernel<<<grid_for(rows, threads), threads, 0, stream>>>(
      aggregates, rows, near, p.row_offsets.data(), p.column_indices.data(), p.values.data());
  check_launch("tentative");
  const DeviceCsr<double> members = transposed_rows(p.view(), stream);
  result.near.grow(count);
  lengths_kernel<<<grid_for(count, threads), threads, 0, stream>>>(members.view(),
                                                                   result.near.data());
  check_launch("lengths");
  normalise_kernel<<<grid_for(nonzeros, threads), threads, 0, stream>>>(
      nonzeros, p.column_indices.data(), result.near.data(), p.values.data());
  check_launch("normalise");
  wait_for(stream);  // the members go
  return result;
}

SmoothingRows smoothing_rows(const CsrView<double>& a, const unsigned char* flags,
                             const double* near, double omega, cudaStream_t stream) {
  SmoothingRows result{a.rows,
                       a.columns,
                       a.nonzeros,
                       a.row_offsets,
                       DeviceArray<LocalIndex>(a.nonzeros),
                       DeviceArray<double>(a.nonzeros)};
  smoothing_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(
      a, flags, near, omega, result.column_indices.data(), result.values.data());
  check_launch("smoothing");
  return result;
}

void mend_empty_rows(DeviceCsr<double>& rows, cudaStream_t stream) {
  if (rows.rows == 0) return;
  mend_kernel<<<grid_for(rows.rows, threads), threads, 0, stream>>>(rows.view(),
                                                                    rows.values.data());
  check_launch("mend");
}

}  // namespace spsolve::cuda
