#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "api/c_objects.hpp"
#include "core/error.hpp"

namespace spsolve {

namespace {

/// The structure of the first version that has sizes: none is shorter.
constexpr std::size_t least_size = sizeof(spsolve_options);

/// The word that a number of C stands for, of those from 0 to `last`.
template <typename Word>
Word word_of(int number, Word last, const char* option) {
  if (number >= 0 && number <= static_cast<int>(last)) return static_cast<Word>(number);
  fail(ExitCode::input, "the option {} is {}; it is one of the numbers from 0 to {}", option,
       number, static_cast<int>(last));
}

std::string text_of(const char* text) {
  return text != nullptr ? text : "";
}

Dense<double> array_of(const double* values, Index rows, Index columns, const char* option) {
  if (values == nullptr) return {};
  if (!countable(rows, columns)) {
    fail(ExitCode::input, "{} cannot be an array of {} x {}", option, rows, columns);
  }
  return c_rows(values, rows, columns);
}

/// The options as this version has them; those that an earlier one did not know by their defaults.
spsolve_options of_this_version(const spsolve_options& given) {
  if (given.size < least_size || given.size > sizeof given) {
    fail(ExitCode::input,
         "options of {} bytes, where this version of spsolve has from {} to {}; "
         "spsolve_options_init() sets the size, and a program must not be newer than the library",
         given.size, least_size, sizeof given);
  }
  spsolve_options all;
  spsolve_options_init(&all);
  std::memcpy(&all, &given, given.size);
  return all;
}

}  // namespace

Options options_from_c(const spsolve_options* given, Index rows) {
  Options mine;
  if (given == nullptr) return mine;
  const spsolve_options c = of_this_version(*given);
  mine.method = word_of(c.method, Method::block_cg, "method");
  mine.pivoting = word_of(c.pivoting, Pivoting::tournament, "pivoting");
  mine.precision = word_of(c.precision, Precision::mixed, "precision");
  mine.device = word_of(c.device, Device::cuda, "device");
  mine.preconditioner = word_of(c.preconditioner, Preconditioner::multigrid, "preconditioner");
  mine.ranks = word_of(c.ranks, SolvingRanks::all, "ranks");
  mine.ordering = word_of(c.ordering, Ordering::file, "ordering");
  mine.factors = word_of(c.factors, FactorPlace::disk, "factors");
  mine.null_space = word_of(c.null_space, NullSpaceKind::file, "null_space");
  mine.equilibrate = word_of(c.equilibrate, AutoSwitch::off, "equilibrate");
  mine.accept = word_of(c.accept, Acceptance::residual, "accept");
  mine.refinement = c.refinement;
  mine.condition = c.condition != 0;
  mine.share_gpus = c.share_gpus != 0;
  mine.tolerance = c.tolerance;
  mine.time_limit = c.time_limit;
  mine.iterations = c.iterations;
  mine.restart = c.restart;
  mine.block = c.block;
  mine.right_hand_sides = c.right_hand_sides;
  mine.systems = c.systems;
  mine.ordering_file = text_of(c.ordering_file);
  mine.analysis_file = text_of(c.analysis_file);
  mine.factors_folder = text_of(c.factors_folder);
  mine.initial_guess = text_of(c.initial_guess_file);
  mine.coordinates = text_of(c.coordinates_file);
  mine.null_space_file = text_of(c.null_space_file);
  mine.node_coordinates = array_of(c.coordinates, c.nodes, c.dimensions, "coordinates");
  mine.first_guess = array_of(c.first_guess, rows, c.guessed_columns, "first_guess");
  if (c.null_vectors != nullptr) {
    mine.null_vectors = std::make_shared<const Dense<double>>(
        array_of(c.null_vectors, rows, c.null_dimension, "null_vectors"));
  }
  return mine;
}

}  // namespace spsolve

void spsolve_options_init_sized(spsolve_options* options, std::size_t size) {
  if (options == nullptr) return;
  const spsolve::Options defaults;
  spsolve_options all{};
  all.size = std::min(size, sizeof all);
  all.method = static_cast<spsolve_method>(defaults.method);
  all.pivoting = static_cast<spsolve_pivoting>(defaults.pivoting);
  all.precision = static_cast<spsolve_precision>(defaults.precision);
  all.device = static_cast<spsolve_device>(defaults.device);
  all.preconditioner = static_cast<spsolve_preconditioner>(defaults.preconditioner);
  all.ranks = static_cast<spsolve_solving_ranks>(defaults.ranks);
  all.ordering = static_cast<spsolve_ordering>(defaults.ordering);
  all.factors = static_cast<spsolve_factor_place>(defaults.factors);
  all.null_space = static_cast<spsolve_null_space>(defaults.null_space);
  all.equilibrate = static_cast<spsolve_switch>(defaults.equilibrate);
  all.accept = static_cast<spsolve_acceptance>(defaults.accept);
  all.refinement = defaults.refinement;
  all.condition = defaults.condition ? 1 : 0;
  all.share_gpus = defaults.share_gpus ? 1 : 0;
  all.tolerance = defaults.tolerance;
  all.time_limit = defaults.time_limit;
  all.iterations = defaults.iterations;
  all.restart = defaults.restart;
  all.block = defaults.block;
  all.right_hand_sides = defaults.right_hand_sides;
  all.systems = defaults.systems;
  std::memcpy(options, &all, all.size);
}
