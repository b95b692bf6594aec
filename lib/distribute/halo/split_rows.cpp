#include "distribute/halo/split_rows.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/error.hpp"
#include "matrix/convert.hpp"

namespace spsolve::inline distribute {

namespace {

/// Which columns of some rows are own rows of X, and which of them: the others are the halo, in
/// order.
struct OwnColumns {
  Index first, last;
  const Index* numbers;  ///< null: column j is own row j

  bool contains(Index j) const { return first <= j && j < last; }
  Index own(Index j) const { return numbers == nullptr ? j : numbers[j]; }
  Index halo(Index j) const { return j < first ? j : j - (last - first); }
};

template <typename T>
SplitRows<T> split(const Csr<double>& a, const OwnColumns& columns, Index first_own) {
  SplitRows<T> split;
  Csr<T>&interior = split.interior, &boundary = split.boundary;
  interior.rows = a.rows;
  interior.row_offsets.assign(static_cast<std::size_t>(a.rows) + 1, 0);
  for (Index i = 0; i < a.rows; ++i) {
    Index inside = 0;
    for (const LocalIndex j : a.row_columns(i)) inside += columns.contains(j) ? 1 : 0;
    const Index outside = a.row_offsets[i + 1] - a.row_offsets[i] - inside;
    interior.row_offsets[i + 1] = interior.row_offsets[i] + inside;
    if (outside == 0) continue;
    split.boundary_rows.push_back(static_cast<LocalIndex>(i));
    boundary.row_offsets.push_back(boundary.nonzeros() + outside);
  }
  boundary.rows = static_cast<Index>(split.boundary_rows.size());
  for (Csr<T>* part : {&interior, &boundary}) {
    part->column_indices.resize(static_cast<std::size_t>(part->nonzeros()));
    part->values.resize(static_cast<std::size_t>(part->nonzeros()));
  }
  Index inside = 0, outside = 0;
  for (Index k = 0; k < a.nonzeros(); ++k) {
    const Index j = a.column_indices[k];
    const bool own = columns.contains(j);
    Csr<T>& part = own ? interior : boundary;
    const Index place = own ? inside++ : outside++;
    part.column_indices[place] =
        static_cast<LocalIndex>(own ? columns.own(j) - first_own : columns.halo(j));
    part.values[place] = static_cast<T>(a.values[k]);
  }
  return split;
}

}  // namespace

template <typename T>
SplitRows<T> split_rows(CompressedRows&& given, const HaloPlan& plan) {
  CompressedRows rows = std::move(given);
  Csr<double>& a = rows.rows;
  if (a.rows > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::resources, "a band of {} rows is more than one rank can number; use more ranks",
         a.rows);
  }
  // Own columns are a contiguous run of the compressed ones; the others, in order, are the halo.
  const auto& global = rows.global_columns;
  const auto place_of = [&](Index column) {
    return std::lower_bound(global.begin(), global.end(), column) - global.begin();
  };
  const OwnColumns own{place_of(plan.own.first), place_of(plan.own.last), global.data()};

  SplitRows<T> result;
  if (own.last - own.first == static_cast<Index>(global.size())) {  // nothing comes from others
    for (LocalIndex& j : a.column_indices) j = static_cast<LocalIndex>(global[j] - plan.own.first);
    if constexpr (std::is_same_v<T, double>) {
      result.interior = std::move(a);
    } else {
      result.interior = csr_cast<T>(a);
    }
  } else {
    result = split<T>(a, own, plan.own.first);
    result.boundary.columns = plan.halo_rows();
  }
  result.interior.columns = plan.own.size();
  return result;
}

SplitRows<double> split_rows(const Csr<double>& rows, Index own_columns) {
  SplitRows<double> result;
  if (rows.columns == own_columns) return result;
  result = split<double>(rows, {0, own_columns, nullptr}, 0);
  result.interior.columns = own_columns;
  result.boundary.columns = rows.columns - own_columns;
  return result;
}

#define SPSOLVE_FOR(T) template SplitRows<T> split_rows(CompressedRows&&, const HaloPlan&);
SPSOLVE_FOR_SCALARS(SPSOLVE_FOR)

}  // namespace spsolve::distribute
