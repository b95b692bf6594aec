// PETSc with our plugin, as a program calls it: alone or by mpirun, of real or complex scalars. The
// library is named by the environment, SPSOLVE_PETSC_PLUGIN.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "petsc_meshes.hpp"

namespace {

/// A factor by the plugin; its analysis too.
Mat analysed(Mat a, MatFactorType type) {
  Mat factor = nullptr;
  OK(MatGetFactor(a, "spsolve", type, &factor));
  if (type == MAT_FACTOR_LU) {
    OK(MatLUFactorSymbolic(factor, a, nullptr, nullptr, nullptr));
  } else {
    OK(MatCholeskyFactorSymbolic(factor, a, nullptr, nullptr));
  }
  return factor;
}

void eliminate(Mat factor, Mat a, MatFactorType type) {
  if (type == MAT_FACTOR_LU) {
    OK(MatLUFactorNumeric(factor, a, nullptr));
  } else {
    OK(MatCholeskyFactorNumeric(factor, a, nullptr));
  }
}

MatFactorError error_of(Mat factor) {
  MatFactorError error = MAT_FACTOR_NOERROR;
  OK(MatFactorGetError(factor, &error));
  return error;
}

/// ||b - A x|| / ||b|| of a random b, also with A^T.
double residual(Mat factor, Mat a, bool transposed = false) {
  Vec b = nullptr, x = nullptr, r = nullptr;
  OK(MatCreateVecs(a, &x, &b));
  OK(VecDuplicate(b, &r));
  OK(VecSetRandom(b, nullptr));
  OK(transposed ? MatSolveTranspose(factor, b, x) : MatSolve(factor, b, x));
  OK(transposed ? MatMultTranspose(a, x, r) : MatMult(a, x, r));
  PetscReal before = 0, after = 0;
  OK(VecNorm(b, NORM_2, &before));
  OK(VecAXPY(r, -1.0, b));
  OK(VecNorm(r, NORM_2, &after));
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
  OK(VecDestroy(&r));
  return after / before;
}

double residual_of_columns(Mat factor, Mat a, PetscInt columns, bool transposed) {
  PetscInt rows = 0, all = 0;
  Mat b = nullptr, x = nullptr, r = nullptr, matrix = a;
  OK(MatGetLocalSize(a, &rows, nullptr));
  OK(MatGetSize(a, &all, nullptr));
  OK(MatCreateDense(PetscObjectComm(reinterpret_cast<PetscObject>(a)), rows, PETSC_DECIDE, all,
                    columns, nullptr, &b));
  OK(MatSetRandom(b, nullptr));
  OK(MatDuplicate(b, MAT_DO_NOT_COPY_VALUES, &x));
  OK(transposed ? MatMatSolveTranspose(factor, b, x) : MatMatSolve(factor, b, x));
  if (transposed) OK(MatTranspose(a, MAT_INITIAL_MATRIX, &matrix));
  OK(MatMatMult(matrix, x, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &r));
  PetscReal before = 0, after = 0;
  OK(MatNorm(b, NORM_FROBENIUS, &before));
  OK(MatAXPY(r, -1.0, b, SAME_NONZERO_PATTERN));
  OK(MatNorm(r, NORM_FROBENIUS, &after));
  if (transposed) OK(MatDestroy(&matrix));
  OK(MatDestroy(&b));
  OK(MatDestroy(&x));
  OK(MatDestroy(&r));
  return after / before;
}

constexpr double small = 1e-12;

void solves_by_lu_what_rows_lie_where_they_lie() {
  for (const bool to_last : {false, true}) {
    Mat a = mesh(40, Kind::general, 4.5, to_last);
    Mat factor = analysed(a, MAT_FACTOR_LU);
    eliminate(factor, a, MAT_FACTOR_LU);
    EXPECT(error_of(factor) == MAT_FACTOR_NOERROR);
    EXPECT(residual(factor, a) < small);
    EXPECT(residual(factor, a, true) < small);
    EXPECT(residual_of_columns(factor, a, 3, false) < small);
    EXPECT(residual_of_columns(factor, a, 2, true) < small);
    MatInfo info = {};
    OK(MatGetInfo(factor, MAT_GLOBAL_SUM, &info));
    EXPECT(info.nz_used >= 1600 && info.fill_ratio_needed > 1);
    // New values with the analysis; by other rows of PETSc's type the same.
    OK(MatScale(a, 3.0));
    eliminate(factor, a, MAT_FACTOR_LU);
    EXPECT(residual(factor, a) < small);
    OK(MatDestroy(&factor));
    OK(MatDestroy(&a));
  }
}

/// All of the x of A x = 1 by L U, on every rank.
std::vector<PetscScalar> solution_of_ones(Mat a) {
  Mat factor = analysed(a, MAT_FACTOR_LU);
  Vec b = nullptr, x = nullptr, all = nullptr;
  VecScatter to_all = nullptr;
  const PetscScalar* values = nullptr;
  PetscInt size = 0;
  eliminate(factor, a, MAT_FACTOR_LU);
  OK(MatCreateVecs(a, &x, &b));
  OK(VecSet(b, 1.0));
  OK(MatSolve(factor, b, x));
  OK(VecScatterCreateToAll(x, &to_all, &all));
  OK(VecScatterBegin(to_all, x, all, INSERT_VALUES, SCATTER_FORWARD));
  OK(VecScatterEnd(to_all, x, all, INSERT_VALUES, SCATTER_FORWARD));
  OK(VecGetLocalSize(all, &size));
  OK(VecGetArrayRead(all, &values));
  const std::vector<PetscScalar> found(values, values + size);
  OK(VecRestoreArrayRead(all, &values));
  for (Vec* vector : {&b, &x, &all}) OK(VecDestroy(vector));
  OK(VecScatterDestroy(&to_all));
  OK(MatDestroy(&factor));
  return found;
}

void finds_the_same_bits_wherever_rows_lie() {
  Mat dealt = mesh(40, Kind::general, 4.5), last = mesh(40, Kind::general, 4.5, true);
  EXPECT(solution_of_ones(dealt) == solution_of_ones(last));
  for (Mat* matrix : {&dealt, &last}) OK(MatDestroy(matrix));
}

void solves_by_cholesky_all_types() {
  for (const char* type : {"aij", "sbaij", "baij"}) {
    for (const Kind kind : {Kind::symmetric, Kind::hermitian}) {
      Mat aij = mesh(40, kind, 4.5), a = nullptr;
      OK(MatSetOption(aij, MAT_SYMMETRIC, kind == Kind::symmetric ? PETSC_TRUE : PETSC_FALSE));
      OK(MatSetOption(aij, MAT_HERMITIAN,
                      kind == Kind::hermitian || !is_complex ? PETSC_TRUE : PETSC_FALSE));
      if (!is_complex) OK(MatSetOption(aij, MAT_SYMMETRIC, PETSC_TRUE));
      const bool of_upper = std::string(type) == "sbaij";
      if (of_upper && is_complex && kind == Kind::hermitian) {
        OK(MatDestroy(&aij));
        continue;  // which PETSc itself converts to no other type
      }
      OK(MatConvert(aij, type, MAT_INITIAL_MATRIX, &a));
      Mat factor = analysed(a, MAT_FACTOR_CHOLESKY);
      eliminate(factor, a, MAT_FACTOR_CHOLESKY);
      EXPECT(error_of(factor) == MAT_FACTOR_NOERROR);
      EXPECT(residual(factor, a) < small);
      EXPECT(residual_of_columns(factor, aij, 2, false) < small);
      PetscInt negative = -1, zero = -1, positive = -1;
      if (is_complex && kind == Kind::symmetric) {
        EXPECT(code_of([&] { return MatGetInertia(factor, &negative, &zero, &positive); }) ==
               PETSC_ERR_SUP);
      } else {
        OK(MatGetInertia(factor, &negative, &zero, &positive));
        EXPECT(negative == 0 && zero == 0 && positive == 1600);
        // Its eigenvalues lie on both sides of 4.2 then.
        OK(MatShift(a, -4.2));
        eliminate(factor, a, MAT_FACTOR_CHOLESKY);
        EXPECT(residual(factor, a) < small);
        OK(MatGetInertia(factor, &negative, &zero, &positive));
        EXPECT(negative > 100 && positive > 100 && negative + positive == 1600);
      }
      OK(MatDestroy(&factor));
      OK(MatDestroy(&a));
      OK(MatDestroy(&aij));
    }
  }
}

/// The reason that a KSP of the plugin's ends by, and with it x.
KSPConvergedReason reason_of(Mat a, PetscReal* norm) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  Vec x = nullptr, b = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, a, a));
  OK(KSPSetType(ksp, KSPPREONLY));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, PCLU));
  OK(PCFactorSetMatSolverType(pc, "spsolve"));
  OK(MatCreateVecs(a, &x, &b));
  OK(VecSet(b, 1.0));
  OK(KSPSolve(ksp, b, x));
  OK(KSPGetConvergedReason(ksp, &reason));
  OK(VecNorm(x, NORM_2, norm));
  OK(VecDestroy(&x));
  OK(VecDestroy(&b));
  OK(KSPDestroy(&ksp));
  return reason;
}

void tells_of_singular_matrices_by_a_reason() {
  PetscReal norm = 0;
  Mat good = mesh(40, Kind::general, 4.5), zero_row = mesh(40, Kind::general, 4.5);
  EXPECT(reason_of(good, &norm) == KSP_CONVERGED_ITS && norm > 0);
  replace_row(zero_row, 0.0);
  EXPECT(reason_of(zero_row, &norm) == KSP_DIVERGED_PC_FAILED);
  EXPECT(std::isinf(norm));
  // Singular but for rounding: constants are its null space, and pivots come out as 1e-16.
  Mat laplacian = mesh(40, Kind::symmetric, 0.0);
  Vec ones = nullptr, sums = nullptr;
  OK(MatCreateVecs(laplacian, &ones, &sums));
  OK(VecSet(ones, 1.0));
  OK(MatMult(laplacian, ones, sums));
  OK(VecScale(sums, -1.0));
  OK(MatDiagonalSet(laplacian, sums, INSERT_VALUES));
  EXPECT(reason_of(laplacian, &norm) == KSP_DIVERGED_PC_FAILED);
  EXPECT(std::isinf(norm));
  // A factor goes from one to the other and back.
  Mat factor = analysed(good, MAT_FACTOR_LU);
  eliminate(factor, zero_row, MAT_FACTOR_LU);
  EXPECT(error_of(factor) == MAT_FACTOR_NUMERIC_ZEROPIVOT);
  replace_row(zero_row, std::numeric_limits<double>::quiet_NaN());
  eliminate(factor, zero_row, MAT_FACTOR_LU);
  EXPECT(error_of(factor) == MAT_FACTOR_NUMERIC_ZEROPIVOT);
  eliminate(factor, good, MAT_FACTOR_LU);
  EXPECT(error_of(factor) == MAT_FACTOR_NOERROR);
  EXPECT(residual(factor, good) < small);
  // As an error, where the caller wants one.
  OK(MatSetErrorIfFailure(zero_row, PETSC_TRUE));
  EXPECT(code_of([&] { return MatLUFactorNumeric(factor, zero_row, nullptr); }) ==
         PETSC_ERR_MAT_LU_ZRPVT);
  for (Mat* matrix : {&good, &zero_row, &laplacian, &factor}) OK(MatDestroy(matrix));
  OK(VecDestroy(&ones));
  OK(VecDestroy(&sums));
}

void refuses_what_is_out_of_order_or_size() {
  Mat a = mesh(20, Kind::general, 4.5), other = mesh(21, Kind::general, 4.5), factor = nullptr;
  Mat oblong = nullptr;
  Vec b = nullptr, x = nullptr, longer = nullptr;
  OK(MatCreateVecs(a, &x, &b));
  OK(MatCreateVecs(other, &longer, nullptr));
  OK(MatGetFactor(a, "spsolve", MAT_FACTOR_LU, &factor));
  EXPECT(code_of([&] { return MatSolve(factor, b, x); }) != 0);
  OK(MatLUFactorSymbolic(factor, a, nullptr, nullptr, nullptr));
  EXPECT(code_of([&] { return MatSolve(factor, b, x); }) != 0);
  EXPECT(code_of([&] { return MatLUFactorNumeric(factor, other, nullptr); }) == PETSC_ERR_ARG_SIZ);
  eliminate(factor, a, MAT_FACTOR_LU);
  EXPECT(residual(factor, a) < small);
  EXPECT(code_of([&] { return MatSolve(factor, longer, x); }) == PETSC_ERR_ARG_SIZ);
  EXPECT(code_of([&] { return MatMatSolve(factor, a, other); }) != 0);
  OK(VecSet(b, std::numeric_limits<double>::infinity()));
  EXPECT(code_of([&] { return MatSolve(factor, b, x); }) != 0);
  EXPECT(residual(factor, a) < small);
  OK(MatDestroy(&factor));
  // An unsymmetric matrix has no Cholesky factors.
  OK(MatGetFactor(a, "spsolve", MAT_FACTOR_CHOLESKY, &factor));
  EXPECT(code_of([&] {
           const PetscErrorCode code = MatCholeskyFactorSymbolic(factor, a, nullptr, nullptr);
           return code != 0 ? code : MatCholeskyFactorNumeric(factor, a, nullptr);
         }) == PETSC_ERR_ARG_WRONG);
  OK(MatDestroy(&factor));
  EXPECT(code_of([&] { return MatGetFactor(a, "spsolve", MAT_FACTOR_ILU, &factor); }) ==
         PETSC_ERR_MISSING_FACTOR);
  OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 40, 30, 1, nullptr, 1, nullptr,
                  &oblong));
  OK(MatAssemblyBegin(oblong, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(oblong, MAT_FINAL_ASSEMBLY));
  OK(MatGetFactor(oblong, "spsolve", MAT_FACTOR_LU, &factor));
  EXPECT(code_of([&] { return MatLUFactorSymbolic(factor, oblong, nullptr, nullptr, nullptr); }) ==
         PETSC_ERR_ARG_SIZ);
  OK(MatDestroy(&factor));
  for (Mat* matrix : {&a, &other, &oblong}) OK(MatDestroy(matrix));
  for (Vec* vector : {&b, &x, &longer}) OK(VecDestroy(vector));
}

void takes_another_pattern_and_an_empty_matrix() {
  Mat a = mesh(20, Kind::general, 4.5), empty = mesh(0, Kind::general, 1.0);
  Mat factor = analysed(a, MAT_FACTOR_LU);
  eliminate(factor, a, MAT_FACTOR_LU);
  OK(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  OK(MatSetValue(a, 399, 0, 0.5, INSERT_VALUES));
  OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  eliminate(factor, a, MAT_FACTOR_LU);
  EXPECT(residual(factor, a) < small);
  OK(MatDestroy(&factor));
  factor = analysed(empty, MAT_FACTOR_LU);
  eliminate(factor, empty, MAT_FACTOR_LU);
  EXPECT(error_of(factor) == MAT_FACTOR_NOERROR);
  for (Mat* matrix : {&a, &empty, &factor}) OK(MatDestroy(matrix));
}

void takes_options() {
  Mat a = mesh(20, Kind::symmetric, 4.5);
  OK(PetscOptionsSetValue(nullptr, "-mat_spsolve_method", "cg"));
  OK(PetscOptionsSetValue(nullptr, "-mat_spsolve_preconditioner", "multigrid"));
  if (!is_complex) {
    Mat factor = analysed(a, MAT_FACTOR_LU);
    eliminate(factor, a, MAT_FACTOR_LU);
    EXPECT(residual(factor, a) < 1e-9);
    MatInfo info = {};
    OK(MatGetInfo(factor, MAT_LOCAL, &info));
    EXPECT(info.nz_used == 0);
    OK(MatDestroy(&factor));
  }
  OK(PetscOptionsClearValue(nullptr, "-mat_spsolve_method"));
  OK(PetscOptionsClearValue(nullptr, "-mat_spsolve_preconditioner"));
  const char* const wrong[][2] = {{"-mat_spsolve_ordering", "best"},
                                  {"-mat_spsolve_refinement", "-1"},
                                  {"-mat_spsolve_right_hand_sides", "0"},
                                  {"-mat_spsolve_tolerance", "-1"}};
  for (const auto& [name, value] : wrong) {
    Mat factor = nullptr;
    OK(PetscOptionsSetValue(nullptr, name, value));
    OK(MatGetFactor(a, "spsolve", MAT_FACTOR_LU, &factor));
    EXPECT(code_of([&] { return MatLUFactorSymbolic(factor, a, nullptr, nullptr, nullptr); }) != 0);
    OK(PetscOptionsClearValue(nullptr, name));
    OK(MatDestroy(&factor));
  }
  OK(MatDestroy(&a));
}

/// Kilobytes that this process holds.
long resident() {
  long pages = 0, unused = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &unused, &pages) != 2) pages = 0;
  if (file != nullptr) std::fclose(file);
  return pages * 4;
}

void stays_as_large_as_it_was(int rounds) {
  Mat a = mesh(12, Kind::general, 4.5);
  long before = 0;
  for (int k = 0; k < rounds; ++k) {
    if (k == rounds / 4) before = resident();
    Mat factor = analysed(a, MAT_FACTOR_LU);
    eliminate(factor, a, MAT_FACTOR_LU);
    if (k % 10 == 0) EXPECT(residual(factor, a) < small);
    OK(MatDestroy(&factor));
  }
  const long after = resident();
  std::printf("%d rounds: %ld kB, and %ld kB at the end\n", rounds, before, after);
#ifndef SPSOLVE_SANITIZED
  EXPECT(after - before < 4096);
#endif
  OK(MatDestroy(&a));
}

}  // namespace

int main(int argc, char** argv) {
  const char* const plugin = std::getenv("SPSOLVE_PETSC_PLUGIN");
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  if (plugin == nullptr) {
    std::fprintf(stderr, "SPSOLVE_PETSC_PLUGIN names no library\n");
    return 2;
  }
  ::setenv("PETSC_OPTIONS", (std::string("-dll_append ") + plugin).c_str(), 1);
  for (int again = 0; again < 2; ++again) {  // PETSc may be begun anew, and opens libraries again
    if (again == 0) {
      int provided = 0;
      MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    }
    int no_arguments = 1;
    if (PetscInitialize(&no_arguments, &argv, nullptr, nullptr) != 0) return 1;
    solves_by_lu_what_rows_lie_where_they_lie();
    if (again == 0) {
      finds_the_same_bits_wherever_rows_lie();
      solves_by_cholesky_all_types();
      tells_of_singular_matrices_by_a_reason();
      refuses_what_is_out_of_order_or_size();
      takes_another_pattern_and_an_empty_matrix();
      takes_options();
      iterates_by_cycles_of_multigrid();
      takes_coordinates_of_an_elastic_body();
      tells_of_multigrid_that_cannot_be_made();
      stays_as_large_as_it_was(rounds);
    }
    OK(PetscFinalize());
  }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
