#include "distribute/foreign_columns.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "core/over_blocks.hpp"

namespace spsolve::inline distribute {

std::vector<Index> foreign_columns(const Csr<double>& rows, Range own) {
  constexpr Index bits = 64, words_of_part = 4096;
  std::vector<std::uint64_t> named(static_cast<std::size_t>((rows.columns + bits - 1) / bits));
#pragma omp parallel for schedule(static)
  for (Index k = 0; k < rows.nonzeros(); ++k) {
    const Index column = rows.column_indices[k];
    if (own.contains(column)) continue;
    const std::uint64_t bit = std::uint64_t{1} << (column % bits);
    const std::atomic_ref<std::uint64_t> word(named[column / bits]);
    // Most are set already.
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
      word.fetch_or(bit, std::memory_order_relaxed);
    }
  }
  const auto words = static_cast<Index>(named.size());
  const Index parts = (words + words_of_part - 1) / words_of_part;
  std::vector<std::vector<Index>> found(static_cast<std::size_t>(parts));
#pragma omp parallel for schedule(dynamic)
  for (Index part = 0; part < parts; ++part) {
    const Index last = std::min(words, (part + 1) * words_of_part);
    for (Index word = part * words_of_part; word < last; ++word) {
      for (std::uint64_t left = named[word]; left != 0; left &= left - 1) {
        found[part].push_back(word * bits + std::countr_zero(left));
      }
    }
  }
  std::vector<Index> columns;
  for (const std::vector<Index>& part : found) {
    columns.insert(columns.end(), part.begin(), part.end());
  }
  return columns;
}

void number_columns(Csr<double>& rows, Range own, const std::vector<Index>& others) {
  rows.columns = own.size() + std::ssize(others);
  if (others.empty() && own.first == 0) return;  // they have these numbers already
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index k = 0; k < rows.nonzeros(); ++k) {
    const Index j = rows.column_indices[k];
    rows.column_indices[k] = static_cast<LocalIndex>(
        own.contains(j)
            ? j - own.first
            : own.size() + (std::lower_bound(others.begin(), others.end(), j) - others.begin()));
  }
}

void name_columns(Csr<double>& rows, Range own, const std::vector<Index>& others, Index columns) {
  rows.columns = columns;
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    const auto begin = rows.column_indices.begin() + rows.row_offsets[i],
               end = rows.column_indices.begin() + rows.row_offsets[i + 1];
    for (auto column = begin; column != end; ++column) {
      *column = static_cast<LocalIndex>(*column < own.size() ? own.first + *column
                                                             : others[*column - own.size()]);
    }
    // Own columns, and others after them, some of which belong before.
    const auto first_other = std::is_sorted_until(begin, end);
    if (first_other == end) continue;
    const auto values = rows.values.begin() + rows.row_offsets[i];
    const auto last_before = std::lower_bound(first_other, end, *begin);
    std::rotate(values, values + (first_other - begin), values + (last_before - begin));
    std::rotate(begin, first_other, last_before);
  }
}

ColumnPlaces::ColumnPlaces(Range own, std::vector<Index> others)
    : own_(own),
      others_(std::move(others)),
      before_(std::ranges::lower_bound(others_, own.first) - others_.begin()) {}

Index ColumnPlaces::listed(Index column) const {
  const Index number = std::ranges::lower_bound(others_, column) - others_.begin();
  return number < before_ ? number : number + own_.size();
}

}  // namespace spsolve::distribute
