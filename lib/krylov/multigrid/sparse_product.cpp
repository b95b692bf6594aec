#include "krylov/multigrid/sparse_product.hpp"

#include <algorithm>
#include <iterator>

#include "core/worth_threads.hpp"
#include "krylov/multigrid/paired_rows.hpp"

namespace spsolve::inline krylov {

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

/// Whether columns come in runs of so many, each from a multiple of that on.
bool has_runs(const Csr<double>& rows, Index run) {
  bool whole = true;
#pragma omp parallel for schedule(static) reduction(&& : whole) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    bool mine = static_cast<Index>(columns.size()) % run == 0;
    for (std::size_t k = 0; mine && k < columns.size(); ++k) {
      const auto within = static_cast<Index>(k) % run;
      mine = columns[k] % run == within && columns[k] - columns[k - within] == within;
    }
    whole = whole && mine;
  }
  return whole;
}

int run_of(const Csr<double>& own, const Csr<double>& halo, Range own_columns, Index together) {
  if (together != 2 && together != 3 && together != 6) return 1;
  const bool whole = own_columns.first % together == 0 && own_columns.size() % together == 0 &&
                     has_runs(own, together) && has_runs(halo, together);
  return whole ? static_cast<int>(together) : 1;
}

}  // namespace

RightFactor::RightFactor(const Csr<double>& own_rows, const Csr<double>& halo_rows,
                         Range own_columns, Index together, bool are_pairs)
    : own(own_rows),
      halo(halo_rows),
      places(own_columns, foreign_columns_of_both(own_rows, halo_rows, own_columns)),
      run(run_of(own_rows, halo_rows, own_columns, together)),
      pairs(are_pairs) {}

Csr<double> sparse_product(const Csr<double>& a, const RightFactor& b, ColumnOrder order) {
  return with_run_of(b, [&](auto run) {
    return made_of_numbers(a.rows, b.own.columns, b.pairs, [&] {
      return [&a, sum = RowSum<run>(b, order)](Index i, RowChunk& chunk) mutable {
        sum(i, a.row_columns(i), a.row_values(i), chunk);
      };
    });
  });
}

}  // namespace spsolve::krylov
