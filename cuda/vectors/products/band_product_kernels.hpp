#pragma once

#include <cuda_runtime_api.h>

#include "cuda/multiply/fast/paired_rows.hpp"
#include "cuda/multiply/fast/typed_rows.hpp"
#include "cuda/multiply/storage/device_csr.hpp"
#include "cuda/vectors/products/forms/band_sliced_rows.hpp"
#include "cuda/vectors/products/forms/grouped_rows.hpp"
#include "cuda/vectors/products/forms/shared_rows.hpp"
#include "cuda/vectors/reduction_kernels.hpp"

namespace spsolve::cuda::inline vectors {

/// Rows of K elements in two arrays: row i is row i of `own` for i < split, and row i - split of
/// `others` from there on.
template <typename T>
struct LocalRowsView {
  T* own;
  T* others;
  Index split;
};

/// Rows of A in CSR form, and in others where there are such: by type, as complex numbers, in
/// slices, which products with one column take, or in groups, which those with more take. The
/// columns of full rows are not read.
struct RowsView {
  CsrView<double> csr;
  bool full = false;                           ///< each has all columns, which are x's own rows
  const TypedView<double>* typed = nullptr;    ///< null: there are none
  const PairedView<double>* paired = nullptr;  ///< null: there are none
  const BandSlicedView* sliced = nullptr;      ///< null: there are none
  const GroupedView* groups = nullptr;         ///< null: there are none
  CutRowsView<double> long_rows = {};          ///< those that products in CSR form cut in pieces
};

// Products with rows in GPU memory. In CSR form groups of lanes share a row, or a group of rows
// with one list of columns: some of them its non-zeros, some of them the columns of x. The order of
// the terms of a sum depends on the numbers of rows, non-zeros and columns, and on which rows are
// groups.

/// y_ic <- sum over j of a_ij x_jc
void multiply_rows(const RowsView& a, const LocalRowsView<const double>& x,
                   const LocalRowsView<double>& y, Index columns, cudaStream_t stream);

/// y <- A x and dots_c <- sum over i of x_ic y_ic for a square A that has rows, and vectors that
/// are whole arrays of GPU memory; the room is for dot_partials() rows of partial results. The
/// order of the terms of dots depends on the rows, their types and K.
void multiply_and_dots(const RowsView& a, const LocalRowsView<const double>& x, double* y,
                       Index columns, const ReductionRoom& room, double* dots, cudaStream_t stream);
Index dot_partials(const RowsView& a, Index columns);

/// Whether multiply_and_dots() takes so many columns: one, with rows in slices, by type or as
/// complex numbers, or, by type, twice a power of two of them up to 64.
bool finds_dots(const RowsView& a, Index columns);

/// r_ic <- b_ic - sum over j of a_ij x_jc
void subtract_rows(const RowsView& a, const LocalRowsView<const double>& x, const double* b,
                   double* r, Index columns, cudaStream_t stream);

/// y_ic <- y_ic + sum over j of a_ij x_jc
void add_rows(const RowsView& a, const LocalRowsView<const double>& x, double* y, Index columns,
              cudaStream_t stream);

/// The fields of RelaxationStep, in GPU memory.
struct Relaxation {
  double of_x, of_y, factor;
  const double* inverse;
  const double* b;
};

/// y <- of_x x + of_y y + factor D^-1 (b - A x)
void relax_rows(const RowsView& a, const Relaxation& step, const LocalRowsView<const double>& x,
                double* y, Index columns, cudaStream_t stream);

/// y_ic <- sum over j of |a_ij h h x_jc|
void multiply_row_magnitudes(const RowsView& a, double h, const LocalRowsView<const double>& x,
                             const LocalRowsView<double>& y, Index columns, cudaStream_t stream);

/// Has the current GPU load these kernels, which takes the first product 3 ms; those with dots
/// alone.
void load_band_products();
void load_product_dots();

}  // namespace spsolve::cuda::vectors
