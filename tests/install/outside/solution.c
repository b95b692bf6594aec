/* A system solved in C. */
#include <spsolve/spsolve.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  spsolve_matrix* a = NULL;
  spsolve_solver* solver = NULL;
  if (argc < 2 || spsolve_matrix_load(argv[1], &a) != SPSOLVE_OK) return 1;
  const int64_t n = spsolve_matrix_rows(a);
  double* x = malloc((size_t)n * sizeof(double));
  for (int64_t i = 0; i < n; ++i) x[i] = 1;
  spsolve_options options;
  spsolve_options_init(&options);
  options.refinement = 0;
  const int on_gpu = argc > 2 && strcmp(argv[2], "cuda") == 0;
  options.device = on_gpu ? SPSOLVE_DEVICE_CUDA : SPSOLVE_DEVICE_HOST;
  if (spsolve_solver_create(a, &options, &solver) != SPSOLVE_OK) return 1;
  if (spsolve_solver_solve(solver, 0, 1, x, x, NULL) != SPSOLVE_OK) return 1;
  for (int64_t i = 0; i < n; ++i) printf("%.17g\n", x[i]);
  spsolve_solver_free(solver);
  spsolve_matrix_free(a);
  free(x);
  return 0;
}
