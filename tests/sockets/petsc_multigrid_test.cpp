// -pc_type spsolve_multigrid, as programs take it.
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "petsc_meshes.hpp"

namespace {

/// -div grad u of 20 x 20 x 20 points of a cube, times `scale`; constants are its null space where
/// it is `closed`. Complex scalars: of Kind::hermitian in a magnetic field, of others damped.
Mat cube(double scale, Kind kind = Kind::symmetric, bool closed = false) {
  constexpr PetscInt side = 20, n = side * side * side;
  Mat a = nullptr;
  OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 7, nullptr, 6, nullptr, &a));
  PetscInt first = 0, last = 0;
  OK(MatGetOwnershipRange(a, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt at[] = {row % side, row / side % side, row / (side * side)};
    PetscInt neighbours = 0, step = 1;
    for (const PetscInt place : at) {
      for (const PetscInt way : {-1, 1}) {
        if (place + way < 0 || place + way >= side) continue;
        PetscScalar value = -scale;
        if (kind == Kind::hermitian && step == 1 && !closed) value *= turned(0.03 * way * at[1]);
        if (kind == Kind::general) value *= 1 + 0.05 * way;
        OK(MatSetValue(a, row, row + way * step, value, INSERT_VALUES));
        ++neighbours;
      }
      step *= side;
    }
    PetscScalar diagonal = scale * (closed ? neighbours : 6);
    if (is_complex && kind != Kind::hermitian) diagonal *= turned(0.05);
    OK(MatSetValue(a, row, row, diagonal, INSERT_VALUES));
  }
  OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return a;
}

constexpr PetscInt plate_width = 60, plate_height = 16;

/// A plate of bilinear elements in plane stress, held at x = 0; nodes column by column, u and v of
/// each in turn.
Mat plate() {
  constexpr double nu = 0.3;
  constexpr double k[] = {0.5 - nu / 6,    0.125 + nu / 8,  -0.25 - nu / 12, -0.125 + 3 * nu / 8,
                          -0.25 + nu / 12, -0.125 - nu / 8, nu / 6,          0.125 - 3 * nu / 8};
  constexpr int of[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 7, 6, 5, 4, 3, 2},
                            {2, 7, 0, 5, 6, 3, 4, 1}, {3, 6, 5, 0, 7, 2, 1, 4},
                            {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 3, 2, 1, 0, 7, 6},
                            {6, 3, 4, 1, 2, 7, 0, 5}, {7, 2, 1, 4, 3, 6, 5, 0}};
  constexpr PetscInt nodes = plate_width * plate_height;
  PetscInt own = PETSC_DECIDE, all = nodes;
  OK(PetscSplitOwnership(PETSC_COMM_WORLD, &own, &all));
  Mat a = nullptr;
  OK(MatCreateAIJ(PETSC_COMM_WORLD, 2 * own, 2 * own, 2 * nodes, 2 * nodes, 18, nullptr, 18,
                  nullptr, &a));
  PetscInt first = 0, last = 0;
  OK(MatGetOwnershipRange(a, &first, &last));
  const auto node = [](PetscInt x, PetscInt y) { return x == 0 ? -1 : (x - 1) * plate_height + y; };
  for (PetscInt x = 0; x < plate_width; ++x) {
    for (PetscInt y = 0; y + 1 < plate_height; ++y) {
      const PetscInt corners[] = {node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)};
      for (int i = 0; i < 8; ++i) {
        const PetscInt row = 2 * corners[i / 2] + i % 2;
        if (corners[i / 2] < 0 || row < first || row >= last) continue;
        for (int j = 0; j < 8; ++j) {
          if (corners[j / 2] < 0) continue;
          OK(MatSetValue(a, row, 2 * corners[j / 2] + j % 2, k[of[i][j]], ADD_VALUES));
        }
      }
    }
  }
  OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return a;
}

struct Ended {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt steps = 0;
  double residual = 0;  ///< ||b - A x|| / ||b||
};

KSP with_multigrid(Mat a, const char* type) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, a, a));
  OK(KSPSetType(ksp, type));
  OK(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, "spsolve_multigrid"));
  OK(KSPSetFromOptions(ksp));
  return ksp;
}

/// Solves for a b that is A x, or A^T x, for a known x, or with `by` in its first element.
Ended solve(KSP ksp, double by = 0, bool transposed = false) {
  const auto multiply = transposed ? MatMultTranspose : MatMult;
  Mat a = nullptr;
  Vec x = nullptr, b = nullptr, r = nullptr;
  Ended ended;
  PetscReal of_b = 0, of_r = 0;
  PetscInt first = 0, last = 0;
  OK(KSPGetOperators(ksp, &a, nullptr));
  OK(MatCreateVecs(a, &x, &b));
  OK(VecDuplicate(b, &r));
  OK(VecGetOwnershipRange(x, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    const double angle = 1.7 * static_cast<double>(i * i % 9973);
    OK(VecSetValue(x, i, std::sin(angle) * turned(angle), INSERT_VALUES));
  }
  OK(VecAssemblyBegin(x));
  OK(VecAssemblyEnd(x));
  OK(multiply(a, x, b));
  if (by != 0 && first == 0) OK(VecSetValue(b, 0, by, INSERT_VALUES));
  OK(VecAssemblyBegin(b));
  OK(VecAssemblyEnd(b));
  OK(VecSet(x, 0.0));
  OK(transposed ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
  OK(KSPGetConvergedReason(ksp, &ended.reason));
  OK(KSPGetIterationNumber(ksp, &ended.steps));
  OK(multiply(a, x, r));
  OK(VecAYPX(r, -1.0, b));
  OK(VecNorm(b, NORM_2, &of_b));
  OK(VecNorm(r, NORM_2, &of_r));
  ended.residual = of_r / of_b;
  for (Vec* vector : {&x, &b, &r}) OK(VecDestroy(vector));
  return ended;
}

void expect_solved(const Ended& ended) {
  EXPECT(ended.reason > 0);
  EXPECT(ended.steps <= 25);
  EXPECT(ended.residual < 1e-8);
}

/// The words that PCView() prints, on rank 0; elsewhere they are those that are looked for.
std::string viewed(PC pc) {
  PetscMPIInt rank = 0;
  char text[8192] = "smoothed aggregation";
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  std::FILE* const file = std::tmpfile();
  PetscViewer viewer = nullptr;
  OK(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  OK(PCView(pc, viewer));
  OK(PetscViewerFlush(viewer));
  std::rewind(file);
  if (rank == 0) text[std::fread(text, 1, sizeof text - 1, file)] = 0;
  OK(PetscViewerDestroy(&viewer));
  std::fclose(file);
  return text;
}

}  // namespace

namespace {

/// Steps with the values of `a`, with new ones, and with those of another matrix of the pattern.
void iterate_with_values_in_turn(Mat a, Mat larger, const char* type, const char* kind) {
  KSP ksp = with_multigrid(a, type);
  const Ended before = solve(ksp);
  expect_solved(before);
  std::printf("%s, %s: %d steps with multigrid\n", kind, type, static_cast<int>(before.steps));
  OK(MatScale(a, 3.0));
  expect_solved(solve(ksp));
  OK(MatScale(a, 1 / 3.0));
  OK(KSPSetOperators(ksp, larger, larger));
  const Ended after = solve(ksp);
  expect_solved(after);
  EXPECT(std::abs(static_cast<int>(after.steps - before.steps)) <= 1);
  OK(KSPDestroy(&ksp));
}

/// Columns at once, M^-T, and what -ksp_view prints. `symmetric`: or Hermitian.
void apply_to_columns_and_transposed(Mat a, bool symmetric) {
  KSP ksp = with_multigrid(a, KSPGMRES);
  PC pc = nullptr;
  OK(KSPSetUp(ksp));
  OK(KSPGetPC(ksp, &pc));
  Mat b = nullptr, x = nullptr;
  Vec of_b = nullptr, of_x = nullptr, one = nullptr, other = nullptr;
  PetscInt rows = 0;
  OK(MatGetLocalSize(a, &rows, nullptr));
  OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, 3, nullptr, &b));
  OK(MatSetRandom(b, nullptr));
  OK(MatDuplicate(b, MAT_DO_NOT_COPY_VALUES, &x));
  OK(PCMatApply(pc, b, x));
  OK(MatCreateVecs(a, &one, &other));
  const auto column = [&](PetscInt c, const auto& use) {
    OK(MatDenseGetColumnVecRead(b, c, &of_b));
    use(of_b);
    OK(MatDenseRestoreColumnVecRead(b, c, &of_b));
  };
  PetscScalar there = 0, back = 0;
  column(1, [&](Vec c) { OK(PCApplyTranspose(pc, c, other)); });
  column(2, [&](Vec c) {
    OK(PCApply(pc, c, one));
    OK(VecTDot(c, other, &back));  // c^T M^-T b = b^T M^-1 c
  });
  column(1, [&](Vec c) { OK(VecTDot(c, one, &there)); });
  EXPECT(PetscAbsScalar(there) > 0);
  EXPECT(PetscAbsScalar(there - back) < (symmetric ? 1e-12 : 0.1) * PetscAbsScalar(there));
  PetscReal size = 0, error = 0;
  OK(VecNorm(one, NORM_2, &size));
  OK(MatDenseGetColumnVecRead(x, 2, &of_x));
  OK(VecAXPY(one, -1.0, of_x));
  OK(MatDenseRestoreColumnVecRead(x, 2, &of_x));
  OK(VecNorm(one, NORM_2, &error));
  EXPECT(error < 1e-12 * size);
  EXPECT(viewed(pc).find("smoothed aggregation") != std::string::npos);
  expect_solved(solve(ksp, 0, true));
  OK(KSPDestroy(&ksp));
  for (Mat* matrix : {&b, &x}) OK(MatDestroy(matrix));
  for (Vec* vector : {&one, &other}) OK(VecDestroy(vector));
}

}  // namespace

void iterates_by_cycles_of_multigrid() {
  for (const Kind kind : {Kind::symmetric, Kind::hermitian, Kind::general}) {
    if (kind == Kind::hermitian && !is_complex) continue;
    const char* const name = kind == Kind::symmetric   ? "symmetric"
                             : kind == Kind::hermitian ? "Hermitian"
                                                       : "general";
    const bool takes_cg = kind == Kind::hermitian || (kind == Kind::symmetric && !is_complex);
    Mat a = cube(1.0, kind), larger = cube(8.0, kind);
    for (const char* type : {KSPCG, KSPGMRES, KSPBCGS}) {
      if (type == std::string(KSPCG) && !takes_cg) continue;
      iterate_with_values_in_turn(a, larger, type, name);
    }
    apply_to_columns_and_transposed(a, kind != Kind::general);
    for (Mat* matrix : {&a, &larger}) OK(MatDestroy(matrix));
  }
}

void takes_coordinates_of_an_elastic_body() {
  if (is_complex) return;  // there are none
  Mat a = plate();
  PetscInt first = 0, last = 0;
  OK(MatGetOwnershipRange(a, &first, &last));
  std::vector<PetscReal> places;
  for (PetscInt node = first / 2; node < last / 2; ++node) {
    places.push_back(static_cast<double>(node / plate_height + 1));
    places.push_back(static_cast<double>(node % plate_height));
  }
  KSP ksp = with_multigrid(a, KSPCG);
  PC pc = nullptr;
  const Ended without = solve(ksp);
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetCoordinates(pc, 2, (last - first) / 2, places.data()));
  EXPECT(solve(ksp).steps == without.steps);  // they count when it is set up again
  OK(MatScale(a, 2.0));
  const Ended with = solve(ksp);
  EXPECT(without.reason > 0 && with.reason > 0);
  EXPECT(with.steps < 2 * without.steps / 3);
  EXPECT(with.residual < 1e-8);
  std::printf("elasticity: %d steps, and %d with coordinates\n", static_cast<int>(without.steps),
              static_cast<int>(with.steps));
  OK(KSPDestroy(&ksp));
  OK(MatDestroy(&a));
}

void tells_of_multigrid_that_cannot_be_made() {
  PC pc = nullptr;
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  // No set-up, no matrix.
  OK(PCSetType(pc, "spsolve_multigrid"));
  EXPECT(code_of([&] { return PCSetUp(pc); }) != 0);
  OK(PCDestroy(&pc));
  // A null space that the matrix says it has.
  Mat closed = cube(1.0, Kind::hermitian, true);
  MatNullSpace constants = nullptr;
  OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants));
  OK(MatSetNullSpace(closed, constants));
  KSP ksp = with_multigrid(closed, KSPCG);
  if (is_complex) {  // of which none is taken
    EXPECT(code_of([&] { return KSPSetUp(ksp); }) == PETSC_ERR_ARG_WRONG);
  } else {
    expect_solved(solve(ksp));
  }
  OK(KSPDestroy(&ksp));
  // Without it, and b none that A x can be: whatever it ends by, an x is no success. PETSc's own
  // norm of cg, of M^-1 r, would not tell, as M is next to singular too.
  OK(MatSetNullSpace(closed, nullptr));
  ksp = with_multigrid(closed, KSPCG);
  OK(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  const Ended ended = solve(ksp, 1e3);
  EXPECT(ended.reason < 0 || ended.residual < 1e-8);
  OK(KSPDestroy(&ksp));
  // Values that are not finite are a reason of the KSP's, and an error where one is wanted.
  Mat a = cube(1.0, Kind::hermitian);
  ksp = with_multigrid(a, KSPCG);
  PetscInt first = 0, last = 0;
  OK(MatGetOwnershipRange(a, &first, &last));
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const auto put = [&](double value) {
    if (first == 0) OK(MatSetValue(a, 0, 0, value, INSERT_VALUES));
    OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  };
  Vec x = nullptr, b = nullptr;
  OK(MatCreateVecs(a, &x, &b));
  OK(VecSet(b, 1.0));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  put(nothing);
  OK(KSPSolve(ksp, b, x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT(reason == KSP_DIVERGED_PC_FAILED);
  put(6.0);
  solve(ksp);  // PETSc 3.18's KSP still has the reason before, with its own factors too
  expect_solved(solve(ksp));
  // So are right-hand sides.
  OK(VecSet(b, nothing));
  OK(KSPSolve(ksp, b, x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT(reason == KSP_DIVERGED_NANORINF);
  OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  put(nothing);
  EXPECT(code_of([&] { return KSPSolve(ksp, b, x); }) != 0);
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetErrorIfFailure(pc, PETSC_TRUE));
  put(nothing);
  EXPECT(code_of([&] { return PCSetUp(pc); }) == PETSC_ERR_MAT_LU_ZRPVT);
  OK(KSPDestroy(&ksp));
  // b of another size, and a matrix that is not square.
  Mat other = mesh(21, Kind::symmetric, 4.0), oblong = nullptr;
  Vec longer = nullptr;
  put(6.0);
  ksp = with_multigrid(a, KSPCG);
  OK(MatCreateVecs(other, &longer, nullptr));
  EXPECT(code_of([&] { return KSPSolve(ksp, longer, x); }) != 0);
  OK(KSPDestroy(&ksp));
  OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 40, 30, 1, nullptr, 1, nullptr,
                  &oblong));
  OK(MatAssemblyBegin(oblong, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(oblong, MAT_FINAL_ASSEMBLY));
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetOperators(pc, oblong, oblong));
  OK(PCSetType(pc, "spsolve_multigrid"));
  EXPECT(code_of([&] { return PCSetUp(pc); }) == PETSC_ERR_ARG_SIZ);
  OK(PCDestroy(&pc));
  OK(PetscOptionsSetValue(nullptr, "-pc_spsolve_device", "best"));
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetType(pc, "spsolve_multigrid"));
  EXPECT(code_of([&] { return PCSetFromOptions(pc); }) != 0);
  OK(PCDestroy(&pc));
  OK(PetscOptionsClearValue(nullptr, "-pc_spsolve_device"));
  OK(MatNullSpaceDestroy(&constants));
  for (Mat* matrix : {&closed, &a, &other, &oblong}) OK(MatDestroy(matrix));
  for (Vec* vector : {&x, &b, &longer}) OK(VecDestroy(vector));
}
