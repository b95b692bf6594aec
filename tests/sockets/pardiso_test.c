/* PARDISO's calls as C programs make them: all kinds of matrices and phases, parameters, errors,
 * threads, and rounds that leave nothing behind. Compiled for MKL's call, and with PANUA for
 * Panua's. With a number: so many rounds, 500 by default. */
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <spsolve/spsolve.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PANUA
void pardisoinit(void* pt, const int* mtype, const int* solver, int* iparm, double* dparm,
                 int* error);
void pardiso(void* pt, const int* maxfct, const int* mnum, const int* mtype, const int* phase,
             const int* n, const void* a, const int* ia, const int* ja, int* perm, const int* nrhs,
             int* iparm, const int* msglvl, void* b, void* x, int* error, double* dparm);
void pardiso_chkmatrix(const int* mtype, const int* n, const double* a, const int* ia,
                       const int* ja, int* error);
void pardiso_chkmatrix_z(const int* mtype, const int* n, const double* a, const int* ia,
                         const int* ja, int* error);
void pardiso_chkvec(const int* n, const int* nrhs, const double* b, int* error);
void pardiso_printstats(const int* mtype, const int* n, const double* a, const int* ia,
                        const int* ja, const int* nrhs, const double* b, int* error);
void pardiso_ipopt_newinterface(void);
enum { is_panua = 1 };
#else
void pardisoinit(void* pt, const int* mtype, int* iparm);
void pardiso(void* pt, const int* maxfct, const int* mnum, const int* mtype, const int* phase,
             const int* n, const void* a, const int* ia, const int* ja, int* perm, const int* nrhs,
             int* iparm, const int* msglvl, void* b, void* x, int* error);
void pardiso_(void* pt, const int* maxfct, const int* mnum, const int* mtype, const int* phase,
              const int* n, const void* a, const int* ia, const int* ja, int* perm, const int* nrhs,
              int* iparm, const int* msglvl, void* b, void* x, int* error);
void pardiso_64(void* pt, const long long* maxfct, const long long* mnum, const long long* mtype,
                const long long* phase, const long long* n, const void* a, const long long* ia,
                const long long* ja, long long* perm, const long long* nrhs, long long* iparm,
                const long long* msglvl, void* b, void* x, long long* error);
enum { is_panua = 0 };
#endif

static int passed, failed;

static void check(int good, const char* what, int line) {
  good ? ++passed : ++failed;
  if (!good) printf("FAILED, line %d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define CHECK_CODE(call, expected)                                            \
  do {                                                                        \
    const int code_ = (call);                                                 \
    if (code_ != (expected)) printf("error %d, not %d: ", code_, (expected)); \
    check(code_ == (expected), #call, __LINE__);                              \
  } while (0)

typedef double complex number;

/* A matrix as the call takes it, with what a test asks of it. */
typedef struct {
  int mtype, n, is_complex, is_symmetric, is_hermitian;
  int *ia, *ja;
  double* a; /* two of a complex entry */
} matrix;

/* A call, whose parameters a test may change. */
typedef struct {
  void* pt[64];
  int iparm[64];
  double dparm[64];
  int maxfct, mnum, msglvl;
} handle;

static handle new_handle(int mtype) {
  handle made;
  memset(&made, 0, sizeof made);
  made.maxfct = made.mnum = 1;
#ifdef PANUA
  int error = 7;
  const int direct = 0;
  pardisoinit(made.pt, &mtype, &direct, made.iparm, made.dparm, &error);
  CHECK_CODE(error, 0);
#else
  pardisoinit(made.pt, &mtype, made.iparm);
#endif
  return made;
}

static int call(handle* by, const matrix* of, int phase, int nrhs, void* b, void* x, int* perm) {
  int error = 99;
#ifdef PANUA
  pardiso(by->pt, &by->maxfct, &by->mnum, &of->mtype, &phase, &of->n, of->a, of->ia, of->ja, perm,
          &nrhs, by->iparm, &by->msglvl, b, x, &error, by->dparm);
#else
  pardiso(by->pt, &by->maxfct, &by->mnum, &of->mtype, &phase, &of->n, of->a, of->ia, of->ja, perm,
          &nrhs, by->iparm, &by->msglvl, b, x, &error);
#endif
  return error;
}

static int release(handle* by, const matrix* of) {
  return call(by, of, -1, 1, NULL, NULL, NULL);
}

/* A mesh of side x side points; positive definite unless `mtype` is indefinite. */
static matrix mesh(int side, int mtype) {
  matrix made;
  const int n = side * side;
  made.mtype = mtype;
  made.n = n;
  made.is_complex = mtype == 3 || mtype == 13 || mtype == 4 || mtype == -4 || mtype == 6;
  made.is_hermitian = mtype == 4 || mtype == -4;
  made.is_symmetric = mtype == 2 || mtype == -2 || mtype == 6 || made.is_hermitian;
  made.ia = malloc((n + 1) * sizeof(int));
  made.ja = malloc(5 * n * sizeof(int));
  made.a = malloc(10 * n * sizeof(double));
  int k = 0;
  for (int i = 0; i < n; ++i) {
    made.ia[i] = k + 1;
    const int at[] = {i - side, i - 1, i, i + 1, i + side};
    for (int e = 0; e < 5; ++e) {
      const int j = at[e];
      if (j < 0 || j >= n || (e == 1 && i % side == 0) || (e == 3 && j % side == 0)) continue;
      if (made.is_symmetric && j < i) continue;
      const int negative = (mtype == -2 || mtype == -4) && i % 3 == 0;
      double real = i == j ? (negative ? -5 : 5) + 0.01 * (i % 7) : -1;
      if (!made.is_symmetric && i != j) real -= 0.1 * ((i + 2 * j) % 3);
      made.ja[k] = j + 1;
      if (made.is_complex) {
        made.a[2 * k] = real;
        made.a[2 * k + 1] = made.is_hermitian && i == j ? 0 : 0.3 + 0.1 * ((i + j) % 5);
      } else {
        made.a[k] = real;
      }
      ++k;
    }
  }
  made.ia[n] = k + 1;
  return made;
}

static void free_matrix(matrix* m) {
  free(m->ia);
  free(m->ja);
  free(m->a);
}

static number at(const matrix* m, int k) {
  return m->is_complex ? m->a[2 * k] + I * m->a[2 * k + 1] : m->a[k];
}

/* ||b - op(A) x|| / ||b||, infinity norms; op: 0 A, 1 A^H, 2 A^T. */
static double residual(const matrix* m, const void* b, const void* x, int op) {
  number* r = malloc(m->n * sizeof(number));
  const double *rb = b, *rx = x;
  const number *cb = b, *cx = x;
  for (int i = 0; i < m->n; ++i) r[i] = m->is_complex ? cb[i] : rb[i];
  double size = 0, rest = 0;
  for (int i = 0; i < m->n; ++i) size = fmax(size, cabs(r[i]));
  for (int i = 0; i < m->n; ++i) {
    for (int k = m->ia[i] - 1; k < m->ia[i + 1] - 1; ++k) {
      const int j = m->ja[k] - 1;
      const number v = at(m, k), w = m->is_hermitian ? conj(v) : v;
      const number xi = m->is_complex ? cx[i] : rx[i], xj = m->is_complex ? cx[j] : rx[j];
      /* a_ij = v, and of symmetric kinds a_ji = w */
      if (op == 0) r[i] -= v * xj;
      if (op == 1) r[j] -= conj(v) * xi;
      if (op == 2) r[j] -= v * xi;
      if (!m->is_symmetric || i == j) continue;
      if (op == 0) r[j] -= w * xi;
      if (op == 1) r[i] -= conj(w) * xj;
      if (op == 2) r[i] -= w * xj;
    }
  }
  for (int i = 0; i < m->n; ++i) rest = fmax(rest, cabs(r[i]));
  free(r);
  return rest / size;
}

static double* vector(const matrix* m, int columns) {
  const int size = m->n * columns * (m->is_complex ? 2 : 1);
  double* b = malloc(size * sizeof(double));
  for (int i = 0; i < size; ++i) b[i] = 1 + 0.25 * (i % 11) - 0.5 * (i % 3);
  return b;
}
static double* zeros(const matrix* m, int columns) {
  return calloc(2 * (size_t)m->n * columns, sizeof(double));
}
static size_t bytes(const matrix* m, int columns) {
  return (size_t)m->n * columns * (m->is_complex ? 16 : 8);
}

static const int kinds[] = {11, 1, 2, -2, 3, 13, 4, -4, 6};
enum { kind_count = sizeof kinds / sizeof kinds[0] };

/* Every kind by every way through the phases: the same x, bit for bit. */
static void all_kinds(int side, int ways_tried) {
  for (int k = 0; k < kind_count; ++k) {
    matrix m = mesh(side, kinds[k]);
    double *b = vector(&m, 1), *x = zeros(&m, 1), *first = zeros(&m, 1);
    const int ways[][3] = {{11, 22, 33}, {13, 0, 0}, {12, 33, 0}, {11, 23, 0}};
    for (int w = 0; w < ways_tried; ++w) {
      handle by = new_handle(m.mtype);
      for (int p = 0; p < 3 && ways[w][p] != 0; ++p) {
        CHECK_CODE(call(&by, &m, ways[w][p], 1, b, x, NULL), 0);
      }
      CHECK(residual(&m, b, x, 0) < 1e-13);
      if (w == 0) memcpy(first, x, bytes(&m, 1));
      CHECK(memcmp(first, x, bytes(&m, 1)) == 0);
      CHECK(by.iparm[17] >= m.n && by.iparm[16] > 0 && by.iparm[13] == 0);
      /* New values of the pattern, and the first ones again. */
      for (int i = 0; i < m.ia[m.n] - 1; ++i) m.a[m.is_complex ? 2 * i : i] *= 2;
      if (m.is_complex) {
        for (int i = 0; i < m.ia[m.n] - 1; ++i) m.a[2 * i + 1] *= 2;
      }
      CHECK_CODE(call(&by, &m, 23, 1, b, x, NULL), 0);
      CHECK(residual(&m, b, x, 0) < 1e-13);
      for (int i = 0; i < (m.ia[m.n] - 1) * (m.is_complex ? 2 : 1); ++i) m.a[i] /= 2;
      CHECK_CODE(call(&by, &m, 22, 1, b, x, NULL), 0);
      CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), 0);
      CHECK(memcmp(first, x, bytes(&m, 1)) == 0);
      CHECK_CODE(call(&by, &m, 0, 1, NULL, NULL, NULL), 0);
      CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), -1);
      CHECK_CODE(release(&by, &m), 0);
      CHECK(by.pt[0] == NULL);
      CHECK_CODE(release(&by, &m), 0);
    }
    free(b), free(x), free(first), free_matrix(&m);
  }
}

/* A^T and A^H, x over b, several right-hand sides. */
/* Phases 331, 332 and 333 in turn make the x of phase 33 for every kind, and y of 331 the inner
 * product by A^-1 of definite ones. */
static void halves(void) {
  for (int k = 0; k < kind_count; ++k) {
    matrix m = mesh(17, kinds[k]);
    const int size = m.n * 3 * (m.is_complex ? 2 : 1);
    double *b = vector(&m, 3), *x = zeros(&m, 3), *y = zeros(&m, 3), *z = zeros(&m, 3);
    handle by = new_handle(m.mtype);
    int* perm = malloc(m.n * sizeof(int));
    for (int i = 0; i < m.n; ++i) perm[i] = m.n - i;
    CHECK_CODE(call(&by, &m, 11, 1, NULL, NULL, NULL), 0);
    CHECK_CODE(call(&by, &m, 331, 3, b, y, NULL), -1); /* before phase 22 */
    for (int permutes = 0; permutes < 2; ++permutes) {
      by.iparm[4] = permutes;
      if (permutes) CHECK_CODE(call(&by, &m, 11, 1, NULL, NULL, perm), 0);
      CHECK_CODE(call(&by, &m, 22, 1, NULL, NULL, perm), 0);
      for (int op = 0; op < (is_panua ? 2 : 3); ++op) {
        by.iparm[11] = op;
        CHECK_CODE(call(&by, &m, 33, 3, b, x, perm), 0);
        CHECK_CODE(call(&by, &m, 331, 3, b, y, perm), 0);
        CHECK_CODE(call(&by, &m, 332, 3, y, z, perm), 0);
        double inner = 0, outer = 0, error = 0, largest = 0;
        for (int i = 0; i < size; ++i) inner += y[i] * y[i], outer += b[i] * x[i];
        if (m.mtype == 2 || m.mtype == 4) {
          CHECK(memcmp(y, z, bytes(&m, 3)) == 0);
          CHECK(fabs(inner - outer) < 1e-12 * fabs(outer));
        }
        if (m.mtype == -2 || m.mtype == -4 || m.mtype == 6) {
          CHECK(memcmp(y, z, bytes(&m, 3)) != 0);
        }
        by.iparm[5] = 1; /* over b */
        CHECK_CODE(call(&by, &m, 333, 3, z, NULL, perm), 0);
        by.iparm[5] = 0;
        for (int i = 0; i < size; ++i) {
          error = fmax(error, fabs(z[i] - x[i]));
          largest = fmax(largest, fabs(x[i]));
        }
        CHECK(error < 1e-12 * largest);
      }
      by.iparm[11] = 0;
    }
    CHECK_CODE(call(&by, &m, 331, 1, NULL, y, perm), -1);
    CHECK_CODE(call(&by, &m, 331, 0, b, y, perm), -1);
    CHECK_CODE(release(&by, &m), 0);
    free(b), free(x), free(y), free(z), free(perm), free_matrix(&m);
  }
  /* Two blocks of which one feeds the other are not one L and U. */
  matrix m = mesh(8, 11);
  for (int i = 0; i < 32; ++i) {
    for (int k = m.ia[i] - 1; k < m.ia[i + 1] - 1; ++k) {
      if (m.ja[k] > 32) m.a[k] = 0;
    }
  }
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  handle by = new_handle(11);
  CHECK_CODE(call(&by, &m, 13, 1, b, x, NULL), 0);
  CHECK(residual(&m, b, x, 0) < 1e-13);
  CHECK_CODE(call(&by, &m, 331, 1, b, x, NULL), -1);
  CHECK_CODE(release(&by, &m), 0);
  free(b), free(x), free_matrix(&m);
}

static void parameters_of_solutions(void) {
  for (int k = 0; k < kind_count; ++k) {
    matrix m = mesh(12, kinds[k]);
    enum { columns = 3 };
    double *b = vector(&m, columns), *x = zeros(&m, columns), *over = zeros(&m, columns);
    const size_t column = bytes(&m, 1) / sizeof(double);
    handle by = new_handle(m.mtype);
    CHECK_CODE(call(&by, &m, 12, columns, NULL, NULL, NULL), 0);
    for (int op = 0; op <= (is_panua ? 1 : 2); ++op) {
      by.iparm[11] = op;
      by.iparm[5] = 0;
      CHECK_CODE(call(&by, &m, 33, columns, b, x, NULL), 0);
      for (int c = 0; c < columns; ++c) {
        CHECK(residual(&m, b + c * column, x + c * column, is_panua ? 2 * op : op) < 1e-13);
      }
      memcpy(over, b, bytes(&m, columns));
      by.iparm[5] = 1;
      CHECK_CODE(call(&by, &m, 33, columns, over, NULL, NULL), 0);
      CHECK(memcmp(over, x, bytes(&m, columns)) == 0);
    }
    CHECK_CODE(release(&by, &m), 0);
    free(b), free(x), free(over), free_matrix(&m);
  }
}

/* A caller's order. */
static void permutation(void) {
  for (int k = 0; k < kind_count; ++k) {
    matrix m = mesh(12, kinds[k]);
    double *b = vector(&m, 1), *x = zeros(&m, 1);
    int* perm = malloc(m.n * sizeof(int));
    for (int i = 0; i < m.n; ++i) perm[i] = 1 + (7 * i + 3) % m.n;
    handle by = new_handle(m.mtype);
    by.iparm[4] = 1;
    CHECK_CODE(call(&by, &m, 11, 1, b, x, perm), 0);
    const int entries = by.iparm[17];
    CHECK_CODE(call(&by, &m, 22, 1, b, x, perm), 0);
    CHECK_CODE(call(&by, &m, 33, 1, b, x, perm), 0);
    CHECK(residual(&m, b, x, 0) < 1e-13);
    for (int i = 0; i < m.n; ++i) perm[i] = 1 + i;
    by.iparm[17] = -1;
    CHECK_CODE(call(&by, &m, 13, 1, b, x, perm), 0);
    CHECK(residual(&m, b, x, 0) < 1e-13);
    CHECK(by.iparm[17] != entries); /* the order counts */
    CHECK_CODE(call(&by, &m, 11, 1, b, x, NULL), -1);
    perm[3] = perm[4];
    CHECK_CODE(call(&by, &m, 11, 1, b, x, perm), -1);
    perm[3] = m.n + 1;
    CHECK_CODE(call(&by, &m, 11, 1, b, x, perm), -1);
    CHECK_CODE(release(&by, &m), 0);
    free(b), free(x), free(perm), free_matrix(&m);
  }
}

static void inertia(void) {
  for (int k = 0; k < 2; ++k) {
    matrix m = mesh(30, k == 0 ? -2 : -4);
    double *b = vector(&m, 1), *x = zeros(&m, 1);
    handle by = new_handle(m.mtype);
    by.iparm[18] = -1;
    CHECK_CODE(call(&by, &m, 12, 1, b, x, NULL), 0);
    CHECK(by.iparm[21] == 600 && by.iparm[22] == 300); /* the diagonal dominates */
    CHECK(by.iparm[18] >= 0);
    CHECK_CODE(release(&by, &m), 0);
    free(b), free(x), free_matrix(&m);
  }
}

/* H u + B^T v = f, B u = g with a chain for H, tiny on every other diagonal, and B of two entries a
 * row: by matched rows, which (13) asks for, without a pivot that is made larger. */
static void matched_rows(void) {
  enum { half = 300 };
  matrix m = {-2, 2 * half, 0, 1, 0, NULL, NULL, NULL};
  m.ia = malloc((m.n + 1) * sizeof(int));
  m.ja = malloc(4 * m.n * sizeof(int));
  m.a = malloc(4 * m.n * sizeof(double));
  int k = 0;
  for (int i = 0; i < m.n; ++i) {
    m.ia[i] = k + 1;
    m.ja[k] = i + 1;
    m.a[k++] = i >= half ? 0 : i % 2 == 0 ? 1e-14 : 2;
    if (i >= half) continue;
    if (i + 1 < half) m.ja[k] = i + 2, m.a[k++] = 1e-3;
    if (i > 0) m.ja[k] = half + i, m.a[k++] = -0.5;
    m.ja[k] = half + i + 1, m.a[k++] = 1;
  }
  m.ia[m.n] = k + 1;
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  for (int matches = 0; matches < 2; ++matches) {
    handle by = new_handle(m.mtype);
    by.iparm[12] = matches;
    CHECK_CODE(call(&by, &m, 11, 1, NULL, NULL, NULL), 0);
    CHECK_CODE(call(&by, &m, 22, 1, NULL, NULL, NULL), 0);
    CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), 0);
    CHECK(by.iparm[13] == 0 || !matches);
    CHECK(by.iparm[21] == half && by.iparm[22] == half);
    CHECK(residual(&m, b, x, 0) < 1e-9);
    CHECK_CODE(release(&by, &m), 0);
  }
  free(b), free(x), free_matrix(&m);
}

/* Factors in single precision, and of MKL's call all numbers. */
static void single_precision(void) {
  for (int k = 0; k < kind_count; ++k) {
    matrix m = mesh(12, kinds[k]);
    double *b = vector(&m, 1), *x = zeros(&m, 1);
    const int size = m.n * (m.is_complex ? 2 : 1), entries = m.ia[m.n] - 1;
    handle by = new_handle(m.mtype);
#ifdef PANUA
    by.iparm[28] = 1;
    CHECK_CODE(call(&by, &m, 13, 1, b, x, NULL), 0);
#else
    by.iparm[27] = 1;
    matrix narrow = m;
    float *a = malloc(2 * entries * sizeof(float)), *c = malloc(2 * size * sizeof(float));
    for (int i = 0; i < entries * (m.is_complex ? 2 : 1); ++i) a[i] = (float)m.a[i];
    for (int i = 0; i < size; ++i) c[i] = (float)b[i];
    narrow.a = (double*)a;
    CHECK_CODE(call(&by, &narrow, 11, 1, NULL, NULL, NULL), 0);
    CHECK_CODE(call(&by, &narrow, 23, 1, c, c, NULL), 0);
    for (int i = 0; i < size; ++i) x[i] = c[i];
    free(a), free(c);
#endif
    CHECK(residual(&m, b, x, 0) < 1e-5);
    CHECK_CODE(release(&by, &m), 0);
    free(b), free(x), free_matrix(&m);
  }
}

/* x of the library itself, of general matrices, by the same options. */
static void same_bits_as_the_library(void) {
  matrix m = mesh(101, 11);
  double *b = vector(&m, 1), *x = zeros(&m, 1), *own = zeros(&m, 1);
  handle by = new_handle(m.mtype);
  CHECK_CODE(call(&by, &m, 13, 1, b, x, NULL), 0);
  CHECK_CODE(release(&by, &m), 0);
  int64_t* offsets = malloc((m.n + 1) * sizeof(int64_t));
  int64_t* columns = malloc(5 * m.n * sizeof(int64_t));
  for (int i = 0; i <= m.n; ++i) offsets[i] = m.ia[i] - 1;
  for (int k = 0; k < m.ia[m.n] - 1; ++k) columns[k] = m.ja[k] - 1;
  spsolve_matrix* a = NULL;
  spsolve_solver* solver = NULL;
  spsolve_options options;
  spsolve_options_init(&options);
  options.method = SPSOLVE_METHOD_SPARSE_LU;
  CHECK(spsolve_matrix_from_rows(m.n, m.n, offsets, columns, m.a, &a) == SPSOLVE_OK);
  CHECK(spsolve_solver_create(a, &options, &solver) == SPSOLVE_OK);
  CHECK(spsolve_solver_solve(solver, 0, 1, b, own, NULL) == SPSOLVE_OK);
  CHECK(memcmp(own, x, bytes(&m, 1)) == 0);
  spsolve_solver_free(solver);
  spsolve_matrix_free(a);
  free(offsets), free(columns), free(b), free(x), free(own), free_matrix(&m);
}

/* Several matrices of a pattern. */
static void several_factors(void) {
  matrix m = mesh(10, 11), other = mesh(10, 11);
  for (int k = 0; k < m.ia[m.n] - 1; ++k) other.a[k] *= 1.5 + 0.01 * (k % 4);
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  handle by = new_handle(11);
  by.maxfct = 2;
  CHECK_CODE(call(&by, &m, 12, 1, b, x, NULL), 0);
  by.mnum = 2;
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), -1);
  CHECK_CODE(call(&by, &other, 22, 1, b, x, NULL), 0);
  CHECK_CODE(call(&by, &other, 33, 1, b, x, NULL), 0);
  CHECK(residual(&other, b, x, 0) < 1e-13);
  by.mnum = 1;
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), 0);
  CHECK(residual(&m, b, x, 0) < 1e-13);
  by.mnum = 3;
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), -1);
  by.mnum = 0;
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), -1);
  by.mnum = 2;
  CHECK_CODE(call(&by, &m, 0, 1, b, x, NULL), 0);
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), -1);
  by.mnum = 1;
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), 0);
  CHECK_CODE(release(&by, &m), 0);
  free(b), free(x), free_matrix(&m), free_matrix(&other);
}

static void wrong_calls(void) {
  matrix m = mesh(8, 11), s = mesh(8, 2);
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  handle by = new_handle(11), none = by;
  const int out_of_turn[] = {22, 23, 33, 331, 332, 333, 44, 1, 21, 31};
  for (int k = 0; k < 10; ++k) CHECK_CODE(call(&by, &m, out_of_turn[k], 1, b, x, NULL), -1);
  CHECK(by.pt[0] == NULL);
  matrix w = m;
  w.mtype = 7;
  CHECK_CODE(call(&by, &w, 12, 1, b, x, NULL), -1);
  for (int n = -1; n <= 0; ++n) {
    w = m;
    w.n = n;
    CHECK_CODE(call(&by, &w, 12, 1, b, x, NULL), -1);
  }
  w = m, w.a = NULL;
  CHECK_CODE(call(&by, &w, 12, 1, b, x, NULL), -1);
  w = m, w.ia = NULL;
  CHECK_CODE(call(&by, &w, 12, 1, b, x, NULL), -1);
  w = m, w.ja = NULL;
  CHECK_CODE(call(&by, &w, 12, 1, b, x, NULL), -1);
  const int wrong_columns[] = {0, -5, 65, 1 << 30};
  for (int k = 0; k < 4; ++k) {
    const int right = m.ja[7];
    m.ja[7] = wrong_columns[k];
    CHECK_CODE(call(&by, &m, 12, 1, b, x, NULL), -1);
    m.ja[7] = right;
  }
  m.ia[5] -= 20;
  CHECK_CODE(call(&by, &m, 12, 1, b, x, NULL), -1);
  m.ia[5] += 20;
  m.ia[0] = 0;
  CHECK_CODE(call(&by, &m, 12, 1, b, x, NULL), -1);
  m.ia[0] = 1;
  w = m, w.mtype = 2; /* both triangles */
  CHECK_CODE(call(&by, &w, 12, 1, b, x, NULL), -1);
  const int second = s.ja[1];
  s.ja[1] = s.ja[0]; /* twice the same */
  CHECK_CODE(call(&by, &s, 12, 1, b, x, NULL), -1);
  s.ja[1] = second;
  m.a[3] = NAN;
  CHECK_CODE(call(&by, &m, 12, 1, b, x, NULL), -1);
  CHECK_CODE(call(&by, &m, 11, 1, b, x, NULL), 0); /* of the pattern alone */
  CHECK_CODE(call(&by, &m, 22, 1, b, x, NULL), -1);
  m.a[3] = -1;

  CHECK_CODE(call(&by, &m, 12, 1, b, x, NULL), 0);
  CHECK_CODE(call(&by, &m, 33, 0, b, x, NULL), -1);
  CHECK_CODE(call(&by, &m, 33, 1, NULL, x, NULL), -1);
  CHECK_CODE(call(&by, &m, 33, 1, b, NULL, NULL), -1);
  w = m, w.n = 60;
  CHECK_CODE(call(&by, &w, 33, 1, b, x, NULL), -1);
  CHECK_CODE(call(&by, &w, 22, 1, b, x, NULL), -1);
  w = m, w.mtype = 1;
  CHECK_CODE(call(&by, &w, 33, 1, b, x, NULL), -1);
  b[5] = INFINITY;
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), -1);
  b[5] = 1;
  const int column = m.ja[1];
  m.ja[1] = column + 1; /* another pattern */
  CHECK_CODE(call(&by, &m, 22, 1, b, x, NULL), -1);
  m.ja[1] = column;
  CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), 0); /* all of that changed nothing */
  CHECK(residual(&m, b, x, 0) < 1e-13);

  none.pt[0] = &none;
  CHECK_CODE(call(&none, &m, 13, 1, b, x, NULL), -1);
  CHECK_CODE(release(&none, &m), -1);
  const int refused[][2] = {{5, 2},
                            {6, 5},
                            {12, 3},
                            {31, 1},
                            {36, 1},
                            {is_panua ? 38 : 37, 2},
                            {is_panua ? 32 : 56, 1},
                            {is_panua ? 33 : 60, is_panua ? 1 : 2}};
  for (int k = 0; k < 8; ++k) {
    handle other = new_handle(11);
    other.iparm[refused[k][0] - 1] = refused[k][1];
    CHECK_CODE(call(&other, &m, 13, 1, b, x, NULL), -1);
    CHECK(other.pt[0] == NULL);
  }
  CHECK_CODE(release(&by, &m), 0);
  free(b), free(x), free_matrix(&m), free_matrix(&s);
}

/* Never an x as of a system that has none. */
static void singular_matrices(void) {
  for (int k = 0; k < kind_count; ++k) {
    matrix m = mesh(10, kinds[k]);
    double *b = vector(&m, 1), *x = zeros(&m, 1);
    const int parts = m.is_complex ? 2 : 1;
    handle by = new_handle(m.mtype);
    /* Row and column 40 of zeros. */
    for (int i = 0; i < m.n; ++i) {
      for (int e = m.ia[i] - 1; e < m.ia[i + 1] - 1; ++e) {
        if (i != 40 && m.ja[e] != 41) continue;
        for (int part = 0; part < parts; ++part) m.a[parts * e + part] = 0;
      }
    }
    CHECK_CODE(call(&by, &m, 13, 1, b, x, NULL), -4);
    CHECK_CODE(call(&by, &m, 33, 1, b, x, NULL), -4);
    const int analysed = call(&by, &m, 11, 1, b, x, NULL);
    CHECK(analysed == 0 || analysed == -7);
    CHECK_CODE(call(&by, &m, 22, 1, b, x, NULL), -4);
    CHECK_CODE(release(&by, &m), 0);
    free(b), free(x), free_matrix(&m);
  }
  /* A Laplacian, singular but for rounding; positive definite ones are refused by L L^T. */
  const int of[] = {11, 1, -2, 2};
  for (int k = 0; k < 4; ++k) {
    matrix m = mesh(30, of[k] == 2 ? 2 : of[k]);
    double* sums = calloc(m.n, sizeof(double));
    for (int i = 0; i < m.n; ++i) {
      for (int e = m.ia[i] - 1; e < m.ia[i + 1] - 1; ++e) {
        const int j = m.ja[e] - 1;
        if (i == j) continue;
        m.a[e] = -1.0 / 3;
        sums[i] += 1.0 / 3;
        if (m.is_symmetric) sums[j] += 1.0 / 3;
      }
    }
    for (int i = 0; i < m.n; ++i) {
      for (int e = m.ia[i] - 1; e < m.ia[i + 1] - 1; ++e) {
        if (m.ja[e] == i + 1) m.a[e] = sums[i];
      }
    }
    double *b = vector(&m, 1), *x = zeros(&m, 1);
    handle by = new_handle(m.mtype);
    CHECK_CODE(call(&by, &m, 13, 1, b, x, NULL), -4);
    CHECK_CODE(release(&by, &m), 0);
    free(b), free(x), free(sums), free_matrix(&m);
  }
  matrix m = mesh(10, -2); /* not positive definite */
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  m.mtype = 2;
  handle by = new_handle(2);
  CHECK_CODE(call(&by, &m, 13, 1, b, x, NULL), -4);
  CHECK_CODE(release(&by, &m), 0);
  free(b), free(x), free_matrix(&m);
}

#ifdef PANUA

static void checks_of_panua(void) {
  matrix m = mesh(8, -2), z = mesh(8, 6);
  double* b = vector(&m, 2);
  const int nrhs = 2;
  int error = 7;
  pardiso_chkmatrix(&m.mtype, &m.n, m.a, m.ia, m.ja, &error);
  CHECK_CODE(error, 0);
  pardiso_chkmatrix_z(&z.mtype, &z.n, z.a, z.ia, z.ja, &error);
  CHECK_CODE(error, 0);
  pardiso_chkmatrix(&z.mtype, &z.n, z.a, z.ia, z.ja, &error);
  CHECK_CODE(error, -1);
  pardiso_chkvec(&m.n, &nrhs, b, &error);
  CHECK_CODE(error, 0);
  pardiso_printstats(&m.mtype, &m.n, m.a, m.ia, m.ja, &nrhs, b, &error);
  CHECK_CODE(error, 0);
  b[3] = NAN;
  pardiso_chkvec(&m.n, &nrhs, b, &error);
  CHECK_CODE(error, -1);
  m.ja[4] = 999;
  pardiso_chkmatrix(&m.mtype, &m.n, m.a, m.ia, m.ja, &error);
  CHECK_CODE(error, -1);
  pardiso_chkmatrix(&m.mtype, &m.n, m.a, NULL, m.ja, &error);
  CHECK_CODE(error, -1);
  pardiso_chkmatrix(NULL, &m.n, m.a, m.ia, m.ja, &error);
  CHECK_CODE(error, -1);
  const int iterative = 1;
  void* pt[64] = {NULL};
  int iparm[64];
  double dparm[64];
  pardisoinit(pt, &m.mtype, &iterative, iparm, dparm, &error);
  CHECK_CODE(error, -1);
  pardiso_ipopt_newinterface();
  free(b), free_matrix(&m), free_matrix(&z);
}

#else

/* What MKL's call has alone: indices from 0, the matrix checker, 64 bits, Fortran's name. */
static void parameters_of_mkl(void) {
  matrix m = mesh(12, 11);
  double *b = vector(&m, 1), *x = zeros(&m, 1), *other = zeros(&m, 1);
  handle by = new_handle(11);
  CHECK_CODE(call(&by, &m, 13, 1, b, x, NULL), 0);
  CHECK_CODE(release(&by, &m), 0);

  long long wide[8] = {1, 1, 11, 13, m.n, 1, 0, 99}, iparm[64] = {0};
  long long *ia = malloc((m.n + 1) * sizeof *ia), *ja = malloc(5 * m.n * sizeof *ja);
  for (int i = 0; i <= m.n; ++i) ia[i] = m.ia[i];
  for (int k = 0; k < m.ia[m.n] - 1; ++k) ja[k] = m.ja[k];
  pardiso_64(by.pt, wide, wide + 1, wide + 2, wide + 3, wide + 4, m.a, ia, ja, NULL, wide + 5,
             iparm, wide + 6, b, other, wide + 7);
  CHECK(wide[7] == 0 && memcmp(other, x, bytes(&m, 1)) == 0);
  CHECK(iparm[0] == 1 && iparm[1] == 2); /* iparm(1) = 0 asks for the defaults */
  wide[3] = -1;
  pardiso_64(by.pt, wide, wide + 1, wide + 2, wide + 3, wide + 4, NULL, NULL, NULL, NULL, wide + 5,
             iparm, wide + 6, NULL, NULL, wide + 7);
  CHECK(wide[7] == 0 && by.pt[0] == NULL);
  free(ia), free(ja);

  for (int i = 0; i <= m.n; ++i) --m.ia[i];
  for (int k = 0; k < m.ia[m.n]; ++k) --m.ja[k];
  by = new_handle(11);
  CHECK_CODE(call(&by, &m, 13, 1, b, other, NULL), -1);
  by.iparm[34] = 1;
  CHECK_CODE(call(&by, &m, 13, 1, b, other, NULL), 0);
  CHECK(memcmp(other, x, bytes(&m, 1)) == 0);
  for (int i = 0; i <= m.n; ++i) ++m.ia[i];
  for (int k = 0; k < m.ia[m.n] - 1; ++k) ++m.ja[k];
  CHECK_CODE(release(&by, &m), 0);

  by = new_handle(11);
  by.iparm[26] = 1;
  int error = 99;
  const int phase = 13, nrhs = 1;
  pardiso_(by.pt, &by.maxfct, &by.mnum, &m.mtype, &phase, &m.n, m.a, m.ia, m.ja, NULL, &nrhs,
           by.iparm, &by.msglvl, b, other, &error);
  CHECK(error == 0 && memcmp(other, x, bytes(&m, 1)) == 0);
  const int k = m.ia[50] - 1, column = m.ja[k];
  const double value = m.a[k];
  m.ja[k] = m.ja[k + 1], m.ja[k + 1] = column;
  m.a[k] = m.a[k + 1], m.a[k + 1] = value;
  CHECK_CODE(call(&by, &m, 13, 1, b, other, NULL), -1); /* columns do not ascend */
  by.iparm[26] = 0;
  CHECK_CODE(call(&by, &m, 13, 1, b, other, NULL), 0);
  CHECK(memcmp(other, x, bytes(&m, 1)) == 0);
  pardiso(by.pt, NULL, &by.mnum, &m.mtype, &phase, &m.n, m.a, m.ia, m.ja, NULL, &nrhs, by.iparm,
          &by.msglvl, b, other, &error);
  CHECK_CODE(error, -1);
  pardiso(by.pt, &by.maxfct, &by.mnum, &m.mtype, &phase, &m.n, m.a, m.ia, m.ja, NULL, &nrhs, NULL,
          &by.msglvl, b, other, &error);
  CHECK_CODE(error, -1);
  pardiso(NULL, &by.maxfct, &by.mnum, &m.mtype, &phase, &m.n, m.a, m.ia, m.ja, NULL, &nrhs,
          by.iparm, &by.msglvl, b, other, &error);
  CHECK_CODE(error, -1);

  /* An array of zeros with A^T asked for, as pypardiso has it. */
  handle zero = new_handle(11);
  memset(zero.iparm, 0, sizeof zero.iparm);
  zero.iparm[11] = 2;
  CHECK_CODE(call(&zero, &m, 13, 1, b, other, NULL), 0);
  CHECK(residual(&m, b, other, 2) < 1e-13);
  CHECK_CODE(release(&zero, &m), 0);
  CHECK_CODE(release(&by, &m), 0);
  free(b), free(x), free(other), free_matrix(&m);
}

#endif

/* --- threads with handles of their own */

enum { thread_count = 8 };

typedef struct {
  int mtype, side, errors;
  double sum;
} job;

static void* work(void* given) {
  job* mine = given;
  matrix m = mesh(mine->side, mine->mtype);
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  mine->errors = 0;
  for (int round = 0; round < 3; ++round) {
    handle by = {.maxfct = 1, .mnum = 1};
    mine->errors += call(&by, &m, 12, 1, b, x, NULL) != 0;
    mine->errors += call(&by, &m, 33, 1, b, x, NULL) != 0;
    mine->errors += residual(&m, b, x, 0) > 1e-13;
    mine->errors += release(&by, &m) != 0;
  }
  mine->sum = 0;
  for (int i = 0; i < m.n; ++i) mine->sum += x[i];
  free(b), free(x), free_matrix(&m);
  return NULL;
}

static void threads(void) {
  pthread_t ids[thread_count];
  job jobs[thread_count];
  for (int t = 0; t < thread_count; ++t) {
    jobs[t] = (job){kinds[t], 20 + t, -1, 0};
    pthread_create(&ids[t], NULL, work, &jobs[t]);
  }
  for (int t = 0; t < thread_count; ++t) {
    pthread_join(ids[t], NULL);
    CHECK_CODE(jobs[t].errors, 0);
    const double sum = jobs[t].sum;
    work(&jobs[t]);
    CHECK(jobs[t].errors == 0 && jobs[t].sum == sum);
  }
}

/* With msglvl 1 a call says what it did, and an error what is wrong; else nothing is said. */
static void messages(void) {
  matrix m = mesh(10, 11);
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  char said[4096] = "";
  for (int level = 0; level < 2; ++level) {
    FILE* file = tmpfile();
    fflush(stdout);
    const int kept = dup(1);
    dup2(fileno(file), 1);
    handle by = new_handle(11);
    by.msglvl = level;
    const int done = call(&by, &m, 13, 1, b, x, NULL), wrong = call(&by, &m, 77, 1, b, x, NULL);
    release(&by, &m);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    CHECK(done == 0 && wrong == -1);
    CHECK((strlen(said) > 0) == (level > 0));
  }
  CHECK(strstr(said, "entries of factors") != NULL && strstr(said, "phase = 77") != NULL);
  free(b), free(x), free_matrix(&m);
}

/* In a process of its own, as it limits memory. */
static void short_memory(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    matrix m = mesh(500, 11);
    handle by = new_handle(11);
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld", &pages) != 1) _exit(9);
    fclose(file);
    const rlim_t room = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (rlim_t)(40 << 20);
    const struct rlimit limit = {room, room};
    setrlimit(RLIMIT_AS, &limit);
    _exit(call(&by, &m, 12, 1, NULL, NULL, NULL) == -2 ? 0 : 8);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static long resident_pages(void) {
  long all = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2) resident = -1;
  if (file != NULL) fclose(file);
  return resident;
}

static void rounds(int count) {
  matrix m = mesh(15, 11), s = mesh(15, -2);
  double *b = vector(&m, 1), *x = zeros(&m, 1);
  long first = 0;
  int errors = 0;
  for (int round = 0; round < count; ++round) {
    matrix* of = round % 2 == 0 ? &m : &s;
    handle by = {.maxfct = 1, .mnum = 1};
    errors += call(&by, of, 11, 1, b, x, NULL) != 0;
    errors += call(&by, of, 22, 1, b, x, NULL) != 0;
    errors += call(&by, of, 33, 1, b, x, NULL) != 0;
    errors += release(&by, of) != 0;
    if (round == count / 5) first = resident_pages();
  }
  CHECK_CODE(errors, 0);
  const double grown = (double)(resident_pages() - first) * (double)sysconf(_SC_PAGESIZE);
  printf("%d rounds: %.0f bytes more after the first fifth of them\n", count, grown);
  CHECK(grown < 2e6);
  free(b), free(x), free_matrix(&m), free_matrix(&s);
}

int main(int argc, char** argv) {
  all_kinds(9, 4);
  all_kinds(101, 1); /* 10 201 unknowns */
  halves();
  parameters_of_solutions();
  permutation();
  inertia();
  matched_rows();
  single_precision();
  same_bits_as_the_library();
  several_factors();
  wrong_calls();
  singular_matrices();
#ifdef PANUA
  checks_of_panua();
#else
  parameters_of_mkl();
#endif
  messages();
  threads();
#ifndef SPSOLVE_SANITIZED
  short_memory();
  rounds(argc > 1 ? atoi(argv[1]) : 500);
#endif
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
