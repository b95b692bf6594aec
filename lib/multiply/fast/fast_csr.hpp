#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/untouched_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/fast/fast_pieces.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// How rows and their non-zeros are shared out: part p sums the non-zeros first_nonzero[p] ...
/// first_nonzero[p + 1] - 1, the first of which lies in row first_row[p] (or that row is empty).
/// A part may end inside a row; what it has of that row is its carry.
struct NonzeroSplit {
  std::vector<Index> first_row;      ///< parts + 1
  std::vector<Index> first_nonzero;  ///< parts + 1

  int parts() const { return static_cast<int>(first_row.size()) - 1; }
};

/// Equal parts of the path through rows and non-zeros (merge-path: Merrill and Garland, SC 2016),
/// where a row costs as much as a non-zero. A cut moves to the nearest row border where that lies
/// within 1/64 of a part, so that only rows too long for one part are cut.
NonzeroSplit split_nonzeros(const std::vector<Index>& row_offsets, int parts);

/// Whether rows are short and often of another length than the row before, so that the processor
/// guesses wrong where they end. Cost: reads the row offsets once.
template <typename T>
bool lengths_are_irregular(const Csr<T>& csr);

/// CSR shared out by non-zeros, each part in memory placed by its thread. Row lengths instead of
/// offsets: four bytes a row are read instead of eight; and two of a column's number where 65536
/// columns are all. Runs of rows of one short length go by a loop of their own.
template <typename T>
class BalancedCsr {
 public:
  /// With `sorted`, rows are sorted by length within windows of 256.
  static BalancedCsr from_csr(const Csr<T>& csr, const KernelOptions& options, bool sorted = false);

  /// Y = A X. Each part's sums stay in registers over a whole row; the carries of cut rows are
  /// added in the order of the parts. Cost: 2 nnz K; the matrix is read once for every 64 columns
  /// (double) of X.
  void multiply(const T* x, T* y, Index columns);

  std::int64_t bytes() const;

 private:
  /// Some rows one after the other here.
  struct RunPiece {
    Index first_row, last_row;
    Index first_nonzero;
    std::size_t first_run = 0, last_run = 0;
  };

  struct ThreadPart {
    Index first_row, last_row;  ///< rows that end in this part
    Index first_nonzero, last_nonzero;
    LocalIndex carry_length;  ///< non-zeros here of row last_row, which ends in a later part
  };

  /// Rows of one length, one after the other here.
  struct Run {
    LocalIndex length, rows;
  };

  /// Rows to multiply: a piece, or what a part has of a row that ends in a later one.
  struct RowSpan {
    const LocalIndex* lengths;
    const LocalIndex* order;  ///< null: their own
    Index first, last;        ///< among those
    std::span<const Run> runs;
    Index first_nonzero;
  };

  void sort_rows(const Csr<T>& csr);
  void cut_into_pieces();
  void find_runs();
  template <int width, int count, typename Column, typename Columns, typename Last, typename Ahead>
  void multiply_rows(const RowSpan& span, const Column* column_indices, const T* x, T* y,
                     Columns columns_of_x, Last last, Ahead ahead) const;
  template <typename Column>
  void multiply_part(int part, const Column* column_indices, const T* x, T* y, Index columns);

  std::vector<ThreadPart> parts_;
  fast::Pieces<RunPiece> pieces_;
  int threads_ = 1;
  Index nonzeros_ = 0;
  Index x_rows_ = 0;
  bool irregular_ = false;  ///< rows of X are worth fetching ahead
  UntouchedArray<LocalIndex>
      lengths_;  ///< of the rows in their order here, in the part that each ends in
  UntouchedArray<LocalIndex> order_;  ///< the rows in their order here, where sorted
  std::vector<Run> runs_;             ///< where they are long enough
  UntouchedArray<LocalIndex> column_indices_;
  UntouchedArray<std::uint16_t> narrow_;  ///< in their place, where there are few columns
  UntouchedArray<T> values_;
  std::vector<T> carries_;  ///< parts x K
};

/// A BalancedCsr with its rows sorted by length, so that the processor foresees where they end: for
/// short rows of changing length, where rows of X are not so long that their order costs more.
template <typename T>
class SortedCsr : public BalancedCsr<T> {
 public:
  static SortedCsr from_csr(const Csr<T>& csr, const KernelOptions& options) {
    return SortedCsr(BalancedCsr<T>::from_csr(csr, options, true));
  }

 private:
  explicit SortedCsr(BalancedCsr<T>&& rows) : BalancedCsr<T>(std::move(rows)) {}
};

}  // namespace spsolve::multiply
