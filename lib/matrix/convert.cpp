#include "matrix/convert.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <omp.h>

#include "core/error.hpp"
#include "matrix/real_form.hpp"
#include "process/system.hpp"

namespace spsolve::inline matrix {

namespace {

/// One non-zero on its way into a row; `row` counts from the first row of its block.
struct Entry {
  LocalIndex row;
  LocalIndex column;
  double value;
};

/// All non-zeros, mirrored ones included, grouped by block of 2^shift rows. Within a block they
/// keep the order of the list.
struct Blocks {
  Index rows = 0;
  Index columns = 0;
  int shift = 0;
  std::vector<Index> offsets;  ///< entries of block b: offsets[b] <= k < offsets[b + 1]
  std::vector<Entry> entries;

  Index count() const { return static_cast<Index>(offsets.size()) - 1; }
  Index first_row(Index block) const { return block << shift; }
  Index last_row(Index block) const { return std::min(rows, (block + 1) << shift); }
};

constexpr Index most_blocks = 1024;          // more would thrash the TLB while scattering
constexpr Index least_entries = 1 << 14;     // for a thread or a block of its own
constexpr Index longest_insertion_row = 32;  // longer rows are sorted by merging

void check(const Coo& coo) {
  if (coo.columns > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::resources, "the matrix has {} columns, and spsolve handles at most {}",
         coo.columns, std::numeric_limits<LocalIndex>::max());
  }
  if (coo.row.size() != coo.value.size() || coo.column.size() != coo.value.size()) {
    fail(ExitCode::internal, "a list of entries has {} rows, {} columns and {} values",
         coo.row.size(), coo.column.size(), coo.value.size());
  }
  if (coo.rows < 0 || coo.columns < 0 ||
      (coo.symmetry != Symmetry::general && coo.rows != coo.columns)) {
    fail(ExitCode::internal, "a {} matrix cannot be {} x {}", name(coo.symmetry), coo.rows,
         coo.columns);
  }
  // The rows that a file claims cost memory, whatever it stores.
  constexpr Index harmless = Index{1} << 23;
  if (coo.rows > harmless && coo.rows >= available_memory() / static_cast<Index>(sizeof(Index))) {
    fail(ExitCode::resources,
         "the matrix has {} rows, whose offsets alone do not fit into the {} MiB of memory that "
         "are available; correct its size, or use a larger machine",
         coo.rows, available_memory() >> 20);
  }
  const Index entries = coo.entries();
  Index outside = entries;
#pragma omp parallel for schedule(static) reduction(min : outside) if (entries > least_entries)
  for (Index k = 0; k < entries; ++k) {
    if (coo.row[k] < 0 || coo.row[k] >= coo.rows || coo.column[k] < 0 ||
        coo.column[k] >= coo.columns) {
      outside = std::min(outside, k);
    }
  }
  if (outside < entries) {
    fail(ExitCode::internal, "entry {} is at row {}, column {} of a {} x {} matrix", outside,
         coo.row[outside], coo.column[outside], coo.rows, coo.columns);
  }
}

/// First step: counts per thread and block, prefix sum, stable scatter.
Blocks distribute(const Coo& coo) {
  check(coo);
  Blocks blocks;
  blocks.rows = coo.rows;
  blocks.columns = coo.columns;
  const Index entries = coo.entries();
  const Index wanted = std::clamp<Index>(entries / least_entries, 1, most_blocks);
  // A row within its block fits LocalIndex: at most 2^30 rows a block.
  while (blocks.shift < 30 && ((coo.rows - 1) >> blocks.shift) >= wanted) ++blocks.shift;
  const Index count = coo.rows == 0 ? 0 : ((coo.rows - 1) >> blocks.shift) + 1;
  const Index pieces = std::clamp<Index>(entries / least_entries, 1, omp_get_max_threads());

  // next[piece * count + block]: first how many entries the piece has for the block, then where
  // its next one goes. A piece is a contiguous part of the list.
  std::vector<Index> next(pieces * count, 0);
  const auto each_entry_of = [&](Index piece, const auto& emit) {
    for (Index k = entries * piece / pieces; k < entries * (piece + 1) / pieces; ++k) {
      with_mirror(coo.symmetry, coo.row[k], coo.column[k], coo.value[k], emit);
    }
  };
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(pieces))
  for (Index piece = 0; piece < pieces; ++piece) {
    Index* const counts = next.data() + piece * count;
    each_entry_of(piece, [&](Index row, Index, double) { ++counts[row >> blocks.shift]; });
  }

  blocks.offsets.assign(count + 1, 0);
  Index total = 0;
  for (Index block = 0; block < count; ++block) {
    blocks.offsets[block] = total;
    for (Index piece = 0; piece < pieces; ++piece) {
      total += std::exchange(next[piece * count + block], total);
    }
  }
  blocks.offsets[count] = total;

  blocks.entries.resize(total);
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(pieces))
  for (Index piece = 0; piece < pieces; ++piece) {
    Index* const places = next.data() + piece * count;
    const Index mask = (Index{1} << blocks.shift) - 1;
    each_entry_of(piece, [&](Index row, Index column, double value) {
      blocks.entries[places[row >> blocks.shift]++] = {static_cast<LocalIndex>(row & mask),
                                                       static_cast<LocalIndex>(column), value};
    });
  }
  return blocks;
}

/// Sorts one row by column, stably; `scratch` has room for it.
void sort_row(LocalIndex* columns, double* values, Index length, Entry* scratch) {
  if (std::is_sorted(columns, columns + length)) return;
  if (length <= longest_insertion_row) {
    for (Index k = 1; k < length; ++k) {
      const LocalIndex column = columns[k];
      const double value = values[k];
      Index place = k;
      for (; place > 0 && columns[place - 1] > column; --place) {
        columns[place] = columns[place - 1];
        values[place] = values[place - 1];
      }
      columns[place] = column;
      values[place] = value;
    }
    return;
  }
  for (Index k = 0; k < length; ++k) scratch[k] = {0, columns[k], values[k]};
  std::stable_sort(scratch, scratch + length,
                   [](const Entry& a, const Entry& b) { return a.column < b.column; });
  for (Index k = 0; k < length; ++k) {
    columns[k] = scratch[k].column;
    values[k] = scratch[k].value;
  }
}

/// Sums neighbours of equal column into the first of them; hands back how many remain.
Index sum_duplicates(LocalIndex* columns, double* values, Index length) {
  Index kept = 0;
  for (Index k = 0; k < length; ++k) {
    if (kept > 0 && columns[kept - 1] == columns[k]) {
      values[kept - 1] += values[k];
    } else {
      columns[kept] = columns[k];
      values[kept] = values[k];
      ++kept;
    }
  }
  return kept;
}

/// Second step for one block: its entries by row, into their places of `matrix`, each row sorted.
/// The block's entries are overwritten.
void fill_block(Blocks& blocks, Index block, Csr<double>& matrix) {
  const Index first = blocks.first_row(block);
  const Index last = blocks.last_row(block);
  const Index begin = blocks.offsets[block];
  const Index end = blocks.offsets[block + 1];
  Entry* const entries = blocks.entries.data();

  // row_offsets[i] holds, in turn, the length of row i, its start, its end; then, shifted by one
  // row, the starts again. No other block touches these elements.
  Index* const offsets = matrix.row_offsets.data();
  for (Index k = begin; k < end; ++k) ++offsets[first + entries[k].row];
  Index start = begin;
  for (Index row = first; row < last; ++row) start += std::exchange(offsets[row], start);
  for (Index k = begin; k < end; ++k) {
    const Index place = offsets[first + entries[k].row]++;
    matrix.column_indices[place] = entries[k].column;
    matrix.values[place] = entries[k].value;
  }
  for (Index row = last - 1; row > first; --row) offsets[row] = offsets[row - 1];
  if (first < last) offsets[first] = begin;

  for (Index row = first; row < last; ++row) {
    const Index row_end = row + 1 < last ? offsets[row + 1] : end;
    sort_row(matrix.column_indices.data() + offsets[row], matrix.values.data() + offsets[row],
             row_end - offsets[row], entries + offsets[row]);
  }
}

bool has_duplicates(const Csr<double>& matrix) {
  bool found = false;
#pragma omp parallel for schedule(dynamic, 1024) reduction(|| : found)
  for (Index row = 0; row < matrix.rows; ++row) {
    const auto columns = matrix.row_columns(row);
    found = found || std::adjacent_find(columns.begin(), columns.end()) != columns.end();
  }
  return found;
}

void remove_duplicates(Csr<double>& matrix) {
  std::vector<Index> offsets(matrix.rows + 1, 0);
#pragma omp parallel for schedule(dynamic, 1024)
  for (Index row = 0; row < matrix.rows; ++row) {
    const Index start = matrix.row_offsets[row];
    offsets[row + 1] =
        sum_duplicates(matrix.column_indices.data() + start, matrix.values.data() + start,
                       matrix.row_offsets[row + 1] - start);
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<LocalIndex> columns(offsets.back());
  std::vector<double> values(offsets.back());
#pragma omp parallel for schedule(dynamic, 1024)
  for (Index row = 0; row < matrix.rows; ++row) {
    const Index length = offsets[row + 1] - offsets[row];
    std::copy_n(matrix.column_indices.data() + matrix.row_offsets[row], length,
                columns.data() + offsets[row]);
    std::copy_n(matrix.values.data() + matrix.row_offsets[row], length,
                values.data() + offsets[row]);
  }
  matrix.row_offsets = std::move(offsets);
  matrix.column_indices = std::move(columns);
  matrix.values = std::move(values);
}

Csr<double> gather(Blocks&& blocks) {
  Csr<double> matrix;
  matrix.rows = blocks.rows;
  matrix.columns = blocks.columns;
  matrix.row_offsets.assign(blocks.rows + 1, 0);
  matrix.row_offsets.back() = static_cast<Index>(blocks.entries.size());
  matrix.column_indices.resize(blocks.entries.size());
  matrix.values.resize(blocks.entries.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (Index block = 0; block < blocks.count(); ++block) fill_block(blocks, block, matrix);
  blocks = Blocks{};
  if (has_duplicates(matrix)) remove_duplicates(matrix);
  return matrix;
}

}  // namespace

Csr<double> csr_from_coo(const Coo& coo) {
  if (coo.is_complex) return csr_from_coo(Coo(coo));
  return gather(distribute(coo));
}

Csr<double> csr_from_coo(Coo&& coo) {
  if (coo.is_complex) {
    coo.is_complex = false;
    const Csr<double> s = gather(distribute(coo));
    coo.symmetry = imaginary_symmetry(coo.symmetry);
    coo.value = std::move(coo.imaginary);
    return real_form(s, csr_from_coo(std::move(coo)));
  }
  Blocks blocks = distribute(coo);
  coo = Coo{};
  return gather(std::move(blocks));
}

template <typename To, typename From>
Csr<To> csr_cast(const Csr<From>& matrix) {
  Csr<To> result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.row_offsets = matrix.row_offsets;
  result.column_indices = matrix.column_indices;
  result.values.resize(matrix.values.size());
  std::transform(matrix.values.begin(), matrix.values.end(), result.values.begin(),
                 [](From value) { return static_cast<To>(value); });
  return result;
}

template <typename T>
Csr<T> slice_rows(const Csr<T>& matrix, Index first, Index last) {
  if (first < 0 || first > last || last > matrix.rows) {
    fail(ExitCode::internal, "rows {} to {} of a matrix of {} rows", first, last, matrix.rows);
  }
  const Index begin = matrix.row_offsets[first];
  const Index end = matrix.row_offsets[last];
  Csr<T> result;
  result.rows = last - first;
  result.columns = matrix.columns;
  result.row_offsets.resize(result.rows + 1);
  for (Index i = 0; i <= result.rows; ++i) {
    result.row_offsets[i] = matrix.row_offsets[first + i] - begin;
  }
  result.column_indices.assign(matrix.column_indices.begin() + begin,
                               matrix.column_indices.begin() + end);
  result.values.assign(matrix.values.begin() + begin, matrix.values.begin() + end);
  return result;
}

template <typename T>
Csr<T> rotate_rows(const Csr<T>& matrix, Index by) {
  if (matrix.rows == 0) return matrix;
  by = (by % matrix.rows + matrix.rows) % matrix.rows;
  // The last `by` rows come first, in their order; the others follow.
  const Index cut = matrix.rows - by;
  const Index moved = matrix.nonzeros() - matrix.row_offsets[cut];
  Csr<T> result = matrix;
  std::rotate(result.column_indices.begin(), result.column_indices.end() - moved,
              result.column_indices.end());
  std::rotate(result.values.begin(), result.values.end() - moved, result.values.end());
  for (Index i = 0; i < by; ++i) {
    result.row_offsets[i] = matrix.row_offsets[cut + i] - matrix.row_offsets[cut];
  }
  for (Index i = 0; i < cut; ++i) result.row_offsets[by + i] = moved + matrix.row_offsets[i];
  return result;
}

SPSOLVE_INSTANTIATE_FUNCTION(slice_rows)
SPSOLVE_INSTANTIATE_FUNCTION(rotate_rows)
#define SPSOLVE_FOR(T) template Csr<T> csr_cast(const Csr<double>&);
SPSOLVE_FOR_SCALARS(SPSOLVE_FOR)
template Csr<double> csr_cast(const Csr<float>&);

}  // namespace spsolve::matrix
