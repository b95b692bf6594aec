#include "system/coordinates.hpp"

#include "core/error.hpp"
#include "io/dense_source.hpp"
#include "matrix/generate/generate.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline system {

namespace fs = std::filesystem;

void require_coordinates(std::string_view source, Index nodes, Index dimensions, Index rows) {
  if (dimensions != 2 && dimensions != 3) {
    fail(ExitCode::input,
         "{}: the coordinates are {} x {}; give a row of 2 or 3 numbers for each node", source,
         nodes, dimensions);
  }
  if (nodes > 0 && rows == nodes * dimensions) return;
  fail(
      ExitCode::input,
      "{}: coordinates of {} nodes in {} dimensions go with a matrix of {} rows, {} for each node, "
      "and this one has {}",
      source, nodes, dimensions, nodes * dimensions, dimensions, rows);
}

FoundCoordinates find_coordinates(const fs::path& file, const std::string& generator, Index rows) {
  if (!file.empty()) {
    const DenseShape shape = describe_dense(file);
    require_coordinates(file.string(), shape.rows, shape.columns, rows);
    return {file, "", shape.columns};
  }
  if (generator.empty() || !is_generator_spec(generator)) return {};
  return {"", generator, generated_dimensions(generator)};
}

FoundCoordinates find_coordinates(Team& team, const Config& config, Index rows) {
  const std::string generator = config.matrix.rotate_rows == 0 ? config.matrix.generate : "";
  return find_coordinates(team, config.solve.coordinates, generator, rows);
}

FoundCoordinates find_coordinates(Team& team, const fs::path& file, const std::string& generator,
                                  Index rows) {
  FoundCoordinates found = together(team, [&] {
    return team.rank() == 0 ? find_coordinates(file, generator, rows) : FoundCoordinates{};
  });
  found.file = broadcast_text(team, found.file.string(), 0);
  found.generator = broadcast_text(team, found.generator, 0);
  found.dimensions = broadcast_value(team, found.dimensions, 0);
  return found;
}

void read_coordinates(const FoundCoordinates& found, SystemMatrix& matrix) {
  if (found.dimensions == 0) return;
  Team& team = matrix.team();
  const Index d = found.dimensions;
  const Range own = matrix.own();
  if (found.file.empty()) {
    return together(team, [&] {
      matrix.set_coordinates(generate_coordinates(found.generator, own.first / d, own.last / d));
    });
  }
  const auto places =
      read_vectors(team, layout_of_nodes(matrix.layout(), d), host_vector_memory(), found.file);
  together(team, [&] { matrix.set_coordinates(own_rows(*places)); });
}

}  // namespace spsolve::system
