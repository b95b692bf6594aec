/* The same in C, of which each rank gives the upper triangle of its rows. */
#include <spsolve/spsolve_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void check(spsolve_status status) {
  if (status == SPSOLVE_OK) return;
  fprintf(stderr, "%s\n", spsolve_last_error());
  MPI_Abort(MPI_COMM_WORLD, status);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  spsolve_ranks* ranks = NULL;
  spsolve_matrix* a = NULL;
  spsolve_solver* solver = NULL;
  check(spsolve_ranks_of(MPI_COMM_WORLD, &ranks));
  const int n = 301, rank = spsolve_ranks_rank(ranks), size = spsolve_ranks_size(ranks);
  const int first = n * rank / size, last = n * (rank + 1) / size, own = last - first;
  int32_t* offsets = malloc((size_t)(own + 1) * sizeof *offsets);
  int32_t* columns = malloc((size_t)(2 * own) * sizeof *columns);
  double* values = malloc((size_t)(2 * own) * sizeof *values);
  double* x = malloc((size_t)own * sizeof *x);
  offsets[0] = 0;
  for (int i = first, k = 0; i < last; ++i) {
    columns[k] = i;
    values[k++] = 2;
    if (i + 1 < n) {
      columns[k] = i + 1;
      values[k++] = -1;
    }
    offsets[i - first + 1] = k;
    x[i - first] = 1;
  }
  spsolve_arrays arrays;
  spsolve_arrays_init(&arrays);
  arrays.symmetry = SPSOLVE_SYMMETRIC;
  arrays.offsets_are = arrays.indices_are = SPSOLVE_INT32;
  arrays.rows = own;
  arrays.columns = n;
  arrays.offsets = offsets;
  arrays.column_indices = columns;
  arrays.values = values;
  check(spsolve_matrix_from_own_rows(ranks, first, &arrays, &a));
  check(spsolve_solver_create_over(ranks, a, NULL, &solver));
  check(spsolve_solver_solve(solver, 0, 1, x, x, NULL));
  printf("rank %d: rows %d to %d solved\n", rank, first, last);
  spsolve_solver_free(solver);
  spsolve_matrix_free(a);
  spsolve_ranks_free(ranks);
  free(x);
  free(values);
  free(columns);
  free(offsets);
  MPI_Finalize();
  return 0;
}
