// The table of host kernels. A new kernel is a function in a file of its family and one row here.

#include "multiply/auto_product.hpp"
#include "multiply/csr_kernels.hpp"
#include "multiply/fast_csr.hpp"
#include "multiply/fast_groups.hpp"
#include "multiply/fast_sliced.hpp"
#include "multiply/fast_symmetric.hpp"
#include "multiply/kernel_row.hpp"

namespace spsolve {

namespace {

constexpr Kernel table[] = {
    host_row<CsrStorage, [](const auto& a, const auto* x, auto* y,
                            Index columns) { csr_serial(a.matrix, x, y, columns); }>(
        {"csr_serial", "csr", true, "one thread, row after row; the reference", takes_all}),

    // Fast kernels.
    host_row<BalancedCsr,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"csr_balanced", "csr", true,
         "OpenMP, equal non-zeros a thread, long rows cut (merge-path: Merrill, Garland 2016); "
         "sums "
         "in vector registers for every K",
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
    host_row<SymmetricHalves,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"symmetric_halves", "symmetric_grouped", true,
         "OpenMP, the lower triangle alone, without atomics: private overlaps of y, summed in a "
         "fixed order (Batista et al. 2010; Gkountouvas et al. 2013)",
         needs_symmetric}),
    {"auto", "chosen", KernelDevice::host, false,
     "times the likely ones of the fast kernels on the matrix at the K at hand and keeps the "
     "quickest; the choice, and with it the last bits, may differ from run to run",
     takes_all, prepare_auto<float>, prepare_auto<double>},
};

}  // namespace

std::span<const Kernel> host_kernels() {
  return table;
}

}  // namespace spsolve
