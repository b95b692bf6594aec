#pragma once

#include <span>
#include <vector>

#include "cuda/multiply/fast/cut_rows.hpp"
#include "cuda/multiply/storage/device_csr.hpp"

namespace spsolve::cuda::inline multiply {

/// The non-zeros of a row.
struct RowSlot {
  Index first;          ///< place of the first
  LocalIndex nonzeros;  ///< how many
  LocalIndex row;       ///< place in Y
};

/// The non-zeros of a piece of a row that is too long for one block.
struct RowPiece {
  Index first;
  LocalIndex nonzeros;
  LocalIndex row;
  LocalIndex cut_row;  ///< its row among the cut ones
  LocalIndex place;    ///< its number among the pieces of all of them
};

/// Rows of about equal length.
struct RowClass {
  Index first = 0;  ///< place of its first slot
  Index rows = 0;
  Index nonzeros = 0;  ///< of all its rows
};

/// Non-zeros of a piece at most; what has more is cut.
inline constexpr Index row_piece = 512;

/// Classes of rows at most: of up to 16 non-zeros, 32, 64, ..., row_piece.
inline constexpr int most_row_classes = 6;

/// The rows of a matrix, sorted by class, on the host: those of up to twice the mean, or 16, then
/// those of up to twice as many, and so on; in a class in their order.
struct RowClasses {
  std::vector<RowSlot> slots;
  std::vector<RowClass> classes;
  std::vector<RowPiece> pieces;
  CutRowList cut;
};

RowClasses row_classes_of(std::span<const Index> row_offsets);

/// Columns and values of CSR, its rows by length: of real numbers, or of a real form's complex
/// ones.
template <typename T>
struct RowSplit {
  int parts = 1;  ///< of a number: complex_parts where they are complex, real part first
  T sign = 1;     ///< of rows of imaginary parts, see PairedView
  DeviceArray<LocalIndex> column_indices;
  DeviceArray<T> values;
  DeviceArray<RowSlot> slots;
  std::vector<RowClass> classes;
  DeviceArray<RowPiece> pieces;
  CutRows<T> cut;
  DeviceArray<unsigned> arrived;  ///< by cut row: pieces done so far; 0 between products

  /// Throws Error(input) where rows are too many for 32 bits.
  static RowSplit from_csr(const Csr<T>& matrix, const KernelOptions& options);
  /// The rows of complex numbers of a real form.
  static RowSplit of_pairs(const Csr<T>& form);
  std::int64_t bytes() const {
    return column_indices.bytes() + values.bytes() + slots.bytes() + pieces.bytes() + cut.bytes() +
           arrived.bytes();
  }
};

/// Y = A X on the current stream, X and Y row-major in GPU memory, rows of parts one after another
/// where numbers have some, by one launch for every 64 loads of a row of X, of 16 bytes where K
/// allows. Lanes share the columns of X, and teams of them the non-zeros of a row: so many that
/// there is work for the whole GPU, and few non-zeros to a lane, up to a block for a row. A team
/// reads its next columns and values while rows of X are on their way. Pieces of longer rows are
/// added up by the block that comes last, in their order. Sums have a fixed order. Cost: 2 nnz K.
template <typename T>
void csr_row_split(RowSplit<T>& a, const T* x, T* y, Index columns);

}  // namespace spsolve::cuda::multiply
