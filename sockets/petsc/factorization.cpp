#include "sockets/petsc/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "spsolve/mpi.hpp"

namespace spsolve::sockets {

namespace {

/// Does some work of the library's; what it could not do.
template <typename Work>
std::optional<Problem> attempt(const Work& work) noexcept {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    return Problem{error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return Problem{ExitCode::resources, "there is too little memory"};
  } catch (const std::exception& error) {
    return Problem{ExitCode::internal, error.what()};
  }
}

bool is_finite(const PetscScalar& value) {
  return std::isfinite(PetscRealPart(value)) && std::isfinite(PetscImaginaryPart(value));
}

/// Whether `mine` is true on every rank.
PetscErrorCode on_every_rank(MPI_Comm ranks, bool mine, bool& all) {
  int value = mine ? 1 : 0;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_LAND, ranks));
  all = value != 0;
  PetscFunctionReturn(PetscErrorCode(0));
}

std::optional<Problem> not_finite() {
  return Problem{ExitCode::not_trustworthy, "the matrix has values that are not finite"};
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text.empty() ? "the residual is too large" : text;
}

/// Element i of the solution that factors are tried on: between 1 and 2, without a pattern.
double known(PetscInt i) {
  const auto bits = static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * 2654435761U);
  return 1 + bits / 4294967296.0;
}

[[maybe_unused]] Solution solve_by(Solver& solver, std::span<const double> b, Index columns,
                                   std::span<double> x, Transposition of) {
  return solver.solve(b, columns, x, of != Transposition::none);
}
[[maybe_unused]] Solution solve_by(Solver& solver, std::span<const std::complex<double>> b,
                                   Index columns, std::span<std::complex<double>> x,
                                   Transposition of) {
  return solver.solve(b, columns, x, of);
}

[[maybe_unused]] void precondition_by(Solver& solver, std::span<const double> b, Index columns,
                                      std::span<double> x, Transposition of) {
  solver.precondition(b, columns, x, of != Transposition::none);
}
[[maybe_unused]] void precondition_by(Solver& solver, std::span<const std::complex<double>> b,
                                      Index columns, std::span<std::complex<double>> x,
                                      Transposition of) {
  solver.precondition(b, columns, x, of);
}

/// How far rows, and columns, of a dense matrix are from each other.
struct Strides {
  std::size_t row, column;
};

/// Copies rows x columns numbers from one layout to another.
void copy(PetscInt rows, PetscInt columns, const PetscScalar* from, Strides of_from,
          PetscScalar* to, Strides of_to) {
  for (PetscInt j = 0; j < columns; ++j) {
    for (PetscInt i = 0; i < rows; ++i) {
      to[i * of_to.row + j * of_to.column] = from[i * of_from.row + j * of_from.column];
    }
  }
}

MPI_Comm ranks_of(Mat a) {
  return PetscObjectComm(reinterpret_cast<PetscObject>(a));
}

}  // namespace

Factorization::~Factorization() {
  PetscCallAbort(PETSC_COMM_SELF, PetscSFDestroy(&rows_));
}

PetscErrorCode Factorization::analyse(Mat a, std::optional<Problem>& problem) {
  PetscFunctionBegin;
  OwnRows own;
  PetscCall(take_rows(a, own));
  PetscCall(analyse_rows(a, own, problem));
  // Other values of the pattern may follow, with which it is analysed then.
  if (problem && problem->code == ExitCode::not_trustworthy) problem.reset();
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::analyse_rows(Mat a, OwnRows& own, std::optional<Problem>& problem) {
  const MPI_Comm ranks = ranks_of(a);
  PetscMPIInt size = 1;
  PetscFunctionBegin;
  solver_.reset();
  plan_ = {};
  last_ = {};
  PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(a), &analysed_));
  PetscCall(MatGetNonzeroState(a, &nonzero_state_));
  fingerprint_ = fingerprint_of(own);
  as_they_lie_ = own.as_they_lie;
  entries_ = own.offsets.back();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &entries_, 1, MPI_INT64_T, MPI_SUM, ranks));
  bool finite = false;
  PetscCall(on_every_rank(ranks, std::ranges::all_of(own.values, is_finite), finite));
  if (!finite) {
    problem = not_finite();
    PetscFunctionReturn(PetscErrorCode(0));
  }
  PetscCallMPI(MPI_Comm_size(ranks, &size));
  OwnRows gathered;
  RowRanges has;
  PetscCall(take_ranges(a, has));
  if (size > 1) PetscCall(gather_rows(ranks, has, own, gathered));
  const OwnRows& whole = size > 1 ? gathered : own;
  problem = attempt([&] {
    if (!ranks_) ranks_ = size > 1 ? spsolve::ranks_of(ranks) : Ranks();
    Matrix matrix;
    if (ranks_->rank() == 0) {
      matrix = Matrix::from_rows(whole.rows(), whole.rows(), whole.offsets, whole.columns,
                                 std::span<const PetscScalar>(whole.values));
    }
    gathered = {};
    solver_ = Solver::analysed(matrix, options_, *ranks_);
    plan_ = solver_->plan();
  });
  if (problem) {
    solver_.reset();
    PetscFunctionReturn(PetscErrorCode(0));
  }
  PetscCall(open_roads(a, has, own));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::open_roads(Mat a, const RowRanges& has, const OwnRows& own) {
  const MPI_Comm ranks = ranks_of(a);
  const Range solvers = solver_->own();
  PetscInt first = 0, last = 0;
  PetscLayout layout = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&rows_));
  PetscCall(MatGetOwnershipRange(a, &first, &last));
  PetscCall(on_every_rank(ranks, solvers == Range{first, last}, rows_agree_));
  if (rows_agree_) PetscFunctionReturn(PetscErrorCode(0));
  RowRanges wanted;
  PetscCall(gather_ranges(ranks, solvers, wanted));
  PetscCall(values_.open(ranks, has, wanted, own.offsets));
  std::vector<PetscInt> rows(static_cast<std::size_t>(solvers.size()));
  for (Index k = 0; k < solvers.size(); ++k) rows[k] = static_cast<PetscInt>(solvers.first + k);
  PetscCall(PetscSFCreate(ranks, &rows_));
  PetscCall(MatGetLayouts(a, &layout, nullptr));
  PetscCall(PetscSFSetGraphLayout(rows_, layout, static_cast<PetscInt>(rows.size()), nullptr,
                                  PETSC_OWN_POINTER, rows.data()));
  PetscCall(PetscSFSetUp(rows_));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::has_pattern_of(Mat a, const OwnRows* rows, bool& has) const {
  PetscObjectId id = 0;
  PetscObjectState state = 0;
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(a), &id));
  PetscCall(MatGetNonzeroState(a, &state));
  const bool is_same = (id == analysed_ && state == nonzero_state_) ||
                       (rows != nullptr && fingerprint_of(*rows) == fingerprint_);
  PetscCall(on_every_rank(ranks_of(a), is_same, has));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::eliminate(Mat a, std::optional<Problem>& problem) {
  PetscBool is_sequential = PETSC_FALSE;
  bool has_pattern = false;
  OwnRows own;
  PetscFunctionBegin;
  PetscCall(
      PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(a), MATSEQAIJ, &is_sequential));
  PetscCall(has_pattern_of(a, nullptr, has_pattern));
  const bool takes_array = solver_ && has_pattern && is_sequential && as_they_lie_;
  if (!takes_array) {
    PetscCall(take_rows(a, own));
    PetscCall(has_pattern_of(a, &own, has_pattern));
  }
  if (!solver_ || !has_pattern) {
    PetscCall(analyse_rows(a, own, problem));
    if (problem) PetscFunctionReturn(PetscErrorCode(0));
  }
  if (takes_array) {
    const PetscScalar* values = nullptr;
    PetscCall(MatSeqAIJGetArrayRead(a, &values));
    const std::span all(values, static_cast<std::size_t>(entries_));
    problem = std::ranges::all_of(all, is_finite) ? attempt([&] { solver_->set_values(all); })
                                                  : not_finite();
    PetscCall(MatSeqAIJRestoreArrayRead(a, &values));
  } else {
    PetscCall(set_values(a, own, problem));
  }
  if (!problem) PetscCall(try_known_solution(a, problem));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::set_values(Mat a, OwnRows& own, std::optional<Problem>& problem) {
  bool finite = false;
  PetscFunctionBegin;
  PetscCall(on_every_rank(ranks_of(a), std::ranges::all_of(own.values, is_finite), finite));
  if (!finite) {
    problem = not_finite();
    PetscFunctionReturn(PetscErrorCode(0));
  }
  if (!rows_agree_) {
    std::vector<PetscScalar> wanted;
    PetscCall(values_.carry(std::span<const PetscScalar>(own.values), MPIU_SCALAR, wanted));
    own.values = std::move(wanted);
  }
  problem = attempt([&] { solver_->set_values(std::span<const PetscScalar>(own.values)); });
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::try_known_solution(Mat a, std::optional<Problem>& problem) {
  Vec x = nullptr, b = nullptr;
  PetscScalar* values = nullptr;
  PetscInt first = 0, last = 0;
  PetscFunctionBegin;
  if (!options_.condition) PetscFunctionReturn(PetscErrorCode(0));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecGetArrayWrite(x, &values));
  PetscCall(VecGetOwnershipRange(x, &first, &last));
  for (PetscInt i = first; i < last; ++i) values[i - first] = known(i);
  PetscCall(VecRestoreArrayWrite(x, &values));
  PetscCall(MatMult(a, x, b));
  PetscCall(solve(b, x, Transposition::none, problem));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PetscErrorCode(0));
}

std::optional<Problem> Factorization::solve_own(std::span<const PetscScalar> b, Index columns,
                                                std::span<PetscScalar> x, Transposition of) {
  return attempt([&] {
    if (use_ == Use::preconditioner) return precondition_by(*solver_, b, columns, x, of);
    last_ = solve_by(*solver_, b, columns, x, of);
    if (last_.solved) return;
    throw Error(ExitCode::not_trustworthy, "x cannot be trusted: " + joined(last_.notes));
  });
}

PetscErrorCode Factorization::solve_rows(const PetscScalar* b, PetscInt columns, PetscScalar* x,
                                         Transposition of, std::optional<Problem>& problem) {
  PetscFunctionBegin;
  const auto size = static_cast<std::size_t>(solver_->own().size() * columns);
  if (rows_agree_) {
    problem = solve_own(std::span(b, size), columns, std::span(x, size), of);
    PetscFunctionReturn(PetscErrorCode(0));
  }
  MPI_Datatype row = MPIU_SCALAR;
  if (columns != 1) {
    PetscCallMPI(MPI_Type_contiguous(static_cast<PetscMPIInt>(columns), MPIU_SCALAR, &row));
    PetscCallMPI(MPI_Type_commit(&row));
  }
  std::vector<PetscScalar> own(size);
  PetscCall(PetscSFBcastBegin(rows_, row, b, own.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(rows_, row, b, own.data(), MPI_REPLACE));
  problem = solve_own(own, columns, own, of);
  PetscCall(PetscSFReduceBegin(rows_, row, own.data(), x, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(rows_, row, own.data(), x, MPI_REPLACE));
  if (columns != 1) PetscCallMPI(MPI_Type_free(&row));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::solve(Vec b, Vec x, Transposition of,
                                    std::optional<Problem>& problem) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  PetscCall(solve_rows(from, 1, to, of, problem));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::solve(Mat b, Mat x, Transposition of,
                                    std::optional<Problem>& problem) {
  PetscInt rows = 0, columns = 0, of_b = 0, of_x = 0;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(b, &rows, nullptr));
  PetscCall(MatGetSize(b, nullptr, &columns));
  if (columns == 0) PetscFunctionReturn(PetscErrorCode(0));
  std::vector<PetscScalar> by_rows(static_cast<std::size_t>(rows) * columns);
  PetscCall(MatDenseGetLDA(b, &of_b));
  PetscCall(MatDenseGetArrayRead(b, &from));
  const Strides of_rows{static_cast<std::size_t>(columns), 1};
  copy(rows, columns, from, {1, static_cast<std::size_t>(of_b)}, by_rows.data(), of_rows);
  PetscCall(MatDenseRestoreArrayRead(b, &from));
  PetscCall(solve_rows(by_rows.data(), columns, by_rows.data(), of, problem));
  PetscCall(MatDenseGetLDA(x, &of_x));
  PetscCall(MatDenseGetArrayWrite(x, &to));
  copy(rows, columns, by_rows.data(), of_rows, to, {1, static_cast<std::size_t>(of_x)});
  PetscCall(MatDenseRestoreArrayWrite(x, &to));
  PetscFunctionReturn(PetscErrorCode(0));
}

std::optional<Index> Factorization::negative_eigenvalues(std::optional<Problem>& problem) {
  std::optional<Index> negative;
  problem = attempt([&] {
    const std::optional<Inertia> told = solver_->inertia();
    if (told && told->certainty != Certainty::unknown) negative = told->negative;
  });
  return negative;
}

}  // namespace spsolve::sockets
