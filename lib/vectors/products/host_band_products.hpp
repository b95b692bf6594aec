#pragma once

#include <memory>

#include "vectors/products/band_products.hpp"

namespace spsolve::inline vectors {

/// BandProducts in host memory by OpenMP threads.
std::unique_ptr<BandProducts> host_band_products(const Csr<double>& rows, Index own_columns);

}  // namespace spsolve::vectors
