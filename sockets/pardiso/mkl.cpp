// libspsolve_pardiso: the calls of MKL's PARDISO, by their names in C and in Fortran.
#include "sockets/pardiso/doors.hpp"

namespace {

using spsolve::sockets::call_pardiso;
using spsolve::sockets::Dialect;
using spsolve::sockets::initialise;

}  // namespace

#define SPSOLVE_PARDISO(name, Int)                                                              \
  SPSOLVE_EXPORT void name(void* pt, const Int* maxfct, const Int* mnum, const Int* mtype,      \
                           const Int* phase, const Int* n, const void* a, const Int* ia,        \
                           const Int* ja, Int* perm, const Int* nrhs, Int* iparm,               \
                           const Int* msglvl, void* b, void* x, Int* error) {                   \
    call_pardiso(Dialect::mkl, pt, maxfct, mnum, mtype, phase, n, a, ia, ja, perm, nrhs, iparm, \
                 msglvl, b, x, error);                                                          \
  }

SPSOLVE_PARDISO(pardiso, int)
SPSOLVE_PARDISO(pardiso_, int)
SPSOLVE_PARDISO(PARDISO, int)
SPSOLVE_PARDISO(pardiso_64, long long)
SPSOLVE_PARDISO(pardiso_64_, long long)
SPSOLVE_PARDISO(PARDISO_64, long long)

#define SPSOLVE_PARDISOINIT(name)                                    \
  SPSOLVE_EXPORT void name(void* pt, const int* mtype, int* iparm) { \
    initialise(Dialect::mkl, pt, mtype, iparm);                      \
  }

SPSOLVE_PARDISOINIT(pardisoinit)
SPSOLVE_PARDISOINIT(pardisoinit_)
SPSOLVE_PARDISOINIT(PARDISOINIT)
