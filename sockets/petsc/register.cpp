// The factors that PETSc gets from this library, as it calls them.

#include <petsc/private/matimpl.h>
#include <petscpc.h>

#include "sockets/petsc/factorization.hpp"
#include "sockets/petsc/multigrid.hpp"
#include "sockets/petsc/options.hpp"

namespace spsolve::sockets {

namespace {

constexpr const char solver_type[] = "spsolve";
constexpr PetscErrorCode success = PetscErrorCode(0);

Factorization& of(Mat factor) {
  return *static_cast<Factorization*>(factor->data);
}

PetscObject object(Mat matrix) {
  return reinterpret_cast<PetscObject>(matrix);
}

/// Tells what a factor of `a` could not be made for: as a MatFactorError where another matrix or
/// more memory would do and the caller does not want an error, else as an error.
PetscErrorCode tell(Mat factor, Mat a, const Problem& problem) {
  PetscFunctionBegin;
  const char* const sentence = problem.sentence.c_str();
  const MPI_Comm ranks = PetscObjectComm(object(factor));
  const bool is_cholesky = factor->factortype == MAT_FACTOR_CHOLESKY;
  switch (problem.code) {
    case ExitCode::not_trustworthy:
      PetscCheck(!a->erroriffailure, ranks,
                 is_cholesky ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT, "spsolve: %s",
                 sentence);
      factor->factorerrortype = MAT_FACTOR_NUMERIC_ZEROPIVOT;
      break;
    case ExitCode::resources:
      PetscCheck(!a->erroriffailure, ranks, PETSC_ERR_MEM, "spsolve: %s", sentence);
      factor->factorerrortype = MAT_FACTOR_OUTMEMORY;
      break;
    case ExitCode::input:
      SETERRQ(ranks, PETSC_ERR_ARG_WRONG, "spsolve: %s", sentence);
    default:
      SETERRQ(ranks, PETSC_ERR_LIB, "spsolve: %s", sentence);
  }
  PetscCall(PetscInfo(factor, "spsolve: %s\n", sentence));
  PetscFunctionReturn(success);
}

PetscErrorCode symbolic(Mat factor, Mat a) {
  std::optional<Problem> problem;
  PetscFunctionBegin;
  PetscCheck(a->rmap->N == a->cmap->N, PetscObjectComm(object(a)), PETSC_ERR_ARG_SIZ,
             "spsolve: a matrix of %" PetscInt_FMT " x %" PetscInt_FMT " is not square", a->rmap->N,
             a->cmap->N);
  factor->factorerrortype = MAT_FACTOR_NOERROR;
  Options& options = of(factor).options();
  if (factor->factortype == MAT_FACTOR_CHOLESKY && options.method != Method::sparse_lu &&
      a->spd == PETSC_BOOL3_TRUE) {
    options.method = Method::sparse_cholesky;
  }
  PetscCall(read_options(factor, options));
  if (a->rmap->N == 0) PetscFunctionReturn(success);
  PetscCall(of(factor).analyse(a, problem));
  if (problem) PetscCall(tell(factor, a, *problem));
  PetscFunctionReturn(success);
}

PetscErrorCode symbolic_lu(Mat factor, Mat a, IS, IS, const MatFactorInfo*) {
  PetscFunctionBegin;
  PetscCall(symbolic(factor, a));
  PetscFunctionReturn(success);
}

PetscErrorCode symbolic_cholesky(Mat factor, Mat a, IS, const MatFactorInfo*) {
  PetscFunctionBegin;
  PetscCall(symbolic(factor, a));
  PetscFunctionReturn(success);
}

PetscErrorCode numeric(Mat factor, Mat a, const MatFactorInfo*) {
  std::optional<Problem> problem;
  PetscFunctionBegin;
  factor->factorerrortype = MAT_FACTOR_NOERROR;
  factor->assembled = PETSC_TRUE;
  if (a->rmap->N == 0) PetscFunctionReturn(success);
  PetscCall(of(factor).eliminate(a, problem));
  if (problem) PetscCall(tell(factor, a, *problem));
  const Solver* const solver = of(factor).solver();
  if (solver != nullptr) {
    PetscMPIInt ranks = 1;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm(object(factor)), &ranks));
    PetscCall(PetscLogFlops(solver->report().flops / ranks));
    for (const std::string& note : solver->report().notes) {
      PetscCall(PetscInfo(factor, "spsolve: %s\n", note.c_str()));
    }
  }
  PetscFunctionReturn(success);
}

/// PETSc's solves have no reason to end by, but errors.
PetscErrorCode tell_of_solve(Mat factor, const std::optional<Problem>& problem) {
  PetscFunctionBegin;
  if (!problem) PetscFunctionReturn(success);
  const ExitCode code = problem->code;
  SETERRQ(PetscObjectComm(object(factor)),
          code == ExitCode::not_trustworthy ? PETSC_ERR_NOT_CONVERGED
          : code == ExitCode::resources     ? PETSC_ERR_MEM
          : code == ExitCode::input         ? PETSC_ERR_ARG_WRONG
                                            : PETSC_ERR_LIB,
          "spsolve: %s", problem->sentence.c_str());
}

template <Transposition transposition>
PetscErrorCode solve(Mat factor, Vec b, Vec x) {
  std::optional<Problem> problem;
  PetscFunctionBegin;
  PetscCheck(of(factor).solver() != nullptr, PetscObjectComm(object(factor)),
             PETSC_ERR_ARG_WRONGSTATE, "spsolve: no values have been factored");
  PetscCall(of(factor).solve(b, x, transposition, problem));
  PetscCall(tell_of_solve(factor, problem));
  PetscFunctionReturn(success);
}

template <Transposition transposition>
PetscErrorCode solve_columns(Mat factor, Mat b, Mat x) {
  PetscBool is_dense = PETSC_FALSE;
  std::optional<Problem> problem;
  PetscFunctionBegin;
  for (Mat right : {b, x}) {
    PetscCall(
        PetscObjectBaseTypeCompareAny(object(right), &is_dense, MATSEQDENSE, MATMPIDENSE, ""));
    PetscCheck(is_dense, PetscObjectComm(object(factor)), PETSC_ERR_ARG_WRONG,
               "spsolve: right-hand sides and solutions are dense matrices (MATDENSE)");
    PetscCheck(right->rmap->n == factor->rmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "spsolve: %" PetscInt_FMT " rows of this rank, and the factor has %" PetscInt_FMT,
               right->rmap->n, factor->rmap->n);
  }
  if (factor->factorerrortype != MAT_FACTOR_NOERROR) {
    PetscInt columns = 0;
    PetscCall(MatGetSize(x, nullptr, &columns));
    for (PetscInt j = 0; j < columns; ++j) {
      Vec column = nullptr;
      PetscCall(MatDenseGetColumnVecWrite(x, j, &column));
      PetscCall(VecSetInf(column));
      PetscCall(MatDenseRestoreColumnVecWrite(x, j, &column));
    }
    PetscFunctionReturn(success);
  }
  PetscCheck(of(factor).solver() != nullptr, PetscObjectComm(object(factor)),
             PETSC_ERR_ARG_WRONGSTATE, "spsolve: no values have been factored");
  PetscCall(of(factor).solve(b, x, transposition, problem));
  PetscCall(tell_of_solve(factor, problem));
  PetscFunctionReturn(success);
}

PetscErrorCode inertia(Mat factor, PetscInt* negative, PetscInt* zero, PetscInt* positive) {
  std::optional<Problem> problem;
  PetscFunctionBegin;
  const MPI_Comm ranks = PetscObjectComm(object(factor));
  PetscCheck(of(factor).solver() != nullptr && factor->factorerrortype == MAT_FACTOR_NOERROR, ranks,
             PETSC_ERR_ARG_WRONGSTATE, "spsolve: there are no factors with an inertia");
  const std::optional<Index> count = of(factor).negative_eigenvalues(problem);
  PetscCall(tell_of_solve(factor, problem));
  PetscCheck(count, ranks, PETSC_ERR_SUP,
             "spsolve: the inertia is not known: the matrix is complex symmetric, or its factors "
             "did not find a known solution");
  if (negative != nullptr) *negative = static_cast<PetscInt>(*count);
  if (zero != nullptr) *zero = 0;
  if (positive != nullptr) *positive = factor->rmap->N - static_cast<PetscInt>(*count);
  PetscFunctionReturn(success);
}

PetscErrorCode get_info(Mat factor, MatInfoType, MatInfo* info) {
  PetscFunctionBegin;
  *info = {};
  info->block_size = 1;
  const Factorization& made = of(factor);
  if (made.solver() == nullptr) PetscFunctionReturn(success);
  const Index factored = made.solver()->report().factor_entries;
  const Index entries = factored > 0 ? factored : made.plan().factor_entries;
  info->nz_allocated = info->nz_used = static_cast<PetscLogDouble>(entries);
  info->memory = static_cast<PetscLogDouble>(made.plan().bytes);
  info->fill_ratio_needed =
      static_cast<PetscLogDouble>(entries) / static_cast<PetscLogDouble>(made.entries());
  PetscFunctionReturn(success);
}

PetscErrorCode view(Mat factor, PetscViewer viewer) {
  PetscBool is_text = PETSC_FALSE;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  PetscFunctionBegin;
  PetscCall(
      PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_text));
  const Factorization& made = of(factor);
  if (!is_text || made.solver() == nullptr) PetscFunctionReturn(success);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL) {
    PetscFunctionReturn(success);
  }
  const SetUpReport& report = made.solver()->report();
  const SolverPlan& plan = made.plan();
  PetscCall(PetscViewerASCIIPrintf(viewer, "spsolve run parameters:\n"));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  method: %s, ordering: %s, device: %s\n",
                                   plan.method.c_str(), plan.ordering.c_str(),
                                   plan.device.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  entries of factors: %g, flops: %g\n",
                                   static_cast<double>(report.factor_entries), report.flops));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  pivots made larger: %g\n",
                                   static_cast<double>(report.perturbed_pivots)));
  if (made.last().condition) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  condition: %g\n", *made.last().condition));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  backward error of the last x: %g\n",
                                   made.last().backward_error));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) {
    for (const std::string& note : report.notes) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "  note: %s\n", note.c_str()));
    }
  }
  PetscFunctionReturn(success);
}

PetscErrorCode destroy(Mat factor) {
  PetscFunctionBegin;
  delete &of(factor);
  factor->data = nullptr;
  PetscCall(PetscObjectComposeFunction(object(factor), "MatFactorGetSolverType_C", nullptr));
  PetscFunctionReturn(success);
}

PetscErrorCode get_solver_type(Mat, MatSolverType* type) {
  PetscFunctionBegin;
  *type = solver_type;
  PetscFunctionReturn(success);
}

PetscErrorCode make_factor(Mat a, MatFactorType type, Mat* made) {
  Mat factor = nullptr;
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm(object(a)), &factor));
  PetscCall(MatSetSizes(factor, a->rmap->n, a->cmap->n, a->rmap->N, a->cmap->N));
  PetscCall(PetscStrallocpy(solver_type, &object(factor)->type_name));
  PetscCall(MatSetUp(factor));
  Options defaults;
  defaults.systems = 2;  // factors are used more than once
  defaults.method = type == MAT_FACTOR_LU ? Method::sparse_lu : Method::sparse_ldlt;
  factor->data = new Factorization(defaults);
  factor->factortype = type;
  if (type == MAT_FACTOR_LU) {
    factor->ops->lufactorsymbolic = symbolic_lu;
    factor->ops->lufactornumeric = numeric;
  } else {
    factor->ops->choleskyfactorsymbolic = symbolic_cholesky;
    factor->ops->choleskyfactornumeric = numeric;
    factor->ops->getinertia = inertia;
  }
  factor->ops->solve = solve<Transposition::none>;
  factor->ops->solvetranspose = solve<Transposition::transposed>;
  factor->ops->matsolve = solve_columns<Transposition::none>;
  factor->ops->matsolvetranspose = solve_columns<Transposition::transposed>;
  factor->ops->getinfo = get_info;
  factor->ops->view = view;
  factor->ops->destroy = destroy;
  PetscCall(PetscFree(factor->solvertype));
  PetscCall(PetscStrallocpy(solver_type, &factor->solvertype));
  PetscCall(
      PetscStrallocpy(MATORDERINGEXTERNAL, const_cast<char**>(&factor->preferredordering[type])));
  PetscCall(
      PetscObjectComposeFunction(object(factor), "MatFactorGetSolverType_C", get_solver_type));
  *made = factor;
  PetscFunctionReturn(success);
}

PetscErrorCode register_all() {
  PetscFunctionBegin;
  // Before there are PETSc's own solvers, registering one would leave them out.
  PetscCall(MatInitializePackage());
  // GPUs' types have their values on the host as well. Names that this PETSc lacks match nothing.
  for (const char* type : {MATSEQAIJ, MATMPIAIJ, MATSEQBAIJ, MATMPIBAIJ, "seqaijcusparse",
                           "mpiaijcusparse", "seqaijkokkos", "mpiaijkokkos", "seqaijhipsparse",
                           "mpiaijhipsparse", "seqaijviennacl", "mpiaijviennacl"}) {
    PetscCall(MatSolverTypeRegister(solver_type, type, MAT_FACTOR_LU, make_factor));
    PetscCall(MatSolverTypeRegister(solver_type, type, MAT_FACTOR_CHOLESKY, make_factor));
  }
  for (const char* type : {MATSEQSBAIJ, MATMPISBAIJ}) {
    PetscCall(MatSolverTypeRegister(solver_type, type, MAT_FACTOR_CHOLESKY, make_factor));
  }
  PetscCall(PCRegister("spsolve_multigrid", make_multigrid));
  PetscFunctionReturn(success);
}

}  // namespace

}  // namespace spsolve::sockets

extern "C" __attribute__((visibility("default"))) int spsolve_petsc_register() {
  return spsolve::sockets::register_all();
}
