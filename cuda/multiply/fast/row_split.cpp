#include "cuda/multiply/fast/row_split.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "core/error.hpp"
#include "cuda/core/nvtx.hpp"
#include "matrix/complex_numbers.hpp"

namespace spsolve::cuda::inline multiply {

RowClasses row_classes_of(std::span<const Index> row_offsets) {
  constexpr Index least = 16, times_mean = 2;
  static_assert(least << (most_row_classes - 1) == row_piece);
  const Index rows = static_cast<Index>(row_offsets.size()) - 1;
  const Index mean = rows == 0 ? 0 : row_offsets[rows] / rows;
  std::vector<Index> limits{std::clamp(times_mean * mean, least, row_piece)};
  while (limits.back() < row_piece) limits.push_back(std::min(2 * limits.back(), row_piece));
  const auto class_of = [&](Index length) {
    return static_cast<std::size_t>(std::ranges::lower_bound(limits, length) - limits.begin());
  };
  RowClasses result;
  std::vector<RowClass> classes(limits.size());
  for (Index row = 0; row < rows; ++row) {
    const Index first = row_offsets[row], length = row_offsets[row + 1] - first;
    if (length <= row_piece) {
      RowClass& of = classes[class_of(length)];
      ++of.rows;
      of.nonzeros += length;
      continue;
    }
    const Index pieces = pieces_of(length, row_piece);
    for (Index p = 0; p < pieces; ++p) {
      const Index from = p * length / pieces, to = (p + 1) * length / pieces;
      result.pieces.push_back({first + from, static_cast<LocalIndex>(to - from),
                               static_cast<LocalIndex>(row),
                               static_cast<LocalIndex>(result.cut.rows.size()),
                               static_cast<LocalIndex>(result.cut.count() + p)});
    }
    result.cut.rows.push_back(row);
    result.cut.pieces.push_back(static_cast<LocalIndex>(result.cut.count() + pieces));
  }
  // The longest first: what takes long is not begun last.
  Index first = 0;
  for (std::size_t c = classes.size(); c-- > 0;) {
    classes[c].first = first;
    first += classes[c].rows;
  }
  result.slots.resize(static_cast<std::size_t>(first));
  std::vector<Index> next(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) next[c] = classes[c].first;
  for (Index row = 0; row < rows; ++row) {
    const Index begin = row_offsets[row], length = row_offsets[row + 1] - begin;
    if (length > row_piece) continue;
    result.slots[static_cast<std::size_t>(next[class_of(length)]++)] = {
        begin, static_cast<LocalIndex>(length), static_cast<LocalIndex>(row)};
  }
  for (std::size_t c = classes.size(); c-- > 0;) {
    if (classes[c].rows > 0) result.classes.push_back(classes[c]);
  }
  return result;
}

namespace {

template <typename T>
RowSplit<T> split_rows(const std::vector<Index>& offsets, const std::vector<LocalIndex>& columns,
                       std::span<const T> values) {
  const NvtxRange range("sort rows by length");
  const Index rows = std::ssize(offsets) - 1;
  if (rows > std::numeric_limits<LocalIndex>::max()) {
    fail(ExitCode::input,
         "csr_row_split numbers rows by 32 bits; {} are too many, take sliced_rows", rows);
  }
  const RowClasses classes = row_classes_of(offsets);
  return {.column_indices = DeviceArray<LocalIndex>(columns),
          .values = DeviceArray<T>(values),
          .slots = DeviceArray<RowSlot>(classes.slots),
          .classes = classes.classes,
          .pieces = DeviceArray<RowPiece>(classes.pieces),
          .cut = CutRows<T>::from_list(classes.cut),
          .arrived = DeviceArray<unsigned>(std::vector<unsigned>(classes.cut.rows.size()))};
}

}  // namespace

template <typename T>
RowSplit<T> RowSplit<T>::from_csr(const Csr<T>& matrix, const KernelOptions&) {
  return split_rows(matrix.row_offsets, matrix.column_indices, std::span<const T>(matrix.values));
}

template <typename T>
RowSplit<T> RowSplit<T>::of_pairs(const Csr<T>& form) {
  const Csr<std::complex<T>> matrix = complex_numbers_of(form);
  // An array of complex numbers is one of twice as many real ones.
  const auto* const pairs = reinterpret_cast<const T*>(matrix.values.data());
  RowSplit result = split_rows(matrix.row_offsets, matrix.column_indices,
                               std::span(pairs, complex_parts * matrix.values.size()));
  result.parts = static_cast<int>(complex_parts);
  if (real_form_kind(form) == RealFormKind::conjugated) result.sign = -1;
  return result;
}

SPSOLVE_INSTANTIATE(struct RowSplit)

}  // namespace spsolve::cuda::multiply
