#include "cuda/multiply/fast/paired_rows.hpp"

#include <algorithm>
#include <vector>

#include "cuda/core/nvtx.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::cuda::inline multiply {

template <typename T>
std::optional<PairedRows<T>> PairedRows<T>::of(const Csr<T>& form) {
  constexpr double most_padding = 1.2;
  const RealFormKind kind = real_form_kind(form);
  if (kind == RealFormKind::none) return std::nullopt;
  PairedRows result;
  result.rows = form.rows / complex_parts;
  result.sign = kind == RealFormKind::conjugated ? T(-1) : T(1);
  const auto length_of = [&](Index i) {
    return std::ssize(form.row_columns(complex_parts * i)) / complex_parts;
  };
  std::vector<Index> offsets{0};
  for (Index first = 0; first < result.rows; first += slice) {
    Index longest = 0;
    for (Index i = first; i < std::min(first + slice, result.rows); ++i) {
      longest = std::max(longest, length_of(i));
    }
    offsets.push_back(offsets.back() + slice * longest);
  }
  const auto numbers = static_cast<double>(form.nonzeros() / (complex_parts * complex_parts));
  if (static_cast<double>(offsets.back()) > most_padding * numbers + 1024) return std::nullopt;
  std::vector<LocalIndex> columns(static_cast<std::size_t>(offsets.back()), -1);
  std::vector<T> values(complex_parts * columns.size());
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < result.rows; ++i) {
    // Row 2i has s and -t of every number in turn.
    const Index from = form.row_offsets[complex_parts * i], length = length_of(i);
    for (Index k = 0; k < length; ++k) {
      const Index at = from + complex_parts * k, to = offsets[i / slice] + i % slice + slice * k;
      columns[to] = static_cast<LocalIndex>(form.column_indices[at] / complex_parts);
      values[complex_parts * to] = form.values[at];
      values[complex_parts * to + 1] = -form.values[at + 1];
    }
  }
  result.offsets = DeviceArray<Index>(offsets);
  result.columns = DeviceArray<LocalIndex>(columns);
  result.values = DeviceArray<T>(values);
  return result;
}

template <typename T>
ComplexRows<T> ComplexRows<T>::from_csr(const Csr<T>& form, const KernelOptions&) {
  const NvtxRange range("convert to complex rows");
  // Fewer rows leave a GPU idle whose threads have whole ones.
  constexpr Index least_rows = 40000;
  ComplexRows result;
  if (form.rows >= complex_parts * least_rows) result.slices = PairedRows<T>::of(form);
  if (!result.slices) result.split = RowSplit<T>::of_pairs(form);
  return result;
}

template <typename T>
void complex_rows(ComplexRows<T>& a, const T* x, T* y, Index columns) {
  const NvtxRange range("complex_rows");
  if (a.slices) return paired_rows(*a.slices, x, y, columns);
  csr_row_split(*a.split, x, y, columns);
}

SPSOLVE_INSTANTIATE(struct PairedRows)
SPSOLVE_INSTANTIATE(struct ComplexRows)
SPSOLVE_INSTANTIATE_FUNCTION(complex_rows)

}  // namespace spsolve::cuda::multiply
