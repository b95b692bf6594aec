#include "distribute/scatter.hpp"

namespace spsolve {

namespace {

struct BandShape {
  Index rows, columns, nonzeros;
};

/// The rows of `segments`, one segment after another.
Csr<double> take_rows(const Csr<double>& whole, const std::vector<Range>& segments) {
  Csr<double> taken;
  taken.columns = whole.columns;
  Index nonzeros = 0;
  for (const Range& segment : segments) {
    taken.rows += segment.size();
    nonzeros += whole.row_offsets[segment.last] - whole.row_offsets[segment.first];
  }
  taken.row_offsets.reserve(static_cast<std::size_t>(taken.rows) + 1);
  taken.column_indices.reserve(static_cast<std::size_t>(nonzeros));
  taken.values.reserve(static_cast<std::size_t>(nonzeros));
  for (const auto& [first, last] : segments) {
    const Index begin = whole.row_offsets[first];
    const Index end = whole.row_offsets[last];
    const Index shift = static_cast<Index>(taken.values.size()) - begin;
    for (Index row = first; row < last; ++row) {
      taken.row_offsets.push_back(whole.row_offsets[row + 1] + shift);
    }
    taken.column_indices.insert(taken.column_indices.end(), whole.column_indices.begin() + begin,
                                whole.column_indices.begin() + end);
    taken.values.insert(taken.values.end(), whole.values.begin() + begin,
                        whole.values.begin() + end);
  }
  return taken;
}

void send_rows(Team& team, const Csr<double>& rows, int to) {
  const BandShape shape{rows.rows, rows.columns, rows.nonzeros()};
  send(team, std::span(&shape, 1), to);
  send(team, std::span(rows.row_offsets), to);
  send(team, std::span(rows.column_indices), to);
  send(team, std::span(rows.values), to);
}

Csr<double> receive_rows(Team& team, int from) {
  BandShape shape{};
  receive(team, std::span(&shape, 1), from);
  Csr<double> rows;
  rows.rows = shape.rows;
  rows.columns = shape.columns;
  rows.row_offsets.resize(static_cast<std::size_t>(shape.rows) + 1);
  rows.column_indices.resize(static_cast<std::size_t>(shape.nonzeros));
  rows.values.resize(static_cast<std::size_t>(shape.nonzeros));
  receive(team, std::span(rows.row_offsets), from);
  receive(team, std::span(rows.column_indices), from);
  receive(team, std::span(rows.values), from);
  return rows;
}

template <typename Layout>
Csr<double> scatter(Team& team, const Layout& layout, const Csr<double>& whole) {
  if (team.rank() != 0) return receive_rows(team, 0);
  for (int rank = 1; rank < team.size(); ++rank) {
    send_rows(team, take_rows(whole, layout.segments(rank)), rank);
  }
  return take_rows(whole, layout.segments(0));
}

}  // namespace

Csr<double> scatter_rows(Team& team, const RowBands& layout, const Csr<double>& whole) {
  return scatter(team, layout, whole);
}

Csr<double> scatter_rows(Team& team, const RowBands& layout, Csr<double>&& whole) {
  Csr<double> given = std::move(whole);
  if (team.size() == 1) return given;
  return scatter(team, layout, given);
}

Csr<double> scatter_rows(Team& team, const CyclicRows& layout, const Csr<double>& whole) {
  return scatter(team, layout, whole);
}

}  // namespace spsolve
