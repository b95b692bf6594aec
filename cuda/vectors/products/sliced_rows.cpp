#include "cuda/vectors/products/sliced_rows.hpp"

#include <algorithm>
#include <vector>

namespace spsolve::cuda {

std::optional<SlicedRows> SlicedRows::of(const Csr<double>& host, const CsrView<double>& rows,
                                         cudaStream_t stream) {
  // Few rows leave a GPU idle whose threads have long ones.
  constexpr Index longest_mean = 40, many_rows = 100000, longest_mean_of_many = 256;
  constexpr double most_padding = 1.2;
  const Index longest = host.rows < many_rows ? longest_mean : longest_mean_of_many;
  if (host.rows == 0 || host.nonzeros() > longest * host.rows) return std::nullopt;
  const Index slices = (host.rows + slice_height - 1) / slice_height;
  std::vector<Index> offsets(static_cast<std::size_t>(slices) + 1, 0);
#pragma omp parallel for schedule(static)
  for (Index slice = 0; slice < slices; ++slice) {
    Index width = 0;
    const Index last = std::min(host.rows, (slice + 1) * slice_height);
    for (Index i = slice * slice_height; i < last; ++i) {
      width = std::max(width, host.row_offsets[i + 1] - host.row_offsets[i]);
    }
    offsets[slice + 1] = width * slice_height;
  }
  for (Index slice = 0; slice < slices; ++slice) offsets[slice + 1] += offsets[slice];
  const auto padded = static_cast<double>(offsets.back());
  if (padded > most_padding * static_cast<double>(host.nonzeros()) + 1024) return std::nullopt;
  SlicedRows result;
  result.rows_ = host.rows;
  result.offsets_ = DeviceArray<Index>(offsets);
  result.columns_.grow(offsets.back());
  result.values_.grow(offsets.back());
  slice_rows(rows, result.offsets_.data(), result.columns_.data(), result.values_.data(), stream);
  return result;
}

}  // namespace spsolve::cuda
