// The table of host kernels. A new kernel is a function in a file of its family and one row here.

#include "multiply/csr_kernels.hpp"
#include "multiply/kernel_row.hpp"

namespace spsolve {

namespace {

constexpr Kernel table[] = {
    host_row<CsrStorage, [](const auto& a, const auto* x, auto* y,
                            Index columns) { csr_serial(a.matrix, x, y, columns); }>(
        {"csr_serial", "csr", true, "one thread, row after row; the reference", takes_all}),
};

}  // namespace

std::span<const Kernel> host_kernels() {
  return table;
}

}  // namespace spsolve
