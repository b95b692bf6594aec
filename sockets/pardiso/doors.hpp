// The way from the C interface, with integers of either width, to run().
#pragma once

#include <algorithm>
#include <limits>

#include "sockets/pardiso/call.hpp"

#define SPSOLVE_EXPORT extern "C" __attribute__((visibility("default")))

namespace spsolve::sockets {

template <typename Int>
Parameters parameters_from(const Int* iparm) {
  Parameters parameters;
  for (Index k = 1; k <= Parameters::count; ++k) parameters(k) = iparm[k - 1];
  return parameters;
}

/// Numbers that are too large become the largest.
template <typename Int>
void give_parameters(const Parameters& parameters, Int* iparm) {
  for (Index k = 1; k <= Parameters::count; ++k) {
    const Index most = std::numeric_limits<Int>::max();
    const Int value = static_cast<Int>(std::min(parameters(k), most));
    if (iparm[k - 1] != value) iparm[k - 1] = value;
  }
}

template <typename Int>
void call_pardiso(Dialect dialect, void* pt, const Int* maxfct, const Int* mnum, const Int* mtype,
                  const Int* phase, const Int* n, const void* a, const Int* ia, const Int* ja,
                  const Int* perm, const Int* nrhs, Int* iparm, const Int* msglvl, void* b, void* x,
                  Int* error) {
  Int unwanted = 0;
  Int& code = error != nullptr ? *error : unwanted;
  const Int* const scalars[] = {maxfct, mnum, mtype, phase, n, nrhs, msglvl};
  if (std::ranges::find(scalars, nullptr) != std::end(scalars)) {
    code = -1;
    return;
  }
  Parameters parameters;
  if (iparm != nullptr) parameters = parameters_from(iparm);
  code = run({dialect, static_cast<void**>(pt), *maxfct, *mnum, *mtype, *phase, *n, *nrhs, *msglvl,
              a, IndexArray(ia), IndexArray(ja), IndexArray(perm),
              iparm != nullptr ? &parameters : nullptr, b, x});
  if (iparm != nullptr) give_parameters(parameters, iparm);
}

/// The error code of pardisoinit().
template <typename Int>
int initialise(Dialect dialect, void* pt, const Int* mtype, Int* iparm) {
  if (mtype == nullptr || iparm == nullptr) return -1;
  Parameters parameters;
  const int code = initialise(dialect, static_cast<void**>(pt), *mtype, parameters);
  if (code == 0) give_parameters(parameters, iparm);
  return code;
}

}  // namespace spsolve::sockets
