#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "api/c_objects.hpp"
#include "core/error.hpp"

namespace spsolve {

namespace {

static_assert(static_cast<int>(Method::lu) == SPSOLVE_METHOD_LU &&
                  static_cast<int>(Method::sparse_lu) == SPSOLVE_METHOD_SPARSE_LU &&
                  static_cast<int>(Method::cocr) == SPSOLVE_METHOD_COCR &&
                  static_cast<int>(Preconditioner::shifted_laplacian) ==
                      SPSOLVE_PRECONDITIONER_SHIFTED_LAPLACIAN &&
                  static_cast<int>(Pivoting::tournament) == SPSOLVE_PIVOTING_TOURNAMENT &&
                  static_cast<int>(Precision::float64) == SPSOLVE_DOUBLE &&
                  static_cast<int>(Precision::mixed) == SPSOLVE_MIXED &&
                  static_cast<int>(Device::cuda) == SPSOLVE_DEVICE_CUDA &&
                  static_cast<int>(Ordering::rcm) == SPSOLVE_ORDERING_RCM &&
                  static_cast<int>(Ordering::file) == SPSOLVE_ORDERING_FILE &&
                  static_cast<int>(NullSpaceKind::file) == SPSOLVE_NULL_SPACE_VECTORS &&
                  static_cast<int>(AutoSwitch::off) == SPSOLVE_SWITCH_OFF &&
                  static_cast<int>(FactorPlace::disk) == SPSOLVE_FACTORS_DISK &&
                  static_cast<int>(Acceptance::residual) == SPSOLVE_ACCEPT_RESIDUAL &&
                  static_cast<int>(SolvingRanks::all) == SPSOLVE_RANKS_ALL,
              "words have the same numbers on both sides");

/// The structure as its first version was: none is shorter.
constexpr std::size_t least_size = offsetof(spsolve_options, accept) + sizeof(spsolve_acceptance);

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

/// visit(c's, C++'s, the last word there is, the option's name) for every option that is a word.
template <typename Visit>
void visit_words(spsolve_options& c, Options& mine, const Visit& visit) {
  visit(c.method, mine.method, Method::cocr, "method");
  visit(c.pivoting, mine.pivoting, Pivoting::tournament, "pivoting");
  visit(c.precision, mine.precision, Precision::mixed, "precision");
  visit(c.device, mine.device, Device::cuda, "device");
  visit(c.preconditioner, mine.preconditioner, Preconditioner::shifted_laplacian, "preconditioner");
  visit(c.ranks, mine.ranks, SolvingRanks::all, "ranks");
  visit(c.ordering, mine.ordering, Ordering::file, "ordering");
  visit(c.factors, mine.factors, FactorPlace::disk, "factors");
  visit(c.null_space, mine.null_space, NullSpaceKind::file, "null_space");
  visit(c.equilibrate, mine.equilibrate, AutoSwitch::off, "equilibrate");
  visit(c.accept, mine.accept, Acceptance::residual, "accept");
  visit(c.matching, mine.matching, AutoSwitch::off, "matching");
}

/// visit(c's, C++'s) for every option that is a number, or whether something is so.
template <typename Visit>
void visit_numbers(spsolve_options& c, Options& mine, const Visit& visit) {
  visit(c.refinement, mine.refinement);
  visit(c.condition, mine.condition);
  visit(c.share_gpus, mine.share_gpus);
  visit(c.tolerance, mine.tolerance);
  visit(c.time_limit, mine.time_limit);
  visit(c.iterations, mine.iterations);
  visit(c.restart, mine.restart);
  visit(c.block, mine.block);
  visit(c.right_hand_sides, mine.right_hand_sides);
  visit(c.systems, mine.systems);
}

/// The defaults, in a structure of this version.
spsolve_options default_options() {
  Options defaults;
  spsolve_options c{};
  c.size = sizeof c;
  visit_words(c, defaults, [](auto& number, auto word, auto, const char*) {
    number = static_cast<std::remove_reference_t<decltype(number)>>(word);
  });
  visit_numbers(c, defaults, [](auto& to, const auto& from) {
    to = static_cast<std::remove_reference_t<decltype(to)>>(from);
  });
  return c;
}

}  // namespace

Options options_from_c(const spsolve_options* given, Index rows) {
  Options mine;
  if (given == nullptr) return mine;
  spsolve_options c = of_this_version(*given, least_size, default_options(), "options");
  visit_words(c, mine, [](auto number, auto& word, auto last, const char* option) {
    word = word_of(number, last, option);
  });
  visit_numbers(c, mine, [](const auto& from, auto& to) {
    to = static_cast<std::remove_reference_t<decltype(to)>>(from);
  });
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
  if (c.order != nullptr) {
    mine.order =
        std::make_shared<const std::vector<Index>>(c.order, c.order + std::max<Index>(rows, 0));
  }
  if (c.on_step != nullptr) {
    mine.on_step = [call = c.on_step, data = c.on_step_data](const SolverStep& step) {
      const spsolve_step told{step.task.c_str(), step.step,    step.steps,
                              step.fraction,     step.seconds, step.backward_error};
      try {
        return call(&told, data) == 0;
      } catch (...) {
        return false;  // of a function in C++, whose exception no caller in C could take
      }
    };
  }
  return mine;
}

}  // namespace spsolve

void spsolve_options_init_sized(spsolve_options* options, std::size_t size) {
  spsolve::write_defaults(options, size, spsolve::default_options());
}
