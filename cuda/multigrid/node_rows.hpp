#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multigrid {

/// Rows of nodes in GPU memory: `size` rows follow each other that have the same columns, in runs
/// of `run`, each from a multiple of that on: blocks of size x run.
struct NodeRows {
  CsrView<double> rows;
  Index size, run;
};

/// Elements of a block of a product.
inline constexpr Index largest_block = 64;

/// The matrix of the blocks' Frobenius norms; runs whose columns are -1 count as one of none.
DeviceCsr<double> node_rows(const NodeRows& rows, cudaStream_t stream);

/// C = A B of nodes, as many columns to a run of A as rows to a node of B, on `stream` and waited
/// for. C may have entries where the product of the matrices of nodes has (row_products()); a warp
/// adds up a node's rows, block after block, in the order of A's row: the same bits each time.
/// Cost: a block's product for every pair of blocks, and, for every block of C, a search through
/// the rows of B that A's row names; memory for three matrices of nodes. Blocks of C have at most
/// largest_block elements.
DeviceCsr<double> node_products(const NodeRows& a, const NodeRows& b, cudaStream_t stream);

}  // namespace spsolve::cuda::multigrid
