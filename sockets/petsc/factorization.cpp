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

PetscErrorCode Factorization::analyse(Mat a, std::optional<Problem>& problem) {
  PetscFunctionBegin;
  AijRows own;
  PetscCall(take_rows(a, own));
  PetscCall(analyse_rows(a, own, problem));
  // Other values of the pattern may follow, with which it is analysed then.
  if (problem && problem->code == ExitCode::not_trustworthy) problem.reset();
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::analyse_rows(Mat a, AijRows& own, std::optional<Problem>& problem) {
  const MPI_Comm ranks = ranks_of(a);
  PetscMPIInt size = 1;
  PetscInt first = 0, last = 0, columns = 0;
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
  PetscCall(MatGetSize(a, nullptr, &columns));
  PetscCall(MatGetOwnershipRange(a, &first, &last));
  problem = attempt([&] {
    if (!ranks_) ranks_ = size > 1 ? spsolve::ranks_of(ranks) : Ranks();
    const Matrix matrix =
        Matrix::from_own_rows(*ranks_, {.rows = {first, last},
                                        .columns = columns,
                                        .row_offsets = own.offsets,
                                        .column_indices = own.columns,
                                        .values = std::span<const PetscScalar>(own.values)});
    solver_ = Solver::analysed(matrix, options_, *ranks_);
    plan_ = solver_->plan();
  });
  if (problem) solver_.reset();
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode Factorization::has_pattern_of(Mat a, const AijRows* rows, bool& has) const {
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
  AijRows own;
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

PetscErrorCode Factorization::set_values(Mat a, AijRows& own, std::optional<Problem>& problem) {
  bool finite = false;
  PetscFunctionBegin;
  PetscCall(on_every_rank(ranks_of(a), std::ranges::all_of(own.values, is_finite), finite));
  if (!finite) {
    problem = not_finite();
    PetscFunctionReturn(PetscErrorCode(0));
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

std::optional<Problem> Factorization::solve_rows(const PetscScalar* b, PetscInt columns,
                                                 PetscScalar* x, Transposition of) {
  return attempt([&] {
    const auto size = static_cast<std::size_t>(solver_->own().size() * columns);
    const std::span from(b, size);
    const std::span to(x, size);
    if (use_ == Use::preconditioner) return precondition_by(*solver_, from, columns, to, of);
    last_ = solve_by(*solver_, from, columns, to, of);
    if (last_.solved) return;
    throw Error(ExitCode::not_trustworthy, "x cannot be trusted: " + joined(last_.notes));
  });
}

PetscErrorCode Factorization::solve(Vec b, Vec x, Transposition of,
                                    std::optional<Problem>& problem) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  problem = solve_rows(from, 1, to, of);
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
  problem = solve_rows(by_rows.data(), columns, by_rows.data(), of);
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
