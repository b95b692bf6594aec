#include "matrices.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "api/matrix_of_arrays.hpp"
#include "core/plain_text.hpp"
#include "io/dense_source.hpp"
#include "io/matrix_source.hpp"
#include "matrix/real_form.hpp"
#include "numbers_of.hpp"
#include "spsolve/matrix.hpp"
#include "unlocked.hpp"

#ifdef SPSOLVE_HAVE_MPI
#include "spsolve/mpi.hpp"
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace spsolve::python {

Ranks ranks_numbered([[maybe_unused]] int communicator) {
#ifdef SPSOLVE_HAVE_MPI
  return ranks_of(MPI_Comm_f2c(static_cast<MPI_Fint>(communicator)));
#else
  fail(ExitCode::input,
       "comm: this module was built without MPI; build it with -DSPSOLVE_PROGRAMS=ON where MPI is");
#endif
}

namespace {

/// Of a matrix by rows or by columns. `symmetry`: a Symmetry by its number.
Matrix compressed(Index rows, Index columns, const HostArray& offsets, const HostArray& indices,
                  const HostArray& values, bool by_columns, int symmetry) {
  const CompressedArrays arrays{rows,
                                columns,
                                numbers_of(offsets, "indptr"),
                                numbers_of(indices, "indices"),
                                numbers_of(values, "data"),
                                by_columns};
  return unlocked([&] { return matrix_of(arrays, static_cast<Symmetry>(symmetry)); });
}

Matrix entries(Index rows, Index columns, const HostArray& row, const HostArray& column,
               const HostArray& values, int symmetry) {
  const EntryArrays arrays{rows, columns, numbers_of(row, "row"), numbers_of(column, "col"),
                           numbers_of(values, "data")};
  return unlocked([&] { return matrix_of(arrays, static_cast<Symmetry>(symmetry)); });
}

/// Of own rows from `first` to before `last`.
Matrix own_rows(int communicator, Index first, Index last, Index columns, const HostArray& offsets,
                const HostArray& indices, const HostArray& values, int symmetry) {
  const Ranks ranks = ranks_numbered(communicator);
  const CompressedArrays arrays{0, columns, numbers_of(offsets, "indptr"),
                                numbers_of(indices, "indices"), numbers_of(values, "data")};
  return unlocked([&] {
    return matrix_of(ranks, {first, last}, arrays, static_cast<Symmetry>(symmetry));
  });
}

/// An array of numpy that has taken `values`.
template <typename T>
nb::object array_of(std::vector<T>&& values) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = held->data();
  const std::size_t size = held->size();
  const nb::capsule owner(held.release(),
                          [](void* owned) noexcept { delete static_cast<std::vector<T>*>(owned); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

/// Real and imaginary parts of a complex matrix' values in turn.
std::vector<double> parts_of_values(const Matrix& matrix) {
  std::vector<double> parts;
  for (const std::complex<double>& value : matrix.complex_values()) {
    parts.push_back(value.real());
    parts.push_back(value.imag());
  }
  return parts;
}

/// indptr, indices and data, which belong to the matrix; of a complex one copies, and data as its
/// parts in turn.
nb::tuple arrays_of(const nb::object& self) {
  const auto& matrix = nb::cast<const Matrix&>(self);
  const Csr<double>& csr = matrix.csr();
  if (matrix.is_complex()) {
    Csr<double> rows = parts_of(csr).s;
    return nb::make_tuple(array_of(std::move(rows.row_offsets)),
                          array_of(std::move(rows.column_indices)),
                          array_of(parts_of_values(matrix)));
  }
  const auto view = [&](const auto& values) {
    using T = typename std::remove_cvref_t<decltype(values)>::value_type;
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, self);
  };
  return nb::make_tuple(nb::cast(view(csr.row_offsets)), nb::cast(view(csr.column_indices)),
                        nb::cast(view(csr.values)));
}

/// A dense array of a file, rows x columns; of complex numbers as n x 2K parts.
nb::object read_array(const std::string& file) {
  const bool complex = describe_dense(file).is_complex;
  auto array = std::make_unique<Dense<double>>(
      unlocked([&] { return complex ? in_pairs(load_dense_parts(file)) : load_dense(file); }));
  const auto rows = static_cast<std::size_t>(array->rows);
  const auto columns = static_cast<std::size_t>(array->columns);
  double* const values = array->values.data();
  const nb::capsule owner(array.release(),
                          [](void* held) noexcept { delete static_cast<Dense<double>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(values, {rows, columns}, owner));
}

}  // namespace

void add_matrices(nb::module_& module) {
  nb::class_<Matrix>(module, "Matrix")
      .def_static("compressed", &compressed, "rows"_a, "columns"_a, "offsets"_a, "indices"_a,
                  "values"_a, "by_columns"_a, "symmetry"_a = 0)
      .def_static("entries", &entries, "rows"_a, "columns"_a, "row"_a, "column"_a, "values"_a,
                  "symmetry"_a = 0)
      .def_static("own_rows", &own_rows, "communicator"_a, "first"_a, "last"_a, "columns"_a,
                  "offsets"_a, "indices"_a, "values"_a, "symmetry"_a)
      .def_static(
          "load",
          [](const std::string& name) { return unlocked([&] { return Matrix::load(name); }); },
          "name"_a)
      .def_prop_ro("rows", &Matrix::rows)
      .def_prop_ro("columns", &Matrix::columns)
      .def_prop_ro("nonzeros", &Matrix::nonzeros)
      .def_prop_ro("is_complex", &Matrix::is_complex)
      .def("arrays", [](nb::handle self) { return arrays_of(nb::borrow(self)); });
  module.def("read_array", &read_array, "file"_a);
  module.def(
      "holds_complex",
      [](const std::string& file) {
        return unlocked([&] { return describe_dense(file).is_complex; });
      },
      "file"_a);
  module.def(
      "holds_array",
      [](const std::string& name) {
        require_whole_name("a matrix", name);
        return unlocked([&] { return !means_generator(name) && holds_array(name); });
      },
      "name"_a);
}

}  // namespace spsolve::python
