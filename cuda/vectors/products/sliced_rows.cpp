#include "cuda/vectors/products/sliced_rows.hpp"

namespace spsolve::cuda {

std::optional<SlicedRows> SlicedRows::of(const CsrView<double>& rows, cudaStream_t stream) {
  // Few rows leave a GPU idle whose threads have long ones.
  constexpr Index longest_mean = 40, many_rows = 100000, longest_mean_of_many = 256;
  constexpr double most_padding = 1.2;
  const Index longest = rows.rows < many_rows ? longest_mean : longest_mean_of_many;
  if (rows.rows == 0 || rows.nonzeros > longest * rows.rows) return std::nullopt;
  SlicedRows result;
  result.rows_ = rows.rows;
  result.offsets_ = slice_offsets(rows, stream);
  const Index padded = result.offsets_.brought(result.offsets_.size() - 1, stream);
  if (static_cast<double>(padded) > most_padding * static_cast<double>(rows.nonzeros) + 1024) {
    return std::nullopt;
  }
  result.together_ = rows_together(rows, stream);
  // Groups that a slice has a row of, at most.
  const Index others = slice_height - 1, together = result.together_;
  result.stride_ =
      static_cast<int>(slice_height % together == 0 ? slice_height / together
                                                    : (others + together - 1) / together + 1);
  result.columns_.grow(padded / slice_height * result.stride_);
  result.values_.grow(padded);
  slice_rows(rows, result.view(), result.columns_.data(), result.values_.data(), stream);
  return result;
}

}  // namespace spsolve::cuda
