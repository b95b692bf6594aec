#pragma once

#include <cuda_runtime.h>

namespace spsolve::cuda::inline core {

/// s <- s + x y by a warp's tensor cores, for x of 16 x 8, y of 8 x 8 and s of 16 x 8. Lane 4 g + t
/// has of x rows g and g + 8 of columns t and t + 4, of y rows t and t + 4 of column g, and of s
/// rows g and g + 8, of each columns 2 t and 2 t + 1.
__device__ inline void multiply_add(const double (&x)[4], const double (&y)[2], double (&s)[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(s[0]), "+d"(s[1]), "+d"(s[2]), "+d"(s[3])
      : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]));
#else
  for (int k = 0; k < 2; ++k) {
    for (int half = 0; half < 2; ++half) {
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(s[2 * half]), "+d"(s[2 * half + 1])
                   : "d"(x[2 * k + half]), "d"(y[k]));
    }
  }
#endif
}

/// Two doubles of shared memory, as operands are read.
__device__ inline double2 pair_of(unsigned address) {
  double2 pair;
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(pair.x), "=d"(pair.y) : "r"(address));
  return pair;
}

}  // namespace spsolve::cuda::core
