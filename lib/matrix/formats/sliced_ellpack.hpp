#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The two parameters of SELL-C-sigma.
struct SlicedEllpackOptions {
  int chunk = 8;      ///< C: rows of a chunk, 1 to 256; a multiple of the vector length is best
  Index sigma = 256;  ///< rows are sorted by length among sigma neighbours; 1: not sorted
};

/// SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske, Bishop 2014): rows are sorted by descending
/// length within windows of sigma rows, then cut into chunks of C rows; each chunk is stored
/// column-major and padded to its own longest row. Element j of row r of chunk k is at
/// chunk_offsets[k] + j * C + r, its row is permutation[k * C + r]. Padding has the value 0 and the
/// row's last column (column 0 for an empty row), so that a product needs no test; X must be
/// finite.
template <typename T>
struct SlicedEllpack {
  static constexpr int largest_chunk = 256;

  Index rows = 0;
  Index columns = 0;
  int chunk = 1;                           ///< C
  std::vector<Index> chunk_offsets{0};     ///< chunks + 1
  std::vector<LocalIndex> permutation;     ///< rows: slot -> row
  std::vector<LocalIndex> row_lengths;     ///< rows, by slot
  std::vector<LocalIndex> column_indices;  ///< chunk_offsets.back()
  std::vector<T> values;                   ///< chunk_offsets.back()

  Index chunks() const { return static_cast<Index>(chunk_offsets.size()) - 1; }

  /// Elements of each row of chunk k, padding included.
  Index chunk_width(Index k) const { return (chunk_offsets[k + 1] - chunk_offsets[k]) / chunk; }

  /// Cost: linear in the padded elements plus rows log(sigma), parallel over windows and chunks;
  /// the same result for every number of threads (rows of equal length keep their order).
  /// Throws Error(input) where an option is out of range, and Error(resources) where there are more
  /// rows than LocalIndex holds or with padding_problem()'s sentence.
  static SlicedEllpack from_csr(const Csr<T>& matrix, const SlicedEllpackOptions& options = {});
  Csr<T> to_csr() const;
  std::int64_t bytes() const;
};

}  // namespace spsolve::matrix
