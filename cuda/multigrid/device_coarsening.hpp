#pragma once

#include <memory>

#include "cuda/multiply/device_csr.hpp"
#include "vectors/products/coarsening.hpp"

namespace spsolve::cuda {

/// Coarsening on the current GPU, of a square matrix with such rows, all of whose products are
/// those of device_band_products(). Aggregates are found on the host. None where a row is longer
/// than 256 entries, of which, and of the longer ones of products, a few lanes would have too much
/// to do. Keeps 4 bytes for each row and 1 for each entry; while it works it takes twice what A
/// takes.
std::unique_ptr<Coarsening> device_coarsening(const CsrView<double>& rows);

}  // namespace spsolve::cuda
