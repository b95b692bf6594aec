#include "distribute/reading/read_in_bands.hpp"

#include "io/matrix_source.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::inline distribute {

Csr<double> rotated_rows(const std::function<Csr<double>(Range)>& rows_of, Index rows, Index by,
                         Range wanted) {
  Csr<double> result;
  while (wanted.size() > 0) {
    const Index first = ((wanted.first - by) % rows + rows) % rows;
    const Index count = std::min(wanted.size(), rows - first);
    Csr<double> run = rows_of({first, first + count});
    if (result.rows == 0) {
      result = std::move(run);
    } else {
      const Index before = result.nonzeros();
      for (Index i = 1; i <= run.rows; ++i) {
        result.row_offsets.push_back(before + run.row_offsets[i]);
      }
      result.rows += run.rows;
      result.column_indices.insert(result.column_indices.end(), run.column_indices.begin(),
                                   run.column_indices.end());
      result.values.insert(result.values.end(), run.values.begin(), run.values.end());
    }
    wanted.first += count;
  }
  return result;
}

void require_one_file(Team& team, std::size_t bytes, const std::string& name) {
  const auto size = static_cast<double>(bytes);
  if (all_maximum(team, size) == -all_maximum(team, -size)) return;
  fail_everywhere(ExitCode::input,
                  "{}: matrix.reader=parallel needs one file that all hosts see, and here its size "
                  "differs from rank to rank",
                  name);
}

NonzeroProfile add_profiles(Team& team, Index rows, std::vector<Index> counts) {
  std::vector<Index> all(counts.size() * static_cast<std::size_t>(team.size()));
  team.all_gather_bytes(std::as_bytes(std::span(counts)), std::as_writable_bytes(std::span(all)));
  NonzeroProfile profile{rows, NonzeroProfile::step_for(rows), {0}};
  for (std::size_t b = 0; b < counts.size(); ++b) {
    Index sum = profile.nonzeros_before.back();
    for (std::size_t place = b; place < all.size(); place += counts.size()) sum += all[place];
    profile.nonzeros_before.push_back(sum);
  }
  return profile;
}

RowLayout bands_wanted(const BandedReading& reading, const NonzeroProfile& profile, int ranks) {
  if (reading.bands == BandsChoice::rows) return bands_of_nodes(profile.rows, ranks, reading.node);
  return with_whole_nodes(choose_bands(reading.bands, profile, ranks), reading.node);
}

RowLayout with_whole_nodes(const RowLayout& bands, Index node) {
  for (int rank = 0; rank < bands.ranks; ++rank) {
    if (bands.band(rank).first % node != 0) {
      return layout_of_rows(layout_of_nodes(bands, node), node);
    }
  }
  return bands;
}

BandedMatrix generate_in_bands(Team& team, const BandedReading& reading) {
  const MatrixShape shape = together(team, [&] { return generated_shape(reading.name); });
  BandedMatrix result;
  result.columns = shape.columns;
  result.bands = bands_of_nodes(shape.rows, team.size(), reading.node);
  const auto generate = [&] {
    return together(team, [&] {
      Csr<double> rows =
          rotated_rows([&](Range run) { return generate_rows(reading.name, run.first, run.last); },
                       shape.rows, shape.parts * reading.rotate_by, result.bands.band(team.rank()));
      rows.columns = shape.columns;
      return rows;
    });
  };
  Csr<double> rows = generate();
  if (reading.bands != BandsChoice::rows) {
    const Index step = NonzeroProfile::step_for(shape.rows);
    std::vector<Index> counts(static_cast<std::size_t>((shape.rows + step - 1) / step), 0);
    const Index first = result.bands.band(team.rank()).first;
    for (Index i = 0; i < rows.rows; ++i) {
      counts[(first + i) / step] += rows.row_offsets[i + 1] - rows.row_offsets[i];
    }
    const RowLayout wanted =
        bands_wanted(reading, add_profiles(team, shape.rows, std::move(counts)), team.size());
    if (wanted != result.bands) {
      result.bands = wanted;
      rows = {};
      rows = generate();
    }
  }
  result.nonzeros = all_sum(team, rows.nonzeros());
  result.rows = together(team, [&] { return compress_columns(std::move(rows)); });
  return result;
}

BandedMatrix read_in_bands(Team& team, const BandedReading& reading) {
  enum class Kind { text, rows, generated };
  const auto kind = together(team, [&] {
    if (team.rank() != 0) return Kind::text;
    if (means_generator(reading.name)) return Kind::generated;
    return is_sparse_binary(reading.name) ? Kind::rows : Kind::text;
  });
  switch (broadcast_value(team, kind, 0)) {
    case Kind::generated:
      return generate_in_bands(team, reading);
    case Kind::rows:
      return read_rows_in_bands(team, reading);
    default:
      return read_file_in_bands(team, reading);
  }
}

}  // namespace spsolve::distribute
