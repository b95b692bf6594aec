// The table of GPU kernels. A new kernel is a function in a file of its family and one row here.

#include "cuda/multiply/cuda_kernels.hpp"

#include "cuda/multiply/auto_product.hpp"
#include "cuda/multiply/fast/fast_rows.hpp"
#include "cuda/multiply/fast/groups/grouped_lanes.hpp"
#include "cuda/multiply/fast/groups/grouped_slices.hpp"
#include "cuda/multiply/fast/paired_rows.hpp"
#include "cuda/multiply/fast/row_split.hpp"
#include "cuda/multiply/fast/row_tiles.hpp"
#include "cuda/multiply/fast/typed_rows.hpp"
#include "cuda/multiply/published/csr_kernels.hpp"
#include "cuda/multiply/published/dense_kernels.hpp"
#include "cuda/multiply/published/ellpack_kernels.hpp"
#include "cuda/multiply/published/product_tree.hpp"
#include "cuda/multiply/published/symmetric_kernels.hpp"
#include "cuda/multiply/published/transpose.hpp"
#include "cuda/multiply/vendor/cublas_gemm.hpp"
#include "cuda/multiply/vendor/cusparse_products.hpp"
#include "multiply/kernel/row_types.hpp"
#include "multiply/kernel_row.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

std::string needs_little_padding(const MatrixFacts& facts, Index, std::size_t value_bytes) {
  return padding_problem(facts.rows, facts.longest_row, facts.nonzeros, value_bytes);
}

std::string needs_small_dense(const MatrixFacts& facts, Index, std::size_t value_bytes) {
  return dense_problem(facts.rows, facts.columns, value_bytes);
}

std::string needs_cusparse(const MatrixFacts& facts, Index, std::size_t) {
  return cusparse_problem(facts);
}

std::string needs_few_row_types(const MatrixFacts& facts, Index, std::size_t) {
  return row_types_problem(facts.row_types);
}

std::string needs_one_column(const MatrixFacts& facts, Index columns, std::size_t) {
  return columns == 1 ? cusparse_problem(facts) : "SpMV multiplies one column only";
}

/// A row of the table for a storage format and a function.
template <template <typename> class Storage, auto multiply_function>
constexpr Kernel cuda_row(const KernelDescription& description) {
  return format_row<Storage, multiply_function>(KernelDevice::cuda, description);
}

/// A row for a function (const Csr<T>&, const KernelOptions&) -> std::unique_ptr<KernelProduct<T>>.
template <auto make>
constexpr Kernel peer_row(const KernelDescription& description) {
  return table_row<make>(KernelDevice::cuda, description);
}

template <int algorithm, DenseOrder order>
constexpr Kernel spmm_row(const KernelDescription& description) {
  return peer_row<[](const auto& matrix, const KernelOptions& options) {
    return cusparse_csr_spmm(matrix, algorithm, order, options);
  }>(description);
}

constexpr Kernel table[] = {
    // The published kernels, as published.
    cuda_row<DeviceCsr, [](const auto& a, const auto* x, auto* y,
                           Index columns) { csr_scalar_1(a.view(), x, y, columns); }>(
        {"csr_scalar_1", "csr", true,
         "a thread per element of Y, accumulates in global memory, reads the end of its row before "
         "each element (Capotombolo, Zarrelli 2023)",
         takes_all}),
    cuda_row<DeviceCsr, [](const auto& a, const auto* x, auto* y,
                           Index columns) { csr_scalar_2(a.view(), x, y, columns); }>(
        {"csr_scalar_2", "csr", true,
         "csr_scalar_1, accumulates in a register (Capotombolo, Zarrelli 2023)", takes_all}),
    cuda_row<DeviceCsr, [](const auto& a, const auto* x, auto* y,
                           Index columns) { csr_scalar_3(a.view(), x, y, columns); }>(
        {"csr_scalar_3", "csr", true,
         "csr_scalar_2, start and end of a row read once (Capotombolo, Zarrelli 2023)", takes_all}),
    cuda_row<DeviceCsr, [](const auto& a, const auto* x, auto* y,
                           Index columns) { csr_vector(a.view(), x, y, columns); }>(
        {"csr_vector", "csr", true,
         "a warp per element of Y, reduced in shared memory (Capotombolo, Zarrelli 2023)",
         takes_all}),
    cuda_row<DeviceCsr,
             [](const auto& a, const auto* x, auto* y, Index columns) {
               csr_vector_subwarp(a.view(), x, y, columns, a.width);
             }>({"csr_vector_subwarp", "csr", true,
                 "width or 2 threads per element of Y (Capotombolo, Zarrelli 2023)", takes_all}),
    cuda_row<AdaptiveCsr,
             [](auto& a, const auto* x, auto* y, Index columns) {
               csr_adaptive(a, transposed(x, a.csr.columns, columns, a.csr.scratch), y, columns);
             }>({"csr_adaptive", "csr_adaptive", true,
                 "row blocks that fill shared memory, a block for each and each column of a "
                 "transposed X (CSR-Adaptive: Greathouse, Daga 2014; Capotombolo, Zarrelli 2023)",
                 takes_all}),
    cuda_row<DeviceCsr,
             [](auto& a, const auto* x, auto* y, Index columns) {
               csr_vector_by_row(a.view(), transposed(x, a.columns, columns, a.scratch), y,
                                 columns);
             }>({"csr_vector_by_row", "csr", true,
                 "a warp per row, 8 sub-warps share the columns of a transposed X (Capotombolo, "
                 "Zarrelli 2023)",
                 takes_all}),
    cuda_row<AdaptiveCsr,
             [](auto& a, const auto* x, auto* y, Index columns) {
               csr_adaptive_subblocks(a, transposed(x, a.csr.columns, columns, a.csr.scratch), y,
                                      columns);
             }>({"csr_adaptive_subblocks", "csr_adaptive", true,
                 "a block per row block, 4 sub-blocks share the columns of a transposed X "
                 "(Capotombolo, Zarrelli 2023)",
                 takes_all}),
    cuda_row<DeviceEllpack, [](const auto& a, const auto* x, auto* y,
                               Index columns) { ellpack(a.view(), x, y, columns); }>(
        {"ellpack", "ellpack", true,
         "a thread per element of Y, column-major (Capotombolo, Zarrelli 2023; Fencel 2020)",
         needs_little_padding}),
    cuda_row<DeviceEllpack,
             [](const auto& a, const auto* x, auto* y, Index columns) {
               ellpack_subwarp(a.view(), x, y, columns, a.threads);
             }>({"ellpack_subwarp", "ellpack", true,
                 "width or 2 threads per element of Y, column-major (Capotombolo, Zarrelli 2023)",
                 needs_little_padding}),
    cuda_row<TreeCsr, [](auto& a, const auto* x, auto* y,
                         Index columns) { csr_product_tree(a, x, y, columns); }>(
        {"csr_product_tree", "csr", true,
         "a thread per non-zero, products summed by a tree in each row (Figini 2023)", takes_all}),
    cuda_row<DeviceSymmetric, [](const auto& a, const auto* x, auto* y,
                                 Index columns) { symmetric_atomic(a.view(), x, y, columns); }>(
        {"symmetric_atomic", "symmetric_ellpack", false,
         "the lower triangle serves both, sums are atomic (Fencel 2020)", needs_symmetric}),
    cuda_row<DeviceColored, [](const auto& a, const auto* x, auto* y,
                               Index columns) { symmetric_colored(a, x, y, columns); }>(
        {"symmetric_colored", "symmetric_ellpack", true,
         "the lower triangle serves both, a launch per colour (Fencel 2020)", needs_symmetric}),
    cuda_row<DeviceDense, [](const auto& a, const auto* x, auto* y,
                             Index columns) { dense_tiled(a, x, y, columns); }>(
        {"dense_tiled", "dense", true,
         "tiles of the dense form in shared memory, width or 32 squared (Boukara, Cicala)",
         needs_small_dense}),

    // Fast ones.
    cuda_row<SlicedRows,
             [](auto& a, const auto* x, auto* y, Index columns) { sliced_rows(a, x, y, columns); }>(
        {"sliced_rows", "sliced_ellpack", true,
         "a thread per row of sorted slices of 32, sums in registers; long rows by whole blocks",
         takes_all}),
    cuda_row<RowSplit, [](auto& a, const auto* x, auto* y,
                          Index columns) { csr_row_split(a, x, y, columns); }>(
        {"csr_row_split", "csr_slots", true,
         "lanes on the columns and on the non-zeros of a row; rows by length, in one launch: a few "
         "lanes, a warp, a block or several",
         takes_all}),
    cuda_row<RowTiles,
             [](auto& a, const auto* x, auto* y, Index columns) { csr_tiles(a, x, y, columns); }>(
        {"csr_tiles", "csr", true,
         "a block per 1024 non-zeros of whole rows, products summed in shared memory (after "
         "CSR-Stream); longer rows shared by blocks",
         takes_all}),
    cuda_row<GroupedSlices, [](auto& a, const auto* x, auto* y,
                               Index columns) { grouped_slices(a, x, y, columns); }>(
        {"grouped_slices", "grouped_slices", true,
         "a thread per group of rows with equal columns, in sorted slices of 32 groups, 16-bit "
         "columns where they fit; long rows by whole blocks",
         takes_all}),
    cuda_row<GroupedLanes, [](auto& a, const auto* x, auto* y,
                              Index columns) { grouped_lanes(a, x, y, columns); }>(
        {"grouped_lanes", "grouped_lanes", true,
         "lanes on columns walk along equal shares of the non-zeros, rows with equal columns "
         "together; long rows cut",
         takes_all}),
    cuda_row<TypedRows, [](const auto& a, const auto* x, auto* y,
                           Index columns) { row_types(a, x, y, columns); }>(
        {"row_types", "row_types", true,
         "rows that repeat the same values at the same distances are stored once",
         needs_few_row_types}),
    cuda_row<ComplexRows, [](auto& a, const auto* x, auto* y,
                             Index columns) { complex_rows(a, x, y, columns); }>(
        {"complex_rows", "complex_rows", true,
         "of a real form every complex number once: a thread per row in slices of 32, or rows by "
         "length as csr_row_split has them",
         needs_real_form}),
    cuda_row<SymmetricGroups, [](auto& a, const auto* x, auto* y,
                                 Index columns) { symmetric_groups(a, x, y, columns); }>(
        {"symmetric_groups", "symmetric_slices", false,
         "grouped_slices over the lower triangle, which serves both; sums below are atomic, once "
         "for a group",
         needs_symmetric}),
    peer_row<[](const auto& matrix, const KernelOptions& options) {
      return prepare_auto(matrix, options);
    }>({"auto", "chosen", false,
        "the fastest of the likely kernels by a trial at the first product of each K: the choice "
        "may "
        "change from run to run, and be one that uses atomics",
        takes_all}),

    // Peers. Their promises of reproducibility depend on version and algorithm.
    peer_row<[](const auto& matrix, const KernelOptions& options) {
      return cusparse_csr_spmv(matrix, 1, options);
    }>({"cusparse_csr_spmv_1", "csr", false, "cuSPARSE SpMV, CSR algorithm 1, preprocessed",
        needs_one_column}),
    peer_row<[](const auto& matrix, const KernelOptions& options) {
      return cusparse_csr_spmv(matrix, 2, options);
    }>({"cusparse_csr_spmv_2", "csr", false, "cuSPARSE SpMV, CSR algorithm 2, preprocessed",
        needs_one_column}),
    peer_row<[](const auto& matrix, const KernelOptions&) { return cusparse_sell_spmv(matrix); }>(
        {"cusparse_sell_spmv", "sliced_ellpack", false,
         "cuSPARSE SpMV over slices of 32 rows, unsorted", needs_one_column}),
    spmm_row<1, DenseOrder::rows>({"cusparse_csr_spmm_1", "csr", false,
                                   "cuSPARSE SpMM, CSR algorithm 1, row-major, preprocessed",
                                   needs_cusparse}),
    spmm_row<2, DenseOrder::rows>({"cusparse_csr_spmm_2", "csr", false,
                                   "cuSPARSE SpMM, CSR algorithm 2, row-major, preprocessed",
                                   needs_cusparse}),
    spmm_row<3, DenseOrder::rows>({"cusparse_csr_spmm_3", "csr", false,
                                   "cuSPARSE SpMM, CSR algorithm 3, row-major, preprocessed",
                                   needs_cusparse}),
    spmm_row<1, DenseOrder::columns>(
        {"cusparse_csr_spmm_1_columns", "csr", false,
         "cuSPARSE SpMM, CSR algorithm 1, column-major between two transpositions, preprocessed",
         needs_cusparse}),
    spmm_row<2, DenseOrder::columns>(
        {"cusparse_csr_spmm_2_columns", "csr", false,
         "cuSPARSE SpMM, CSR algorithm 2, column-major between two transpositions, preprocessed",
         needs_cusparse}),
    spmm_row<3, DenseOrder::columns>(
        {"cusparse_csr_spmm_3_columns", "csr", false,
         "cuSPARSE SpMM, CSR algorithm 3, column-major between two transpositions, preprocessed",
         needs_cusparse}),
    peer_row<[](const auto& matrix, const KernelOptions& options) {
      return cublas_gemm(matrix, options);
    }>({"cublas_gemm", "dense", false, "cuBLAS gemm over the dense form", needs_small_dense}),
};

}  // namespace

std::span<const Kernel> cuda_kernels() {
  return table;
}

}  // namespace spsolve::cuda::multiply
