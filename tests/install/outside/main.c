#include <stdio.h>
#include <stdlib.h>

#include <spsolve/spsolve.h>

static void check(spsolve_status status) {
  if (status == SPSOLVE_OK) return;
  fprintf(stderr, "%s\n", spsolve_last_error());
  exit(status);
}

int main(int argc, char** argv) {
  spsolve_matrix* a = NULL;
  spsolve_product* product = NULL;
  spsolve_solver* solver = NULL;
  check(spsolve_matrix_load(argc > 1 ? argv[1] : "grid2d:40", &a));
  const int64_t n = spsolve_matrix_rows(a);
  double* x = malloc((size_t)n * sizeof(double));
  double* b = malloc((size_t)n * sizeof(double));
  for (int64_t i = 0; i < n; ++i) x[i] = 1;
  check(spsolve_product_create(a, NULL, 1, SPSOLVE_DEVICE_AUTO, &product));
  check(spsolve_product_apply(product, 1, x, b)); /* b = A x */
  spsolve_trust trust;
  check(spsolve_solver_create(a, NULL, &solver));
  check(spsolve_solver_solve(solver, 0, 1, b, x, &trust)); /* and x again */
  printf("%lld rows, x_0 = %g, backward error = %g\n", (long long)n, x[0], trust.backward_error);
  spsolve_solver_free(solver);
  spsolve_product_free(product);
  spsolve_matrix_free(a);
  free(x);
  free(b);
  return 0;
}
