#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda {

/// to(k, :) <- from(order[k], :), into the order of elimination; `back`: to(order[k], :) <-
/// from(k, :). Rows of `columns` values.
template <typename From, typename To>
void reorder_rows(bool back, const int* order, Index rows, int columns, const From* from,
                  Index from_stride, To* to, Index to_stride, cudaStream_t stream);

/// Entries of A between blocks that are solved with one after another, by their rows: entry e of
/// row r has the value values[sources[e]] and the column columns[e].
struct DeviceCouplings {
  const int* rows;
  const Index* starts;  ///< rows + 1
  const int* columns;
  const Index* sources;
};

/// Takes off b's rows begin ... end of the couplings what these columns of x come to.
template <typename T>
void subtract_couplings(const DeviceCouplings& couplings, const double* values, Index begin,
                        Index end, int columns, const T* x, T* b, cudaStream_t stream);

}  // namespace spsolve::cuda
