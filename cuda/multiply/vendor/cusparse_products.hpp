#pragma once

#include <memory>
#include <string>

#include "multiply/kernel/kernel.hpp"

namespace spsolve::cuda::inline multiply {

// Y = A X by cuSPARSE, peers of the project's own kernels. Matrices are prepared with cuSPARSE's
// own preprocessing, outside of multiply(); a product with another K than before prepares anew.
// Row offsets are 32 bits wide, which is cuSPARSE's fast case. KernelOptions.room_behind and
// in_pairs matter to those over CSR.

/// One sentence of why cuSPARSE is not given such a matrix, or "".
std::string cusparse_problem(const MatrixFacts& facts);

/// SpMV, K = 1, with algorithm CUSPARSE_SPMV_CSR_ALG1 or 2. The first, of cuSPARSE 12.6, may write
/// a zero after Y (seen with Maragal_1, of 32 rows): without room behind it gets a vector of its
/// own with room for that, which is then copied to Y.
template <typename T>
std::unique_ptr<KernelProduct<T>> cusparse_csr_spmv(const Csr<T>& matrix, int algorithm,
                                                    const KernelOptions& options);

/// SpMV, K = 1, over SELL with slices of 32 rows, unsorted, algorithm CUSPARSE_SPMV_SELL_ALG1.
template <typename T>
std::unique_ptr<KernelProduct<T>> cusparse_sell_spmv(const Csr<T>& matrix);

/// In which order cuSPARSE gets X and Y.
enum class DenseOrder {
  rows,     ///< as they are
  columns,  ///< transposed before and after, as part of the product
};

/// SpMM with algorithm CUSPARSE_SPMM_CSR_ALG1, 2 or 3. The third may write a zero after Y of one
/// column, too, and is given room for it likewise.
template <typename T>
std::unique_ptr<KernelProduct<T>> cusparse_csr_spmm(const Csr<T>& matrix, int algorithm,
                                                    DenseOrder order, const KernelOptions& options);

}  // namespace spsolve::cuda::multiply
