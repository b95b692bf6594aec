#include "distribute/scatter.hpp"

#include "matrix/convert.hpp"

namespace spsolve {

namespace {

struct BandShape {
  Index rows, columns, nonzeros;
};

void send_band(Team& team, const Csr<double>& whole, Range rows, int to) {
  const Index begin = whole.row_offsets[rows.first];
  const Index end = whole.row_offsets[rows.last];
  const BandShape shape{rows.size(), whole.columns, end - begin};
  send(team, std::span<const BandShape>(&shape, 1), to);
  send(team, std::span(whole.row_offsets).subspan(rows.first, rows.size() + 1), to);
  send(team, std::span(whole.column_indices).subspan(begin, shape.nonzeros), to);
  send(team, std::span(whole.values).subspan(begin, shape.nonzeros), to);
}

Csr<double> receive_band(Team& team, int from) {
  BandShape shape{};
  receive(team, std::span<BandShape>(&shape, 1), from);
  Csr<double> band;
  band.rows = shape.rows;
  band.columns = shape.columns;
  band.row_offsets.resize(shape.rows + 1);
  band.column_indices.resize(shape.nonzeros);
  band.values.resize(shape.nonzeros);
  receive(team, std::span(band.row_offsets), from);
  receive(team, std::span(band.column_indices), from);
  receive(team, std::span(band.values), from);
  const Index begin = band.row_offsets.front();
  for (Index& offset : band.row_offsets) offset -= begin;
  return band;
}

}  // namespace

Csr<double> scatter_rows(Team& team, const RowBands& bands, Csr<double>&& whole) {
  if (team.size() == 1) return std::move(whole);
  if (team.rank() != 0) return receive_band(team, 0);
  for (int rank = 1; rank < team.size(); ++rank) send_band(team, whole, bands.band(rank), rank);
  const Range mine = bands.band(0);
  return slice_rows(whole, mine.first, mine.last);
}

}  // namespace spsolve
