#pragma once

#include <string>

#include "process/shared_library.hpp"

namespace spsolve::bench {

/// MKL with 32-bit integers on the threads of GNU's OpenMP, which this program's are as well.
struct Mkl {
  SharedLibrary library{file_named_by("MKL_RT"), "libmkl_rt.so.3", "libmkl_rt.so.2",
                        "libmkl_rt.so"};
  void (*set_threads)(int) = library.function<void(int)>("MKL_Set_Num_Threads");
  void (*free_buffers)() = library.function<void()>("MKL_Free_Buffers");

  Mkl();
};

/// The one of this process.
Mkl& mkl();

/// Why there is none, or "".
std::string missing_mkl();

}  // namespace spsolve::bench
