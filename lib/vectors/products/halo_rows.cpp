#include "vectors/products/halo_rows.hpp"

#include <algorithm>

#include "core/extremes.hpp"
#include "distribute/halo/halo_messages.hpp"

namespace spsolve::inline vectors {

namespace {

void deliver(Messages& messages) {
  messages.start();
  messages.wait();
}

}  // namespace

Dense<double> HaloRows::fetch(const Vectors& x) const {
  if (plan_.sends.empty() && plan_.receives.empty()) return {0, x.columns()};
  return fetch(own_rows(x));
}

Dense<double> HaloRows::fetch(const Dense<double>& own) const {
  Dense<double> leaving(plan_.sent_rows(), own.columns);
  for (Index i = 0; i < leaving.rows; ++i) {
    std::copy_n(own.row(plan_.rows_to_send[i]), own.columns, leaving.row(i));
  }
  return trade(leaving);
}

Dense<double> HaloRows::trade(const Dense<double>& leaving) const {
  Dense<double> coming(plan_.halo_rows(), leaving.columns);
  deliver(*halo_messages<double>(team_, plan_, leaving.values, coming.values, leaving.columns));
  return coming;
}

void HaloRows::give_back(const Dense<double>& halo, Combination how, Dense<double>& own) const {
  const Index columns = own.columns;
  Dense<double> coming(plan_.sent_rows(), columns);
  const auto part_of = [&](auto& rows, const HaloPlan::NeighbourRows& part) {
    return std::span(rows.row(part.first), static_cast<std::size_t>(part.count * columns));
  };
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (const HaloPlan::NeighbourRows& part : plan_.receives) {
    outgoing.push_back({part.rank, std::as_bytes(part_of(halo, part))});
  }
  for (const HaloPlan::NeighbourRows& part : plan_.sends) {
    incoming.push_back({part.rank, std::as_writable_bytes(part_of(coming, part))});
  }
  deliver(*team_.messages(outgoing, incoming));
  for (Index i = 0; i < coming.rows; ++i) {
    double* const mine = own.row(plan_.rows_to_send[i]);
    const double* const theirs = coming.row(i);
    for (Index c = 0; c < columns; ++c) {
      mine[c] = how == Combination::sum ? mine[c] + theirs[c] : larger(mine[c], theirs[c]);
    }
  }
}

}  // namespace spsolve::vectors
