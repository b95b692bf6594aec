#include "krylov/multigrid/sparse_product.hpp"

#include <algorithm>
#include <iterator>

namespace spsolve {

namespace {

std::vector<Index> foreign_columns_of_both(const Csr<double>& own, const Csr<double>& halo,
                                           Range own_columns) {
  if (own_columns.size() == own.columns) return {};
  const std::vector<Index> here = foreign_columns(own, own_columns);
  const std::vector<Index> there = foreign_columns(halo, own_columns);
  std::vector<Index> both;
  std::ranges::set_union(here, there, std::back_inserter(both));
  return both;
}

}  // namespace

RightFactor::RightFactor(const Csr<double>& own_rows, const Csr<double>& halo_rows,
                         Range own_columns)
    : own(own_rows),
      halo(halo_rows),
      places(own_columns, foreign_columns_of_both(own_rows, halo_rows, own_columns)) {}

Csr<double> sparse_product(const Csr<double>& a, const RightFactor& b, ColumnOrder order) {
  return made_of_rows(a.rows, b.own.columns, [&] {
    return [&a, sum = RowSum(b, order)](Index i, RowChunk& chunk) mutable {
      sum(i, a.row_columns(i), a.row_values(i), chunk);
    };
  });
}

}  // namespace spsolve
