#include "task/solve/system_known.hpp"

#include <algorithm>
#include <limits>

#include "core/tuning.hpp"
#include "distribute/layout/row_layout.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "io/file_pattern.hpp"
#include "io/matrix_source.hpp"
#include "krylov/null_space.hpp"
#include "matrix/real_form.hpp"
#include "process/system.hpp"
#include "system/coordinates.hpp"
#include "system/first_guess.hpp"
#include "task/begin.hpp"

namespace spsolve::inline task {

MatrixShape square_shape(const Config& config) {
  MatrixShape shape = describe_matrix(config.matrix.name());
  if (shape.rows != shape.columns) {
    fail(
        ExitCode::input,
        "{}: the matrix is {} x {}; task: solve needs a square one (least squares: A^T A x = A^T b "
        "is square), task: multiply takes this one",
        config.matrix.name(), shape.order(), shape.columns / shape.parts);
  }
  constexpr Index most_rows = Index{1} << 29;  // the bytes of all elements stay below 2^63
  if (shape.rows > most_rows) {
    fail(ExitCode::resources, "{}: the matrix has {} rows, and task: solve handles at most {}",
         config.matrix.name(), shape.order(), most_rows / shape.parts);
  }
  return shape;
}

namespace {

/// Whether every rank reads its rows, or makes them: unasked where that is sure to do. A picture of
/// the pattern is of the whole matrix.
bool reads_together(const Config& config, const MatrixShape& shape, int ranks) {
  if (config.matrix.reader != ReaderChoice::automatic) {
    return config.matrix.reader == ReaderChoice::parallel;
  }
  return ranks > 1 && !may_be_sparse(config, shape) && config.output.html.empty() &&
         means_generator(config.matrix.name());
}

}  // namespace

void refuse_for_complex(const Config& config, bool complex_a, bool complex_b) {
  std::string_view key = complex_a ? real_only_key(config.solve) : "";
  if (!complex_a && complex_b && !config.solve.initial_guess.empty()) key = "solve.initial_guess";
  if (key.empty()) return;
  fail(ExitCode::input,
       "{}: {} is for real systems, and this one is complex; leave it out, or solve the real form "
       "that spmtx convert --real-form writes",
       config.matrix.name(), key);
}

SystemShape shape_for_all(const Config& config, Team& team) {
  SystemShape shape{};
  together(team, [&] {
    if (team.rank() != 0) return;
    shape.matrix = square_shape(config);
    const Index rows = shape.matrix.rows;
    const DenseShape b =
        columns_of_b(find_right_hand_side(config, shape.matrix.order()).config, shape.matrix);
    const bool is_complex = shape.matrix.is_complex() || b.is_complex;
    refuse_for_complex(config, shape.matrix.is_complex(), b.is_complex);
    shape.right_hand_sides =
        is_complex && !shape.matrix.is_complex() ? complex_parts * b.columns : b.columns;
    check_result_columns(config.output.solution, {rows, b.columns, is_complex});
    find_coordinates(config.solve.coordinates, "", rows);
    check_first_guess(config.solve.initial_guess, shape.matrix.order(), b.columns);
    shape.null_vectors = null_vectors(config.solve, rows);
    shape.is_solved_once = shape.right_hand_sides == 1 && config.matrix.values.empty();
    if (io::is_pattern(config.matrix.values)) {
      shape.systems = std::ssize(io::files_of(config.matrix.values));
    }
    shape.rotates_matrix = config.matrix.rotate_rows != 0;
    shape.rotates_right_hand_sides =
        shape.rotates_matrix && rotates_with_rows(config.right_hand_side);
    if (reads_together(config, shape.matrix, team.size())) {
      const std::string name = config.matrix.name();
      shape.reads_together = {BandedReading{}.piece_bytes,
                              !means_generator(name) && is_sparse_binary(name)};
    }
  });
  return broadcast_value(team, shape, 0);
}

int take_threads(const Config& config, Team& team, SystemShape& shape) {
  const MatrixShape& matrix = shape.matrix;
  const bool is_dense = !may_be_sparse(config, matrix) && !is_krylov(config.solve.method);
  const Index worthwhile = is_dense ? matrix.rows / host_tuning.dense_rows_of_thread
                                    : matrix.nonzeros / host_tuning.nonzeros_of_thread;
  constexpr Index least = 2, most = std::numeric_limits<int>::max();
  const int threads = take_threads(
      config, team, static_cast<int>(std::clamp(worthwhile / team.size(), least, most)));
  shape.threads = broadcast_value(team, threads, 0);
  return threads;
}

FoundRightHandSide right_hand_side_for_all(const Config& config, Index rows, Team& team) {
  FoundRightHandSide found = together(team, [&] {
    return team.rank() == 0 ? find_right_hand_side(config, rows)
                            : FoundRightHandSide{config.right_hand_side, "", ""};
  });
  found.config.kind = broadcast_value(team, found.config.kind, 0);
  found.config.file = broadcast_text(team, found.config.file.string(), 0);
  found.source = broadcast_text(team, found.source, 0);
  found.note = broadcast_text(team, found.note, 0);
  return found;
}

MemoryCheck check_reading(const Config& config, const SystemShape& shape, Team& team,
                          MemoryPlan& mine) {
  const PlanFor plans = [&](int rank, int ranks) {
    MemoryPlan plan;
    const RowLayout bands{shape.matrix.rows, ranks};
    plan_reading(plan, shape.matrix, rank, ranks, bands.height(rank));
    plan_pattern_analysis(plan, shape.matrix, rank);
    plan.resident = resident_memory();
    return plan;
  };
  mine = plans(team.rank(), team.size());
  std::vector<Remedy> remedies;
  if (team.size() > 1) remedies.push_back(iterated_in_bands(config, shape, resident_memory()));
  return check_memory(team, mine, plans, remedies);
}

PatternAnalysis analyse_pattern_instead(const Config& config, const SystemShape& shape,
                                        Team& team) {
  MemoryPlan untold;
  if (!check_reading(config, shape, team, untold).fits) return {};
  const Csr<double> whole =
      together(team, [&] { return team.rank() == 0 ? load_rotated(config).rows : Csr<double>{}; });
  return analyse_for_remedies(config, team, whole);
}

}  // namespace spsolve::task
