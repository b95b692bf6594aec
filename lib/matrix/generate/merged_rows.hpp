#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "matrix/generate/generated_rows.hpp"

namespace spsolve::inline matrix::generated {

/// The entries of a row in any order; those of the same column are added when they are put.
class Entries {
 public:
  void add(Index column, double value) {
    if (size_ < usual) {
      few_[size_] = {column, value};
    } else {
      if (size_ == usual) many_.assign(few_.begin(), few_.end());
      many_.push_back({column, value});
    }
    ++size_;
  }

  /// Ascending, one entry a column.
  void merge() {
    const std::span<Entry> all = entries();
    if (all.size() <= usual) {
      insertion_sort(all);
    } else {
      std::ranges::stable_sort(all, {}, &Entry::column);
    }
    std::size_t last = 0;
    for (std::size_t k = 1; k < all.size(); ++k) {
      if (all[k].column == all[last].column) {
        all[last].value += all[k].value;
      } else {
        all[++last] = all[k];
      }
    }
    if (!all.empty()) size_ = last + 1;
  }

  Index size() const { return static_cast<Index>(size_); }

  void put_into(Row& row) {
    for (const auto& [column, value] : entries()) row.put(column, value);
  }

 private:
  struct Entry {
    Index column;
    double value;
  };

  static constexpr std::size_t usual = 16;  // as many as most rows have need no allocation

  std::span<Entry> entries() { return {many_.empty() ? few_.data() : many_.data(), size_}; }

  /// As std::stable_sort, without its memory.
  static void insertion_sort(std::span<Entry> all) {
    for (std::size_t k = 1; k < all.size(); ++k) {
      const Entry entry = all[k];
      std::size_t place = k;
      for (; place > 0 && all[place - 1].column > entry.column; --place) {
        all[place] = all[place - 1];
      }
      all[place] = entry;
    }
  }

  std::size_t size_ = 0;
  std::array<Entry, usual> few_;  // the entries, until there are more
  std::vector<Entry> many_;
};

/// Builds an n x n matrix of which entries_of(i) gives row i.
template <typename EntriesOf>
Csr<double> build_merged(const GeneratorArguments& arguments, Index n, double average,
                         const EntriesOf& entries_of) {
  const auto merged = [&](Index i) {
    Entries entries = entries_of(i);
    entries.merge();
    return entries;
  };
  return build(
      arguments, n, n, average, [&](Index i) { return merged(i).size(); },
      [&](Index i, Row row) { merged(i).put_into(row); });
}

}  // namespace spsolve::matrix::generated
