#include "distribute/row_exchange.hpp"

#include <algorithm>

#include "distribute/halo/halo_messages.hpp"

namespace spsolve::inline distribute {

namespace {

template <typename T>
void carry(Team& team, const HaloPlan& plan, const Dense<T>& outgoing, Dense<T>& incoming) {
  const auto messages =
      halo_messages<T>(team, plan, outgoing.values, incoming.values, outgoing.columns);
  messages->start();
  messages->wait();
}

}  // namespace

RowExchange::RowExchange(Team& team, const RowLayout& bands, const std::vector<Index>& listed)
    : team_(&team), list_size_(static_cast<Index>(listed.size())) {
  const Range own = bands.band(team.rank());
  for (Index place = 0; place < list_size_; ++place) {
    if (own.contains(listed[place])) {
      own_.push_back({place, listed[place] - own.first});
    } else {
      places_.push_back(place);
    }
  }
  std::sort(places_.begin(), places_.end(),
            [&](Index a, Index b) { return listed[a] < listed[b]; });
  std::vector<Index> rows;
  rows.reserve(places_.size());
  for (const Index place : places_) rows.push_back(listed[place]);
  wanted_ = make_halo_plan(team, bands, rows);
  given_.sends = wanted_.receives;
  given_.receives = wanted_.sends;
  wanted_.halo = {};  // the places tell them
}

template <typename T>
Dense<T> RowExchange::to_list(const Dense<T>& band) const {
  const Index columns = band.columns;
  Dense<T> outgoing(wanted_.sent_rows(), columns);
  for (Index i = 0; i < outgoing.rows; ++i) {
    std::copy_n(band.row(wanted_.rows_to_send[i]), columns, outgoing.row(i));
  }
  Dense<T> incoming(static_cast<Index>(places_.size()), columns);
  carry(*team_, wanted_, outgoing, incoming);
  Dense<T> listed(list_size_, columns);
  for (Index i = 0; i < incoming.rows; ++i) {
    std::copy_n(incoming.row(i), columns, listed.row(places_[i]));
  }
  for (const Pair& pair : own_) {
    std::copy_n(band.row(pair.in_band), columns, listed.row(pair.in_list));
  }
  return listed;
}

template <typename T>
Dense<T> RowExchange::to_bands(const Dense<T>& listed) const {
  const Index columns = listed.columns;
  Dense<T> outgoing(static_cast<Index>(places_.size()), columns);
  for (Index i = 0; i < outgoing.rows; ++i) {
    std::copy_n(listed.row(places_[i]), columns, outgoing.row(i));
  }
  Dense<T> incoming(wanted_.sent_rows(), columns);
  carry(*team_, given_, outgoing, incoming);
  Dense<T> band(wanted_.own.size(), columns);
  for (Index i = 0; i < incoming.rows; ++i) {
    std::copy_n(incoming.row(i), columns, band.row(wanted_.rows_to_send[i]));
  }
  for (const Pair& pair : own_) {
    std::copy_n(listed.row(pair.in_list), columns, band.row(pair.in_band));
  }
  return band;
}

#define SPSOLVE_FOR(T)                                           \
  template Dense<T> RowExchange::to_list(const Dense<T>&) const; \
  template Dense<T> RowExchange::to_bands(const Dense<T>&) const;
SPSOLVE_FOR_FACTOR_SCALARS(SPSOLVE_FOR)

}  // namespace spsolve::distribute
