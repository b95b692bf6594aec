#include "krylov/methods/krylov_method.hpp"

namespace spsolve::inline krylov {

std::span<const KrylovMethod> krylov_methods() {
  static constexpr KrylovMethod table[] = {
      {Method::cg, WantedSymmetry::hermitian, 3, false, 0, iterate_cg},
      {Method::minres, WantedSymmetry::hermitian, 8, false, 0, iterate_minres},
      {Method::gmres, WantedSymmetry::none, 2, true, 8, iterate_gmres},
      {Method::bicgstab, WantedSymmetry::none, 7, false, 0, iterate_bicgstab},
      {Method::idr, WantedSymmetry::none, 15, false, 0, iterate_idr},
      {Method::block_cg, WantedSymmetry::hermitian, 6, false, 64, iterate_block_cg},
      {Method::cocr, WantedSymmetry::symmetric, 4, false, 0, iterate_cocr},
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
