#include "distribute/reading/scatter.hpp"

#include <algorithm>
#include <utility>

namespace spsolve::inline distribute {

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

/// Sends rows first <= i < last straight from where they lie.
void send_rows(Team& team, const Csr<double>& rows, Range range, int to) {
  const Index begin = rows.row_offsets[range.first];
  const BandShape shape{range.size(), rows.columns, rows.row_offsets[range.last] - begin};
  const auto nonzeros = static_cast<std::size_t>(shape.nonzeros);
  send(team, std::span(&shape, 1), to);
  send(team,
       std::span(rows.row_offsets.data() + range.first, static_cast<std::size_t>(shape.rows) + 1),
       to);
  send(team, std::span(rows.column_indices.data() + begin, nonzeros), to);
  send(team, std::span(rows.values.data() + begin, nonzeros), to);
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
  const Index before = rows.row_offsets.front();
  for (Index& offset : rows.row_offsets) offset -= before;
  return rows;
}

/// Cuts `values` down to its first `size` elements, and gives back the memory of the others unless
/// they are few: the copy takes as much as what stays meanwhile.
template <typename T>
void keep_front(std::vector<T>& values, Index size) {
  values.resize(static_cast<std::size_t>(size));
  if (values.size() <= values.capacity() / 5 * 3) values.shrink_to_fit();
}

}  // namespace

Csr<double> scatter_rows(Team& team, const RowLayout& layout, const Csr<double>& whole) {
  if (team.rank() != 0) return receive_rows(team, 0);
  for (int rank = 1; rank < team.size(); ++rank) {
    if (layout.is_cyclic()) {
      const Csr<double> rows = take_rows(whole, layout.segments(rank));
      send_rows(team, rows, {0, rows.rows}, rank);
    } else {
      send_rows(team, whole, layout.band(rank), rank);
    }
  }
  return take_rows(whole, layout.segments(0));
}

Csr<double> scatter_rows(Team& team, const RowLayout& layout, Csr<double>&& whole) {
  if (layout.is_cyclic()) return scatter_rows(team, layout, std::as_const(whole));
  Csr<double> given = std::move(whole);
  if (team.size() == 1) return given;
  if (team.rank() != 0) return receive_rows(team, 0);
  for (int rank = 1; rank < team.size(); ++rank) send_rows(team, given, layout.band(rank), rank);
  given.rows = layout.band(0).size();
  keep_front(given.values, given.row_offsets[given.rows]);
  keep_front(given.column_indices, given.row_offsets[given.rows]);
  keep_front(given.row_offsets, given.rows + 1);
  return given;
}

Dense<double> scatter_rows(Team& team, const RowLayout& layout, const Dense<double>& whole) {
  const Index columns = broadcast_value(team, whole.columns, 0);
  Dense<double> band =
      together(team, [&] { return Dense<double>(layout.band(team.rank()).size(), columns); });
  if (team.rank() != 0) {
    receive(team, std::span(band.values), 0);
    return band;
  }
  for (int rank = 0; rank < team.size(); ++rank) {
    const Range rows = layout.band(rank);
    const std::span<const double> values(whole.row(rows.first),
                                         static_cast<std::size_t>(rows.size() * columns));
    if (rank == 0) {
      std::copy(values.begin(), values.end(), band.values.begin());
    } else {
      send(team, values, rank);
    }
  }
  return band;
}

template <typename T>
Dense<double> gather_rows(Team& team, const RowLayout& bands, const Dense<T>& band) {
  if (team.rank() != 0) {
    send(team, std::span<const T>(band.values), 0);
    return {};
  }
  Dense<double> whole(bands.rows, band.columns);
  std::copy(band.values.begin(), band.values.end(), whole.values.begin());
  for (int rank = 1; rank < team.size(); ++rank) {
    const Range rows = bands.band(rank);
    std::vector<T> values(static_cast<std::size_t>(rows.size() * band.columns));
    receive(team, std::span<T>(values), rank);
    std::copy(values.begin(), values.end(), whole.row(rows.first));
  }
  return whole;
}

SPSOLVE_INSTANTIATE_FUNCTION(gather_rows)

}  // namespace spsolve::distribute
