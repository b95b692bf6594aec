#include "apps/bench/peers/mkl.hpp"

namespace spsolve::bench {

Mkl::Mkl() {
  auto* const set_layer = library.function<int(int)>("MKL_Set_Threading_Layer");
  auto* const set_integers = library.function<int(int)>("MKL_Set_Interface_Layer");
  if (!library.problem().empty()) return;
  set_layer(3);     // MKL_THREADING_GNU
  set_integers(0);  // MKL_INTERFACE_LP64
}

Mkl& mkl() {
  static Mkl loaded;
  return loaded;
}

std::string missing_mkl() {
  const std::string& problem = mkl().library.problem();
  return problem.empty() ? "" : problem + "; MKL_RT may name the file libmkl_rt.so of MKL";
}

}  // namespace spsolve::bench
