#include "cuda/core/launch.cuh"
#include "cuda/multigrid/node_rows.hpp"
#include "cuda/multigrid/row_products.hpp"
#include "cuda/vectors/products/rows_by_lanes.cuh"

namespace spsolve::cuda::inline multigrid {

using namespace rows_by_lanes;

namespace {

__global__ void node_offsets_kernel(const Index* offsets, Index nodes, Index size, Index run,
                                    Index* to) {
  for (Index node = thread_index(); node <= nodes; node += thread_count()) {
    to[node] = offsets[node * size] / (size * run);
  }
}

/// The columns and norms of the blocks, whose offsets are known.
__global__ void node_rows_kernel(NodeRows a, Index nodes, const Index* offsets, LocalIndex* columns,
                                 double* norms) {
  const auto size = static_cast<int>(a.size), run = static_cast<int>(a.run);
  for_rows(nodes, [&](Index node) {
    if (node >= nodes) return;
    const Index first = offsets[node], last = offsets[node + 1];
    const Index begin = a.rows.row_offsets[node * size], length = (last - first) * run;
    for (Index block = first + lane_of_row(); block < last; block += lanes) {
      const Index from = begin + (block - first) * run;
      double sum = 0;
      for (int r = 0; r < size; ++r) {
        for (int q = 0; q < run; ++q) {
          const double value = a.rows.values[from + r * length + q];
          sum += value * value;
        }
      }
      const LocalIndex column = a.rows.column_indices[from];
      columns[block] = column < 0 ? -1 : column / run;
      norms[block] = sqrt(sum);
    }
  });
}

/// Row r of a node begins after those before, all as long as the blocks say.
__global__ void offsets_kernel(const Index* of_nodes, Index nodes, Index size, Index run,
                               Index* offsets) {
  for (Index i = thread_index(); i <= nodes * size; i += thread_count()) {
    const Index node = i / size, r = i % size;
    const Index length = node < nodes ? of_nodes[node + 1] - of_nodes[node] : 0;
    offsets[i] = (of_nodes[node] * size + r * length) * run;
  }
}

/// A warp for each node's rows of C, whose blocks and offsets are those of `pattern`: for one block
/// after the other lanes look for it in the rows of B that blocks of A name, and then each adds up
/// one or two of its elements.
__global__ void __launch_bounds__(threads)
    node_products_kernel(NodeRows a, CsrView<double> blocks_of_a, NodeRows b,
                         CsrView<double> blocks_of_b, CsrView<double> pattern, LocalIndex* columns,
                         double* values) {
  constexpr int at_most = largest_block / warp_size;  // elements of a lane
  const auto size = static_cast<int>(a.size), inner = static_cast<int>(a.run),
             run = static_cast<int>(b.run), lane = static_cast<int>(threadIdx.x) % warp_size;
  int row[at_most], column[at_most];
#pragma unroll
  for (int e = 0; e < at_most; ++e) {
    const int element = lane + e * warp_size;
    row[e] = element < size * run ? element / run : -1;
    column[e] = element % run;
  }
  for (Index node = thread_index() / warp_size; node < pattern.rows;
       node += thread_count() / warp_size) {
    const Index first_a = blocks_of_a.row_offsets[node], last_a = blocks_of_a.row_offsets[node + 1];
    const Index begin_a = first_a * size * inner, length_a = (last_a - first_a) * inner;
    const Index first_c = pattern.row_offsets[node], last_c = pattern.row_offsets[node + 1];
    const Index begin_c = first_c * size * run, length_c = (last_c - first_c) * run;
    for (Index block = first_c; block < last_c; ++block) {
      const LocalIndex wanted = pattern.column_indices[block];
      double sums[at_most] = {};
      for (Index chunk = first_a; chunk < last_a; chunk += warp_size) {
        const LocalIndex mine =
            chunk + lane < last_a ? blocks_of_a.column_indices[chunk + lane] : -1;
        Index found = -1;  // in the values of B: the block's first one
        Index length_b = 0;
        if (mine >= 0) {
          const Index first_b = blocks_of_b.row_offsets[mine],
                      last_b = blocks_of_b.row_offsets[mine + 1];
          length_b = (last_b - first_b) * run;
          for (Index other = first_b; other < last_b; ++other) {
            if (blocks_of_b.column_indices[other] != wanted) continue;
            found = first_b * inner * run + (other - first_b) * run;
            break;
          }
        }
        for (unsigned left = __ballot_sync(whole_warp, found >= 0); left != 0; left &= left - 1) {
          const int source = __ffs(static_cast<int>(left)) - 1;
          const Index from_b = __shfl_sync(whole_warp, found, source);
          const Index stride_b = __shfl_sync(whole_warp, length_b, source);
          const Index from_a = begin_a + (chunk - first_a + source) * inner;
#pragma unroll
          for (int e = 0; e < at_most; ++e) {
            if (row[e] < 0) continue;
            for (int q = 0; q < inner; ++q) {
              sums[e] = fma(a.rows.values[from_a + row[e] * length_a + q],
                            b.rows.values[from_b + q * stride_b + column[e]], sums[e]);
            }
          }
        }
      }
#pragma unroll
      for (int e = 0; e < at_most; ++e) {
        if (row[e] < 0) continue;
        const Index to = begin_c + row[e] * length_c + (block - first_c) * run + column[e];
        columns[to] = wanted * run + column[e];
        values[to] = sums[e];
      }
    }
  }
}

}  // namespace

DeviceCsr<double> node_rows(const NodeRows& rows, cudaStream_t stream) {
  DeviceCsr<double> result;
  const Index nodes = rows.rows.rows / rows.size;
  result.rows = nodes;
  result.columns = rows.rows.columns / rows.run;
  result.row_offsets.grow(nodes + 1);
  node_offsets_kernel<<<grid_for(nodes + 1, threads), threads, 0, stream>>>(
      rows.rows.row_offsets, nodes, rows.size, rows.run, result.row_offsets.data());
  check_launch("node_offsets");
  const Index blocks = result.row_offsets.brought(nodes, stream);
  result.column_indices.grow(blocks);
  result.values.grow(blocks);
  node_rows_kernel<<<grid_of_rows(nodes), threads, 0, stream>>>(
      rows, nodes, result.row_offsets.data(), result.column_indices.data(), result.values.data());
  check_launch("node_rows");
  return result;
}

DeviceCsr<double> node_products(const NodeRows& a, const NodeRows& b, cudaStream_t stream) {
  const DeviceCsr<double> blocks_of_a = node_rows(a, stream), blocks_of_b = node_rows(b, stream);
  const DeviceCsr<double> pattern = row_products(blocks_of_a.view(), blocks_of_b.view(), stream);
  DeviceCsr<double> c;
  c.rows = pattern.rows * a.size;
  c.columns = pattern.columns * b.run;
  c.row_offsets.grow(c.rows + 1);
  offsets_kernel<<<grid_for(c.rows + 1, threads), threads, 0, stream>>>(
      pattern.row_offsets.data(), pattern.rows, a.size, b.run, c.row_offsets.data());
  check_launch("offsets");
  const Index nonzeros = pattern.values.size() * a.size * b.run;
  c.column_indices.grow(nonzeros);
  c.values.grow(nonzeros);
  node_products_kernel<<<grid_for(pattern.rows * warp_size, threads), threads, 0, stream>>>(
      a, blocks_of_a.view(), b, blocks_of_b.view(), pattern.view(), c.column_indices.data(),
      c.values.data());
  check_launch("node_products");
  wait_for(stream);  // the blocks go
  return c;
}

}  // namespace spsolve::cuda::multigrid
