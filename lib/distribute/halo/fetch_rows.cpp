#include "distribute/halo/fetch_rows.hpp"

#include <numeric>

#include "matrix/structure.hpp"

namespace spsolve::inline distribute {

namespace {

/// Parts of two arrays that travel between neighbours: sizes[k] values of the k-th part.
template <typename T>
void trade(Team& team, const std::vector<HaloPlan::NeighbourRows>& to,
           const std::vector<Index>& leaving, const std::vector<T>& out,
           const std::vector<HaloPlan::NeighbourRows>& from, const std::vector<Index>& coming,
           std::vector<T>& in) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  std::span<const T> sent(out);
  for (std::size_t k = 0; k < to.size(); ++k) {
    const auto size = static_cast<std::size_t>(leaving[k]);
    if (size > 0) outgoing.push_back({to[k].rank, std::as_bytes(sent.first(size))});
    sent = sent.subspan(size);
  }
  std::span<T> got(in);
  for (std::size_t k = 0; k < from.size(); ++k) {
    const auto size = static_cast<std::size_t>(coming[k]);
    if (size > 0) incoming.push_back({from[k].rank, std::as_writable_bytes(got.first(size))});
    got = got.subspan(size);
  }
  const auto messages = team.messages(outgoing, incoming);
  messages->start();
  messages->wait();
}

/// Sums of lengths[part.first, part.first + part.count) for every part.
std::vector<Index> sizes_of(const std::vector<HaloPlan::NeighbourRows>& parts,
                            const std::vector<Index>& lengths) {
  std::vector<Index> sizes;
  for (const HaloPlan::NeighbourRows& part : parts) {
    const auto first = lengths.begin() + part.first;
    sizes.push_back(std::accumulate(first, first + part.count, Index{0}));
  }
  return sizes;
}

std::vector<Index> counts_of(const std::vector<HaloPlan::NeighbourRows>& parts) {
  std::vector<Index> counts;
  for (const HaloPlan::NeighbourRows& part : parts) counts.push_back(part.count);
  return counts;
}

}  // namespace

Csr<double> fetch_rows(Team& team, const HaloPlan& plan, const Csr<double>& own) {
  Csr<double> leaving;
  leaving.rows = plan.sent_rows();
  leaving.columns = own.columns;
  for (const LocalIndex i : plan.rows_to_send) {
    const auto columns = own.row_columns(i);
    const auto values = own.row_values(i);
    leaving.column_indices.insert(leaving.column_indices.end(), columns.begin(), columns.end());
    leaving.values.insert(leaving.values.end(), values.begin(), values.end());
    leaving.row_offsets.push_back(std::ssize(leaving.values));
  }
  return trade_rows(team, plan, leaving);
}

Csr<double> trade_rows(Team& team, const HaloPlan& plan, const Csr<double>& leaving) {
  const std::vector<Index> lengths = row_lengths(leaving);
  std::vector<Index> coming(static_cast<std::size_t>(plan.halo_rows()));
  trade(team, plan.sends, counts_of(plan.sends), lengths, plan.receives, counts_of(plan.receives),
        coming);
  Csr<double> halo;
  halo.rows = plan.halo_rows();
  halo.columns = leaving.columns;
  halo.row_offsets.resize(coming.size() + 1);
  std::partial_sum(coming.begin(), coming.end(), halo.row_offsets.begin() + 1);
  halo.column_indices.resize(static_cast<std::size_t>(halo.nonzeros()));
  halo.values.resize(static_cast<std::size_t>(halo.nonzeros()));
  const std::vector<Index> leaving_sizes = sizes_of(plan.sends, lengths);
  const std::vector<Index> coming_sizes = sizes_of(plan.receives, coming);
  trade(team, plan.sends, leaving_sizes, leaving.column_indices, plan.receives, coming_sizes,
        halo.column_indices);
  trade(team, plan.sends, leaving_sizes, leaving.values, plan.receives, coming_sizes, halo.values);
  return halo;
}

}  // namespace spsolve::distribute
