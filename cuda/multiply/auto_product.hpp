#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

/// The kernel that auto compares all others with: plain CSR, nothing to convert but a list of rows.
inline constexpr std::string_view plain_kernel = "csr_row_split";

/// The storages that may pay for a matrix.
struct LikelyStorages {
  bool row_types = false, symmetric = false, real_form = false;
};

/// The GPU kernels that may be fastest for a matrix and K columns: plain_kernel, what takes no
/// longer to convert, then the others. The library's products are among them: where one of these is
/// the fastest it is taken, under its name.
std::vector<std::string_view> likely_kernels(Index columns, const LikelyStorages& may_pay);

/// The fastest of likely_kernels() for each K, by trial: the first product of each K converts the
/// matrix for every candidate, times a few products of each with the X and Y of the caller by GPU
/// events, waits for them, and keeps the winner; the formats that no K needs any more are freed, at
/// most two are in memory for one K, and what does not fit is left out. Where
/// KernelOptions.products tells how many products are expected, a candidate is tried only if it
/// could win back what its trial costs by then. Which kernel won is remembered for the pattern,
/// type and K until the program ends, so that a second matrix of the same pattern is converted
/// once. Keeps a copy of the matrix in host memory for further K. detail() says what was chosen,
/// the times, and after how many products the conversion pays against plain_kernel.
template <typename T>
std::unique_ptr<KernelProduct<T>> prepare_auto(const Csr<T>& matrix, const KernelOptions& options);

}  // namespace spsolve::cuda::multiply
