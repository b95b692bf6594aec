#include "distribute/redistribute.hpp"

#include <algorithm>
#include <numeric>

#include "distribute/foreign_columns.hpp"
#include "matrix/made_of_rows.hpp"
#include "matrix/structure.hpp"

namespace spsolve::inline distribute {

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

namespace {

/// The entries of some rows whose columns are in `own`, or those of the others; columns numbered by
/// their places among these, see ColumnPlaces.
Csr<double> entries_in(const Csr<double>& rows, Range own, bool inside,
                       const ColumnPlaces& places) {
  return made_of_rows(rows.rows, places.count(), [&] {
    return [&](Index i, RowChunk& chunk) {
      const auto columns = rows.row_columns(i);
      const auto values = rows.row_values(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (own.contains(columns[k]) != inside) continue;
        chunk.columns.push_back(places.place(columns[k]));
        chunk.values.push_back(values[k]);
      }
    };
  });
}

/// Parts of the rows `numbers`, which leave for their owners.
Departures depart_parts(const Csr<double>& rows, const std::vector<Index>& numbers,
                        const RowLayout& to) {
  Departures out;
  out.lengths = row_lengths(rows);
  out.columns = rows.column_indices;
  out.values = rows.values;
  for (int rank = 0; rank < to.ranks; ++rank) {
    const Range band = to.band(rank);
    const Index first = std::ranges::lower_bound(numbers, band.first) - numbers.begin();
    const Index last = std::ranges::lower_bound(numbers, band.last) - numbers.begin();
    out.rows.push_back(last - first);
    out.nonzeros.push_back(rows.row_offsets[last] - rows.row_offsets[first]);
  }
  return out;
}

/// Parts of rows that came: row numbers[k] has lengths[k] of the columns and values, one part after
/// the other.
struct Arrivals {
  std::vector<Index> numbers, lengths;
  std::vector<LocalIndex> columns;
  std::vector<double> values;
};

Arrivals trade_parts(Team& team, const std::vector<Index>& numbers, const Departures& out) {
  const std::vector<Index> row_counts = share_counts(team, out.rows);
  const std::vector<Index> nonzero_counts = share_counts(team, out.nonzeros);
  Arrivals came;
  came.numbers = trade(team, numbers, row_counts);
  came.lengths = trade(team, out.lengths, row_counts);
  came.columns = trade(team, out.columns, nonzero_counts);
  came.values = trade(team, out.values, nonzero_counts);
  return came;
}

/// Own rows with the parts that came put before the own columns where they have smaller ones, else
/// after them; parts of a row come in the order of their columns. `first_row`: the number of row 0.
Csr<double> joined(const Csr<double>& own, Index first_row, Index first_column,
                   const Arrivals& came, Index all_columns) {
  // Places in `came` of each row's parts, by row.
  std::vector<Index> first_part(static_cast<std::size_t>(own.rows) + 1), begins;
  begins.reserve(came.lengths.size() + 1);
  begins.push_back(0);
  for (const Index length : came.lengths) begins.push_back(begins.back() + length);
  for (const Index number : came.numbers) ++first_part[number - first_row + 1];
  std::partial_sum(first_part.begin(), first_part.end(), first_part.begin());
  std::vector<Index> parts(came.numbers.size()), next(first_part.begin(), first_part.end() - 1);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[next[came.numbers[k] - first_row]++] = static_cast<Index>(k);
  }
  return made_of_rows(own.rows, all_columns, [&] {
    return [&](Index i, RowChunk& chunk) {
      Index part = first_part[i];
      const auto take_parts = [&](bool all) {
        for (; part < first_part[i + 1]; ++part) {
          const Index begin = begins[parts[part]], end = begins[parts[part] + 1];
          if (begin == end) continue;
          if (!all && came.columns[begin] > first_column) return;
          chunk.columns.insert(chunk.columns.end(), came.columns.begin() + begin,
                               came.columns.begin() + end);
          chunk.values.insert(chunk.values.end(), came.values.begin() + begin,
                              came.values.begin() + end);
        }
      };
      take_parts(false);
      for (const LocalIndex column : own.row_columns(i)) {
        chunk.columns.push_back(static_cast<LocalIndex>(column + first_column));
      }
      const auto values = own.row_values(i);
      chunk.values.insert(chunk.values.end(), values.begin(), values.end());
      take_parts(true);
    };
  });
}

}  // namespace

Csr<double> transposed_rows(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
                            const Csr<double>& rows) {
  if (team.size() == 1) return transpose(rows);
  const Index first_row = row_layout.band(team.rank()).first;
  const Range band = column_layout.band(team.rank());
  std::vector<Index> numbers;
  const Departures out = together(team, [&] {
    numbers = foreign_columns(rows, band);
    const ColumnPlaces places({band.first, band.first}, numbers);
    Csr<double> parts = transpose(entries_in(rows, band, false, places));
    for (LocalIndex& column : parts.column_indices) column += static_cast<LocalIndex>(first_row);
    return depart_parts(parts, numbers, column_layout);
  });
  const Arrivals came = trade_parts(team, numbers, out);
  return together(team, [&] {
    const Csr<double> own = transpose(entries_in(rows, band, true, ColumnPlaces(band, {})));
    return joined(own, band.first, first_row, came, row_layout.rows);
  });
}

Csr<double> give_rows_back(Team& team, const RowLayout& layout, const std::vector<Index>& numbers,
                           const Csr<double>& rows) {
  const Departures out = together(team, [&] { return depart_parts(rows, numbers, layout); });
  const Arrivals came = trade_parts(team, numbers, out);
  return together(team, [&] {
    const Range band = layout.band(team.rank());
    Csr<double> none;
    none.rows = band.size();
    none.row_offsets.resize(static_cast<std::size_t>(none.rows) + 1);
    return joined(none, band.first, 0, came, rows.columns);
  });
}

Csr<double> all_rows(Team& team, const Csr<double>& rows) {
  const std::vector<Index> own = row_lengths(rows);
  const std::vector<Index> lengths = all_gather_parts(team, std::span(own));
  Csr<double> all;
  all.rows = static_cast<Index>(lengths.size());
  all.columns = rows.columns;
  all.row_offsets.resize(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), all.row_offsets.begin() + 1);
  all.column_indices = all_gather_parts(team, std::span(rows.column_indices));
  all.values = all_gather_parts(team, std::span(rows.values));
  return all;
}

}  // namespace spsolve::distribute
