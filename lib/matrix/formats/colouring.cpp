#include "matrix/formats/colouring.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>

#include "core/error.hpp"
#include "matrix/formats/symmetric_ellpack.hpp"
#include "matrix/random.hpp"

namespace spsolve::inline matrix {

namespace {

using Word = std::uint64_t;
constexpr Index word_bits = 64;
constexpr Index shortest_set = 16;   // fewer colours than these are faster as a list
constexpr int balancing_sweeps = 2;  // a third hardly changes anything

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
    const Index long_degree = std::max(shortest_set, most / 32);
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

  /// Forgets `color`, which a row that touches v had.
  void remove(Index v, Index color) {
    if (sets_of_[v] >= 0) {
      sets_[sets_of_[v]][color / word_bits] &= ~(Word{1} << (color % word_bits));
      return;
    }
    LocalIndex* const list = lists_.data() + starts_[v];
    *std::find(list, list + counts_[v], color) = list[counts_[v] - 1];
    --counts_[v];
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

/// How many there are.
Index count_free(const std::vector<Word>& forbidden) {
  Index free = 0;
  for (const Word word : forbidden) free += std::popcount(~word);
  return free;
}

/// First pass: each row in turn gets the smallest colour that is free. Hands back how many there
/// are.
template <typename T>
Index first_fit(const Touched<T>& touched, UsedColors& used, std::vector<LocalIndex>& color_of) {
  Index colors = 0;
  std::vector<Word> forbidden;
  for (Index i = 0; i < touched.rows(); ++i) {
    forbidden.assign(colors / word_bits + 1, 0);
    touched.each(i, [&](Index v) { used.forbid(v, forbidden); });
    const Index color = smallest_free(forbidden);
    colors = std::max(colors, color + 1);
    color_of[i] = static_cast<LocalIndex>(color);
    touched.each(i, [&](Index v) { used.add(v, color); });
  }
  return colors;
}

/// Numbers the colours anew that some row has, in their order; hands back how many there are.
Index without_empty(Index colors, std::vector<LocalIndex>& color_of) {
  std::vector<LocalIndex> number(static_cast<std::size_t>(colors), 0);
  for (const LocalIndex color : color_of) number[color] = 1;
  std::exclusive_scan(number.begin(), number.end(), number.begin(), 0);
  const auto last = std::ranges::max_element(color_of);
  const Index count = last == color_of.end() ? 0 : number[*last] + 1;
  for (LocalIndex& color : color_of) color = number[color];
  return count;
}

/// The published second pass: each row in turn draws one of the `colors` that no row which touches
/// its columns has so far, or opens another one. Hands back how many there are.
template <typename T>
Index draw_anew(const Touched<T>& touched, UsedColors& used, Index colors, std::uint64_t key,
                std::vector<LocalIndex>& color_of) {
  std::vector<Word> forbidden;
  for (Index i = 0; i < touched.rows(); ++i) {
    forbidden.assign(colors / word_bits + 1, 0);
    forbidden.back() = ~Word{0} << (colors % word_bits);
    touched.each(i, [&](Index v) { used.forbid(v, forbidden); });
    const Index free = count_free(forbidden);
    const Index drawn =
        free == 0
            ? colors++
            : free_by_rank(forbidden,
                           random_below(random_bits(key, static_cast<std::uint64_t>(i)), free));
    color_of[i] = static_cast<LocalIndex>(drawn);
    touched.each(i, [&](Index v) { used.add(v, drawn); });
  }
  return without_empty(colors, color_of);
}

/// Second pass: each row in turn draws two of the `colors` that no row which touches its columns
/// has, and moves to the one with fewer rows if it has fewer than its own.
template <typename T>
void balance(const Touched<T>& touched, UsedColors& used, Index colors, std::uint64_t key,
             std::vector<LocalIndex>& color_of) {
  std::vector<Index> sizes(colors, 0);
  for (const LocalIndex color : color_of) ++sizes[color];
  std::vector<Word> forbidden;
  for (Index i = 0; i < touched.rows(); ++i) {
    const Index own = color_of[i];
    forbidden.assign(colors / word_bits + 1, 0);
    // Bits of the last word beyond the last colour are not free.
    forbidden.back() = ~Word{0} << (colors % word_bits);
    touched.each(i, [&](Index v) { used.forbid(v, forbidden); });
    const Index free = count_free(forbidden);
    if (free == 0) continue;  // its columns hold its own colour too
    Index best = own;
    for (Index draw = 0; draw < 2; ++draw) {
      const std::uint64_t bits = random_bits(key, static_cast<std::uint64_t>(2 * i + draw));
      const Index color = free_by_rank(forbidden, random_below(bits, free));
      if (sizes[color] + (best == own) < sizes[best]) best = color;
    }
    if (best == own) continue;
    touched.each(i, [&](Index v) {
      used.remove(v, own);
      used.add(v, best);
    });
    --sizes[own];
    ++sizes[best];
    color_of[i] = static_cast<LocalIndex>(best);
  }
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
Colouring colour_rows(const Csr<T>& matrix, Index seed, SecondPass pass) {
  if (matrix.rows != matrix.columns) {
    fail(ExitCode::input, "a {} x {} matrix is not symmetric", matrix.rows, matrix.columns);
  }
  const Touched<T> touched(matrix);
  std::vector<Index> degrees(matrix.rows, 0);
  for (Index i = 0; i < matrix.rows; ++i) {
    touched.each(i, [&](Index v) { ++degrees[v]; });
  }

  UsedColors used(degrees);
  Colouring colouring;
  colouring.colors.resize(matrix.rows);
  Index colors = first_fit(touched, used, colouring.colors);
  std::uint64_t key = static_cast<std::uint64_t>(seed);
  if (pass == SecondPass::published) {
    UsedColors anew(degrees);
    colors = draw_anew(touched, anew, colors, mix_bits(key), colouring.colors);
    sort_by_color(colouring, colors);
    return colouring;
  }
  for (int sweep = 0; sweep < balancing_sweeps; ++sweep) {
    key = mix_bits(key);
    balance(touched, used, colors, key, colouring.colors);
  }
  sort_by_color(colouring, colors);
  return colouring;
}

SPSOLVE_INSTANTIATE_FUNCTION(colour_rows)

}  // namespace spsolve::matrix
