/* MUMPS' counts for inertia.py: reads symmetric systems one after another, of each its order and
 * number of entries, then row, column (from 1) and value of those of a triangle; writes the negative
 * pivots and the null pivots that MUMPS counts, or -1 and its error, a line each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <dmumps_c.h>

static void run(DMUMPS_STRUC_C* mumps, int job) {
  mumps->job = job;
  dmumps_c(mumps);
}

int main(int argc, char** argv) {
  int order, entries;
  MPI_Init(&argc, &argv);
  while (scanf("%d %d", &order, &entries) == 2) {
    int* rows = malloc(2 * sizeof(int) * entries);
    double* values = malloc(sizeof(double) * entries);
    for (int k = 0; k < entries; ++k) {
      if (scanf("%d %d %lf", rows + k, rows + entries + k, values + k) != 3) return 2;
    }
    DMUMPS_STRUC_C mumps = {.comm_fortran = MPI_Comm_c2f(MPI_COMM_SELF), .par = 1, .sym = 2};
    run(&mumps, -1);
    for (int stream = 0; stream < 3; ++stream) mumps.icntl[stream] = -1;
    mumps.icntl[3] = 0;
    mumps.icntl[12] = 1; /* a root that ScaLAPACK has is not counted */
    mumps.icntl[13] = 200;
    mumps.icntl[23] = 1; /* null pivots are looked for */
    mumps.n = order;
    mumps.nnz = entries;
    mumps.irn = rows;
    mumps.jcn = rows + entries;
    mumps.a = values;
    run(&mumps, 4);
    if (mumps.infog[0] < 0) {
      printf("-1 %d\n", mumps.infog[0]);
    } else {
      printf("%d %d\n", mumps.infog[11], mumps.infog[27]);
    }
    fflush(stdout);
    run(&mumps, -2);
    free(rows);
    free(values);
  }
  MPI_Finalize();
  return 0;
}
