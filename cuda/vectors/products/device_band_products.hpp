#pragma once

#include <memory>
#include <optional>

#include "cuda/multiply/storage/device_csr.hpp"
#include "matrix/csr.hpp"
#include "vectors/products/band_products.hpp"

namespace spsolve::cuda::inline vectors {

/// BandProducts in the memory of the current GPU, for vectors there; the rows are uploaded once,
/// the transposed ones at the first product with them, the halo with each product. Work runs on
/// current_stream(), and is waited for where something comes back. band_products_bytes() says what
/// they take.
std::unique_ptr<BandProducts> device_band_products(const Csr<double>& rows, Index own_columns);

/// BandProducts of rows that are there already, and are brought to the host only where something
/// asks for them; their values stay as they are. They are known to come in groups of `together`
/// with the same columns.
std::unique_ptr<BandProducts> device_band_products(DeviceCsr<double> rows, Index own_columns,
                                                   Index together = 1);

/// The rows that these products multiply with, if device_band_products() made them; new values come
/// to stand in the same place.
std::optional<CsrView<double>> rows_on_device(const BandProducts& products);

}  // namespace spsolve::cuda::vectors
