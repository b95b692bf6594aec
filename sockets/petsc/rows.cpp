#include "sockets/petsc/rows.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace spsolve::sockets {

namespace {

/// The rows of a matrix whose MatGetRow() has them whole.
PetscErrorCode take_whole_rows(Mat a, AijRows& rows) {
  PetscInt first = 0, last = 0;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(a, &first, &last));
  rows = {};
  rows.as_they_lie = true;
  std::vector<std::pair<PetscInt, PetscScalar>> sorted;
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    PetscCall(MatGetRow(a, i, &count, &columns, &values));
    const std::span columns_of(columns, static_cast<std::size_t>(count));
    if (std::ranges::is_sorted(columns_of)) {
      rows.columns.insert(rows.columns.end(), columns_of.begin(), columns_of.end());
      rows.values.insert(rows.values.end(), values, values + count);
    } else {
      rows.as_they_lie = false;
      sorted.clear();
      for (PetscInt k = 0; k < count; ++k) sorted.emplace_back(columns[k], values[k]);
      std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first; });
      for (const auto& [column, value] : sorted) {
        rows.columns.push_back(column);
        rows.values.push_back(value);
      }
    }
    rows.offsets.push_back(static_cast<Index>(rows.columns.size()));
    PetscCall(MatRestoreRow(a, i, &count, &columns, &values));
  }
  PetscFunctionReturn(PetscErrorCode(0));
}

}  // namespace

PetscErrorCode take_rows(Mat a, AijRows& rows) {
  PetscBool is_aij = PETSC_FALSE, is_sequential = PETSC_FALSE;
  Mat whole = nullptr;
  MatType type = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny(reinterpret_cast<PetscObject>(a), &is_aij, MATSEQAIJ,
                                          MATMPIAIJ, ""));
  if (is_aij) {
    PetscCall(take_whole_rows(a, rows));
    PetscFunctionReturn(PetscErrorCode(0));
  }
  PetscCall(MatGetType(a, &type));
  PetscCall(PetscStrbeginswith(type, "seq", &is_sequential));
  PetscCall(MatConvert(a, is_sequential ? MATSEQAIJ : MATMPIAIJ, MAT_INITIAL_MATRIX, &whole));
  PetscCall(take_whole_rows(whole, rows));
  rows.as_they_lie = false;
  PetscCall(MatDestroy(&whole));
  PetscFunctionReturn(PetscErrorCode(0));
}

std::uint64_t fingerprint_of(const AijRows& rows) {
  constexpr std::uint64_t begin = 14695981039346656037U, factor = 1099511628211U;
  std::uint64_t hash = begin;
  const auto take = [&hash](const std::vector<Index>& numbers) {
    for (const Index number : numbers) hash = (hash ^ static_cast<std::uint64_t>(number)) * factor;
  };
  take(rows.offsets);
  take(rows.columns);
  return hash;
}

}  // namespace spsolve::sockets
