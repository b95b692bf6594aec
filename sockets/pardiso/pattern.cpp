#include "sockets/pardiso/pattern.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace spsolve::sockets {

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ExitCode::input, sentence);
}

/// An entry of a row on its way into the whole matrix.
struct Entry {
  Index column, source;
};

}  // namespace

void GivenPattern::require_whole(Symmetry symmetry, bool strictly) const {
  if (order < 1) refuse("n = " + std::to_string(order) + ": a matrix has one row at least");
  if (!ia || !ja) refuse("ia and ja, the compressed rows of the matrix, are missing");
  if (ia[0] != base) {
    refuse("ia begins with " + std::to_string(ia[0]) + ", and indices count from " +
           std::to_string(base));
  }
  for (Index i = 0; i < order; ++i) {
    const auto row = [&] { return "row " + std::to_string(i + base); };
    if (ia[i + 1] < ia[i]) refuse("ia descends after " + row());
    Index last = -1;
    for (Index k = ia[i] - base; k < ia[i + 1] - base; ++k) {
      const Index j = ja[k] - base;
      if (j < 0 || j >= order) {
        refuse(row() + " has an entry in column " + std::to_string(ja[k]) + " of " +
               std::to_string(order));
      }
      if (symmetry != Symmetry::none && j < i) {
        refuse(row() + " has an entry left of the diagonal, in column " + std::to_string(ja[k]) +
               ": of a symmetric matrix the upper triangle is given");
      }
      if (strictly && j <= last) refuse("columns of " + row() + " do not ascend");
      last = j;
    }
  }
}

std::uint64_t GivenPattern::fingerprint() const {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, a number at a time
  const auto take = [&hash](Index number) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 1099511628211u;
    hash ^= hash >> 29;
  };
  for (Index i = 0; i <= order; ++i) take(ia[i] - base);
  const Index count = entries();
  for (Index k = 0; k < count; ++k) take(ja[k] - base);
  return hash;
}

WholePattern::WholePattern(const GivenPattern& given, Symmetry symmetry,
                           const std::vector<Index>& places) {
  const Index n = given.order;
  const auto place = [&places](Index i) { return places.empty() ? i : places[i]; };
  const bool mirrors = symmetry != Symmetry::none;
  offsets.assign(static_cast<std::size_t>(n + 1), 0);
  const auto for_entries = [&](const auto& take) {
    for (Index i = 0; i < n; ++i) {
      for (Index k = given.ia[i] - given.base; k < given.ia[i + 1] - given.base; ++k) {
        const Index j = given.ja[k] - given.base, row = place(i), column = place(j);
        take(row, column, k);
        if (mirrors && i != j) take(column, row, symmetry == Symmetry::hermitian ? ~k : k);
      }
    }
  };
  for_entries([&](Index row, Index, Index) { ++offsets[row + 1]; });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<Entry> entries(static_cast<std::size_t>(offsets.back()));
  std::vector<Index> next(offsets.begin(), std::prev(offsets.end()));
  for_entries([&](Index row, Index column, Index k) { entries[next[row]++] = {column, k}; });
  bool in_turn = true;
  columns.resize(entries.size());
  sources.resize(entries.size());
  for (Index i = 0; i < n; ++i) {
    const auto first = entries.begin() + offsets[i], end = entries.begin() + offsets[i + 1];
    if (!std::ranges::is_sorted(first, end, {}, &Entry::column)) {
      std::ranges::sort(first, end, {}, &Entry::column);
    }
    for (Index k = offsets[i]; k < offsets[i + 1]; ++k) {
      columns[k] = entries[k].column;
      sources[k] = entries[k].source;
      in_turn = in_turn && sources[k] == k;
      if (k > offsets[i] && columns[k] == columns[k - 1]) {
        refuse("row " + std::to_string(i + given.base) + " names column " +
               std::to_string(columns[k] + given.base) + " twice");
      }
    }
  }
  if (in_turn) sources = {};
}

}  // namespace spsolve::sockets
