#pragma once

#include <vector>

#include "core/untouched_array.hpp"
#include "matrix/csr.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline multiply {

/// The lower triangle of a symmetric matrix, in groups of consecutive rows that share their columns
/// left of the group, for products without atomic sums.
///
/// A group of r > 1 rows i ... i + r - 1 shares its columns j < i and has a full triangle
/// a_ij, i <= j within it. A part is a run of groups with about equal non-zeros; it owns the y of
/// its rows and writes what belongs to smaller rows into a private overlap, which is added to y at
/// the end, part after part.
/// Effective ranges: Batista, Ainsworth and Ribeiro (2010); Gkountouvas, Karakasis, Kourtis, Goumas
/// and Koziris, "Improving the performance of the symmetric sparse matrix-vector multiplication in
/// multicore" (IPDPS 2013).
template <typename T>
class SymmetricHalves {
 public:
  /// Takes the entries a_ij with j <= i; what lies above the diagonal is taken to mirror them.
  static SymmetricHalves from_csr(const Csr<T>& csr, const KernelOptions& options);

  /// Y = A X: y_i += a_ij x_j, and y_j += a_ij x_i for j < i. Cost: 2 nnz K; half of the matrix is
  /// read once for every 32 columns (double) of X, the overlaps are written and read once.
  void multiply(const T* x, T* y, Index columns);

  /// Bytes without the overlaps, which depend on K.
  std::int64_t bytes() const;

 private:
  struct Group {
    LocalIndex length;   ///< columns left of the group
    LocalIndex base;     ///< what to add to each stored column
    LocalIndex outside;  ///< how many of them lie left of the part's rows
    std::int16_t rows;
    std::int16_t triangle;  ///< whether the triangle of r (r + 1) / 2 values is stored
  };
  struct ThreadPart {
    Index first_group = 0, last_group = 0;
    Index first_row = 0, last_row = 0;
    Index first_value = 0;
    Index first_column = 0;
    Index first_triangle = 0;
    Index lowest = 0;   ///< smallest column: rows lowest ... first_row - 1 of y are its overlap
    Index overlap = 0;  ///< place of the overlap among all, in rows
  };

  static std::vector<Group> find_groups(const Csr<T>& csr);
  void share_out(const Csr<T>& csr, const std::vector<Group>& groups);
  template <typename Column>
  void copy(const Csr<T>& csr, const std::vector<Group>& groups, ThreadPart& part,
            UntouchedArray<Column>& indices);
  template <typename Column, typename GroupWork>
  void for_each_group(const ThreadPart& part, const UntouchedArray<Column>& indices, const T* x,
                      T* y, T* overlap, Index columns, GroupWork&& work) const;
  template <typename Column>
  void multiply_part(int p, const UntouchedArray<Column>& indices, const T* x, T* y, Index columns);
  void add_overlaps(int slice, const T* x, T* y, Index columns) const;
  void make_room(Index columns);
  T* overlap_of(int p, const T* x, Index columns) const;

  std::vector<ThreadPart> parts_;
  int threads_ = 1;
  Index nonzeros_ = 0;      ///< stored
  Index overlap_rows_ = 0;  ///< of all parts
  UntouchedArray<Group> groups_;
  UntouchedArray<T> values_;     ///< left of the groups, row after row
  UntouchedArray<T> triangles_;  ///< row after row of the lower triangles
  UntouchedArray<std::uint16_t> narrow_;
  UntouchedArray<LocalIndex> wide_;
  UntouchedArray<T> overlaps_;  ///< overlap_rows x K, and a page for each part: overlap_of()
};

}  // namespace spsolve::multiply
