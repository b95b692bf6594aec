#pragma once

#include <filesystem>
#include <string>

#include "config/config.hpp"
#include "solve/operators/system_matrix.hpp"

namespace spsolve::inline system {

/// Coordinates of the nodes of a system of linear elasticity: their source, and how many for each.
struct FoundCoordinates {
  std::filesystem::path file;  ///< or
  std::string generator;
  Index dimensions = 0;  ///< 2 or 3, as many as the unknowns of a node; 0: there are none
};

/// Throws Error(input) unless `nodes` coordinates of so many dimensions are those of a system with
/// so many rows; `source` names them in the sentence.
void require_coordinates(std::string_view source, Index nodes, Index dimensions, Index rows);

/// Coordinates of a file, "" for none, or else of the matrix if it is a generator's, for a system
/// of so many rows. Looks at the files of this rank. Throws Error(input).
FoundCoordinates find_coordinates(const std::filesystem::path& file, const std::string& generator,
                                  Index rows);

/// Coordinates found by rank 0 for all. Collective.
FoundCoordinates find_coordinates(Team& team, const std::filesystem::path& file,
                                  const std::string& generator, Index rows);

/// Coordinates of a configuration's system: none of a generator whose rows are rotated, as no node
/// has those of its unknowns then. Collective.
FoundCoordinates find_coordinates(Team& team, const Config& config, Index rows);

/// Gives the matrix, whose bands are bands_of_nodes(), those of its own nodes. Collective.
void read_coordinates(const FoundCoordinates& found, SystemMatrix& matrix);

}  // namespace spsolve::system
