#pragma once

#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "core/words.hpp"
#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// The rows of a symmetric matrix's lower triangle in groups whose updates don't meet. Row i
/// touches the set S_i = {i} and the columns j < i that it stores; rows of one colour have disjoint
/// sets.
struct Colouring {
  std::vector<LocalIndex> colors;       ///< colour of row i
  std::vector<LocalIndex> permutation;  ///< rows by colour, ascending within one: slot -> row
  std::vector<Index> color_offsets{0};  ///< slots of colour q: [color_offsets[q], [q + 1])

  Index count() const { return static_cast<Index>(color_offsets.size()) - 1; }
  Index size(Index color) const { return color_offsets[color + 1] - color_offsets[color]; }
  Index largest() const;   ///< rows of the largest colour; 0 without rows
  Index smallest() const;  ///< rows of the smallest colour
};

/// The second pass of a colouring, which is to make colours of equal size.
enum class SecondPass {
  /// Each row draws two of its free colours at random and moves to the one with fewer rows, if that
  /// has fewer than its own; made twice. Never needs more colours than the first pass.
  balanced,
  /// The published pass: begins anew, and each row draws one of the first pass' colours that are
  /// free, at random; where none is, a colour more is opened.
  published,
};

inline constexpr std::string_view second_pass_words[] = {"balanced", "published"};
constexpr Words words_of(SecondPass) {
  return second_pass_words;
}

/// Greedy colouring in two passes over the rows, ascending, after Fencel 2020, section 3.3. The
/// first gives each row the smallest free colour, the second makes their sizes equal. A colour is
/// free where no row that touches one of the same columns has it. Deterministic: the draws are
/// hashes of `seed` and row. Reads the columns on and below the diagonal only.
///
/// Each column v remembers the colours of the rows T_v that touched it, as a list, or as a bit set
/// where |T_v| >= max(16, D / 32), D = max |T_v|; a row's forbidden colours are the union over its
/// columns. No pair of rows is ever looked at, so that a dense column costs one bit set and not
/// |T_v|^2 steps. Cost, with C >= D colours: at most about C / 32 word operations per stored
/// element and pass, and C / 16 per row; memory a few words per element.
/// Throws Error(input) where the matrix is not square.
template <typename T>
Colouring colour_rows(const Csr<T>& matrix, Index seed = 1, SecondPass pass = SecondPass::balanced);

}  // namespace spsolve::matrix
