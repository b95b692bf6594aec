#pragma once

#include <cstdio>

#include <petscksp.h>

inline int failures = 0;

inline void expect(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
}
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)
#define OK(call) PetscCallAbort(PETSC_COMM_WORLD, call)

constexpr bool is_complex = sizeof(PetscScalar) > sizeof(PetscReal);

/// The code that `call` ends with, of which nothing is printed.
template <typename Call>
int code_of(const Call& call) {
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const int code = static_cast<int>(call());
  OK(PetscPopErrorHandler());
  return code;
}

inline PetscScalar coupling() {
#if defined(PETSC_USE_COMPLEX)
  return {-1.0, 0.3};
#else
  return -1.0;
#endif
}

/// e^(i phase); 1 of real scalars.
inline PetscScalar turned([[maybe_unused]] double phase) {
#if defined(PETSC_USE_COMPLEX)
  return std::polar(1.0, phase);
#else
  return 1.0;
#endif
}

enum class Kind { general, symmetric, hermitian };

/// A mesh of side x side points over all ranks. Its rows are dealt out as PETSc does, or with
/// `to_last` to the last rank.
inline Mat mesh(PetscInt side, Kind kind, double diagonal, bool to_last = false,
                MPI_Comm ranks = PETSC_COMM_WORLD) {
  PetscMPIInt rank = 0, size = 1;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  const PetscInt n = side * side;
  const PetscInt own = to_last ? (rank == size - 1 ? n : 0) : PETSC_DECIDE;
  Mat a = nullptr;
  OK(MatCreate(ranks, &a));
  OK(MatSetSizes(a, own, own, n, n));
  OK(MatSetType(a, MATAIJ));
  OK(MatSeqAIJSetPreallocation(a, 5, nullptr));
  OK(MatMPIAIJSetPreallocation(a, 5, nullptr, 4, nullptr));
  PetscInt first = 0, last = 0;
  OK(MatGetOwnershipRange(a, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    OK(MatSetValue(a, i, i, diagonal, INSERT_VALUES));
    for (const PetscInt j : {i - side, i - 1, i + 1, i + side}) {
      const bool breaks = (j == i + 1 && j % side == 0) || (j == i - 1 && i % side == 0);
      if (j < 0 || j >= n || breaks) continue;
      PetscScalar value = coupling();
      if (j < i && kind == Kind::general) value *= 0.7;
      if (j < i && kind == Kind::hermitian) value = PetscConj(value);
      OK(MatSetValue(a, i, j, value, INSERT_VALUES));
    }
  }
  OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return a;
}

/// Row 7 of a mesh of 40 x 40 points has `by` wherever it has entries.
inline void replace_row(Mat a, double by) {
  PetscInt first = 0, last = 0;
  OK(MatGetOwnershipRange(a, &first, &last));
  if (first <= 7 && 7 < last) {
    const PetscInt row = 7, columns[] = {6, 7, 8, 47};
    const PetscScalar values[] = {by, by, by, by};
    OK(MatSetValues(a, 1, &row, 4, columns, values, INSERT_VALUES));
  }
  OK(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

// Of petsc_multigrid_test.cpp:
void iterates_by_cycles_of_multigrid();
void takes_coordinates_of_an_elastic_body();
void tells_of_multigrid_that_cannot_be_made();
