#include "cuda/core/launch.cuh"
#include "cuda/core/list_offsets.cuh"
#include "cuda/core/sum_of_lanes.cuh"
#include "cuda/multigrid/interpolation_rows.hpp"
#include "cuda/multigrid/strong_connections.hpp"
#include "cuda/vectors/products/rows_by_lanes.cuh"
#include "cuda/vectors/products/transposed_rows.hpp"
#include "krylov/multigrid/bounds.hpp"

namespace spsolve::cuda::inline multigrid {

using namespace rows_by_lanes;

namespace {

/// The place of row i of nodes of `size`: the node, and where its blocks stand among all.
struct NodeOfRow {
  unsigned size, kind;
  Index node, first_block;

  __device__ NodeOfRow(const CsrView<double>& a, Index i, int of)
      : size(static_cast<unsigned>(of)),
        kind(static_cast<unsigned>(i) % size),
        node(static_cast<unsigned>(i) / size),
        first_block(i < a.rows ? a.row_offsets[node * size] / (size * size) : 0) {}

  /// The block of the row's entry of that number.
  __device__ Index block(Index number) const {
    return first_block + static_cast<unsigned>(number) / size;
  }
  __device__ bool has(LocalIndex column) const {
    return static_cast<unsigned>(column) / size == node;
  }
  __device__ bool is_of_kind(LocalIndex column) const {
    return static_cast<unsigned>(column) % size == kind;
  }
};

__global__ void led_kernel(CsrView<double> a, int size, const unsigned char* flags,
                           const LocalIndex* aggregates, unsigned char* led, unsigned* any) {
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    const NodeOfRow row(a, i, size);
    double diagonal = 0, beside = 0;
    int depends = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      if (j == i) diagonal = fabs(a.values[k]);
      if (!row.has(j) && row.is_of_kind(j)) beside += fabs(a.values[k]);
      depends += flags[row.block(k - place.first)] & depends_on;
    }
    diagonal = over_lanes(diagonal, Sum());
    beside = over_lanes(beside, Sum());
    depends = over_lanes(depends, Sum());
    const bool is_led = i < a.rows && aggregates[row.node] < 0 && depends > 0 &&
                        beside > coarsening_bounds::dominance * diagonal;
    if (is_led && lane_of_row() == 0) led[row.node] = 1;
    if (is_led) *any = 1;
  });
}

__global__ void taken_kernel(const LocalIndex* aggregates, Index rows, int size, int kinds,
                             Index* taken) {
  for (Index i = thread_index(); i < rows; i += thread_count()) {
    taken[i] = aggregates[i / size] >= 0 ? kinds : 0;
  }
}

/// Rows of P_0 as they are before columns are orthonormal.
__global__ void tentative_kernel(const LocalIndex* aggregates, Index rows, int size,
                                 const double* near, int kinds, const Index* offsets,
                                 LocalIndex* columns, double* values) {
  for (Index i = thread_index(); i < rows; i += thread_count()) {
    const LocalIndex number = aggregates[i / size];
    if (number < 0) continue;
    for (int c = 0; c < kinds; ++c) {
      columns[offsets[i] + c] = number * kinds + c;
      values[offsets[i] + c] = near[i * kinds + c];
    }
  }
}

/// Columns of each aggregate's rows become Q of Q R, by modified Gram-Schmidt, twice, and the
/// coarse near null space R; a warp for each aggregate, whose nodes are the row of `members`. A
/// column that depends on those before it gets zeros.
__global__ void __launch_bounds__(threads)
    orthogonalise_kernel(CsrView<double> members, int size, int kinds, const Index* offsets,
                         double* values, double* near) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (Index number = thread_index() / warp_size; number < members.rows;
       number += thread_count() / warp_size) {
    const Index first = members.row_offsets[number];
    const auto rows = static_cast<int>(members.row_offsets[number + 1] - first) * size;
    // Each lane has rows of its own.
    const auto each_row = [&](const auto& visit) {
      for (int k = lane; k < rows; k += warp_size) {
        const Index row = Index{members.column_indices[first + k / size]} * size + k % size;
        visit(values + offsets[row]);
      }
    };
    const auto product = [&](int a, int b) {
      double sum[1] = {};
      each_row([&](const double* row) { sum[0] += row[a] * row[b]; });
      return sum_of_lanes(sum);
    };
    double* const r = near + number * kinds * kinds;
    for (int j = 0; j < kinds; ++j) {
      const double before = sqrt(product(j, j));
      for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < j; ++k) {
          const double along = product(k, j);
          each_row([&](double* row) { row[j] -= along * row[k]; });
          if (lane == 0) r[k * kinds + j] = pass == 0 ? along : r[k * kinds + j] + along;
        }
      }
      const double after = sqrt(product(j, j));
      const bool independent = after > coarsening_bounds::dependent * before && after > 0;
      each_row([&](double* row) { row[j] = independent ? row[j] / after : 0.0; });
      if (lane == 0) r[j * kinds + j] = independent ? after : 0.0;
      for (int k = j + 1; lane == 0 && k < kinds; ++k) r[k * kinds + j] = 0;
    }
  }
}

__global__ void lone_kernel(const double* near, Index rows, int size, int kinds, double* lone) {
  for (Index i = thread_index(); i < rows; i += thread_count()) {
    const auto kind = static_cast<int>(i % size);
    bool is_lone = kind < kinds;
    const double entry = is_lone ? fabs(near[i * kinds + kind]) : 0.0;
    for (int c = 0; is_lone && c < kinds; ++c) {
      is_lone = c == kind || fabs(near[i * kinds + c]) <= coarsening_bounds::negligible * entry;
    }
    lone[i] = is_lone ? near[i * kinds + kind] : 0.0;
  }
}

__global__ void smoothing_kernel(CsrView<double> a, int size, const unsigned char* flags,
                                 const double* lone, double omega, LocalIndex* columns,
                                 double* values) {
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    const NodeOfRow row(a, i, size);
    const double of_row = i < a.rows ? lone[i] : 0.0;
    const auto stands = [&](Index k, LocalIndex j) {
      return row.has(j) || (flags[row.block(k - place.first)] & depends_on) != 0;
    };
    double diagonal = 0, dropped = 0;
    int stored = 0;
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      const double value = a.values[k];
      if (j == i) {
        diagonal = value;
        stored = 1;
      } else if (!stands(k, j) && row.is_of_kind(j)) {
        const double of_column = lone[j];
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
      columns[k] = stands(k, j) ? j : -1;
      values[k] = j == i ? 1.0 - factor * filtered : -factor * a.values[k];
    }
  });
}

__global__ void leading_kernel(CsrView<double> a, int size, const unsigned char* flags,
                               const unsigned char* led, const double* lone, const Index* offsets,
                               LocalIndex* columns, double* values) {
  for_rows(a.rows, [&](Index i) {
    const RowEntries place = place_of(a, i);
    const NodeOfRow row(a, i, size);
    const bool is_led = i < a.rows && led[row.node] != 0;
    const auto entry = [&](LocalIndex j) { return lone[j] != 0 ? lone[j] : 1.0; };
    const auto leads = [&](Index k, LocalIndex j) {
      return (flags[row.block(k - place.first)] & depends_on) != 0 && offsets[j] != offsets[j + 1];
    };
    // Whole blocks stand, of which only the row's own kind has weights.
    const auto weight = [&](Index k, LocalIndex j) {
      return row.is_of_kind(j) && leads(k, j) ? fmax(0.0, -a.values[k]) : 0.0;
    };
    double sum = 0;
    for (Index k = place.first + lane_of_row(); is_led && k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      sum += weight(k, j) * entry(j);
    }
    sum = over_lanes(sum, Sum());
    for (Index k = place.first + lane_of_row(); k < place.last; k += lanes) {
      const LocalIndex j = a.column_indices[k];
      columns[k] = (is_led ? leads(k, j) : row.has(j)) ? j : -1;
      if (is_led) {
        values[k] = sum != 0 ? weight(k, j) * entry(static_cast<LocalIndex>(i)) / sum : 0.0;
      } else {
        values[k] = j == i ? 1.0 : 0.0;
      }
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

/// Rows of `size` for each node, with `kinds` entries where it is in an aggregate, else none; their
/// numbers are not there yet.
DeviceCsr<double> rows_of_aggregates(const LocalIndex* aggregates, Index nodes, Index size,
                                     Index count, Index kinds, cudaStream_t stream) {
  DeviceCsr<double> p;
  p.rows = nodes * size;
  p.columns = count * kinds;
  p.row_offsets.grow(p.rows + 1);
  DeviceArray<Index> taken(p.rows + 1);
  taken_kernel<<<grid_for(p.rows, threads), threads, 0, stream>>>(
      aggregates, p.rows, static_cast<int>(size), static_cast<int>(kinds), taken.data());
  check_launch("taken");
  list_offsets(taken, p.rows, p.row_offsets, stream);
  const Index nonzeros = p.row_offsets.brought(p.rows, stream);
  p.column_indices.grow(nonzeros);
  p.values.grow(nonzeros);
  return p;
}

void fill_rows_of_aggregates(const LocalIndex* aggregates, Index size, const double* near,
                             Index kinds, DeviceCsr<double>& p, cudaStream_t stream) {
  tentative_kernel<<<grid_for(p.rows, threads), threads, 0, stream>>>(
      aggregates, p.rows, static_cast<int>(size), near, static_cast<int>(kinds),
      p.row_offsets.data(), p.column_indices.data(), p.values.data());
  check_launch("tentative");
}

RowsInPlace in_place_of(const CsrView<double>& a) {
  return {a.rows,
          a.columns,
          a.nonzeros,
          a.row_offsets,
          DeviceArray<LocalIndex>(a.nonzeros),
          DeviceArray<double>(a.nonzeros)};
}

}  // namespace

LedNodes led_nodes(const CsrView<double>& a, Index size, const unsigned char* flags,
                   const LocalIndex* aggregates, cudaStream_t stream) {
  LedNodes led{DeviceArray<unsigned char>(a.rows / size)};
  DeviceArray<unsigned> any(1);
  CUDA_CHECK(cudaMemsetAsync(any.data(), 0, sizeof(unsigned), stream));
  CUDA_CHECK(
      cudaMemsetAsync(led.flags.data(), 0, static_cast<std::size_t>(led.flags.bytes()), stream));
  led_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(
      a, static_cast<int>(size), flags, aggregates, led.flags.data(), any.data());
  check_launch("led");
  led.any = any.brought(0, stream) != 0;
  return led;
}

TentativeRows tentative_rows(const LocalIndex* aggregates, Index nodes, Index size, Index count,
                             const double* near, Index kinds, cudaStream_t stream) {
  TentativeRows result;
  result.rows = rows_of_aggregates(aggregates, nodes, size, count, kinds, stream);
  fill_rows_of_aggregates(aggregates, size, near, kinds, result.rows, stream);
  // The rows of the nodes alone, with any numbers: the transpose has the members of each aggregate.
  DeviceCsr<double> of_nodes;
  const bool single = size == 1 && kinds == 1;
  if (!single) {
    of_nodes = rows_of_aggregates(aggregates, nodes, 1, count, 1, stream);
    fill_rows_of_aggregates(aggregates, 1, near, 1, of_nodes, stream);
  }
  const DeviceCsr<double> members =
      transposed_rows(single ? result.rows.view() : of_nodes.view(), stream);
  result.near.grow(count * kinds * kinds);
  if (count > 0) {
    orthogonalise_kernel<<<grid_for(count * warp_size, threads), threads, 0, stream>>>(
        members.view(), static_cast<int>(size), static_cast<int>(kinds),
        result.rows.row_offsets.data(), result.rows.values.data(), result.near.data());
    check_launch("orthogonalise");
  }
  wait_for(stream);  // the members go
  return result;
}

DeviceArray<double> lone_entries(const double* near, Index rows, Index size, Index kinds,
                                 cudaStream_t stream) {
  DeviceArray<double> lone(rows);
  lone_kernel<<<grid_for(rows, threads), threads, 0, stream>>>(
      near, rows, static_cast<int>(size), static_cast<int>(kinds), lone.data());
  check_launch("lone");
  return lone;
}

RowsInPlace leading_rows(const CsrView<double>& a, Index size, const unsigned char* flags,
                         const unsigned char* led, const double* lone, const Index* offsets,
                         cudaStream_t stream) {
  RowsInPlace result = in_place_of(a);
  leading_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(
      a, static_cast<int>(size), flags, led, lone, offsets, result.column_indices.data(),
      result.values.data());
  check_launch("leading");
  return result;
}

RowsInPlace smoothing_rows(const CsrView<double>& a, Index size, const unsigned char* flags,
                           const double* lone, double omega, cudaStream_t stream) {
  RowsInPlace result = in_place_of(a);
  smoothing_kernel<<<grid_of_rows(a.rows), threads, 0, stream>>>(
      a, static_cast<int>(size), flags, lone, omega, result.column_indices.data(),
      result.values.data());
  check_launch("smoothing");
  return result;
}

void mend_empty_rows(DeviceCsr<double>& rows, cudaStream_t stream) {
  if (rows.rows == 0) return;
  mend_kernel<<<grid_for(rows.rows, threads), threads, 0, stream>>>(rows.view(),
                                                                    rows.values.data());
  check_launch("mend");
}

}  // namespace spsolve::cuda::multigrid
