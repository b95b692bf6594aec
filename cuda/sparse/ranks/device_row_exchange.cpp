#include "cuda/sparse/ranks/device_row_exchange.hpp"

#include "cuda/sparse/sweeps/row_order_kernels.hpp"

namespace spsolve::cuda::inline sparse {

template <typename T>
DeviceRowExchange<T>::DeviceRowExchange(const RowExchange& rows,
                                        const std::vector<LocalIndex>& row_of)
    : sends_(rows.wanted().sends),
      receives_(rows.wanted().receives),
      leaving_(rows.wanted().sent_rows()),
      coming_(std::ssize(rows.places())),
      staying_(std::ssize(rows.own())) {
  std::vector<int> in_band(rows.wanted().rows_to_send), in_vectors;
  in_band.reserve(leaving_ + staying_);
  in_vectors.reserve(coming_ + staying_);
  for (const Index place : rows.places()) in_vectors.push_back(row_of[place]);
  for (const RowExchange::Pair& pair : rows.own()) {
    in_band.push_back(static_cast<int>(pair.in_band));
    in_vectors.push_back(row_of[pair.in_list]);
  }
  in_band_ = DeviceArray<int>(in_band);
  in_vectors_ = DeviceArray<int>(in_vectors);
}

template <typename T>
void DeviceRowExchange<T>::make_room(Index columns) {
  outgoing_.grow((leaving_ + staying_) * columns);
  incoming_.grow((coming_ + staying_) * columns);
}

template <typename T>
void DeviceRowExchange<T>::carry(GpuTeam& team, const Parts& sends, T* outgoing,
                                 const Parts& receives, T* incoming, int columns) {
  std::vector<Outgoing> leave;
  std::vector<Incoming> come;
  const auto bytes = [&](T* rows, const HaloPlan::NeighbourRows& part) {
    return std::as_writable_bytes(std::span(rows + part.first * columns,
                                            static_cast<std::size_t>(part.count * Index{columns})));
  };
  for (const HaloPlan::NeighbourRows& part : sends)
    leave.push_back({part.rank, bytes(outgoing, part)});
  for (const HaloPlan::NeighbourRows& part : receives)
    come.push_back({part.rank, bytes(incoming, part)});
  team.exchange_parts(leave, come);
}

template <typename T>
void DeviceRowExchange<T>::to_vectors(GpuTeam& team, const double* band, Index stride, int columns,
                                      T* to, cudaStream_t stream) {
  T* const staying = incoming_.data() + coming_ * columns;
  reorder_rows(false, in_band_.data(), leaving_, columns, band, stride, outgoing_.data(), columns,
               stream);
  reorder_rows(false, in_band_.data() + leaving_, staying_, columns, band, stride, staying, columns,
               stream);
  carry(team, sends_, outgoing_.data(), receives_, incoming_.data(), columns);
  reorder_rows(true, in_vectors_.data(), coming_ + staying_, columns,
               static_cast<const T*>(incoming_.data()), columns, to, columns, stream);
}

template <typename T>
void DeviceRowExchange<T>::to_band(GpuTeam& team, const T* from, int columns, double* band,
                                   Index stride, cudaStream_t stream) {
  reorder_rows(false, in_vectors_.data(), coming_ + staying_, columns, from, columns,
               incoming_.data(), columns, stream);
  carry(team, receives_, incoming_.data(), sends_, outgoing_.data(), columns);
  reorder_rows(true, in_band_.data(), leaving_, columns, static_cast<const T*>(outgoing_.data()),
               columns, band, stride, stream);
  const T* const staying = incoming_.data() + coming_ * columns;
  reorder_rows(true, in_band_.data() + leaving_, staying_, columns, staying, columns, band, stride,
               stream);
}

SPSOLVE_INSTANTIATE(class DeviceRowExchange)

}  // namespace spsolve::cuda::sparse
