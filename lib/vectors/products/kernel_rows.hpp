#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "distribute/halo/split_rows.hpp"
#include "multiply/kernel/kernel.hpp"
#include "vectors/products/local_product.hpp"

namespace spsolve::inline vectors {

/// This rank's rows of a matrix by kernels of a table, in two parts as SplitRows has them: the
/// interior by the kernel asked for, the boundary by the same if it takes such a matrix, else by
/// the plain kernel of the table.
template <typename T>
struct KernelParts {
  /// Throws Error(input) if the kernel refuses the interior. `alone`: it is all of the matrix.
  KernelParts(SplitRows<T>&& split, const Kernel& kernel, const Kernel& plain,
              const KernelOptions& options, int rank, bool alone);

  std::int64_t bytes() const;
  std::string detail() const;

  std::unique_ptr<KernelProduct<T>> interior;
  std::unique_ptr<KernelProduct<T>> boundary;  ///< null if no row needs the halo
  std::vector<LocalIndex> boundary_rows;       ///< the rows of Y that it adds to
  std::string boundary_kernel;                 ///< if it is not the interior's
  bool rounds_mirrors =
      false;  ///< the interior's lower triangle serves for both, apart by rounding
};

/// Their product on a host: the interior while the halo is under way, and then the boundary.
template <typename T>
std::unique_ptr<LocalProduct<T>> host_kernel_rows(KernelParts<T>&& parts);

}  // namespace spsolve::vectors
