#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

#include "core/short_vector.hpp"
#include "core/types.hpp"

// Short vectors for the fast host kernels, and the classes of K over them.

namespace spsolve::inline multiply::fast {

using short_vectors::load, short_vectors::register_bytes, short_vectors::store,
    short_vectors::Vector;

/// Elements of T in a register.
template <typename T>
inline constexpr int lanes = register_bytes / static_cast<int>(sizeof(T));

/// Whether there are stores past the caches.
#if defined(__AVX512BW__) && defined(__AVX512VL__)
inline constexpr bool can_stream = true;
#else
inline constexpr bool can_stream = false;
#endif

/// Stores past the caches, to an aligned place.
template <typename T>
inline void stream(T* to, const Vector<T, lanes<T>>& vector) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), std::bit_cast<__m512i>(vector));
#else
  store(to, vector);
#endif
}

/// Makes streamed stores visible to all before what is stored later.
inline void finish_streaming() {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  _mm_sfence();
#endif
}

/// Asks for the values of a matrix that are read some hundred entries after `values`: the processor
/// looks ahead by less, and not beyond a page. After the end that does nothing.
template <typename T>
inline void fetch_values_ahead(const T* values) {
  constexpr std::uintptr_t distance = 4096;  // 1024: up to 1.3 times the time beyond the caches
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(values) + distance));
}

/// The lower half of a vector plus its upper one.
template <typename T, int width>
inline Vector<T, width / 2> sum_of_halves(const Vector<T, width>& vector) {
  Vector<T, width / 2> halves[2];
  std::memcpy(halves, &vector, sizeof(vector));
  return halves[0] + halves[1];
}

/// The sum of the elements, by halves: the order is fixed.
template <typename T, int width>
inline T horizontal_sum(const Vector<T, width>& vector) {
  if constexpr (width == 2) {
    return vector[0] + vector[1];
  } else {
    return horizontal_sum<T, width / 2>(sum_of_halves<T, width>(vector));
  }
}

/// The first `count` (1 ... lanes) elements from `from`, and zeros.
template <typename T>
inline Vector<T, lanes<T>> load_first(const T* from, Index count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  if constexpr (sizeof(T) == 8) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), from);
  } else {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), from);
  }
#else
  Vector<T, lanes<T>> vector{};
  for (Index k = 0; k < count; ++k) vector[k] = from[k];
  return vector;
#endif
}

#if defined(__AVX512BW__) && defined(__AVX512VL__)

/// The first `count` (0 ... lanes<T>) indices, widened to 32 bits, and zeros.
template <typename T, typename Column>
inline auto load_indices(const Column* columns, Index count) {
  const auto mask = static_cast<__mmask16>((1U << count) - 1);
  if constexpr (sizeof(T) == 8) {
    if constexpr (sizeof(Column) == 4) {
      return _mm256_maskz_loadu_epi32(static_cast<__mmask8>(mask), columns);
    } else {
      return _mm256_maskz_cvtepu16_epi32(
          0xff, _mm_maskz_loadu_epi16(static_cast<__mmask8>(mask), columns));
    }
  } else {
    if constexpr (sizeof(Column) == 4) {
      return _mm512_maskz_loadu_epi32(mask, columns);
    } else {
      return _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_maskz_loadu_epi16(mask, columns));
    }
  }
}

#endif

#if defined(__AVX512BW__) && defined(__AVX512VL__)

/// Whether two vectors of `width` elements fill a register of which halves can be set apart.
template <typename T, int width>
inline constexpr bool is_half = 2 * width == lanes<T>;

/// `low` and `high`, half a register each, in one.
template <typename T>
inline Vector<T, lanes<T>> load_halves(const T* low, const T* high) {
  if constexpr (sizeof(T) == 8) {
    return _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(_mm256_loadu_pd(low)),
                                    _mm256_loadu_pd(high), 1);
  } else {
    return _mm512_castpd_ps(_mm512_maskz_insertf64x4(
        0xff, _mm512_castpd256_pd512(_mm256_castps_pd(_mm256_loadu_ps(low))),
        _mm256_castps_pd(_mm256_loadu_ps(high)), 1));
  }
}

/// values[0] in the lower half of a register, values[1] in the upper one.
template <typename T>
inline Vector<T, lanes<T>> spread_pair(const T* values) {
  if constexpr (sizeof(T) == 8) {
    return _mm512_maskz_permutexvar_pd(0xff, _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0),
                                       _mm512_castpd128_pd512(_mm_loadu_pd(values)));
  } else {
    const __m128i pair = _mm_loadu_si64(values);
    return _mm512_maskz_permutexvar_ps(
        0xffff, _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        _mm512_castps128_ps512(_mm_castsi128_ps(pair)));
  }
}

/// Whether a processor of the kind that is compiled for takes longer for a gather than for the
/// loads that it stands for, as AMD's do (Zen 4: twice as long).
#if defined(__znver3__) || defined(__znver4__) || defined(__znver5__)
inline constexpr bool gathers_are_slow = true;
#else
inline constexpr bool gathers_are_slow = false;
#endif

#else

template <typename T, int width>
inline constexpr bool is_half = false;

#endif

/// x[columns[0]], ..., x[columns[lanes - 1]].
template <typename T, typename Column>
inline Vector<T, lanes<T>> gather(const T* x, const Column* columns) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  if constexpr (gathers_are_slow && sizeof(T) == 8) {
    return Vector<T, 8>{x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]],
                        x[columns[4]], x[columns[5]], x[columns[6]], x[columns[7]]};
  }
  const auto indices = load_indices<T>(columns, lanes<T>);
  if constexpr (sizeof(T) == 8) {
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, indices, x, 8);
  } else {
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, indices, x, 4);
  }
#else
  Vector<T, lanes<T>> vector{};
  for (int k = 0; k < lanes<T>; ++k) vector[k] = x[columns[k]];
  return vector;
#endif
}

/// The first `count` (0 ... lanes) of them, and zeros.
template <typename T, typename Column>
inline Vector<T, lanes<T>> gather_first(const T* x, const Column* columns, Index count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  if constexpr (gathers_are_slow && sizeof(T) == 8) {
    const auto at = [&](int k) { return k < count ? x[columns[k]] : T(0); };
    return Vector<T, 8>{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
  }
  const auto mask = static_cast<__mmask16>((1U << count) - 1);
  const auto indices = load_indices<T>(columns, count);
  if constexpr (sizeof(T) == 8) {
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), static_cast<__mmask8>(mask), indices, x,
                                    8);
  } else {
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, indices, x, 4);
  }
#else
  Vector<T, lanes<T>> vector{};
  for (Index k = 0; k < count; ++k) vector[k] = x[columns[k]];
  return vector;
#endif
}

/// y[columns[k]] += term[k] for k < count (1 ... lanes); the columns are distinct.
template <typename T, typename Column>
inline void scatter_add(T* y, const Column* columns, Index count, const Vector<T, lanes<T>>& term) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const auto mask = static_cast<__mmask16>((1U << count) - 1);
  const auto indices = load_indices<T>(columns, count);
  if constexpr (sizeof(T) == 8) {
    const auto narrow = static_cast<__mmask8>(mask);
    const __m512d sum = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), narrow, indices, y, 8) + term;
    _mm512_mask_i32scatter_pd(y, narrow, indices, sum, 8);
  } else {
    const __m512 sum = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, indices, y, 4) + term;
    _mm512_mask_i32scatter_ps(y, mask, indices, sum, 4);
  }
#else
  for (Index k = 0; k < count; ++k) y[columns[k]] += term[k];
#endif
}

/// y[places[k]] = value[k] for k < count (1 ... lanes); the places are distinct.
template <typename T, typename Place>
inline void scatter_first(T* y, const Place* places, Index count,
                          const Vector<T, lanes<T>>& value) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const auto mask = static_cast<__mmask16>((1U << count) - 1);
  const auto indices = load_indices<T>(places, count);
  if constexpr (sizeof(T) == 8) {
    _mm512_mask_i32scatter_pd(y, static_cast<__mmask8>(mask), indices, value, 8);
  } else {
    _mm512_mask_i32scatter_ps(y, mask, indices, value, 4);
  }
#else
  for (Index k = 0; k < count; ++k) y[places[k]] = value[k];
#endif
}

/// A block of columns of X as `count` vectors of `width` elements: vector v begins at v * width,
/// the last at `last` <= (count - 1) * width, so that it ends with the block and overlaps the one
/// before it. Overlapping columns are computed twice, with the same bits.
struct ColumnBlock {
  Index first;  ///< first column
  Index last;   ///< start of the last vector within the block
};

/// Calls work.template operator()<width, count>(block) for each of the equal blocks of at most
/// `most` registers that cover K >= 2 columns: sums of a whole row stay in registers for every K.
template <typename T, int most, typename Work>
inline void for_each_column_block(Index columns, Work&& work) {
  constexpr int full = lanes<T>;
  const auto narrow = [&]<int width>() {
    if (columns == width) {
      work.template operator()<width, 1>(ColumnBlock{0, 0});
    } else {
      work.template operator()<width, 2>(ColumnBlock{0, columns - width});
    }
  };
  if constexpr (full > 2) {
    if (columns < 4) return narrow.template operator()<2>();
  }
  if constexpr (full > 4) {
    if (columns < 8) return narrow.template operator()<4>();
  }
  if constexpr (full > 8) {
    if (columns < 16) return narrow.template operator()<8>();
  }
  const Index blocks = (columns + most * full - 1) / (most * full);
  const Index registers = (columns + full - 1) / full;
  for (Index b = 0; b < blocks; ++b) {
    const Index first = b * registers / blocks * full;
    const Index end = std::min(columns, (b + 1) * registers / blocks * full);
    const ColumnBlock block{first, end - first - full};
    const auto call = [&]<int count>(auto&& self) -> void {
      if ((end - first + full - 1) / full == count) {
        work.template operator()<full, count>(block);
      } else if constexpr (count < most) {
        self.template operator()<count + 1>(self);
      }
    };
    call.template operator()<1>(call);
  }
}

/// Start of vector v of `count` in a block; the only one begins it.
template <int width, int count>
constexpr Index vector_start(int v, Index last) {
  return count > 1 && v + 1 == count ? last : static_cast<Index>(v) * width;
}

/// Calls work(K, start of the last vector), which are constants where a block of one or two vectors
/// is the whole of a row of X: such a row is found by a shift. One vector always is, by
/// for_each_column_block().
template <typename T, int width, int count, typename Work>
inline void with_row_of_x(Index columns, ColumnBlock block, Work&& work) {
  using Whole = std::integral_constant<Index, width * count>;
  using Last = std::integral_constant<Index, width*(count - 1)>;
  if constexpr (count == 1) {
    work(Whole(), Last());
  } else {
    if constexpr (count == 2 && width == lanes<T>) {
      if (columns == Whole()) return work(Whole(), Last());
    }
    work(columns, block.last);
  }
}

}  // namespace spsolve::multiply::fast
