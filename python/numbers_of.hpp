#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "matrix/numbers.hpp"

namespace spsolve::python {

/// An array of the host that is only read.
using HostArray = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

/// The numbers of an array of one dimension. Throws Error(input) for others, and for types that are
/// no real numbers.
Numbers numbers_of(const HostArray& array, const char* what);

}  // namespace spsolve::python
