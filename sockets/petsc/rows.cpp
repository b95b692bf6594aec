#include "sockets/petsc/rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace spsolve::sockets {

namespace {

/// The rows of a matrix whose MatGetRow() has them whole.
PetscErrorCode take_whole_rows(Mat a, OwnRows& rows) {
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

PetscErrorCode take_rows(Mat a, OwnRows& rows) {
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

std::uint64_t fingerprint_of(const OwnRows& rows) {
  constexpr std::uint64_t begin = 14695981039346656037U, factor = 1099511628211U;
  std::uint64_t hash = begin;
  const auto take = [&hash](const std::vector<Index>& numbers) {
    for (const Index number : numbers) hash = (hash ^ static_cast<std::uint64_t>(number)) * factor;
  };
  take(rows.offsets);
  take(rows.columns);
  return hash;
}

PetscErrorCode take_ranges(Mat a, RowRanges& all) {
  PetscMPIInt size = 1;
  const PetscInt* begins = nullptr;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(a)), &size));
  PetscCall(MatGetOwnershipRanges(a, &begins));
  all.clear();
  for (PetscMPIInt rank = 0; rank < size; ++rank) all.push_back({begins[rank], begins[rank + 1]});
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode gather_ranges(MPI_Comm ranks, Range own, RowRanges& all) {
  PetscMPIInt size = 1;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(ranks, &size));
  const Index mine[] = {own.first, own.last};
  std::vector<Index> ends(2 * static_cast<std::size_t>(size));
  PetscCallMPI(MPI_Allgather(mine, 2, MPI_INT64_T, ends.data(), 2, MPI_INT64_T, ranks));
  all.clear();
  for (std::size_t k = 0; k < ends.size(); k += 2) all.push_back({ends[k], ends[k + 1]});
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode RowRoad::open(MPI_Comm ranks, const RowRanges& has, const RowRanges& wants,
                             std::span<const Index> offsets) {
  PetscMPIInt rank = 0;
  PetscFunctionBegin;
  ranks_ = ranks;
  PetscCallMPI(MPI_Comm_rank(ranks, &rank));
  const Range own = has[rank];
  sent_.clear();
  sent_from_.clear();
  int fits = offsets.back() <= std::numeric_limits<int>::max();
  for (const Range& wanted : wants) {
    const Index first = std::clamp(wanted.first, own.first, own.last);
    const Index last = std::clamp(wanted.last, first, own.last);
    const Index begin = offsets[first - own.first], end = offsets[last - own.first];
    sent_from_.push_back(static_cast<int>(begin));
    sent_.push_back(static_cast<int>(end - begin));
  }
  received_.resize(sent_.size());
  PetscCallMPI(MPI_Alltoall(sent_.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, ranks));
  wanted_ = std::accumulate(received_.begin(), received_.end(), Index{0});
  fits = fits != 0 && wanted_ <= std::numeric_limits<int>::max();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_LAND, ranks));
  PetscCheck(fits != 0, ranks, PETSC_ERR_SUP,
             "spsolve takes matrices of up to 2^31 entries over several ranks of PETSc's");
  received_to_.resize(received_.size());
  std::exclusive_scan(received_.begin(), received_.end(), received_to_.begin(), 0);
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode RowRoad::carry_bytes(const void* entries, MPI_Datatype of, void* wanted) const {
  PetscFunctionBegin;
  PetscCallMPI(MPI_Alltoallv(entries, sent_.data(), sent_from_.data(), of, wanted, received_.data(),
                             received_to_.data(), of, ranks_));
  PetscFunctionReturn(PetscErrorCode(0));
}

PetscErrorCode gather_rows(MPI_Comm ranks, const RowRanges& has, const OwnRows& own,
                           OwnRows& whole) {
  PetscFunctionBegin;
  RowRanges first(has.size(), {has.back().last, has.back().last});
  first.front() = {0, has.back().last};
  RowRoad road;
  std::vector<Index> one_each(own.offsets.size()), counts, gathered;
  std::iota(one_each.begin(), one_each.end(), Index{0});
  std::adjacent_difference(own.offsets.begin() + 1, own.offsets.end(), std::back_inserter(counts));
  PetscCall(road.open(ranks, has, first, one_each));
  PetscCall(road.carry(std::span<const Index>(counts), MPI_INT64_T, gathered));
  whole.offsets = {0};
  std::partial_sum(gathered.begin(), gathered.end(), std::back_inserter(whole.offsets));
  PetscCall(road.open(ranks, has, first, own.offsets));
  PetscCall(road.carry(std::span<const Index>(own.columns), MPI_INT64_T, whole.columns));
  PetscCall(road.carry(std::span<const PetscScalar>(own.values), MPIU_SCALAR, whole.values));
  PetscFunctionReturn(PetscErrorCode(0));
}

}  // namespace spsolve::sockets
