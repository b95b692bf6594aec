#include "cuda/sparse/fronts/front_writer.hpp"

#include <algorithm>

namespace spsolve::cuda::inline sparse {

namespace {

using What = EliminationStep::What;

/// Flops from which on a product alone fills a GPU, so that the vendor's library is faster.
constexpr double library_flops = 4e9;

/// Columns of a product by the library where what is above the diagonal is not wanted.
constexpr int strip_columns = 1024;

}  // namespace

void FrontWriter::add_step(What what, Index begin, Index end, int rows, int side) {
  if (begin < end) program_.steps.push_back({what, begin, end - begin, rows, side});
}

Range FrontWriter::eliminate_pivots(std::vector<int> fronts, const Range& blocks) {
  // The tallest first, so that block t is there in the first ones.
  std::stable_sort(fronts.begin(), fronts.end(),
                   [&](int a, int b) { return layout_of(a).pivots > layout_of(b).pivots; });
  const Index begin = static_cast<Index>(program_.fronts.size());
  program_.fronts.insert(program_.fronts.end(), fronts.begin(), fronts.end());
  const Range listed{begin, static_cast<Index>(program_.fronts.size())};
  const auto last =
      static_cast<int>(std::min<Index>(blocks.last, layout_of(fronts.front()).blocks()));
  for (int t = static_cast<int>(blocks.first); t < last; ++t) {
    while (layout_of(fronts.back()).blocks() <= t) fronts.pop_back();
    add_step(What::invert, begin, begin + static_cast<Index>(fronts.size()), 0, t);
    write_panels(fronts, t);
    write_updates(fronts, t);
  }
  return listed;
}

/// A product's tiles whose row minus column is at least `least`, and the last one on the diagonal
/// where that is no whole block: rows of the border are in it.
void FrontWriter::add_tiles(const FrontProduct& product, int least) {
  if (product.m <= 0 || product.n <= 0) return;
  const int index = static_cast<int>(program_.products.size());
  program_.products.push_back(product);
  const int rows = (product.m + product_tile - 1) / product_tile;
  const int columns = (product.n + product_tile - 1) / product_tile;
  for (int j = 0; j < columns; ++j) {
    const bool whole = (j + 1) * product_tile <= product.n;
    const int first = std::max(0, whole ? j + least : std::min(j, j + least));
    for (int i = first; i < rows; ++i) program_.tiles.push_back({index, i, j});
  }
}

void FrontWriter::finish_tiles() {
  add_step(What::multiply, first_tile_, static_cast<Index>(program_.tiles.size()));
  first_tile_ = static_cast<Index>(program_.tiles.size());
}

/// Rows below the diagonal block times its inverse.
void FrontWriter::write_panels(const std::vector<int>& fronts, int t) {
  const auto panel = [&](const FrontLayout& front, Index from, Index to, Index inverse, int what) {
    const int end = std::min(front.pivots, (t + 1) * pivot_block), begin = t * pivot_block;
    const int row = end < front.pivots ? end : front.border_row;
    const FrontPanel columns = front.panel_of(begin);
    FrontProduct product;
    product.a = from + columns.place(row, begin);
    product.c = to + columns.place(row, begin);
    product.b = inverse + columns.place(begin, begin);
    product.lda = product.ldb = product.ldc = columns.ld;
    product.m = front.ld - row;
    product.n = product.k = end - begin;
    product.what = what;
    add_tiles(product, -product.n);
  };
  if (kind_ != Factorization::cholesky) {
    for (const int s : fronts) {
      const Index from = kind_ == Factorization::lu ? layout_of(s).upper : layout_of(s).lower;
      panel(layout_of(s), from, layout_of(s).upper, layout_of(s).lower, FrontProduct::assign);
    }
    if (kind_ == Factorization::ldlt) {  // its upper is made of lower before that changes
      finish_tiles();
    }
  }
  for (const int s : fronts) {
    const bool watches = kind_ != Factorization::cholesky;
    panel(layout_of(s), layout_of(s).lower, layout_of(s).lower, layout_of(s).upper,
          watches ? FrontProduct::assign_and_watch : FrontProduct::assign);
  }
  finish_tiles();
}

void FrontWriter::update(const FrontProduct& product, int least) {
  if (product.m <= 0 || product.n <= 0) return;
  const double flops = 2.0 * product.m * product.n * product.k;
  if (flops < library_flops) return add_tiles(product, least);
  const bool whole = least < 0;
  const int width = whole ? product.n : strip_columns;
  for (int column = 0; column < product.n; column += width) {
    FrontProduct strip = product;
    strip.n = std::min(width, product.n - column);
    const int beyond = strip.n < product_tile ? 0 : least * product_tile;
    const int row = whole ? 0 : std::min(product.m, column + beyond);
    strip.m = product.m - row;
    strip.a += row;
    strip.b += column;
    strip.c += row + static_cast<Index>(column) * product.ldc;
    if (strip.m > 0) large_.push_back(strip);
  }
}

void FrontWriter::finish_updates() {
  const std::size_t first = program_.steps.size();
  finish_tiles();
  for (const FrontProduct& product : large_) {
    const Index index = static_cast<Index>(program_.products.size());
    program_.products.push_back(product);
    add_step(What::library, index, index + 1);
    program_.steps.back().beside = program_.steps.size() > first + 1;
  }
  large_.clear();
}

/// Some columns of pivots, of one panel, from their first pivot's row on, by others before them, of
/// one panel as well.
void FrontWriter::update_columns(const FrontLayout& front, const Range& columns, const Range& by) {
  const int first = static_cast<int>(columns.first), k0 = static_cast<int>(by.first);
  const FrontPanel to = front.panel_of(first), from = front.panel_of(k0);
  FrontProduct product;
  product.lda = product.ldb = from.ld;
  product.ldc = to.ld;
  product.m = front.ld - first;
  product.n = static_cast<int>(columns.size());
  product.k = static_cast<int>(by.size());
  product.a = front.lower + from.place(first, k0);
  product.b = front.upper + from.place(first, k0);
  product.c = front.lower + to.place(first, first);
  update(product, 0);
  if (symmetric()) return;
  std::swap(product.a, product.b);
  product.c = front.upper + to.place(first, first);
  update(product, 1);
}

/// Columns right of block t. Within a panel, those right after it by the last blocks up to it. A
/// panel that is complete is taken off all that come after it at once: the flops are those of the
/// recursive order, each product is as deep as a panel is wide, and none writes what another one
/// reads or writes, so that all of them may run concurrently. Were each panel updated by all before
/// it when its turn comes, those products would have to wait for each other.
void FrontWriter::write_updates(const std::vector<int>& fronts, int t) {
  for (const int s : fronts) {
    const FrontLayout& front = layout_of(s);
    const int first = (t + 1) * pivot_block;
    if (first >= front.pivots) continue;
    const int inside = first - front.panel_begin(first);
    if (inside > 0) {
      const int columns = inside & -inside;  // the largest power of two that divides it
      update_columns(front, {first, std::min(front.pivots, first + columns)},
                     {first - columns, first});
      continue;
    }
    for (int begin = first; begin < front.pivots; begin = front.panel_end(begin)) {
      update_columns(front, {begin, front.panel_end(begin)}, {first - front.panel_columns, first});
    }
  }
  finish_updates();
}

}  // namespace spsolve::cuda::sparse
