// -pc_type spsolve_multigrid.

#include "sockets/petsc/multigrid.hpp"

#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>

#include "sockets/petsc/factorization.hpp"
#include "sockets/petsc/options.hpp"

namespace spsolve::sockets {

namespace {

constexpr PetscErrorCode success = PetscErrorCode(0);

/// The hierarchy, and what it is made by.
struct Multigrid {
  Options options;
  std::optional<Factorization> hierarchy;
  std::vector<PetscReal> own_places;  // of own nodes, each with `dimensions` numbers
  PetscInt dimensions = 0;
  bool is_set_up = false, is_moved = false;  // is_moved: places came since
};

Multigrid& of(PC pc) {
  return *static_cast<Multigrid*>(pc->data);
}

MPI_Comm ranks_of(PC pc) {
  return PetscObjectComm(reinterpret_cast<PetscObject>(pc));
}

/// Tells what the hierarchy could not be made for: as a PCFailedReason where another matrix or more
/// memory would do and the caller does not want an error.
PetscErrorCode tell_of_set_up(PC pc, const Problem& problem) {
  PetscFunctionBegin;
  const bool singular = problem.code == ExitCode::not_trustworthy;
  const bool is_reason = singular || problem.code == ExitCode::resources;
  const PetscErrorCode code = singular                              ? PETSC_ERR_MAT_LU_ZRPVT
                              : problem.code == ExitCode::resources ? PETSC_ERR_MEM
                              : problem.code == ExitCode::input     ? PETSC_ERR_ARG_WRONG
                                                                    : PETSC_ERR_LIB;
  PetscCheck(is_reason && !pc->erroriffailure, ranks_of(pc), code, "spsolve_multigrid: %s",
             problem.sentence.c_str());
  PetscCall(PCSetFailedReason(pc, singular ? PC_FACTOR_NUMERIC_ZEROPIVOT : PC_FACTOR_OUTMEMORY));
  PetscCall(PetscInfo(pc, "spsolve_multigrid: %s\n", problem.sentence.c_str()));
  PetscFunctionReturn(success);
}

/// The coordinates of all nodes on rank 0, if there are as many as unknowns.
PetscErrorCode gather_places(PC pc, Dense<double>& all) {
  const Multigrid& made = of(pc);
  PetscMPIInt rank = 0, size = 1;
  PetscFunctionBegin;
  all = {};
  PetscInt count = static_cast<PetscInt>(made.own_places.size()), whole = 0;
  PetscCallMPI(MPI_Comm_rank(ranks_of(pc), &rank));
  PetscCallMPI(MPI_Comm_size(ranks_of(pc), &size));
  PetscCallMPI(MPI_Allreduce(&count, &whole, 1, MPIU_INT, MPI_SUM, ranks_of(pc)));
  if (whole == 0 || whole != pc->pmat->rmap->N) PetscFunctionReturn(success);
  std::vector<int> counts(static_cast<std::size_t>(size)), begins(counts.size());
  const int mine = static_cast<int>(count);
  PetscCallMPI(MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, ranks_of(pc)));
  for (std::size_t k = 1; k < counts.size(); ++k) begins[k] = begins[k - 1] + counts[k - 1];
  if (rank == 0) all = Dense<double>(whole / made.dimensions, made.dimensions);
  PetscCallMPI(MPI_Gatherv(made.own_places.data(), mine, MPIU_REAL, all.values.data(),
                           counts.data(), begins.data(), MPIU_REAL, 0, ranks_of(pc)));
  PetscFunctionReturn(success);
}

/// Those of `made`, as the matrix has them now.
PetscErrorCode options_for(PC pc, Options& options) {
  MatNullSpace null_space = nullptr;
  PetscBool has_constants = PETSC_FALSE;
  PetscFunctionBegin;
  options = of(pc).options;
  PetscCall(MatGetNullSpace(pc->pmat, &null_space));
  if (null_space != nullptr) {
    PetscCall(MatNullSpaceGetVecs(null_space, &has_constants, nullptr, nullptr));
  }
  if (has_constants) options.null_space = NullSpaceKind::constants;
  PetscCall(gather_places(pc, options.node_coordinates));
  PetscFunctionReturn(success);
}

PetscErrorCode set_up(PC pc) {
  std::optional<Problem> problem;
  Options options;
  PetscFunctionBegin;
  const Mat a = pc->pmat;
  Multigrid& made = of(pc);
  PetscCheck(a->rmap->N == a->cmap->N, ranks_of(pc), PETSC_ERR_ARG_SIZ,
             "spsolve_multigrid: a matrix of %" PetscInt_FMT " x %" PetscInt_FMT " is not square",
             a->rmap->N, a->cmap->N);
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  made.is_set_up = false;
  if (a->rmap->N == 0) PetscFunctionReturn(success);
  PetscCall(options_for(pc, options));
  const bool is_new = !made.hierarchy || made.is_moved ||
                      made.hierarchy->options().null_space != options.null_space;
  made.is_moved = false;
  if (is_new) {
    made.hierarchy.emplace(options, Factorization::Use::preconditioner);
  }
  PetscCall(made.hierarchy->eliminate(a, problem));
  made.is_set_up = !problem;
  if (problem) PetscCall(tell_of_set_up(pc, *problem));
  PetscFunctionReturn(success);
}

PetscErrorCode tell_of_apply(PC pc, const std::optional<Problem>& problem) {
  PetscFunctionBegin;
  if (!problem) PetscFunctionReturn(success);
  SETERRQ(ranks_of(pc), problem->code == ExitCode::resources ? PETSC_ERR_MEM : PETSC_ERR_LIB,
          "spsolve_multigrid: %s", problem->sentence.c_str());
}

template <Transposition transposition>
PetscErrorCode apply(PC pc, Vec b, Vec x) {
  std::optional<Problem> problem;
  PetscReal norm = 0;
  PetscFunctionBegin;
  if (pc->pmat->rmap->N == 0) PetscFunctionReturn(success);
  if (!of(pc).is_set_up) {  // KSPs look for a reason once x is infinite
    PetscCall(VecSetInf(x));
    PetscFunctionReturn(success);
  }
  PetscCall(of(pc).hierarchy->solve(b, x, transposition, problem));
  if (problem && problem->code == ExitCode::input) {
    // An iteration that has diverged ends by its own reason, once x tells it.
    PetscCall(VecNorm(b, NORM_INFINITY, &norm));
    if (PetscIsInfOrNanReal(norm)) {
      PetscCall(VecSet(x, norm));
      PetscFunctionReturn(success);
    }
  }
  PetscCall(tell_of_apply(pc, problem));
  PetscFunctionReturn(success);
}

PetscErrorCode apply_to_columns(PC pc, Mat b, Mat x) {
  std::optional<Problem> problem;
  PetscFunctionBegin;
  if (pc->pmat->rmap->N == 0) PetscFunctionReturn(success);
  PetscCheck(of(pc).is_set_up, ranks_of(pc), PETSC_ERR_ARG_WRONGSTATE,
             "spsolve_multigrid: it could not be set up");
  PetscCall(of(pc).hierarchy->solve(b, x, Transposition::none, problem));
  PetscCall(tell_of_apply(pc, problem));
  PetscFunctionReturn(success);
}

PetscErrorCode set_from_options(PC pc, OptionItems PetscOptionsObject) {
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Options of spsolve's multigrid");
  PetscCall(read_place(PetscOptionsObject, of(pc).options));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(success);
}

/// PCSetCoordinates(): of own nodes.
PetscErrorCode set_coordinates(PC pc, PetscInt dimensions, PetscInt nodes, PetscReal* places) {
  PetscFunctionBegin;
  of(pc).dimensions = dimensions;
  of(pc).own_places.assign(places, places + nodes * dimensions);
  of(pc).is_moved = true;
  PetscFunctionReturn(success);
}

PetscErrorCode view(PC pc, PetscViewer viewer) {
  PetscBool is_text = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(
      PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_text));
  auto& hierarchy = of(pc).hierarchy;
  if (!is_text || !hierarchy || hierarchy->solver() == nullptr) PetscFunctionReturn(success);
  const SolverPlan& plan = hierarchy->plan();
  PetscCall(PetscViewerASCIIPrintf(viewer, "  a cycle of smoothed aggregation, device: %s\n",
                                   plan.device.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  planned bytes of this process: %g\n",
                                   static_cast<double>(plan.bytes)));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  null space: %s, rigid-body modes: %s\n",
      hierarchy->options().null_space == NullSpaceKind::constants ? "constants" : "none",
      of(pc).dimensions > 0 ? "by coordinates" : "no"));
  PetscFunctionReturn(success);
}

PetscErrorCode reset(PC pc) {
  PetscFunctionBegin;
  of(pc).hierarchy.reset();
  of(pc).is_set_up = false;
  PetscFunctionReturn(success);
}

PetscErrorCode destroy(PC pc) {
  PetscFunctionBegin;
  PetscCall(
      PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), "PCSetCoordinates_C", nullptr));
  delete &of(pc);
  pc->data = nullptr;
  PetscFunctionReturn(success);
}

}  // namespace

PetscErrorCode make_multigrid(PC pc) {
  PetscFunctionBegin;
  auto made = std::make_unique<Multigrid>();
  // Of the methods for any matrix it plans the least vectors. It iterates with A as it is, so that
  // M is symmetric where A is.
  made->options.method = Method::bicgstab;
  made->options.preconditioner = spsolve::Preconditioner::multigrid;
  made->options.equilibrate = AutoSwitch::off;
  made->options.condition = false;
  made->options.systems = 2;
  pc->data = made.release();
  pc->ops->setup = set_up;
  pc->ops->apply = apply<Transposition::none>;
  pc->ops->applytranspose = apply<Transposition::transposed>;
  pc->ops->matapply = apply_to_columns;
  pc->ops->setfromoptions = set_from_options;
  pc->ops->view = view;
  pc->ops->reset = reset;
  pc->ops->destroy = destroy;
  if (!PetscDefined(USE_COMPLEX)) {  // there are no rigid-body modes of complex systems
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), "PCSetCoordinates_C",
                                         set_coordinates));
  }
  PetscFunctionReturn(success);
}

}  // namespace spsolve::sockets
