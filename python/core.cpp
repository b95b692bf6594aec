// spsolve._core: what the package spsolve is made of. Arrays come and go without copies where
// their layout allows; the interpreter's lock is released while something is computed.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <omp.h>

#include "core/build_info.hpp"
#include "core/error.hpp"
#include "core/plain_text.hpp"
#include "facts_of.hpp"
#include "matrices.hpp"
#include "multivectors.hpp"
#include "options_of.hpp"
#include "solve/trust/probe.hpp"
#include "spsolve/spsolve.hpp"
#include "team/team.hpp"
#include "unlocked.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace spsolve::python {
namespace {

/// Raises the package's exception for an Error, which has its exit code.
void raise(const Error& error) {
  if (error.code() == ExitCode::interrupted && by_signal) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return;
  }
  const nb::module_ package = nb::module_::import_("spsolve._errors");
  const char* const name = error.code() == ExitCode::not_trustworthy ? "NotTrustworthyError"
                           : error.code() == ExitCode::input         ? "InputError"
                           : error.code() == ExitCode::resources     ? "ResourcesError"
                           : error.code() == ExitCode::interrupted   ? "StoppedError"
                                                                     : "InternalError";
  PyErr_SetString(package.attr(name).ptr(), plain_text(error.what()).c_str());
}

/// Turns an exception of the library into one of Python.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(error);
  } catch (const std::bad_alloc&) {
    raise(Error(ExitCode::resources, "memory is short for this"));
  }
}

class Factors {
 public:
  /// `arrays`: see options_of(). `communicator`: of MPI, as Fortran numbers it, or None.
  /// `analyses`: only.
  Factors(const Matrix& a, const nb::dict& given, const nb::dict& arrays,
          std::optional<int> communicator, bool analyses) {
    const Options options = options_of(given, arrays);
    const Ranks ranks = communicator ? ranks_numbered(*communicator) : Ranks();
    solver_ = unlocked([&] {
      return std::make_unique<Solver>(analyses ? Solver::analysed(a, options, ranks)
                                               : Solver(a, options, ranks));
    });
  }

  nb::dict plan() const {
    const SolverPlan plan = unlocked([&] { return solver_->plan(); });
    return facts(plan);
  }

  Index order() const { return solver_->order(); }
  nb::tuple own() const {
    const Range rows = solver_->own();
    return nb::make_tuple(rows.first, rows.last);
  }
  nb::dict report() const { return facts(solver_->report()); }

  bool is_complex() const { return solver_->is_complex(); }

  /// The fields of the Inertia of Python, or None.
  nb::object inertia() {
    const std::optional<Inertia> known = unlocked([&] { return solver_->inertia(); });
    if (!known) return nb::none();
    const auto count = [&](Index number) -> nb::object {
      return number < 0 ? nb::none() : nb::cast(number);
    };
    nb::dict told;
    told["certainty"] = std::string(name(known->certainty));
    told["positive"] = count(known->positive);
    told["negative"] = count(known->negative);
    told["zero"] = count(known->zero);
    told["rows"] = known->rows;
    told["doubt"] = known->doubt;
    return told;
  }

  /// `of`: 0 for A, 1 for A^T, 2 for A^H. `parts`: of complex numbers, which come as theirs, n x
  /// 2K.
  nb::dict solve(const ConstMultivector& b, const Multivector& x, int of, bool parts) {
    Solution told;
    apply(b, x, of, parts, [&](auto from, Index columns, auto to, auto side) {
      told = solver_->solve(from, columns, to, side);
    });
    return facts(told);
  }

  void precondition(const ConstMultivector& b, const Multivector& x, int of, bool parts) {
    apply(b, x, of, parts, [&](auto from, Index columns, auto to, auto side) {
      solver_->precondition(from, columns, to, side);
    });
  }

  /// `step`: 0 forward, 1 diagonal, 2 backward.
  void substitute(const ConstMultivector& b, const Multivector& x, int step, int of, bool parts) {
    apply(b, x, of, parts, [&](auto from, Index columns, auto to, auto side) {
      solver_->substitute(static_cast<Substitution>(step), from, columns, to, side);
    });
  }

  using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  /// `values`: of a complex matrix their parts; None: those before. `shifts`: of own rows, or None.
  void refactor(const std::optional<Numbers>& values, const std::optional<Numbers>& shifts) {
    const auto numbers = [](const std::optional<Numbers>& given) {
      return given ? std::span(given->data(), given->size()) : std::span<const double>();
    };
    const std::span<const double> real = numbers(values), added = numbers(shifts);
    const std::span complex(reinterpret_cast<const std::complex<double>*>(real.data()),
                            real.size() / 2);
    unlocked([&] {
      if (!values) return solver_->set_shifts(added);
      if (is_complex()) {
        return shifts ? solver_->set_values(complex, added) : solver_->set_values(complex);
      }
      shifts ? solver_->set_values(real, added) : solver_->set_values(real);
    });
  }

 private:
  /// Calls work(b, K, x, side) for the numbers of arrays, n x K, and the side of A.
  template <typename Work>
  void apply(const ConstMultivector& b, const Multivector& x, int of, bool parts,
             const Work& work) {
    const Index rows = solver_->own().size();
    if (parts) {
      const ComplexArrays arrays(b, x, rows);
      return unlocked(
          [&] { work(arrays.b, arrays.columns, arrays.x, static_cast<Transposition>(of)); });
    }
    require_rows(b, rows, "b");
    require_rows(x, rows, "x");
    require_alike(b, x, solver_->report().device == "cuda");
    unlocked([&] {
      work(std::span(b.data(), b.size()), columns_of(b), std::span(x.data(), x.size()), of != 0);
    });
  }

  std::unique_ptr<Solver> solver_;
};

class PreparedProduct {
 public:
  /// `communicator`: as that of Factors.
  PreparedProduct(const Matrix& a, const std::string& kernel, Index columns,
                  const std::string& device, Index products, bool share_gpus,
                  std::optional<int> communicator)
      : ranks_(communicator ? ranks_numbered(*communicator) : Ranks()) {
    ProductOptions options;
    options.kernel = kernel;
    options.columns = columns;
    options.products = products;
    options.share_gpus = share_gpus;
    nb::dict words;
    words["device"] = device;
    options.device = options_of(words).device;
    product_ = unlocked([&] { return std::make_unique<Product>(a, options, ranks_); });
    on_host_ = product_->device() == "host";
    rows_ = product_->own().size();
    columns_ = product_->own_x().size();
  }

  nb::tuple own() const { return ends(product_->own()); }
  nb::tuple own_x() const { return ends(product_->own_x()); }

  void apply(const ConstMultivector& x, const Multivector& y) {
    const Index columns = columns_of(x);
    unlocked([&] {
      together(ranks_.team(), [&] {
        require_rows(x, columns_, "X");
        require_rows(y, rows_, "Y");
        require_alike(x, y, !on_host_);
      });
      if (on_host_ != on_gpu(x)) return product_->apply(x.data(), y.data(), columns);
      Dense<double> all(columns_, columns);
      std::copy_n(x.data(), x.size(), all.values.data());
      const Dense<double> result = product_->apply(all);
      std::copy(result.values.begin(), result.values.end(), y.data());
    });
  }

  /// Applies with arrays of numpy that it takes as they are, on the host; false, and nothing done,
  /// where it does not, whatever the reason. Of one process alone. Signals wait for its end, which
  /// nothing in it asks for.
  bool apply_plain(nb::handle x, nb::handle y) {
    const PlainArray from(x, false), to(y, true);
    if (!on_host_ || !from || !to || from.ndim() != to.ndim()) return false;
    const Index columns = columns_of(from);
    if (columns < 1 || columns_of(to) != columns) return false;
    if (from.shape(0) != columns_ || to.shape(0) != rows_) return false;
    const nb::gil_scoped_release released;
    product_->apply(from.data(), to.data(), columns);
    return true;
  }

  std::string kernel() const { return product_->kernel(); }
  std::string device() const { return product_->device(); }

 private:
  static nb::tuple ends(Range rows) { return nb::make_tuple(rows.first, rows.last); }

  Ranks ranks_;
  Index rows_ = 0, columns_ = 0;  ///< own ones of A, and of X
  std::unique_ptr<Product> product_;
  bool on_host_ = true;
};

nb::dict plan(const Matrix& a, const nb::dict& given, const nb::dict& arrays,
              std::optional<int> communicator) {
  const Options options = options_of(given, arrays);
  const Ranks ranks = communicator ? ranks_numbered(*communicator) : Ranks();
  const SolverPlan plan = unlocked([&] { return plan_solver(a, options, ranks); });
  return facts(plan);
}

}  // namespace
}  // namespace spsolve::python

NB_MODULE(_core, module) {
  using namespace spsolve;
  using namespace spsolve::python;
  nb::register_exception_translator(translate);
  module.attr("version") = build_info::version;
#ifdef SPSOLVE_HAVE_MPI
  module.attr("has_mpi") = true;
#else
  module.attr("has_mpi") = false;
#endif
#ifdef SPSOLVE_HAVE_CUDA
  module.attr("has_cuda") = true;
#else
  module.attr("has_cuda") = false;
#endif

  add_matrices(module);
  nb::class_<Factors>(module, "Factors")
      .def(nb::init<const Matrix&, const nb::dict&, const nb::dict&, std::optional<int>, bool>(),
           "matrix"_a, "options"_a, "arrays"_a = nb::dict(), "communicator"_a = nb::none(),
           "analyses"_a = false)
      .def("plan", &Factors::plan)
      .def_prop_ro("order", &Factors::order)
      .def_prop_ro("own", &Factors::own)
      .def("report", &Factors::report)
      .def("inertia", &Factors::inertia)
      .def("solve", &Factors::solve, "b"_a, "x"_a, "of"_a, "parts"_a)
      .def_prop_ro("is_complex", &Factors::is_complex)
      .def("precondition", &Factors::precondition, "b"_a, "x"_a, "of"_a, "parts"_a)
      .def("substitute", &Factors::substitute, "b"_a, "x"_a, "step"_a, "of"_a, "parts"_a)
      .def("refactor", &Factors::refactor, "values"_a.none(), "shifts"_a.none());
  nb::class_<PreparedProduct>(module, "Product")
      .def(nb::init<const Matrix&, const std::string&, Index, const std::string&, Index, bool,
                    std::optional<int>>(),
           "matrix"_a, "kernel"_a, "columns"_a, "device"_a, "products"_a, "share_gpus"_a,
           "communicator"_a = nb::none())
      .def_prop_ro("own", &PreparedProduct::own)
      .def_prop_ro("own_x", &PreparedProduct::own_x)
      .def("apply", &PreparedProduct::apply, "x"_a, "y"_a)
      .def("apply_plain", &PreparedProduct::apply_plain, "x"_a, "y"_a)
      .def_prop_ro("kernel", &PreparedProduct::kernel)
      .def_prop_ro("device", &PreparedProduct::device);
  module.def("plan", &plan, "matrix"_a, "options"_a, "arrays"_a = nb::dict(),
             "communicator"_a = nb::none());
  module.def("options", &table_of_options);
  module.def("on_gpu", &array_on_gpu, "address"_a, "shape"_a);
  module.def(
      "set_threads", [](int threads) { omp_set_num_threads(std::max(threads, 1)); }, "threads"_a);
  module.def("threads", [] { return omp_get_max_threads(); });
}
