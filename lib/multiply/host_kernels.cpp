// The table of host kernels. A new kernel is a function in a file of its family and one row here.

#include "multiply/csr_kernels.hpp"
#include "multiply/fast_csr.hpp"
#include "multiply/fast_groups.hpp"
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
    host_row<SymmetricHalves,
             [](auto& a, const auto* x, auto* y, Index columns) { a.multiply(x, y, columns); }>(
        {"symmetric_halves", "symmetric_grouped", true,
         "OpenMP, the lower triangle alone, without atomics: private overlaps of y, summed in a "
         "fixed order (Batista et al. 2010; Gkountouvas et al. 2013)",
         needs_symmetric}),
};

}  // namespace

std::span<const Kernel> host_kernels() {
  return table;
}

}  // namespace spsolve
