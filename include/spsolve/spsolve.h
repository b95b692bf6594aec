/* spsolve from C: sparse matrices, solvers of A X = B, products Y = A X.
 *
 * Functions that can fail hand back a status: SPSOLVE_OK, or one that says what kind of failure it
 * is; spsolve_last_error() has the sentence then. Objects are made by functions that end in
 * _create, _load or _from_..., which leave NULL where they fail, and given back to _free, which
 * takes NULL too. Arrays are copied. Indices count from 0. Multivectors are row-major, n x columns.
 * Objects belong to one thread at a time. */
#ifndef SPSOLVE_SPSOLVE_H
#define SPSOLVE_SPSOLVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
/* Any number that a program in C may pass: those of no word are refused in a sentence. */
#define SPSOLVE_AN_INT : int
#else
#define SPSOLVE_AN_INT
#endif

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_OK = 0,
  SPSOLVE_NOT_TRUSTWORTHY = 1, /* singular, no certain digit, or a large residual */
  SPSOLVE_INPUT = 2,           /* a file or an argument is wrong */
  SPSOLVE_RESOURCES = 3,       /* memory or device is missing or too small */
  SPSOLVE_INTERNAL = 4,        /* a defect of the library */
  SPSOLVE_INTERRUPTED = 5      /* stopped, as on_step asked */
} spsolve_status;

/* The sentence of the last failure in this thread, or "". Valid until the next call that fails. */
const char* spsolve_last_error(void);

/* "0.2.0" */
const char* spsolve_version(void);

typedef struct spsolve_ranks spsolve_ranks;
typedef struct spsolve_matrix spsolve_matrix;
typedef struct spsolve_solver spsolve_solver;
typedef struct spsolve_product spsolve_product;

/* --- ranks: the processes that work on one system; <spsolve/spsolve_mpi.h> makes them of an MPI
 * communicator. Where a function takes them, NULL is this process alone. */

/* The number of this process, from 0, and how many they are. */
int spsolve_ranks_rank(const spsolve_ranks* ranks);
int spsolve_ranks_size(const spsolve_ranks* ranks);

/* Objects made over them keep what they need of them. */
void spsolve_ranks_free(spsolve_ranks* ranks);

/* --- matrices */

/* A Matrix Market file, or a generator such as "grid2d:100". */
spsolve_status spsolve_matrix_load(const char* file_or_generator, spsolve_matrix** matrix);

/* Compressed rows: row_offsets has rows + 1 numbers; duplicates are added. */
spsolve_status spsolve_matrix_from_rows(int64_t rows, int64_t columns, const int64_t* row_offsets,
                                        const int64_t* column_indices, const double* values,
                                        spsolve_matrix** matrix);

/* The same of complex values, here and below each as two doubles, real and imaginary part. */
spsolve_status spsolve_matrix_from_rows_z(int64_t rows, int64_t columns, const int64_t* row_offsets,
                                          const int64_t* column_indices, const double* values,
                                          spsolve_matrix** matrix);

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_BY_ROWS = 0,    /* CSR: of row i those from offsets[i] to before offsets[i + 1] */
  SPSOLVE_BY_COLUMNS = 1, /* CSC, likewise */
  SPSOLVE_BY_ENTRIES = 2  /* COO: in any order */
} spsolve_storage;

typedef enum SPSOLVE_AN_INT { SPSOLVE_INT64 = 0, SPSOLVE_INT32 = 1 } spsolve_integers;

/* Complex ones lie as two real ones each. */
typedef enum SPSOLVE_AN_INT {
  SPSOLVE_REAL64 = 0,
  SPSOLVE_COMPLEX128 = 1,
  SPSOLVE_REAL32 = 2,
  SPSOLVE_COMPLEX64 = 3
} spsolve_numbers;

/* The entries that are not stored: those of one triangle, lower or upper, where it is not general.
 */
typedef enum SPSOLVE_AN_INT {
  SPSOLVE_GENERAL = 0,
  SPSOLVE_SYMMETRIC = 1,
  SPSOLVE_SKEW_SYMMETRIC = 2,
  SPSOLVE_HERMITIAN = 3
} spsolve_symmetry;

/* The arrays of a matrix as a program has them, in which duplicates are added. Versions to come add
 * members at the end alone. */
typedef struct {
  size_t size; /* of this structure, by spsolve_arrays_init() */
  spsolve_storage storage;
  spsolve_symmetry symmetry;
  spsolve_integers offsets_are, indices_are;
  spsolve_numbers values_are;
  int64_t rows, columns;
  int64_t entries;            /* SPSOLVE_BY_ENTRIES; of others the last offset tells */
  const void* offsets;        /* one more than rows, or columns */
  const void* row_indices;    /* but for SPSOLVE_BY_ROWS */
  const void* column_indices; /* but for SPSOLVE_BY_COLUMNS */
  const void* values;
} spsolve_arrays;

/* Real values by rows, with integers of 64 bits, of no row, in a structure of `size` bytes. */
void spsolve_arrays_init_sized(spsolve_arrays* arrays, size_t size);
#define spsolve_arrays_init(arrays) spsolve_arrays_init_sized((arrays), sizeof(spsolve_arrays))

spsolve_status spsolve_matrix_from_arrays(const spsolve_arrays* arrays, spsolve_matrix** matrix);

/* From the rows that each of the ranks has, some of which may have none: those from `first_row` on,
 * arrays->rows of them, by rows, with all columns. All ranks call this, and pass the matrix to each
 * spsolve_solver_create_over() and spsolve_product_create_over() of these ranks: own rows stay
 * those that they are here. A failure hands back the same status on every rank. */
spsolve_status spsolve_matrix_from_own_rows(const spsolve_ranks* ranks, int64_t first_row,
                                            const spsolve_arrays* arrays, spsolve_matrix** matrix);

/* 1 of a complex matrix, else 0. */
int spsolve_matrix_is_complex(const spsolve_matrix* matrix);

/* -1 without a matrix. */
int64_t spsolve_matrix_rows(const spsolve_matrix* matrix);
int64_t spsolve_matrix_columns(const spsolve_matrix* matrix);
int64_t spsolve_matrix_nonzeros(const spsolve_matrix* matrix);
void spsolve_matrix_free(spsolve_matrix* matrix);

/* --- solvers */

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_METHOD_AUTO = 0,
  SPSOLVE_METHOD_GAUSS = 1,
  SPSOLVE_METHOD_GAUSS_JORDAN = 2,
  SPSOLVE_METHOD_LU = 3,
  SPSOLVE_METHOD_SPARSE_CHOLESKY = 4,
  SPSOLVE_METHOD_SPARSE_LDLT = 5,
  SPSOLVE_METHOD_SPARSE_LU = 6,
  SPSOLVE_METHOD_CG = 7,
  SPSOLVE_METHOD_MINRES = 8,
  SPSOLVE_METHOD_GMRES = 9,
  SPSOLVE_METHOD_BICGSTAB = 10,
  SPSOLVE_METHOD_IDR = 11,
  SPSOLVE_METHOD_BLOCK_CG = 12,
  SPSOLVE_METHOD_COCR = 13
} spsolve_method;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_PRECONDITIONER_AUTO = 0,
  SPSOLVE_PRECONDITIONER_NONE = 1,
  SPSOLVE_PRECONDITIONER_JACOBI = 2,
  SPSOLVE_PRECONDITIONER_BLOCK_JACOBI = 3,
  SPSOLVE_PRECONDITIONER_CHEBYSHEV = 4,
  SPSOLVE_PRECONDITIONER_ILU0 = 5,
  SPSOLVE_PRECONDITIONER_IC0 = 6,
  SPSOLVE_PRECONDITIONER_ELIMINATION = 7,
  SPSOLVE_PRECONDITIONER_MULTIGRID = 8,
  SPSOLVE_PRECONDITIONER_SHIFTED_LAPLACIAN = 9
} spsolve_preconditioner;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_PIVOTING_AUTO = 0,
  SPSOLVE_PIVOTING_NONE = 1,
  SPSOLVE_PIVOTING_PARTIAL = 2,
  SPSOLVE_PIVOTING_COMPLETE = 3,
  SPSOLVE_PIVOTING_TOURNAMENT = 4
} spsolve_pivoting;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_FLOAT = 0,
  SPSOLVE_DOUBLE = 1,
  SPSOLVE_MIXED = 2
} spsolve_precision;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_DEVICE_AUTO = 0,
  SPSOLVE_DEVICE_HOST = 1,
  SPSOLVE_DEVICE_CUDA = 2
} spsolve_device;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_ORDERING_AUTO = 0,
  SPSOLVE_ORDERING_NESTED_DISSECTION = 1,
  SPSOLVE_ORDERING_AMD = 2,
  SPSOLVE_ORDERING_RCM = 3,
  SPSOLVE_ORDERING_NATURAL = 4,
  SPSOLVE_ORDERING_FILE = 5 /* of ordering_file, or of order */
} spsolve_ordering;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_NULL_SPACE_NONE = 0,
  SPSOLVE_NULL_SPACE_CONSTANTS = 1,
  SPSOLVE_NULL_SPACE_VECTORS = 2 /* null_vectors, or those of null_space_file */
} spsolve_null_space;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_SWITCH_AUTO = 0,
  SPSOLVE_SWITCH_ON = 1,
  SPSOLVE_SWITCH_OFF = 2
} spsolve_switch;

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_FACTORS_AUTO = 0,
  SPSOLVE_FACTORS_MEMORY = 1,
  SPSOLVE_FACTORS_DISK = 2
} spsolve_factor_place;

/* The conditions for a solution to be called solved. */
typedef enum SPSOLVE_AN_INT {
  SPSOLVE_ACCEPT_DIGITS = 0,
  SPSOLVE_ACCEPT_RESIDUAL = 1
} spsolve_acceptance;

/* The ranks that eliminate. */
typedef enum SPSOLVE_AN_INT { SPSOLVE_RANKS_AUTO = 0, SPSOLVE_RANKS_ALL = 1 } spsolve_solving_ranks;

/* A step of a long task. Versions to come add members at the end. */
typedef struct {
  const char* task;      /* "analysing", "eliminating", "iterating", "estimating", ... */
  int64_t step, steps;   /* done, and in all, at most; 0: unknown */
  double fraction;       /* of the work that is done, from 0 to 1, as far as is known */
  double seconds;        /* since the task began */
  double backward_error; /* of an iteration; -1 of other tasks */
} spsolve_step;

/* Hands back 0 to go on; other numbers stop the call, which hands back SPSOLVE_INTERRUPTED, on all
 * ranks. A solver that was being eliminated, or that iterated for the first time, refuses to solve
 * until it has new values. Called by any thread of the library, one at a time. */
typedef int (*spsolve_on_step)(const spsolve_step* step, void* data);

/* The options of spsolve::Options, by the same names, where docs and ranges are. Strings and arrays
 * are copied when a solver is made; NULL is none. Versions to come add members at the end alone: a
 * library takes structures of its own version and of those before, and refuses longer ones. */
typedef struct {
  size_t size; /* of this structure, by spsolve_options_init() */
  spsolve_method method;
  spsolve_pivoting pivoting;
  spsolve_precision precision;
  spsolve_device device;
  int refinement; /* most sweeps */
  int condition;  /* whether condition numbers are estimated */
  /* Krylov methods: */
  spsolve_preconditioner preconditioner;
  double tolerance;   /* the backward error that they stop at; 0: as small as double gets */
  int64_t iterations; /* the most steps; 0: by the order */
  /* Multigrid for linear elasticity: coordinates of `nodes` nodes in 2 or 3 dimensions, row-major,
   * of a matrix with as many unknowns a node, which follow each other. */
  const double* coordinates;
  int64_t nodes;
  int dimensions;
  /* The systems that are expected, which SPSOLVE_METHOD_AUTO goes by: columns at once, and systems
   * in turn, with other right-hand sides or values. */
  int64_t right_hand_sides;
  int64_t systems;
  spsolve_solving_ranks ranks;
  int share_gpus;            /* whether ranks may share a GPU */
  int64_t block;             /* lu: columns of a panel; 0 chooses by itself */
  spsolve_ordering ordering; /* of the sparse methods */
  const char* ordering_file; /* SPSOLVE_ORDERING_FILE: all unknowns, numbered from 1 */
  const char* analysis_file; /* keeps the analysis of a sparse matrix */
  spsolve_factor_place factors;
  const char* factors_folder; /* SPSOLVE_FACTORS_DISK: of their file */
  double time_limit;          /* Krylov methods: seconds of the steps of a solve; 0: no limit */
  int64_t restart;            /* gmres: steps of a cycle */
  const char* initial_guess_file;
  const double* first_guess; /* n x guessed_columns, row-major; of rank 0 */
  int64_t guessed_columns;
  const char* coordinates_file;
  spsolve_null_space null_space; /* Krylov methods, for a singular A */
  const char* null_space_file;
  const double* null_vectors; /* n x null_dimension, row-major; of rank 0 */
  int64_t null_dimension;
  spsolve_switch equilibrate;
  spsolve_acceptance accept;
  spsolve_switch matching; /* of rows with columns by values, before sparse elimination */
  spsolve_on_step on_step; /* is told of steps, with on_step_data, also in later calls; or NULL */
  void* on_step_data;
  const int64_t* order; /* SPSOLVE_ORDERING_FILE: n unknowns in the order of elimination, from 0 */
} spsolve_options;

/* The defaults of the program, in a structure of `size` bytes. */
void spsolve_options_init_sized(spsolve_options* options, size_t size);
#define spsolve_options_init(options) spsolve_options_init_sized((options), sizeof(spsolve_options))

/* How far a solution can be trusted; see docs/trust.md. Figures that are not known are infinite. */
typedef struct {
  double backward_error;
  double componentwise_error;
  double condition;
  double componentwise_condition;
  double forward_error_bound;
  double forward_error_estimate;
  int sweeps;
} spsolve_trust;

/* Eliminates the square matrix, or prepares to iterate; `options` may be NULL. */
spsolve_status spsolve_solver_create(const spsolve_matrix* matrix, const spsolve_options* options,
                                     spsolve_solver** solver);

/* A solver of which the pattern is analysed and the memory planned, and no more: it is eliminated
 * by _set_values. Those of `matrix` are what the analysis goes by. `ranks` may be NULL; else
 * likewise. */
spsolve_status spsolve_solver_analysed_over(const spsolve_ranks* ranks,
                                            const spsolve_matrix* matrix,
                                            const spsolve_options* options,
                                            spsolve_solver** solver);

/* A solver over ranks, all of which call this, and each function that takes the solver but _notes
 * and _own_rows. `matrix` is of rank 0, and NULL elsewhere, or from _from_own_rows, and of all; a
 * failure hands back the same status on every rank. Each has some rows of right-hand sides,
 * solutions and new values; see _own_rows.
 */
spsolve_status spsolve_solver_create_over(const spsolve_ranks* ranks, const spsolve_matrix* matrix,
                                          const spsolve_options* options, spsolve_solver** solver);

/* The rows *first to *end - 1 of n that this process has: all of them where it is alone. */
spsolve_status spsolve_solver_own_rows(const spsolve_solver* solver, int64_t* first, int64_t* end);

/* x of A x = b, or with `transposed` of A^T x = b; b and x are n x columns (over ranks, own rows x
 * columns) and may be the same array; `trust` may be NULL. SPSOLVE_NOT_TRUSTWORTHY: x is written,
 * but does not solve the system, or none of its digits is certain. */
spsolve_status spsolve_solver_solve(spsolve_solver* solver, int transposed, int64_t columns,
                                    const double* b, double* x, spsolve_trust* trust);

/* The same for complex right-hand sides of a real or a complex matrix, with `transposed` 2 of
 * A^H x = b. A complex matrix takes no real ones. */
spsolve_status spsolve_solver_solve_z(spsolve_solver* solver, int transposed, int64_t columns,
                                      const double* b, double* x, spsolve_trust* trust);

/* x <- M^-1 b, or with `transposed` M^-T b, by one application of the preconditioner of the Krylov
 * method that was named: x is only near a solution, and not judged. Arrays as those of _solve.
 * SPSOLVE_INPUT of other methods. */
spsolve_status spsolve_solver_precondition(spsolve_solver* solver, int transposed, int64_t columns,
                                           const double* b, double* x);

/* The same for complex vectors, as _solve_z has them; `transposed` 2: M^-H b. */
spsolve_status spsolve_solver_precondition_z(spsolve_solver* solver, int transposed,
                                             int64_t columns, const double* b, double* x);

typedef enum SPSOLVE_AN_INT {
  SPSOLVE_FORWARD,  /* by L of L L^T, L D L^T or P L U */
  SPSOLVE_DIAGONAL, /* by D, where there is one */
  SPSOLVE_BACKWARD  /* by L^T or U */
} spsolve_substitution;

/* x <- one part of A^-1 b, or with `transposed` of A^-T b, by sparse factors: the three in turn
 * make the x of _solve before it is refined. Of L L^T, y of the first has y^T y = b^T A^-1 b.
 * Nothing is judged. Arrays as those of _solve. SPSOLVE_INPUT of factors that have no such parts:
 * over ranks, on GPUs, of a block triangular form, or if solves are by GMRES. */
spsolve_status spsolve_solver_substitute(spsolve_solver* solver, spsolve_substitution step,
                                         int transposed, int64_t columns, const double* b,
                                         double* x);

/* The same for complex vectors, as _solve_z has them. */
spsolve_status spsolve_solver_substitute_z(spsolve_solver* solver, spsolve_substitution step,
                                           int transposed, int64_t columns, const double* b,
                                           double* x);

/* New values for the same pattern, row after row, columns ascending; eliminates again. Values that
 * are too few, too many or not finite are SPSOLVE_INPUT, and the solver stays as it was. Where the
 * elimination fails, as that of a singular matrix does, _solve is SPSOLVE_INPUT until _set_values
 * has succeeded. */
spsolve_status spsolve_solver_set_values(spsolve_solver* solver, int64_t count,
                                         const double* values);

/* The same of a complex matrix; `count` complex values. */
spsolve_status spsolve_solver_set_values_z(spsolve_solver* solver, int64_t count,
                                           const double* values);

/* A + diag(shifts) with `rows` shifts, one for each own row; the shifts before are gone. `values`:
 * new ones of a real matrix, taken at once, or NULL and count 0: those before. As _set_values. A
 * shift that is not 0 needs an entry on the diagonal, such as a stored zero. */
spsolve_status spsolve_solver_set_shifts(spsolve_solver* solver, int64_t count,
                                         const double* values, int64_t rows, const double* shifts);

/* How far numbers of eigenvalues are known; see docs/trust.md. */
typedef enum SPSOLVE_AN_INT {
  SPSOLVE_UNKNOWN = 0,
  SPSOLVE_LIKELY = 1,
  SPSOLVE_CERTAIN = 2
} spsolve_certainty;

/* The numbers of positive, negative and zero eigenvalues; -1 where they are unknown. */
typedef struct {
  spsolve_certainty certainty;
  int64_t positive;
  int64_t negative;
  int64_t zero; /* of a singular matrix, whose inertia is unknown: n less a numerical rank */
} spsolve_inertia;

/* The inertia of a symmetric or Hermitian matrix that is factored as L L^T or L D L^T, and where
 * _set_values found it to be singular. Of the rows that no pivot was left for, from 0, those that
 * there is room for are written to `rows`, which may be NULL. SPSOLVE_INPUT of other methods. */
spsolve_status spsolve_solver_inertia(spsolve_solver* solver, spsolve_inertia* inertia,
                                      int64_t room, int64_t* rows);

/* The facts to know before using the last solution: sentences, one a line, or "" (of NULL, too). */
const char* spsolve_solver_notes(const spsolve_solver* solver);
void spsolve_solver_free(spsolve_solver* solver);

/* --- products */

/* `kernel`: a name of `spbench --list-kernels`, or NULL for "auto"; `columns`: as expected. */
spsolve_status spsolve_product_create(const spsolve_matrix* matrix, const char* kernel,
                                      int64_t columns, spsolve_device device,
                                      spsolve_product** product);

/* A product over ranks, as spsolve_solver_create_over(). */
spsolve_status spsolve_product_create_over(const spsolve_ranks* ranks, const spsolve_matrix* matrix,
                                           const char* kernel, int64_t columns,
                                           spsolve_device device, spsolve_product** product);

/* The rows of y, and those of x, from *first to *end - 1, that this process has: all of them where
 * it is alone. */
spsolve_status spsolve_product_own_rows(const spsolve_product* product, int64_t* first,
                                        int64_t* end);
spsolve_status spsolve_product_own_rows_of_x(const spsolve_product* product, int64_t* first,
                                             int64_t* end);

/* y = A x; x is A's columns x `columns`, y A's rows x `columns`; over ranks own rows of each. */
spsolve_status spsolve_product_apply(spsolve_product* product, int64_t columns, const double* x,
                                     double* y);
void spsolve_product_free(spsolve_product* product);

#ifdef __cplusplus
}
#endif

#include "spsolve/spsolve_facts.h"

#endif
