#include "krylov/methods/krylov_method.hpp"

namespace spsolve::inline krylov {

std::span<const KrylovMethod> krylov_methods() {
  static constexpr KrylovMethod table[] = {
      {Method::cg, true, 3, false, 0, iterate_cg},
      {Method::minres, true, 8, false, 0, iterate_minres},
      {Method::gmres, false, 2, true, 8, iterate_gmres},
      {Method::bicgstab, false, 7, false, 0, iterate_bicgstab},
      {Method::idr, false, 15, false, 0, iterate_idr},
      {Method::block_cg, true, 6, false, 64, iterate_block_cg},
  };
  return table;
}

const KrylovMethod* krylov_method(Method method) {
  for (const KrylovMethod& row : krylov_methods()) {
    if (row.method == method) return &row;
  }
  return nullptr;
}

}  // namespace spsolve::krylov
