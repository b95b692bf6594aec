// The table of host kernels. A new kernel is a function in a file of its family and one row here.

#include "matrix/formats/ellpack.hpp"
#include "multiply/auto_product.hpp"
#include "multiply/fast/fast_csr.hpp"
#include "multiply/fast/fast_groups.hpp"
#include "multiply/fast/fast_sliced.hpp"
#include "multiply/fast/fast_symmetric.hpp"
#include "multiply/fast/fast_types.hpp"
#include "multiply/fast/sliced_kernels.hpp"
#include "multiply/kernel_row.hpp"
#include "multiply/published/csr_kernels.hpp"
#include "multiply/published/csr_openmp.hpp"
#include "multiply/published/dense_kernels.hpp"
#include "multiply/published/ellpack_kernels.hpp"
#include "multiply/published/symmetric_kernels.hpp"

namespace spsolve::inline multiply {

namespace {

std::string needs_little_padding(const MatrixFacts& facts, Index, std::size_t value_bytes) {
  return padding_problem(facts.rows, facts.longest_row, facts.nonzeros, value_bytes);
}

std::string needs_small_dense(const MatrixFacts& facts, Index, std::size_t value_bytes) {
  return dense_problem(facts.rows, facts.columns, value_bytes);
}

std::string needs_few_row_types(const MatrixFacts& facts, Index, std::size_t) {
  return row_types_problem(facts.row_types);
}

constexpr Kernel table[] = {
    host_row<CsrStorage, [](const auto& a, const auto* x, auto* y,
                            Index columns) { csr_serial(a.matrix, x, y, columns); }>(
        {"csr_serial", "csr", true, "one thread, row after row; the reference", takes_all}),

    // The published kernels, as published.
    host_row<CsrThreadedStorage,
             [](const auto& a, const auto* x, auto* y, Index columns) {
               csr_openmp(a.csr.matrix, x, y, columns, a.threads);
             }>({"csr_openmp", "csr", true,
                 "threads take contiguous rows, a multiple of 16 (Capotombolo, Zarrelli 2023)",
                 takes_all}),
    host_row<EllpackStorage, [](const auto& a, const auto* x, auto* y,
                                Index columns) { ellpack_serial(a.matrix, x, y, columns); }>(
        {"ellpack_serial", "ellpack", true, "one thread, rows padded to the longest",
         needs_little_padding}),
    host_row<UnpaddedEllpackStorage,
             [](const auto& a, const auto* x, auto* y, Index columns) {
               ellpack_unpadded_serial(a.matrix, x, y, columns);
             }>({"ellpack_unpadded_serial", "ellpack_unpadded", true,
                 "one thread, each row as long as it is", takes_all}),
    host_row<EllpackStorage,
             [](auto& a, const auto* x, auto* y, Index columns) {
               ellpack_openmp(a.matrix, x, y, columns, a.threads, a.scratch);
             }>(
        {"ellpack_openmp", "ellpack", true,
         "padded rows and columns of a transposed X by threads (Capotombolo, Zarrelli 2023)",
         needs_little_padding}),
    host_row<UnpaddedEllpackStorage,
             [](auto& a, const auto* x, auto* y, Index columns) {
               ellpack_unpadded_openmp(a.matrix, x, y, columns, a.threads, a.scratch);
             }>({"ellpack_unpadded_openmp", "ellpack_unpadded", true,
                 "rows and columns of a transposed X by threads (Capotombolo, Zarrelli 2023)",
                 takes_all}),
    host_row<SlicedEllpackStorage,
             [](const auto& a, const auto* x, auto* y, Index columns) {
               sliced_ellpack(a.matrix, x, y, columns, a.threads);
             }>({"sliced_ellpack", "sliced_ellpack", true,
                 "SELL-C-sigma, C = width or 8, sigma = 256 (Kreutzer et al. 2014)", takes_all}),
    host_row<SymmetricEllpackStorage,
             [](const auto& a, const auto* x, auto* y, Index columns) {
               symmetric_atomic(a.matrix, x, y, columns, a.threads);
             }>({"symmetric_atomic", "symmetric_ellpack", false,
                 "the lower triangle serves both, sums are atomic (Fencel 2020)", needs_symmetric}),
    host_row<ColoredEllpackStorage,
             [](const auto& a, const auto* x, auto* y, Index columns) {
               symmetric_colored(a.matrix, a.color_offsets, x, y, columns, a.threads);
             }>({"symmetric_colored", "symmetric_ellpack", true,
                 "the lower triangle serves both, rows of one colour in parallel (Fencel 2020)",
                 needs_symmetric}),
    host_row<DenseStorage, [](const auto& a, const auto* x, auto* y,
                              Index columns) { dense_reference(a.matrix, x, y, columns); }>(
        {"dense_reference", "dense", true, "three loops over the dense form, one thread",
         needs_small_dense}),
    // A BLAS does not promise the same bits in every run.
    host_row<DenseStorage, [](const auto& a, const auto* x, auto* y,
                              Index columns) { dense_blas(a.matrix, x, y, columns, a.threads); }>(
        {"dense_blas", "dense", false, "gemm of the BLAS over the dense form", needs_small_dense}),

    // Fast kernels.
    host_row<BalancedCsr,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"csr_balanced", "csr", true,
         "OpenMP, equal non-zeros a thread, long rows cut (merge-path: Merrill, Garland 2016); "
         "sums in vector registers for every K",
         takes_all}),
    host_row<SortedCsr,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"csr_sorted", "csr_sorted", true,
         "csr_balanced with rows sorted by length within windows, so that the processor foresees "
         "where they end (SELL-C-sigma's sorting: Kreutzer et al. 2014)",
         takes_all}),
    host_row<GroupedCsr,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"csr_grouped", "csr_grouped", true,
         "OpenMP, consecutive rows of equal pattern share their columns, 16 bits each where they "
         "fit (after SPARSITY: Im, Yelick, Vuduc 2004)",
         takes_all}),
    host_row<SlicedRows,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"sliced_rows", "sliced_rows", true,
         "OpenMP, short rows of about equal length side by side in a vector, for K = 1 "
         "(SELL-C-sigma without padding: Kreutzer et al. 2014)",
         takes_all}),
    host_row<ComplexRows,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"complex_rows", "complex_rows", true,
         "OpenMP, of a real form every complex number once, rows side by side as in sliced_rows",
         needs_real_form}),
    host_row<SymmetricHalves,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"symmetric_halves", "symmetric_grouped", true,
         "OpenMP, the lower triangle alone, without atomics: private overlaps of y, summed in a "
         "fixed order (Batista et al. 2010; Gkountouvas et al. 2013)",
         needs_symmetric}),
    host_row<TypedRows,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"row_types", "row_types", true,
         "OpenMP, rows of equal values and distances from the diagonal are stored once, runs of "
         "them multiplied without indices: stencils (after CSR-VI: Kourtis, Goumas, Koziris 2008)",
         needs_few_row_types}),
    table_row<[](const auto& matrix, const KernelOptions& options) {
      return prepare_auto(matrix, options);
    }>(KernelDevice::host,
       {"auto", "chosen", false,
        "times the likely ones of the fast kernels on the matrix at the K at hand and keeps the "
        "quickest; the choice, and with it the last bits, may differ from run to run",
        takes_all}),
};

}  // namespace

std::span<const Kernel> host_kernels() {
  return table;
}

}  // namespace spsolve::multiply
