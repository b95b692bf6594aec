#include "multiply/kernel/row_types.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>
#include <omp.h>

#include "multiply/kernel/fast_team.hpp"

namespace spsolve::inline multiply {

namespace {

template <typename T>
struct SameType {
  const Csr<T>* csr;

  bool operator()(Index i, Index j) const {
    const auto columns = csr->row_columns(i), others = csr->row_columns(j);
    if (columns.size() != others.size()) return false;
    const Index distance = j - i;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (others[k] - columns[k] != distance) return false;
    }
    return columns.empty() || std::memcmp(csr->row_values(i).data(), csr->row_values(j).data(),
                                          columns.size() * sizeof(T)) == 0;
  }
};

template <typename T>
struct TypeHash {
  const Csr<T>* csr;

  std::size_t operator()(Index i) const {
    const auto columns = csr->row_columns(i);
    const auto values = csr->row_values(i);
    std::uint64_t hash = columns.size();
    const auto mix = [&](std::uint64_t word) {
      // The multiplier of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
      hash = (std::rotl(hash, 23) ^ word) * 0xbf58476d1ce4e5b9U;
      hash ^= hash >> 29;
    };
    for (std::size_t k = 0; k < columns.size(); ++k) {
      mix(static_cast<std::uint64_t>(columns[k] - i));
      std::uint64_t bits = 0;
      std::memcpy(&bits, &values[k], sizeof(T));
      mix(bits);
    }
    return hash;
  }
};

/// Types by one of their rows.
template <typename T>
class Dictionary {
 public:
  explicit Dictionary(const Csr<T>& csr) : types_(16, TypeHash<T>{&csr}, SameType<T>{&csr}) {}

  /// The number of row i's type, which is new where none of the rows before was of it.
  LocalIndex type_of(Index i) {
    const auto [place, added] = types_.try_emplace(i, static_cast<LocalIndex>(examples_.size()));
    if (added) examples_.push_back(i);
    return place->second;
  }
  const std::vector<Index>& examples() const { return examples_; }
  bool too_large() const { return static_cast<Index>(examples_.size()) > most_row_types; }

 private:
  std::unordered_map<Index, LocalIndex, TypeHash<T>, SameType<T>> types_;
  std::vector<Index> examples_;
};

/// The first row at or after part p's share of the rows and non-zeros.
template <typename T>
Index first_row_of(const Csr<T>& csr, int p, int parts) {
  const Index share = fast::boundary(csr.rows + csr.nonzeros(), p, parts);
  Index low = 0, high = csr.rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (middle + csr.row_offsets[middle] < share) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Fills `runs` with the rows from `first` to `last`, as far as the dictionary suffices.
template <typename T>
void find_runs(const Csr<T>& csr, Index first, Index last, Dictionary<T>& dictionary,
               std::vector<RowRun>& runs) {
  constexpr LocalIndex most_rows = std::numeric_limits<LocalIndex>::max();
  const SameType<T> same{&csr};
  for (Index i = first; i < last && !dictionary.too_large(); ++i) {
    if (i > first && runs.back().rows < most_rows && same(i - 1, i)) {
      ++runs.back().rows;
      continue;
    }
    const LocalIndex type = dictionary.type_of(i);
    runs.push_back({1, type});
  }
}

}  // namespace

template <typename T>
RowTypes find_row_types(const Csr<T>& csr, int parts) {
  RowTypes result;
  result.runs.resize(parts);
  result.first_row.resize(parts + 1);
  for (int p = 0; p <= parts; ++p) {
    result.first_row[p] = p < parts ? first_row_of(csr, p, parts) : csr.rows;
  }
  result.first_row[0] = 0;
  std::vector<Dictionary<T>> dictionaries(parts, Dictionary<T>(csr));
  const int threads = fast::worthwhile_threads(parts, csr.nonzeros());
  fast::for_each_part(parts, threads, [&](int p) {
    find_runs(csr, result.first_row[p], result.first_row[p + 1], dictionaries[p], result.runs[p]);
  });
  // Each part's numbers become those of all.
  Dictionary<T> all(csr);
  std::vector<std::vector<LocalIndex>> numbers(parts);
  for (int p = 0; p < parts && !all.too_large(); ++p) {
    for (const Index example : dictionaries[p].examples()) {
      numbers[p].push_back(all.type_of(example));
    }
  }
  result.examples = all.examples();
  if (all.too_large()) {
    result.runs.clear();
    return result;
  }
  fast::for_each_part(parts, threads, [&](int p) {
    for (RowRun& run : result.runs[p]) run.type = numbers[p][run.type];
  });
  return result;
}

template <typename T>
Index count_row_types(const Csr<T>& csr) {
  const auto count = static_cast<Index>(find_row_types(csr, omp_get_max_threads()).examples.size());
  return std::min(count, most_row_types + 1);
}

template <typename T>
double sampled_run(const Csr<T>& csr) {
  constexpr Index samples = 64, rows_of_sample = 64;
  const Index step = std::max(csr.rows / samples, rows_of_sample);
  const SameType<T> same{&csr};
  Index rows = 0, runs = 0;
  for (Index first = 0; first < csr.rows; first += step) {
    const Index last = std::min(first + rows_of_sample, csr.rows);
    ++runs;
    for (Index i = first + 1; i < last; ++i) runs += same(i - 1, i) ? 0 : 1;
    rows += last - first;
  }
  return static_cast<double>(rows) / static_cast<double>(std::max<Index>(1, runs));
}

bool rows_repeat(Index rows, Index types) {
  constexpr Index least_rows = 4;
  return types <= most_row_types && least_rows * types <= rows;
}

std::string row_types_problem(Index types) {
  if (types <= most_row_types) return {};
  return fmt::format(
      "its rows differ in values or distances from the diagonal in more than {} ways",
      most_row_types);
}

SPSOLVE_INSTANTIATE_FUNCTION(find_row_types)
SPSOLVE_INSTANTIATE_FUNCTION(sampled_run)
SPSOLVE_INSTANTIATE_FUNCTION(count_row_types)

}  // namespace spsolve::multiply
