/* What spsolve tells C of solvers: <spsolve/spsolve.h> includes it. */
#ifndef SPSOLVE_SPSOLVE_FACTS_H
#define SPSOLVE_SPSOLVE_FACTS_H

#include "spsolve/spsolve.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Structures here begin with their size, which the program sets; what a library has beyond it is left
 * out, what it has not is 0. Words stay as long as their solver, until it is asked again. */

/* The plan of a solver, as spsolve::SolverPlan has it. */
typedef struct {
  size_t size; /* sizeof(spsolve_plan) */
  const char* method;
  const char* device;
  const char* ordering;   /* of a sparse method; "" for others */
  int64_t factor_entries; /* of a sparse method */
  double flops;           /* of the elimination; 0 of Krylov methods */
  double seconds;         /* predicted, roughly */
  int64_t bytes;          /* of memory that this process would hold, on its host */
  int fits;               /* into the memory that is free */
  const char* remedy;     /* another way that would do where it does not */
  const char* text;       /* the plan as a table */
} spsolve_plan;

/* Analyses, chooses and plans, and takes no memory for factors. Words stay until this thread asks
 * again. Over ranks as spsolve_solver_create_over(); `ranks` may be NULL. */
spsolve_status spsolve_plan_solver(const spsolve_ranks* ranks, const spsolve_matrix* matrix,
                                   const spsolve_options* options, spsolve_plan* plan);

/* The same of a solver, whose analysis is not made again; all its ranks call this. */
spsolve_status spsolve_solver_plan(spsolve_solver* solver, spsolve_plan* plan);

/* How a matrix was eliminated, as spsolve::SetUpReport has it, and the course of the last solve. */
typedef struct {
  size_t size; /* sizeof(spsolve_report) */
  const char* method;
  const char* pivoting;
  const char* device;
  const char* ordering;       /* of a sparse method; "" for others */
  const char* preconditioner; /* of a Krylov method; "" for others */
  int equilibrated;
  double pivot_growth, smallest_pivot, largest_pivot;
  int64_t factor_entries;
  double flops;
  int64_t perturbed_pivots;
  int64_t negative_pivots; /* of L L^T and L D L^T; -1 of others */
  double seconds;          /* of the analysis and of the last elimination */
  int64_t solves;          /* so far; of the last one: */
  double solve_seconds;
  int64_t steps;   /* of a Krylov method */
  int64_t history; /* numbers that spsolve_solver_history() has of it */
} spsolve_report;

spsolve_status spsolve_solver_report(spsolve_solver* solver, spsolve_report* report);

/* Backward errors before the first step of a Krylov method and after each, of the last solve: those
 * that there is room for. */
spsolve_status spsolve_solver_history(const spsolve_solver* solver, int64_t room, double* history);

#ifdef __cplusplus
}
#endif

#endif
