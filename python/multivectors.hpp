#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "core/error.hpp"
#include "matrix/dense.hpp"

namespace spsolve::python {

/// A multivector of the caller's, n or n x K, row-major, in the memory of the host or of a GPU.
using Multivector = nanobind::ndarray<double, nanobind::c_contig>;
using ConstMultivector = nanobind::ndarray<const double, nanobind::c_contig>;

/// K; 0 for what is neither.
template <typename Array>
Index columns_of(const Array& array) {
  if (array.ndim() == 1) return 1;
  return array.ndim() == 2 ? static_cast<Index>(array.shape(1)) : 0;
}

template <typename Array>
bool on_gpu(const Array& array) {
  return array.device_type() == nanobind::device::cuda::value;
}

/// An array of numpy as it is, where it holds float64 by rows, of one or two dimensions, and may be
/// written to if it has to: asked in this way, an answer takes a tenth of what ndarray takes.
class PlainArray {
 public:
  PlainArray(nanobind::handle array, bool written);
  ~PlainArray();
  PlainArray(const PlainArray&) = delete;
  PlainArray& operator=(const PlainArray&) = delete;

  explicit operator bool() const { return fits_; }
  double* data() const { return static_cast<double*>(view_.buf); }
  int ndim() const { return view_.ndim; }
  Index shape(int dimension) const { return view_.shape[dimension]; }

 private:
  Py_buffer view_ = {};
  bool fits_ = false;
};

/// Refuses another number of rows; `what` names the array.
template <typename Array>
void require_rows(const Array& array, Index rows, const char* what) {
  if (static_cast<Index>(array.shape(0)) == rows) return;
  fail(ExitCode::input, "{} has {} rows, and {} are wanted", what, array.shape(0), rows);
}

/// Refuses a result that does not go with what it is made of, or with where it is computed.
void require_alike(const ConstMultivector& in, const Multivector& out, bool computes_on_gpu);

/// `rows` rows of right-hand sides and of room for solutions, complex numbers whose parts they
/// hold.
struct ComplexArrays {
  using Number = std::complex<double>;

  ComplexArrays(const ConstMultivector& right, const Multivector& solution, Index rows)
      : b(reinterpret_cast<const Number*>(right.data()), right.size() / 2),
        x(reinterpret_cast<Number*>(solution.data()), solution.size() / 2),
        columns(columns_of(right) / 2) {
    require_rows(right, rows, "b");
    require_rows(solution, rows, "x");
    if (!on_gpu(right) && !on_gpu(solution)) return;
    fail(ExitCode::input, "complex arrays must be in host memory");
  }

  std::span<const Number> b;
  std::span<Number> x;
  Index columns;
};

/// The array of float64 at an address on a GPU, row-major, which belongs to somebody else.
nanobind::object array_on_gpu(std::uintptr_t address, const std::vector<std::size_t>& shape);

/// A copy of an array of two dimensions.
Dense<double> dense_of(const nanobind::object& given);

}  // namespace spsolve::python
