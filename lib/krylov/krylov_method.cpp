#include "krylov/krylov_method.hpp"

namespace spsolve {

std::span<const KrylovMethod> krylov_methods() {
  static constexpr KrylovMethod table[] = {
      {Method::cg, true, 3, false, iterate_cg},
      {Method::minres, true, 8, false, iterate_minres},
      {Method::gmres, false, 2, true, iterate_gmres},
      {Method::bicgstab, false, 7, false, iterate_bicgstab},
      {Method::idr, false, 15, false, iterate_idr},
  };
  return table;
}

const KrylovMethod* krylov_method(Method method) {
  for (const KrylovMethod& row : krylov_methods()) {
    if (row.method == method) return &row;
  }
  return nullptr;
}

}  // namespace spsolve
