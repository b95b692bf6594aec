#include "multiply/fast/fast_types.hpp"

#include <algorithm>
#include <cstdint>

#include "core/error.hpp"
#include "multiply/fast/fast_vector.hpp"

namespace spsolve::inline multiply {

namespace {

/// Bytes between the request for the row of X that is needed last and its use. Measured: 5 to 12 %
/// less time where X is large, none lost where it is small.
constexpr std::uintptr_t prefetch_distance = 1024;

/// Vectors of Y summed at a time where a run is long.
constexpr int most_vectors = 8;

/// The entries of one type.
template <typename T>
struct RowType {
  const Index* distances;
  const T* values;
  Index length;
};

/// to[k] = vector[k] for k < count.
template <typename T>
inline void store_first(T* to, const fast::Vector<T, fast::lanes<T>>& vector, Index count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  if constexpr (sizeof(T) == 8) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1), vector);
  } else {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), vector);
  }
#else
  for (Index k = 0; k < count; ++k) to[k] = vector[k];
#endif
}

/// Asks for `count` vectors at prefetch_distance after `from`; after the end of X that does
/// nothing.
template <int count, typename T>
inline void prefetch_ahead(const T* from) {
  const auto ahead = reinterpret_cast<std::uintptr_t>(from) + prefetch_distance;
#pragma GCC unroll 8
  for (int v = 0; v < count; ++v) {
    __builtin_prefetch(reinterpret_cast<const void*>(ahead + v * fast::register_bytes));
  }
}

/// y[t] = sum over k of a_k x[place + t + d_k K] for t < count vectors. `place` itself may lie
/// outside of X.
template <int count, bool streaming, typename T>
[[gnu::always_inline]] inline void whole_vectors(const RowType<T>& type, const T* x, Index place,
                                                 T* y, Index columns) {
  using V = fast::Vector<T, fast::lanes<T>>;
  V sum[count] = {};
  if (count == most_vectors && type.length > 0) {
    prefetch_ahead<count>(x + (place + type.distances[type.length - 1] * columns));
  }
  for (Index k = 0; k < type.length; ++k) {
    const T value = type.values[k];
    const T* from = x + (place + type.distances[k] * columns);
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) sum[v] += value * fast::load<V>(from + v * fast::lanes<T>);
  }
#pragma GCC unroll 8
  for (int v = 0; v < count; ++v) {
    if constexpr (streaming) {
      fast::stream(y + v * fast::lanes<T>, sum[v]);
    } else {
      fast::store(y + v * fast::lanes<T>, sum[v]);
    }
  }
}

/// y[t] likewise for t < count elements, count <= lanes.
template <typename T>
inline void part_of_vector(const RowType<T>& type, const T* x, Index place, T* y, Index columns,
                           Index count) {
  fast::Vector<T, fast::lanes<T>> sum = {};
  for (Index k = 0; k < type.length; ++k) {
    sum += type.values[k] * fast::load_first(x + (place + type.distances[k] * columns), count);
  }
  store_first(y, sum, count);
}

/// y[t] likewise for any t < count elements.
template <bool streaming, typename T>
[[gnu::always_inline]] inline void multiply_run(const RowType<T>& type, const T* x, Index place,
                                                T* y, Index columns, Index count) {
  constexpr Index width = fast::lanes<T>;
  Index t = 0;
  if constexpr (streaming) {
    constexpr auto bytes = static_cast<std::uintptr_t>(fast::register_bytes);
    const auto past = reinterpret_cast<std::uintptr_t>(y) % bytes;
    if (past != 0) {
      t = std::min(static_cast<Index>((bytes - past) / sizeof(T)), count);
      part_of_vector(type, x, place, y, columns, t);
    }
  }
  for (; t + most_vectors * width <= count; t += most_vectors * width) {
    whole_vectors<most_vectors, streaming>(type, x, place + t, y + t, columns);
  }
  if (t + 4 * width <= count) {
    whole_vectors<4, streaming>(type, x, place + t, y + t, columns);
    t += 4 * width;
  }
  if (t + 2 * width <= count) {
    whole_vectors<2, streaming>(type, x, place + t, y + t, columns);
    t += 2 * width;
  }
  if (t + width <= count) {
    whole_vectors<1, streaming>(type, x, place + t, y + t, columns);
    t += width;
  }
  if (t < count) part_of_vector(type, x, place + t, y + t, columns, count - t);
}

}  // namespace

template <typename T>
TypedRows<T>::TypedRows(const Csr<T>& csr, const RowTypes& types, int threads)
    : RowBlockProduct<T>(RowBlocks(csr.row_offsets), threads) {
  first_entry_.push_back(0);
  for (const Index i : types.examples) {
    for (const LocalIndex column : csr.row_columns(i)) distances_.push_back(column - i);
    const auto values = csr.row_values(i);
    values_.insert(values_.end(), values.begin(), values.end());
    first_entry_.push_back(static_cast<Index>(values_.size()));
  }
  const Index rows_each = this->blocks().rows_each();
  Index row = 0;
  for (const std::vector<RowRun>& part : types.runs) {
    for (RowRun run : part) {
      while (run.rows > 0) {
        const Index of_block = row % rows_each;
        if (of_block == 0) first_run_.push_back(std::ssize(runs_));
        const Index taken = std::min<Index>(run.rows, rows_each - of_block);
        const bool goes_on = of_block > 0 && runs_.back().type == run.type;
        if (goes_on) {
          runs_.back().rows += static_cast<LocalIndex>(taken);
        } else {
          runs_.push_back({static_cast<LocalIndex>(taken), run.type});
        }
        run.rows -= static_cast<LocalIndex>(taken);
        row += taken;
      }
    }
  }
  first_run_.push_back(std::ssize(runs_));
}

template <typename T>
TypedRows<T> TypedRows<T>::from_csr(const Csr<T>& csr, const KernelOptions& options) {
  const int threads = fast::threads_of(options);
  const RowTypes types = find_row_types(csr, threads);
  if (const std::string problem = row_types_problem(static_cast<Index>(types.examples.size()));
      !problem.empty()) {
    fail(ExitCode::resources, "{}", problem);
  }
  return TypedRows(csr, types, threads);
}

template <typename T>
std::int64_t TypedRows<T>::bytes() const {
  return static_cast<std::int64_t>(runs_.size() * sizeof(RowRun) + values_.size() * sizeof(T) +
                                   (first_run_.size() + first_entry_.size() + distances_.size()) *
                                       sizeof(Index));
}

template <typename T>
template <bool streaming>
void TypedRows<T>::multiply_runs(Index block, const T* x, T* y, Index columns) const {
  Index first = this->blocks().rows(block).first;
  for (Index r = first_run_[block]; r < first_run_[block + 1]; ++r) {
    const RowRun run = runs_[r];
    const Index entry = first_entry_[run.type];
    const RowType<T> type{distances_.data() + entry, values_.data() + entry,
                          first_entry_[run.type + 1] - entry};
    multiply_run<streaming>(type, x, first * columns, y, columns, run.rows * columns);
    first += run.rows;
    y += run.rows * columns;
  }
  if constexpr (streaming) fast::finish_streaming();
}

template <typename T>
void TypedRows<T>::multiply_block(Index block, const T* x, T* y, Index columns,
                                  bool streaming) const {
  if (fast::can_stream && streaming) {
    multiply_runs<true>(block, x, y, columns);
  } else {
    multiply_runs<false>(block, x, y, columns);
  }
}

SPSOLVE_INSTANTIATE(class TypedRows)

}  // namespace spsolve::multiply
