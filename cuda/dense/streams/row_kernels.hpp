#pragma once

#include <cuda_runtime_api.h>

#include "core/types.hpp"

namespace spsolve::cuda::inline dense {

// Operations of dense rows in GPU memory other than panels and products. Matrices are row-major;
// `stride` is the leading dimension.

/// Writes the non-zeros of compressed rows into rows of zeros: column j to column numbers[j], or to
/// j without `numbers`.
template <typename T>
void scatter_nonzeros(const Index* offsets, const int* columns, const double* values, Index rows,
                      T* a, Index stride, cudaStream_t stream, const int* numbers = nullptr);

/// a_ij of random_dense:ORDER:seed=S for the rows whose numbers are `row_numbers`, and `diagonal`
/// added to a_ii; see matrix/generate.cpp. `key` is the generator's key for values.
template <typename T>
void fill_random(unsigned long long key, double diagonal, const Index* row_numbers, Index rows,
                 Index columns, T* a, Index stride, cudaStream_t stream);

/// a <- `dense`, rows x columns, rounded to T.
template <typename T>
void convert_rows(const double* dense, Index dense_stride, Index rows, Index columns, T* a,
                  Index stride, cudaStream_t stream);

/// One step of a permutation of rows: row `to` takes what row `from` held before, or, where from is
/// -1, what the first `to` of its cycle held. `starts` marks the first step of a cycle.
struct RowMove {
  int to;
  int from;
  int starts;
};

/// Rows that move to another place: row i of [first, last) to to(i - first, :).
template <typename T>
struct LiftedRows {
  T* to = nullptr;
  Index stride = 0;
  Index first = 0, last = 0;
};

/// Permutes rows of `columns` values. Group g of moves, whole cycles each, is moves[groups[g]] ...
/// moves[groups[g + 1] - 1]. Rows of `lifted` are written there instead.
template <typename T>
void permute_rows(T* a, Index stride, Index columns, const RowMove* moves, const int* groups,
                  int group_count, const LiftedRows<T>& lifted, cudaStream_t stream);

/// to(i, :) <- from(i, :) for `rows` rows of `columns` values by multiprocessors: a tall panel in a
/// third of the time that copy_rows() takes, which leaves those to others. False, and nothing done,
/// where rows do not lie at multiples of 16 bytes.
template <typename T>
bool copy_quickly(T* to, Index to_stride, const T* from, Index from_stride, Index rows,
                  Index columns, cudaStream_t stream);

/// a <- I of `order` rows.
template <typename T>
void set_identity(T* a, Index stride, Index order, cudaStream_t stream);

/// to(i, :) <- from(list[i], :) for `count` rows of `columns` values.
template <typename T>
void gather_rows(const T* from, Index from_stride, const int* list, Index count, Index columns,
                 T* to, Index to_stride, cudaStream_t stream);

/// to(i, :) <- from(list[i], :), rounded to T, for `count` rows of few columns without gaps; as
/// they come where the list is null.
template <typename T>
void gather_narrow_rows(const double* from, const int* list, Index count, Index columns, T* to,
                        cudaStream_t stream);

/// The other way: to(list[i], :) <- from(i, :), for To = double or T.
template <typename T, typename To>
void scatter_narrow_rows(const T* from, const int* list, Index count, Index columns, To* to,
                         cudaStream_t stream);

/// largest <- max(largest, magnitude_key(a_ij)) over rows x columns values; with `upper` over those
/// with j >= i only.
template <typename T>
void find_largest(const T* a, Index stride, Index rows, Index columns, bool upper,
                  unsigned long long* largest, cudaStream_t stream);

}  // namespace spsolve::cuda::dense
