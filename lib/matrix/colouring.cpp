#include "matrix/colouring.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>

#include "core/error.hpp"
#include "matrix/random.hpp"
#include "matrix/symmetric_ellpack.hpp"

namespace spsolve {

namespace {

using Word = std::uint64_t;
constexpr Index word_bits = 64;

/// The sets S_i: the columns below the diagonal, and i itself.
template <typename T>
class Touched {
 public:
  explicit Touched(const Csr<T>& matrix) : matrix_(matrix), lengths_(matrix.rows) {
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < matrix.rows; ++i) {
      const Index length = lower_length(matrix, i);
      const bool diagonal = length > 0 && matrix.row_columns(i)[length - 1] == i;
      lengths_[i] = static_cast<LocalIndex>(length - diagonal);
    }
  }

  Index rows() const {
    return matrix_.rows;
  }

  template <typename Visit>
  void each(Index i, const Visit& visit) const {
    for (const LocalIndex j : matrix_.row_columns(i).first(lengths_[i])) visit(Index{j});
    visit(i);
  }

 private:
  const Csr<T>& matrix_;
  std::vector<LocalIndex> lengths_;  // stored columns below the diagonal
};

/// The colours of the rows that have touched each column so far.
class UsedColors {
 public:
  /// degrees[v] = |T_v|.
  explicit UsedColors(std::span<const Index> degrees)
      : starts_(degrees.size() + 1, 0), counts_(degrees.size(), 0), sets_of_(degrees.size(), -1) {
    const Index most = degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
    const Index long_degree = std::max(word_bits, most / 32);
    for (std::size_t v = 0; v < degrees.size(); ++v) {
      const bool as_set = degrees[v] >= long_degree;
      if (as_set) {
        sets_of_[v] = static_cast<LocalIndex>(sets_.size());
        sets_.emplace_back();
      }
      starts_[v + 1] = starts_[v] + (as_set ? 0 : degrees[v]);
    }
    lists_.resize(starts_.back());
  }

  void add(Index v, Index color) {
    if (sets_of_[v] < 0) {
      lists_[starts_[v] + counts_[v]++] = static_cast<LocalIndex>(color);
      return;
    }
    std::vector<Word>& set = sets_[sets_of_[v]];
    if (static_cast<Index>(set.size()) <= color / word_bits) set.resize(color / word_bits + 1);
    set[color / word_bits] |= Word{1} << (color % word_bits);
  }

  /// forbidden |= the colours of column v; it has room for all colours.
  void forbid(Index v, std::vector<Word>& forbidden) const {
    if (sets_of_[v] < 0) {
      for (Index k = starts_[v]; k < starts_[v] + counts_[v]; ++k) {
        forbidden[lists_[k] / word_bits] |= Word{1} << (lists_[k] % word_bits);
      }
      return;
    }
    const std::vector<Word>& set = sets_[sets_of_[v]];
    for (std::size_t w = 0; w < set.size(); ++w) forbidden[w] |= set[w];
  }

 private:
  std::vector<Index> starts_;        // column v's list, where it has one
  std::vector<LocalIndex> counts_;   // its colours so far
  std::vector<LocalIndex> sets_of_;  // column v's set, or -1
  std::vector<LocalIndex> lists_;
  std::vector<std::vector<Word>> sets_;
};

/// Colours all rows in turn; choose(i, forbidden, colors) hands back a colour below `colors` that
/// is not forbidden, or `colors` for a new one. Hands back how many there are in the end.
template <typename T, typename Choose>
Index color_greedily(const Touched<T>& touched, std::span<const Index> degrees, Index colors,
                     const Choose& choose, std::vector<LocalIndex>& color_of) {
  UsedColors used(degrees);
  std::vector<Word> forbidden;
  for (Index i = 0; i < touched.rows(); ++i) {
    forbidden.assign(colors / word_bits + 1, 0);
    touched.each(i, [&](Index v) { used.forbid(v, forbidden); });
    const Index color = choose(i, forbidden, colors);
    colors = std::max(colors, color + 1);
    color_of[i] = static_cast<LocalIndex>(color);
    touched.each(i, [&](Index v) { used.add(v, color); });
  }
  return colors;
}

/// The smallest colour that is not forbidden. `forbidden` has room for one more than `colors`.
Index smallest_free(const std::vector<Word>& forbidden) {
  std::size_t w = 0;
  while (forbidden[w] == ~Word{0}) ++w;
  return static_cast<Index>(w) * word_bits + std::countr_one(forbidden[w]);
}

/// Number `rank`, from 0, of the colours that are not forbidden.
Index free_by_rank(const std::vector<Word>& forbidden, Index rank) {
  std::size_t w = 0;
  for (;; ++w) {
    const Index free = std::popcount(~forbidden[w]);
    if (rank < free) break;
    rank -= free;
  }
  Word free = ~forbidden[w];
  for (; rank > 0; --rank) free &= free - 1;
  return static_cast<Index>(w) * word_bits + std::countr_zero(free);
}

/// Rows by colour: counting sort.
void sort_by_color(Colouring& colouring, Index colors) {
  colouring.color_offsets.assign(colors + 1, 0);
  for (const LocalIndex color : colouring.colors) ++colouring.color_offsets[color + 1];
  std::partial_sum(colouring.color_offsets.begin(), colouring.color_offsets.end(),
                   colouring.color_offsets.begin());
  std::vector<Index> next(colouring.color_offsets.begin(), colouring.color_offsets.end() - 1);
  colouring.permutation.resize(colouring.colors.size());
  for (std::size_t i = 0; i < colouring.colors.size(); ++i) {
    colouring.permutation[next[colouring.colors[i]]++] = static_cast<LocalIndex>(i);
  }
}

}  // namespace

Index Colouring::largest() const {
  Index rows = 0;
  for (Index color = 0; color < count(); ++color) rows = std::max(rows, size(color));
  return rows;
}

Index Colouring::smallest() const {
  Index rows = count() > 0 ? size(0) : 0;
  for (Index color = 0; color < count(); ++color) rows = std::min(rows, size(color));
  return rows;
}

template <typename T>
Colouring colour_rows(const Csr<T>& matrix, Index seed) {
  if (matrix.rows != matrix.columns) {
    fail(ExitCode::input, "a {} x {} matrix is not symmetric", matrix.rows, matrix.columns);
  }
  const Touched<T> touched(matrix);
  std::vector<Index> degrees(matrix.rows, 0);
  for (Index i = 0; i < matrix.rows; ++i) {
    touched.each(i, [&](Index v) { ++degrees[v]; });
  }

  Colouring colouring;
  colouring.colors.resize(matrix.rows);
  const auto first_fit = [](Index, const std::vector<Word>& forbidden, Index) {
    return smallest_free(forbidden);
  };
  colouring.estimate = color_greedily(touched, degrees, 0, first_fit, colouring.colors);

  std::vector<Index> sizes(colouring.estimate, 0);
  const std::uint64_t key = mix_bits(static_cast<std::uint64_t>(seed));
  const auto balanced = [&](Index i, std::vector<Word>& forbidden, Index colors) {
    // What the last word holds beyond the last colour is not free.
    forbidden[colors / word_bits] |= ~Word{0} << (colors % word_bits);
    Index free = 0;
    for (const Word word : forbidden) free += std::popcount(~word);
    Index color = colors;
    if (free == 0) {
      sizes.push_back(0);
    } else {
      const auto draw = [&](Index number) {
        return free_by_rank(
            forbidden,
            random_below(random_bits(key, static_cast<std::uint64_t>(2 * i + number)), free));
      };
      color = draw(0);
      if (const Index other = draw(1); sizes[other] < sizes[color]) color = other;
    }
    ++sizes[color];
    return color;
  };
  const Index colors =
      color_greedily(touched, degrees, colouring.estimate, balanced, colouring.colors);
  sort_by_color(colouring, colors);
  return colouring;
}

template Colouring colour_rows(const Csr<float>&, Index);
template Colouring colour_rows(const Csr<double>&, Index);

}  // namespace spsolve
