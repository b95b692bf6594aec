#include "sockets/petsc/options.hpp"

#include <string>

namespace spsolve::sockets {

namespace {

// In the order of their enumerations.
constexpr const char* methods[] = {
    "auto",   "gauss", "gauss_jordan", "lu",  "sparse_cholesky", "sparse_ldlt", "sparse_lu", "cg",
    "minres", "gmres", "bicgstab",     "idr", "block_cg",        "cocr"};
constexpr const char* preconditioners[] = {
    "auto", "none", "jacobi",      "block_jacobi", "chebyshev",
    "ilu0", "ic0",  "elimination", "multigrid",    "shifted_laplacian"};
constexpr const char* orderings[] = {"auto", "nested_dissection", "amd", "rcm", "natural"};
constexpr const char* precisions[] = {"float32", "float64", "mixed"};
constexpr const char* switches[] = {"auto", "on", "off"};
constexpr const char* acceptances[] = {"digits", "residual"};
constexpr const char* ranks[] = {"auto", "all"};
constexpr const char* devices[] = {"auto", "host", "cuda"};

/// Options of one object, as PETSc's macros take them.
class Reader {
 public:
  explicit Reader(OptionItems items) : PetscOptionsObject(items) {}

  template <typename Choice, std::size_t count>
  PetscErrorCode word(const char* name, const char* text, const char* const (&words)[count],
                      Choice& value) {
    PetscInt chosen = static_cast<PetscInt>(value);
    PetscFunctionBegin;
    PetscCall(PetscOptionsEList(name, text, "spsolve::Options", words, PetscInt{count},
                                words[chosen], &chosen, nullptr));
    value = static_cast<Choice>(chosen);
    PetscFunctionReturn(PetscErrorCode(0));
  }

  PetscErrorCode flag(const char* name, const char* text, bool& value) {
    PetscBool chosen = value ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(PetscOptionsBool(name, text, "spsolve::Options", chosen, &chosen, nullptr));
    value = chosen == PETSC_TRUE;
    PetscFunctionReturn(PetscErrorCode(0));
  }

  template <typename Integer>
  PetscErrorCode count(const char* name, const char* text, Integer least, Integer& value) {
    PetscInt chosen = static_cast<PetscInt>(value);
    PetscFunctionBegin;
    PetscCall(PetscOptionsInt(name, text, "spsolve::Options", chosen, &chosen, nullptr));
    PetscCheck(chosen >= static_cast<PetscInt>(least), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%s %" PetscInt_FMT " is below %d", name, chosen, static_cast<int>(least));
    value = static_cast<Integer>(chosen);
    PetscFunctionReturn(PetscErrorCode(0));
  }

  PetscErrorCode number(const char* name, const char* text, double& value) {
    PetscFunctionBegin;
    PetscCall(PetscOptionsReal(name, text, "spsolve::Options", value, &value, nullptr));
    PetscCheck(value >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s %g is below 0", name,
               value);
    PetscFunctionReturn(PetscErrorCode(0));
  }

  PetscErrorCode file(const char* name, const char* text, std::string& value) {
    char chosen[PETSC_MAX_PATH_LEN] = {};
    PetscBool given = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(PetscOptionsString(name, text, "spsolve::Options", value.c_str(), chosen,
                                 sizeof chosen, &given));
    if (given) value = chosen;
    PetscFunctionReturn(PetscErrorCode(0));
  }

 private:
  OptionItems PetscOptionsObject;
};

PetscErrorCode read(Reader reader, Options& options) {
  PetscFunctionBegin;
  PetscCall(reader.word("-mat_spsolve_method", "how A x = b is solved", methods, options.method));
  PetscCall(
      reader.word("-mat_spsolve_ordering", "order of elimination", orderings, options.ordering));
  PetscCall(
      reader.word("-mat_spsolve_precision", "numbers of factors", precisions, options.precision));
  PetscCall(reader.word("-mat_spsolve_matching", "match rows with columns first", switches,
                        options.matching));
  PetscCall(reader.word("-mat_spsolve_equilibrate", "scale rows and columns", switches,
                        options.equilibrate));
  PetscCall(reader.word("-mat_spsolve_accept",
                        "an x is one with certain digits, or by its residual", acceptances,
                        options.accept));
  PetscCall(reader.flag("-mat_spsolve_condition",
                        "estimate condition numbers, and try factors on a known solution",
                        options.condition));
  PetscCall(
      reader.count("-mat_spsolve_refinement", "most sweeps of refinement", 0, options.refinement));
  PetscCall(reader.word("-mat_spsolve_device", "where to eliminate", devices, options.device));
  PetscCall(reader.flag("-mat_spsolve_share_gpus", "ranks may share a GPU", options.share_gpus));
  PetscCall(reader.word("-mat_spsolve_ranks", "the ranks that eliminate", ranks, options.ranks));
  PetscCall(reader.count("-mat_spsolve_right_hand_sides", "expected columns of B", Index{1},
                         options.right_hand_sides));
  PetscCall(reader.file("-mat_spsolve_analysis_file", "file that keeps the analysis",
                        options.analysis_file));
  PetscCall(reader.word("-mat_spsolve_preconditioner", "of Krylov methods", preconditioners,
                        options.preconditioner));
  PetscCall(reader.number("-mat_spsolve_tolerance", "backward error that Krylov methods stop at",
                          options.tolerance));
  PetscCall(reader.count("-mat_spsolve_iterations", "most steps of Krylov methods; 0: by the order",
                         Index{0}, options.iterations));
  PetscFunctionReturn(PetscErrorCode(0));
}

}  // namespace

PetscErrorCode read_place(OptionItems items, Options& options) {
  Reader reader(items);
  PetscFunctionBegin;
  PetscCall(reader.word("-pc_spsolve_device", "where to compute", devices, options.device));
  PetscCall(reader.flag("-pc_spsolve_share_gpus", "ranks may share a GPU", options.share_gpus));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode read_options(Mat factor, Options& options) {
  const char* prefix = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOptionsPrefix(factor, &prefix));
  PetscOptionsBegin(PetscObjectComm(reinterpret_cast<PetscObject>(factor)), prefix,
                    "Options of spsolve", "Mat");
  PetscCall(read(Reader(PetscOptionsObject), options));
  PetscOptionsEnd();
  PetscFunctionReturn(PetscErrorCode(0));
}

}  // namespace spsolve::sockets
