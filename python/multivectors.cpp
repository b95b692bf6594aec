#include "multivectors.hpp"

#include <algorithm>
#include <string_view>

namespace nb = nanobind;

namespace spsolve::python {

PlainArray::PlainArray(nb::handle array, bool written) {
  static const nb::handle type =
      nb::object(nb::module_::import_("numpy").attr("ndarray")).release();
  if (array.type().ptr() != type.ptr()) return;
  const int wanted = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (written ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(array.ptr(), &view_, wanted) != 0) {
    PyErr_Clear();
    return;
  }
  fits_ = std::string_view(view_.format) == "d" && (view_.ndim == 1 || view_.ndim == 2);
}

PlainArray::~PlainArray() {
  PyBuffer_Release(&view_);
}

void require_alike(const ConstMultivector& in, const Multivector& out, bool computes_on_gpu) {
  if (columns_of(in) != columns_of(out)) {
    fail(ExitCode::input, "the result has {} columns, and {} are wanted", columns_of(out),
         columns_of(in));
  }
  if (on_gpu(in) != on_gpu(out)) {
    fail(ExitCode::input, "one array lies on a GPU, and the other in host memory");
  }
  if (on_gpu(in) && !computes_on_gpu) {
    fail(ExitCode::input,
         "the arrays lie on a GPU, and it is computed on the host; ask for device='cuda', or bring "
         "them to the host");
  }
}

nb::object array_on_gpu(std::uintptr_t address, const std::vector<std::size_t>& shape) {
  return nb::cast(nb::ndarray<double, nb::c_contig, nb::device::cuda>(
                      reinterpret_cast<void*>(address), shape.size(), shape.data(), nb::none()),
                  nb::rv_policy::reference);
}

Dense<double> dense_of(const nb::object& given) {
  const auto array =
      nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(given);
  Dense<double> copy(static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)));
  std::copy_n(array.data(), array.size(), copy.values.begin());
  return copy;
}

}  // namespace spsolve::python
