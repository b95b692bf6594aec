#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "matrix/shape.hpp"

namespace spsolve::inline matrix {

/// The arguments that a generator is called with.
struct GeneratorArguments {
  std::span<const Index> sizes;  ///< the integers of the specification, each at least 1
  Index seed = 1;                ///< chooses among the pseudo-random matrices of these sizes
  /// The rows that are wanted, first_row <= i < last_row; those that there are.
  Index first_row = 0;
  Index last_row = std::numeric_limits<Index>::max();
};

/// One row of the table of generators.
struct Generator {
  std::string_view name;
  std::string_view form;         ///< how it is written, such as "grid3d27:N:UNKNOWNS"
  bool seeded;                   ///< whether :seed=INT may follow
  std::string_view description;  ///< one sentence, with the formula
  /// One sentence of what is wrong with the sizes, or "".
  std::string (*problem)(std::span<const Index> sizes);
  /// Rows, columns (of complex matrices those of the real form, as for the rest) and the expected
  /// number of non-zeros for valid sizes.
  MatrixShape (*shape)(std::span<const Index> sizes);
  Csr<double> (*make)(const GeneratorArguments& arguments);
  /// Coordinates of the nodes of a matrix of linear elasticity, with as many unknowns a node as
  /// dimensions; first_row and last_row count nodes. Null for other matrices.
  Dense<double> (*coordinates)(const GeneratorArguments& arguments) = nullptr;
};

/// All generators; help texts, checks and tests read this table.
std::span<const Generator> generators();

/// Whether the part of `text` before its first ':' is the name of a generator.
bool is_generator_spec(std::string_view text);

/// One sentence of what is wrong with a specification `name:SIZE[:SIZE][:seed=INT]`, or "".
/// Cost: nothing is generated.
std::string generator_problem(std::string_view spec);

/// The size of the matrix that a specification describes; nothing is generated.
/// Throws Error(input) with generator_problem()'s sentence.
MatrixShape generated_shape(std::string_view spec);

/// The matrix that a specification describes, such as "grid2d:100" or "random_dense:50:seed=7".
///
/// A specification means the same matrix everywhere: values are hashes (splitmix64; Steele, Lea,
/// Flood 2014) of seed, row and column, so neither threads nor libraries change them.
/// Cost: linear in the non-zeros, parallel over rows.
/// Throws Error(input) with generator_problem()'s sentence, and Error(resources) where the matrix
/// is larger than this machine's memory.
Csr<double> generate_matrix(std::string_view spec);

/// The key of random_dense:N:seed=SEED: a_ij is symmetric_interval(random_bits(key, i << 32 | j)).
std::uint64_t random_dense_key(Index seed);

/// Rows first <= i < last of the same matrix, as slice_rows() of it, at the cost of these rows.
Csr<double> generate_rows(std::string_view spec, Index first, Index last);

/// Dimensions of the coordinates that the generator has for its nodes; 0: it has none.
Index generated_dimensions(std::string_view spec);

/// The coordinates of nodes first <= i < last.
Dense<double> generate_coordinates(std::string_view spec, Index first, Index last);

/// The table for a terminal: form and description of every generator.
std::string generator_help();

/// The table in Markdown, for docs/configuration.md.
std::string generator_markdown();

}  // namespace spsolve::matrix
