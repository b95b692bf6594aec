#include "multiply/fast/fast_sliced.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "multiply/fast/fast_rows.hpp"
#include "multiply/kernel/fast_team.hpp"

namespace spsolve::inline multiply {

namespace {

constexpr Index window = 1024;
constexpr Index shortest_long_row = 64;

}  // namespace

template <typename T>
SlicedRows<T> SlicedRows<T>::from_csr(const Csr<T>& csr, const KernelOptions& options) {
  constexpr Index lanes = fast::lanes<T>;
  SlicedRows result;
  result.threads_ = fast::threads_of(options);
  result.nonzeros_ = csr.nonzeros();
  result.order_ = UntouchedArray<LocalIndex>(csr.rows);
  const auto length = [&](Index row) {
    return static_cast<LocalIndex>(csr.row_offsets[row + 1] - csr.row_offsets[row]);
  };
  std::iota(result.order_.data(), result.order_.data() + csr.rows, LocalIndex{0});
  std::vector<Slice> slices;
  const Index steps = csr.rows + csr.nonzeros();
  SlicePiece at;
  for (Index first = 0; first < csr.rows; first += window) {
    const Index end = std::min(first + window, csr.rows);
    while (result.pieces_.parts() < result.threads_ &&
           first + csr.row_offsets[first] >=
               fast::boundary(steps, result.pieces_.parts(), result.threads_)) {
      result.pieces_.begin_part();
    }
    const Index steps_of_window = end - first + csr.row_offsets[end] - csr.row_offsets[first];
    SlicePiece& piece = result.pieces_.next(steps_of_window, [&] { return at; });
    LocalIndex* order = result.order_.data();
    std::stable_sort(order + first, order + end,
                     [&](LocalIndex i, LocalIndex j) { return length(i) > length(j); });
    for (Index i = first; i < end;) {
      const LocalIndex longest = length(order[i]);
      const Index count = longest >= shortest_long_row ? 1 : std::min(lanes, end - i);
      const LocalIndex shortest =
          count == lanes || count == 1 ? length(order[i + count - 1]) : LocalIndex{0};
      slices.push_back({shortest, longest, static_cast<LocalIndex>(count)});
      at.first_step += longest - shortest;
      i += count;
    }
    at.first_slice = at.last_slice = piece.last_slice = static_cast<Index>(slices.size());
    at.first_row = end;
    at.first_value = csr.row_offsets[end];
  }
  while (result.pieces_.parts() < result.threads_) result.pieces_.begin_part();
  result.slices_ = UntouchedArray<Slice>(at.first_slice);
  result.active_ = UntouchedArray<std::uint8_t>(at.first_step);
  result.column_indices_ = UntouchedArray<LocalIndex>(csr.nonzeros(), Use::rereading);
  result.values_ = UntouchedArray<T>(csr.nonzeros(), Use::rereading);
  fast::for_each_part(
      result.threads_, fast::worthwhile_threads(result.threads_, csr.nonzeros()), [&](int p) {
        result.pieces_.for_each(p, [&](const SlicePiece& piece) {
          Index place = piece.first_value, row = piece.first_row, counted = piece.first_step;
          for (Index s = piece.first_slice; s < piece.last_slice; ++s) {
            const Slice slice = slices[s];
            result.slices_[s] = slice;
            for (Index j = 0; j < slice.longest; ++j) {
              Index lane = 0;
              for (; lane < slice.rows && length(result.order_[row + lane]) > j; ++lane) {
                const Index from = csr.row_offsets[result.order_[row + lane]] + j;
                result.column_indices_[place] = csr.column_indices[from];
                result.values_[place++] = csr.values[from];
              }
              if (j >= slice.shortest) result.active_[counted++] = static_cast<std::uint8_t>(lane);
            }
            row += slice.rows;
          }
        });
      });
  return result;
}

template <typename T>
std::int64_t SlicedRows<T>::bytes() const {
  return slices_.bytes() + order_.bytes() + active_.bytes() + column_indices_.bytes() +
         values_.bytes() + pieces_.bytes();
}

template <typename T>
void SlicedRows<T>::multiply_vector(const SlicePiece& piece, const T* x, T* y) const {
  constexpr Index lanes = fast::lanes<T>;
  const T* values = values_.data() + piece.first_value;
  const LocalIndex* columns = column_indices_.data() + piece.first_value;
  const LocalIndex* order = order_.data() + piece.first_row;
  const std::uint8_t* active = active_.data() + piece.first_step;
  for (Index s = piece.first_slice; s < piece.last_slice; ++s) {
    const Slice slice = slices_[s];
    if (slice.rows == 1) {
      T sum[1];
      fast::dot_rows<1>(values, 0, columns, slice.longest, x, sum);
      y[*order++] = sum[0];
      values += slice.longest;
      columns += slice.longest;
      continue;
    }
    fast::Vector<T, fast::lanes<T>> sum = {};
    for (Index j = 0; j < slice.shortest; ++j) {
      sum += fast::load<fast::Vector<T, fast::lanes<T>>>(values) * fast::gather(x, columns);
      values += lanes;
      columns += lanes;
    }
    for (Index j = slice.shortest; j < slice.longest; ++j) {
      const Index count = *active++;
      sum += fast::load_first(values, count) * fast::gather_first(x, columns, count);
      values += count;
      columns += count;
    }
    fast::scatter_first(y, order, slice.rows, sum);
    order += slice.rows;
  }
}

template <typename T>
void SlicedRows<T>::multiply_columns(const SlicePiece& piece, const T* x, T* y,
                                     Index columns) const {
  fast::for_each_column_block<T, 8>(columns, [&]<int width, int count>(fast::ColumnBlock block) {
    using V = fast::Vector<T, width>;
    Index place = piece.first_value, row = piece.first_row, counted = piece.first_step;
    for (Index s = piece.first_slice; s < piece.last_slice; ++s) {
      const Slice slice = slices_[s];
      const std::uint8_t* active = active_.data() + counted;
      Index summed = 0;
      for (Index lane = 0; lane < slice.rows; ++lane) {
        V sum[count] = {};
        Index k = place + lane;
        for (Index j = 0; j < slice.longest; ++j) {
          const Index taking_part = j < slice.shortest ? slice.rows : active[j - slice.shortest];
          if (taking_part <= lane) break;
          const T* x_row = x + column_indices_[k] * columns + block.first;
#pragma GCC unroll 8
          for (int v = 0; v < count; ++v) {
            sum[v] +=
                values_[k] * fast::load<V>(x_row + fast::vector_start<width, count>(v, block.last));
          }
          k += taking_part;
          ++summed;
        }
        T* to = y + order_[row + lane] * columns + block.first;
        for (int v = 0; v < count; ++v) {
          fast::store(to + fast::vector_start<width, count>(v, block.last), sum[v]);
        }
      }
      place += summed;
      counted += slice.longest - slice.shortest;
      row += slice.rows;
    }
  });
}

template <typename T>
void SlicedRows<T>::multiply(const T* x, T* y, Index columns) {
  const int threads = fast::worthwhile_threads(threads_, nonzeros_ * columns);
  fast::for_each_part(threads_, threads, [&](int p) {
    pieces_.for_each(p, [&](const SlicePiece& piece) {
      if (columns == 1) {
        multiply_vector(piece, x, y);
      } else {
        multiply_columns(piece, x, y, columns);
      }
    });
  });
  pieces_.turn();
}

SPSOLVE_INSTANTIATE(class SlicedRows)

}  // namespace spsolve::multiply
