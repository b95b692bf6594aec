// How the values of DeviceBlockedRows come, and are looked at.

#include "cuda/dense/device_blocked_rows.hpp"

namespace spsolve::cuda::inline dense {

template <typename T>
void DeviceBlockedRows<T>::fill(const Csr<double>& sparse) {
  fill_dense_rows(sparse, values_, stride_, streams_.updates.get());
  note_written();
}

template <typename T>
void DeviceBlockedRows<T>::fill(const CsrView<double>& sparse) {
  fill_dense_rows(sparse, values_, stride_, streams_.updates.get());
  note_written();
}

template <typename T>
void DeviceBlockedRows<T>::fill_random(std::uint64_t key, double diagonal,
                                       const std::vector<Index>& row_numbers) {
  const DeviceArray<Index> rows(row_numbers);
  cuda::fill_random(key, diagonal, rows.data(), height(), order(), values_.data(), stride_,
                    streams_.updates.get());
  note_written();
}

template <typename T>
void DeviceBlockedRows<T>::fill(const double* dense, Index stride) {
  convert_rows(dense, stride, height(), order(), values_.data(), stride_, streams_.updates.get());
  note_written();
}

template <typename T>
void DeviceBlockedRows<T>::take(Team& team, const RowLayout& from, const CsrView<double>& sparse,
                                const std::vector<LocalIndex>& columns, const RowLayout& dealt) {
  const cudaStream_t stream = streams_.updates.get();
  const DeviceArray<LocalIndex> numbers(columns);
  const auto clear = [&](T* rows, Index count) {
    CUDA_CHECK(
        cudaMemsetAsync(rows, 0, static_cast<std::size_t>(count * stride_) * sizeof(T), stream));
  };
  const auto bytes = [&](T* rows, Range range) {
    return std::as_writable_bytes(
        std::span(rows, static_cast<std::size_t>(range.size() * stride_)));
  };
  // The rows of a rank's band in its block number k, which go to one rank.
  const auto rows_of = [&](int rank, Index k) {
    const Range band = from.band(rank);
    const Index first = (band.first / dealt.block + k) * dealt.block;
    return Range{std::clamp(first, band.first, band.last),
                 std::clamp(first + dealt.block, band.first, band.last)};
  };
  Index turns = 0;
  for (int rank = 0; rank < team.size(); ++rank) {
    const Range band = from.band(rank);
    if (band.size() == 0) continue;
    turns = std::max(turns, (band.last - 1) / dealt.block - band.first / dealt.block + 1);
  }
  for (Index k = 0; k < turns; ++k) {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    if (const Range rows = rows_of(team.rank(), k); rows.size() > 0) {
      const int owner = dealt.owner(rows.first);
      const bool stay = owner == team.rank();
      T* const to = stay ? at(dealt.local_row(rows.first), 0) : block_.data();
      clear(to, rows.size());
      scatter_nonzeros(sparse.row_offsets + (rows.first - from.band(team.rank()).first),
                       sparse.column_indices, sparse.values, rows.size(), to, stride_, stream,
                       numbers.data());
      if (!stay) outgoing.push_back({owner, bytes(to, rows)});
    }
    for (int rank = 0; rank < team.size(); ++rank) {
      const Range rows = rows_of(rank, k);
      if (rank == team.rank() || rows.size() == 0) continue;
      if (dealt.owner(rows.first) != team.rank()) continue;
      incoming.push_back({rank, bytes(at(dealt.local_row(rows.first), 0), rows)});
    }
    team.exchange_parts(outgoing, incoming);
  }
  note_written();
}

template <typename T>
void DeviceBlockedRows<T>::note_written() {
  if (update_.splits()) update_.restart(largest_in({0, height()}, {0, order()}));
  streams_.updates.wait();
}

template <typename T>
std::vector<T> DeviceBlockedRows<T>::read(Range rows, Range columns) const {
  std::vector<T> values(static_cast<std::size_t>(rows.size() * columns.size()));
  streams_.updates.wait();
  streams_.panels.wait();
  download_rows(std::span(values), at(rows.first, columns.first), stride_, rows.size(),
                columns.size());
  return values;
}

template <typename T>
void DeviceBlockedRows<T>::write_rows(Index first, std::span<const T> values) {
  streams_.updates.wait();
  upload_rows(at(first, 0), stride_, values, std::ssize(values) / order(), order());
}

template <typename T>
double DeviceBlockedRows<T>::largest_in(Range rows, Range columns, bool upper) const {
  constexpr auto size = sizeof(unsigned long long);
  const cudaStream_t stream = streams_.updates.get();
  CUDA_CHECK(cudaMemsetAsync(largest_.data(), 0, size, stream));
  find_largest(at(rows.first, columns.first), stride_, rows.size(), columns.size(), upper,
               largest_.data(), stream);
  CUDA_CHECK(cudaMemcpyAsync(largest_heard_.data(), largest_.data(), size, cudaMemcpyDeviceToHost,
                             stream));
  streams_.updates.wait();
  return magnitude_of_key(*largest_heard_.data(), T{});
}

template <typename T>
std::vector<T> DeviceBlockedRows<T>::diagonal() const {
  std::vector<T> values(static_cast<std::size_t>(std::min(height(), order())));
  streams_.updates.wait();
  streams_.panels.wait();
  if (values.empty()) return values;
  CUDA_CHECK(cudaMemcpy2D(values.data(), sizeof(T), values_.data(),
                          static_cast<std::size_t>(stride_ + 1) * sizeof(T), sizeof(T),
                          values.size(), cudaMemcpyDeviceToHost));
  return values;
}

#define SPSOLVE_FOR(T)                                                                        \
  template void DeviceBlockedRows<T>::note_written();                                         \
  template void DeviceBlockedRows<T>::fill(const Csr<double>&);                               \
  template void DeviceBlockedRows<T>::fill(const CsrView<double>&);                           \
  template void DeviceBlockedRows<T>::fill(const double*, Index);                             \
  template void DeviceBlockedRows<T>::take(Team&, const RowLayout&, const CsrView<double>&,   \
                                           const std::vector<LocalIndex>&, const RowLayout&); \
  template void DeviceBlockedRows<T>::fill_random(std::uint64_t, double,                      \
                                                  const std::vector<Index>&);                 \
  template std::vector<T> DeviceBlockedRows<T>::read(Range, Range) const;                     \
  template void DeviceBlockedRows<T>::write_rows(Index, std::span<const T>);                  \
  template double DeviceBlockedRows<T>::largest_in(Range, Range, bool) const;                 \
  template std::vector<T> DeviceBlockedRows<T>::diagonal() const;
SPSOLVE_FOR_SCALARS(SPSOLVE_FOR)

}  // namespace spsolve::cuda::dense
