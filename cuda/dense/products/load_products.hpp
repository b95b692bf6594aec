#pragma once

#include "solve/options.hpp"

namespace spsolve::cuda {

/// Has the library load what its products in such a precision run, by products of small matrices on
/// the current GPU: the first one takes 30 to 110 ms.
void load_products(Precision precision);

/// Has the current GPU load the kernels that solves with dense factors in such a precision launch,
/// and the estimates that are made by them.
void load_solves(Precision precision);

}  // namespace spsolve::cuda
