/* The solution of a system over MPI ranks in C: rank r writes its rows to the file x.r. */
#include <spsolve/spsolve_mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  spsolve_ranks* ranks = NULL;
  spsolve_matrix* a = NULL;
  spsolve_solver* solver = NULL;
  int64_t first = 0, end = 0;
  if (argc < 2 || spsolve_ranks_of(MPI_COMM_WORLD, &ranks) != SPSOLVE_OK) return 1;
  const int rank = spsolve_ranks_rank(ranks);
  if (rank == 0 && spsolve_matrix_load(argv[1], &a) != SPSOLVE_OK) return 1;
  spsolve_options options;
  spsolve_options_init(&options);
  options.refinement = 0;
  if (spsolve_solver_create_over(ranks, a, &options, &solver) != SPSOLVE_OK) return 1;
  spsolve_solver_own_rows(solver, &first, &end);
  double* x = malloc((size_t)(end - first) * sizeof(double));
  for (int64_t i = first; i < end; ++i) x[i - first] = 1;
  if (spsolve_solver_solve(solver, 0, 1, x, x, NULL) != SPSOLVE_OK) return 1;
  char name[32];
  snprintf(name, sizeof name, "x.%d", rank);
  FILE* file = fopen(name, "w");
  if (file == NULL) return 1;
  for (int64_t i = first; i < end; ++i) fprintf(file, "%.17g\n", x[i - first]);
  fclose(file);
  spsolve_solver_free(solver);
  spsolve_ranks_free(ranks);
  spsolve_matrix_free(a);
  free(x);
  MPI_Finalize();
  return 0;
}
