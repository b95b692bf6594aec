// libspsolve_pardiso_panua: the calls of Panua's PARDISO, by their names in C and in Fortran.
#include "sockets/pardiso/doors.hpp"

namespace {

using spsolve::sockets::Dialect;

/// Runs a check of scalars that are there; its code, or -1.
template <typename Check, typename... Pointers>
void checked(int* error, const Check& check, const Pointers*... scalars) {
  const bool whole = (... && (scalars != nullptr));
  const int code = whole ? check(*scalars...) : -1;
  if (error != nullptr) *error = code;
}

}  // namespace

// dparm is of the iterative solver and of determinants, which there are none of.
#define SPSOLVE_PARDISO(name)                                                                    \
  SPSOLVE_EXPORT void name(void* pt, const int* maxfct, const int* mnum, const int* mtype,       \
                           const int* phase, const int* n, const void* a, const int* ia,         \
                           const int* ja, int* perm, const int* nrhs, int* iparm,                \
                           const int* msglvl, void* b, void* x, int* error, double* /*dparm*/) { \
    spsolve::sockets::call_pardiso(Dialect::panua, pt, maxfct, mnum, mtype, phase, n, a, ia, ja, \
                                   perm, nrhs, iparm, msglvl, b, x, error);                      \
  }

SPSOLVE_PARDISO(pardiso)
SPSOLVE_PARDISO(pardiso_)

#define SPSOLVE_PARDISOINIT(name)                                                                  \
  SPSOLVE_EXPORT void name(void* pt, const int* mtype, const int* solver, int* iparm,              \
                           double* /*dparm*/, int* error) {                                        \
    constexpr int direct = 0, none = -1;                                                           \
    const bool done = solver == nullptr || *solver == direct;                                      \
    const int code = done ? spsolve::sockets::initialise(Dialect::panua, pt, mtype, iparm) : none; \
    if (error != nullptr) *error = code;                                                           \
  }

SPSOLVE_PARDISOINIT(pardisoinit)
SPSOLVE_PARDISOINIT(pardisoinit_)

#define SPSOLVE_CHECKS(suffix, is_complex)                                                        \
  SPSOLVE_EXPORT void pardiso_chkmatrix##suffix(const int* mtype, const int* n, const double* a,  \
                                                const int* ia, const int* ja, int* error) {       \
    checked(                                                                                      \
        error,                                                                                    \
        [&](int kind, int order) {                                                                \
          return spsolve::sockets::check_matrix(is_complex, kind, order, a, ia, ja);              \
        },                                                                                        \
        mtype, n);                                                                                \
  }                                                                                               \
  SPSOLVE_EXPORT void pardiso_chkvec##suffix(const int* n, const int* nrhs, const double* b,      \
                                             int* error) {                                        \
    checked(                                                                                      \
        error,                                                                                    \
        [&](int order, int columns) {                                                             \
          return spsolve::sockets::check_vectors(is_complex, order, columns, b);                  \
        },                                                                                        \
        n, nrhs);                                                                                 \
  }                                                                                               \
  SPSOLVE_EXPORT void pardiso_printstats##suffix(const int* mtype, const int* n, const double* a, \
                                                 const int* ia, const int* ja, const int* nrhs,   \
                                                 const double* b, int* error) {                   \
    checked(                                                                                      \
        error,                                                                                    \
        [&](int kind, int order, int columns) {                                                   \
          return spsolve::sockets::print_statistics(is_complex, kind, order, a, ia, ja, columns,  \
                                                    b);                                           \
        },                                                                                        \
        mtype, n, nrhs);                                                                          \
  }

SPSOLVE_CHECKS(, false)
SPSOLVE_CHECKS(_, false)
SPSOLVE_CHECKS(_z, true)
SPSOLVE_CHECKS(_z_, true)

// Ipopt looks for these, and calls neither: that the interface is the one with pardisoinit's array,
// and that the library computes with threads.
SPSOLVE_EXPORT void pardiso_ipopt_newinterface(void) {}
SPSOLVE_EXPORT void pardiso_exist_parallel(void) {}
