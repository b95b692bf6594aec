/* Linear elasticity by cg and multigrid that knows where the nodes are. */
#include <spsolve/spsolve.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { side = 7, nodes = side * (side + 1) * (side + 1) };
  static double places[3 * nodes], x[3 * nodes];
  for (int node = 0; node < nodes; ++node) {
    places[3 * node] = node % (side + 1);
    places[3 * node + 1] = node / (side + 1) % (side + 1);
    places[3 * node + 2] = node / (side + 1) / (side + 1);
  }
  for (int i = 0; i < 3 * nodes; ++i) x[i] = 1;
  spsolve_matrix* a = NULL;
  spsolve_solver* solver = NULL;
  if (spsolve_matrix_load("elastic3d:7", &a) != SPSOLVE_OK) return 1;
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_CG;
  options.preconditioner = SPSOLVE_PRECONDITIONER_MULTIGRID;
  options.tolerance = 1e-8;
  options.iterations = 11;
  options.coordinates = places;
  options.nodes = nodes - 1;
  options.dimensions = 3;
  if (spsolve_solver_create(a, &options, &solver) != SPSOLVE_INPUT) return 1;
  printf("%s\n", spsolve_last_error());
  options.nodes = nodes;
  spsolve_trust trust;
  if (spsolve_solver_create(a, &options, &solver) != SPSOLVE_OK) return 1;
  if (spsolve_solver_solve(solver, 0, 1, x, x, &trust) != SPSOLVE_OK) return 1;
  printf("%d nodes, backward error = %.1e\n", (int)nodes, trust.backward_error);
  spsolve_solver_free(solver);
  spsolve_matrix_free(a);
  return 0;
}
