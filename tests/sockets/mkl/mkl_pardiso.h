/* The calls that Eigen/PardisoSupport wants of MKL's header of this name. */
#pragma once

#define _INTEGER_t int
typedef void* _MKL_DSS_HANDLE_t;

#ifdef __cplusplus
extern "C" {
#endif

void pardiso(void* pt, const int* maxfct, const int* mnum, const int* mtype, const int* phase,
             const int* n, const void* a, const int* ia, const int* ja, int* perm, const int* nrhs,
             int* iparm, const int* msglvl, void* b, void* x, int* error);
void pardiso_64(void* pt, const long long* maxfct, const long long* mnum, const long long* mtype,
                const long long* phase, const long long* n, const void* a, const long long* ia,
                const long long* ja, long long* perm, const long long* nrhs, long long* iparm,
                const long long* msglvl, void* b, void* x, long long* error);

#ifdef __cplusplus
}
#endif
