#include "sparse/fronts/ancestor_updates.hpp"

#include <algorithm>

#include "core/blas/column_blas.hpp"
#include "sparse/fronts/border_block.hpp"
#include "sparse/fronts/panels.hpp"

namespace spsolve::inline sparse {

namespace {

// A tile stays in a core's cache until it is added to where it belongs.
constexpr Index tile_rows = 512, strip_width = 256;
constexpr Index tile_size = tile_rows * strip_width;

/// Cuts a border into strips: of each segment, small ones together.
template <typename Segments, typename Strips>
void cut_into_strips(const Segments& segments, Strips& strips) {
  for (std::size_t first = 0; first < segments.size();) {
    std::size_t last = first;
    const Index begin = segments[first].begin;
    while (last + 1 < segments.size() && segments[last + 1].end - begin <= strip_width) ++last;
    const Index end = segments[last].end;
    for (Index at = begin; at < end; at += strip_width) {
      strips.push_back({at, std::min(at + strip_width, end), first, last});
    }
    first = last + 1;
  }
}

}  // namespace

Index scratch_of_updates(Index pivots, Factorization kind) {
  return tile_size + (has_d(kind) ? strip_width * pivots : 0);
}

template <typename T>
std::vector<typename AncestorUpdates<T>::Segment> AncestorUpdates<T>::segments_of(
    LocalIndex s) const {
  std::vector<Segment> segments;
  const auto rows = fronts_.border_of(s);
  Index begin = 0;
  for (LocalIndex a = fronts_.parent[s]; begin < std::ssize(rows); a = fronts_.parent[a]) {
    const auto end = std::lower_bound(rows.begin() + begin, rows.end(), fronts_.first[a + 1]);
    if (end == rows.begin() + begin) continue;
    segments.push_back({a, begin, end - rows.begin()});
    begin = segments.back().end;
  }
  return segments;
}

template <typename T>
std::vector<typename AncestorUpdates<T>::Tile> AncestorUpdates<T>::tiles_of(
    const std::vector<Segment>& segments, const std::vector<Strip>& strips, Index border) const {
  std::vector<Tile> result;
  const auto cut = [&](const Strip& strip, Index from, bool upper) {
    for (Index begin = from; begin < border; begin += tile_rows) {
      result.push_back({&strip, begin, std::min(begin + tile_rows, border), upper});
    }
  };
  const bool lu = kind_ == Factorization::lu;
  for (const Strip& strip : strips) {
    const Segment& first = segments[strip.first_segment];
    cut(strip, lu ? first.begin : strip.begin, false);
    if (lu) cut(strip, first.end, true);
  }
  return result;
}

/// Adds the values of a tile, tile_rows from column to column, to the ancestors that they are of.
template <typename T>
void AncestorUpdates<T>::scatter(LocalIndex s, const std::vector<Segment>& segments,
                                 const Tile& tile, const T* values) const {
  const auto rows = fronts_.border_of(s);
  const bool lu = kind_ == Factorization::lu;
  LocalIndex places[tile_rows];
  for (std::size_t g = tile.strip->first_segment; g <= tile.strip->last_segment; ++g) {
    const Segment& segment = segments[g];
    const Index left = std::max(segment.begin, tile.strip->begin);
    const Index right = std::min(segment.end, tile.strip->end);
    const Index first_row = tile.upper ? segment.end : (lu ? segment.begin : left);
    const Index from = std::max(tile.begin, first_row);
    if (left >= right || from >= tile.end) continue;
    const LocalIndex a = segment.front, first = fronts_.first[a], pivots = fronts_.pivots(a);
    const auto border = fronts_.border_of(a);
    const Index height = pivots + std::ssize(border);
    // Where the tile's rows stand in the ancestor's array.
    const LocalIndex before_border = tile.upper ? 0 : pivots;
    Index r = from;
    for (; r < tile.end && r < segment.end; ++r) places[r - tile.begin] = rows[r] - first;
    std::size_t at = 0;
    if (r < tile.end) at = std::ranges::lower_bound(border, rows[r]) - border.begin();
    for (; r < tile.end; ++r) {
      while (border[at] != rows[r]) ++at;
      places[r - tile.begin] = before_border + static_cast<LocalIndex>(at);
    }
    T* const array = factors_ + offsets_[a] + (tile.upper ? height * pivots : 0);
    const Index ld = tile.upper ? std::ssize(border) : height;
    for (Index c = left; c < right; ++c) {
      T* const target = array + (rows[c] - first) * ld;
      const T* const column = values + (c - tile.strip->begin) * tile_rows;
      const Index begin = (lu ? from : std::max(from, c)) - tile.begin;
      const Index end = tile.end - tile.begin;
      if (begin >= end) continue;
      if (places[end - 1] - places[begin] == end - 1 - begin) {
        T* const to = target + places[begin] - begin;
        for (Index i = begin; i < end; ++i) to[i] += column[i];
      } else {
        for (Index i = begin; i < end; ++i) target[places[i]] += column[i];
      }
    }
  }
}

template <typename T>
template <typename Fill>
void AncestorUpdates<T>::over_tiles(LocalIndex s, const Tiles& tiles, Index scratch_size,
                                    T* scratch, const Fill& fill) const {
  const std::vector<Segment> segments = segments_of(s);
  std::vector<Strip> strips;
  cut_into_strips(segments, strips);
  const std::vector<Tile> all = tiles_of(segments, strips, fronts_.border_size(s));
  tiles.run(std::ssize(all), [&](Index i, Index slot) {
    T* const values = scratch + slot * scratch_size;
    fill(all[i], values, values + tile_size);
    scatter(s, segments, all[i], values);
  });
}

template <typename T>
void AncestorUpdates<T>::subtract_product(LocalIndex s, const Front<T>& front,
                                          const T* off_diagonal, const Tiles& tiles,
                                          T* scratch) const {
  using namespace column_blas;
  const Index p = front.pivots, m = front.border, ld = front.height();
  const T* const l = front.lower + p;
  const bool hermitian = is_hermitian(kind_);
  over_tiles(
      s, tiles, scratch_of_updates(p, kind_), scratch, [&](const Tile& tile, T* values, T* of_d) {
        const Index first = tile.strip->begin, width = tile.strip->end - first;
        const Index height = tile.end - tile.begin;
        const auto multiply = [&](const T* a, Index lda, const T* b, Index ldb,
                                  CBLAS_TRANSPOSE op) {
          multiply_transposed<T>(height, width, p, -1, a, lda, b, ldb, 0, values, tile_rows, op);
        };
        if (kind_ == Factorization::cholesky) {
          multiply(l + tile.begin, ld, l + first, ld, CblasConjTrans);
        } else if (kind_ != Factorization::lu) {
          multiply_by_d(hermitian, width, p, l + first, ld, front.lower, ld, off_diagonal, of_d);
          multiply(l + tile.begin, ld, of_d, width, hermitian ? CblasConjTrans : CblasTrans);
        } else if (tile.upper) {
          multiply(front.upper + tile.begin, m, l + first, ld, CblasTrans);
        } else {
          multiply(l + tile.begin, ld, front.upper + first, m, CblasTrans);
        }
      });
}

template <typename T>
void AncestorUpdates<T>::add_block(LocalIndex s, const T* block, const Tiles& tiles,
                                   T* scratch) const {
  const BorderBlock columns(fronts_.border_size(s), kind_ != Factorization::lu);
  over_tiles(s, tiles, scratch_of_updates(0, kind_), scratch, [&](const Tile& tile, T* values, T*) {
    const Index first = tile.strip->begin, end = tile.strip->end;
    if (tile.upper) {
      for (Index r = tile.begin; r < tile.end; ++r) {
        const T* const column = block + columns.column_start(r);
        T* const row = values + (r - tile.begin);
        for (Index c = first; c < end; ++c) row[(c - first) * tile_rows] = column[c];
      }
      return;
    }
    const bool triangle = kind_ != Factorization::lu;
    for (Index c = first; c < end; ++c) {
      const Index from = triangle ? std::max(tile.begin, c) : tile.begin;
      if (from >= tile.end) continue;
      const T* const column = block + columns.column_start(c);
      std::copy(column + from, column + tile.end,
                values + (c - first) * tile_rows + (from - tile.begin));
    }
  });
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class AncestorUpdates)

}  // namespace spsolve::sparse
