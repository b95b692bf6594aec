#include "distribute/redistribute.hpp"

#include <algorithm>
#include <numeric>

#include "matrix/structure.hpp"

namespace spsolve {

namespace {

/// Own rows on their way, rank after rank.
struct Departures {
  std::vector<Index> lengths;  ///< of rows, in the order in which they leave
  std::vector<LocalIndex> columns;
  std::vector<double> values;
  std::vector<Index> rows, nonzeros;  ///< for each rank
};

Departures depart(const RowLayout& from, int rank, const Csr<double>& rows, const RowLayout& to) {
  const Range band = from.band(rank);
  std::vector<std::vector<Index>> leaving(static_cast<std::size_t>(to.ranks));
  for (Index i = 0; i < rows.rows; ++i) leaving[to.owner(band.first + i)].push_back(i);
  Departures out;
  out.lengths.reserve(static_cast<std::size_t>(rows.rows));
  out.columns.reserve(rows.column_indices.size());
  out.values.reserve(rows.values.size());
  for (const std::vector<Index>& list : leaving) {
    const auto before = static_cast<Index>(out.values.size());
    for (const Index i : list) {
      const auto columns = rows.row_columns(i);
      const auto values = rows.row_values(i);
      out.lengths.push_back(static_cast<Index>(columns.size()));
      out.columns.insert(out.columns.end(), columns.begin(), columns.end());
      out.values.insert(out.values.end(), values.begin(), values.end());
    }
    out.rows.push_back(static_cast<Index>(list.size()));
    out.nonzeros.push_back(static_cast<Index>(out.values.size()) - before);
  }
  return out;
}

/// counts[from * ranks + to] of all ranks, from each one's own.
std::vector<Index> share_counts(Team& team, const std::vector<Index>& mine) {
  std::vector<Index> all(mine.size() * static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// Sends piece r of `mine`, whose size is counts[this rank, r], to every rank r; hands back what
/// came, rank after rank.
template <typename T>
std::vector<T> trade(Team& team, const std::vector<T>& mine, const std::vector<Index>& counts) {
  const auto ranks = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.rank());
  Index all = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) all += counts[rank * ranks + me];
  std::vector<T> result(static_cast<std::size_t>(all));
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  std::span<const T> leaving(mine);
  std::span<T> coming(result);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto leaves = static_cast<std::size_t>(counts[me * ranks + rank]);
    const auto comes = static_cast<std::size_t>(counts[rank * ranks + me]);
    if (rank == me) {
      std::copy_n(leaving.begin(), leaves, coming.begin());
    } else {
      const int number = static_cast<int>(rank);
      if (leaves > 0) outgoing.push_back({number, std::as_bytes(leaving.first(leaves))});
      if (comes > 0) incoming.push_back({number, std::as_writable_bytes(coming.first(comes))});
    }
    leaving = leaving.subspan(leaves);
    coming = coming.subspan(comes);
  }
  const auto messages = team.messages(outgoing, incoming);
  messages->start();
  messages->wait();
  return result;
}

}  // namespace

Csr<double> redistribute_rows(Team& team, const RowLayout& from, const Csr<double>& rows,
                              const RowLayout& to) {
  const Departures out = together(team, [&] { return depart(from, team.rank(), rows, to); });
  const std::vector<Index> row_counts = share_counts(team, out.rows);
  const std::vector<Index> nonzero_counts = share_counts(team, out.nonzeros);
  const std::vector<Index> lengths = trade(team, out.lengths, row_counts);
  Csr<double> result;
  result.rows = static_cast<Index>(lengths.size());
  result.columns = rows.columns;
  result.row_offsets.resize(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), result.row_offsets.begin() + 1);
  result.column_indices = trade(team, out.columns, nonzero_counts);
  result.values = trade(team, out.values, nonzero_counts);
  return result;
}

Csr<double> transposed_rows(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
                            const Csr<double>& rows) {
  if (team.size() == 1) return transpose(rows);
  // Row j of this is what own rows give to row j of the transpose; it leaves for its owner.
  Departures out = together(team, [&] {
    const Csr<double> given = transpose(rows);
    Departures leaving;
    leaving.columns = given.column_indices;
    leaving.values = given.values;
    const Index first = row_layout.band(team.rank()).first;
    for (LocalIndex& column : leaving.columns) column += static_cast<LocalIndex>(first);
    for (int rank = 0; rank < team.size(); ++rank) {
      const Range band = column_layout.band(rank);
      for (Index j = band.first; j < band.last; ++j) {
        leaving.lengths.push_back(given.row_offsets[j + 1] - given.row_offsets[j]);
      }
      leaving.rows.push_back(band.size());
      leaving.nonzeros.push_back(given.row_offsets[band.last] - given.row_offsets[band.first]);
    }
    return leaving;
  });
  const std::vector<Index> row_counts = share_counts(team, out.rows);
  const std::vector<Index> nonzero_counts = share_counts(team, out.nonzeros);
  const std::vector<Index> lengths = trade(team, out.lengths, row_counts);
  const std::vector<LocalIndex> columns = trade(team, out.columns, nonzero_counts);
  const std::vector<double> values = trade(team, out.values, nonzero_counts);
  // What came of one rank after another has, in each row, columns that ascend from rank to rank.
  const Index height = column_layout.band(team.rank()).size();
  Csr<double> result;
  result.rows = height;
  result.columns = row_layout.rows;
  result.row_offsets.assign(static_cast<std::size_t>(height) + 1, 0);
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    result.row_offsets[k % static_cast<std::size_t>(height) + 1] += lengths[k];
  }
  std::partial_sum(result.row_offsets.begin(), result.row_offsets.end(),
                   result.row_offsets.begin());
  result.column_indices.resize(columns.size());
  result.values.resize(values.size());
  std::vector<Index> next(result.row_offsets.begin(), result.row_offsets.end() - 1);
  Index taken = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    Index& place = next[k % static_cast<std::size_t>(height)];
    for (Index entry = 0; entry < lengths[k]; ++entry, ++place, ++taken) {
      result.column_indices[place] = columns[taken];
      result.values[place] = values[taken];
    }
  }
  return result;
}

}  // namespace spsolve
