#include "krylov/multigrid/sparse_product.hpp"

namespace spsolve {

Csr<double> sparse_product(const Csr<double>& a, const Csr<double>& own, const Csr<double>& halo,
                           ColumnOrder order) {
  return made_of_rows(a.rows, own.columns, [&] {
    return [&a, sum = RowSum(own, halo, order)](Index i, RowChunk& chunk) mutable {
      sum(i, a.row_columns(i), a.row_values(i), chunk);
    };
  });
}

}  // namespace spsolve
