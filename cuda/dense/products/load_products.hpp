#pragma once

#include "solve/operators/options.hpp"

namespace spsolve::cuda::inline dense {

/// Has the library load what its products in such a precision run, by products of small matrices on
/// the current GPU: the first one takes 30 to 110 ms.
void load_products(Precision precision);

}  // namespace spsolve::cuda::dense
