#include "distribute/reading/read_in_bands.hpp"

#include "io/matrix_source.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {

namespace {

/// Rows [first, last) of the generated matrix after its rows were rotated by `by`.
Csr<double> rotated_rows(const std::string& spec, Index rows, Index by, Range wanted) {
  Csr<double> result;
  // Row i of the rotated matrix is row (i - by) mod rows: at most two runs.
  while (wanted.size() > 0) {
    const Index first = ((wanted.first - by) % rows + rows) % rows;
    const Index count = std::min(wanted.size(), rows - first);
    Csr<double> run = generate_rows(spec, first, first + count);
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

}  // namespace

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

BandedMatrix generate_in_bands(Team& team, const BandedReading& reading) {
  const MatrixShape shape = together(team, [&] { return generated_shape(reading.name); });
  BandedMatrix result;
  result.columns = shape.columns;
  result.bands = {shape.rows, team.size()};
  const auto generate = [&] {
    return together(team, [&] {
      Csr<double> rows =
          rotated_rows(reading.name, shape.rows, reading.rotate_by, result.bands.band(team.rank()));
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
        choose_bands(reading.bands, add_profiles(team, shape.rows, std::move(counts)), team.size());
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
  const bool generated =
      broadcast_value(team, team.rank() == 0 && means_generator(reading.name), 0);
  return generated ? generate_in_bands(team, reading) : read_file_in_bands(team, reading);
}

}  // namespace spsolve
