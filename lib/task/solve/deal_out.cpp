#include "task/solve/deal_out.hpp"

#include <algorithm>

#include "distribute/reading/read_in_bands.hpp"
#include "distribute/reading/scatter.hpp"
#include "system/coordinates.hpp"

namespace spsolve::inline task {

namespace {

/// This rank's rows of a matrix that no rank has all of.
Csr<double> read_own(const Config::Matrix& matrix, Index node, Team& team, MatrixShape shape,
                     TaskReport& report) {
  BandedMatrix read = read_in_bands(team, {.name = matrix.name(),
                                           .rotate_by = matrix.rotate_rows,
                                           .bands = BandsChoice::rows,
                                           .node = node});
  shape.nonzeros = read.nonzeros;
  report.note_sizes(shape);
  return together(team, [&] { return with_all_columns(std::move(read.rows)); });
}

}  // namespace

std::unique_ptr<SystemMatrix> deal_out(const Config& config, const SystemShape& shape, Team& team,
                                       Csr<double> whole, const MatrixUse& use, PhaseTimes& times,
                                       TaskReport& report) {
  const Index rows = shape.matrix.rows;
  FoundCoordinates coordinates;
  if (is_krylov(use.method)) coordinates = find_coordinates(team, config, rows);
  const Index node = std::max(shape.matrix.parts, coordinates.dimensions);
  const RowLayout bands = bands_of_nodes(rows, team.size(), node);
  Csr<double> own = times.measure(shape.reads_together ? "read" : "scatter", [&] {
    return shape.reads_together ? read_own(config.matrix, node, team, shape.matrix, report)
                                : scatter_rows(team, bands, std::move(whole));
  });
  auto matrix = times.measure("scatter", [&] {
    return std::make_unique<SystemMatrix>(team, bands, std::move(own), use.memory);
  });
  times.measure("read", [&] { read_coordinates(coordinates, *matrix); });
  return matrix;
}

}  // namespace spsolve::task
