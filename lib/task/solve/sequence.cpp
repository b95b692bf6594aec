#include "task/solve/sequence.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "distribute/reading/scatter.hpp"
#include "io/dense_source.hpp"
#include "io/file_pattern.hpp"
#include "io/matrix_source.hpp"
#include "matrix/real_form.hpp"
#include "solve/operators/equilibrate.hpp"

namespace spsolve::inline task {

namespace fs = std::filesystem;

std::vector<Step> steps_of(const Config& config, const FoundRightHandSide& found) {
  const bool many_b =
      found.config.kind == RightHandSideKind::file && io::is_pattern(found.config.file);
  const auto right_hand_sides =
      many_b ? io::files_of(found.config.file) : std::vector<io::PatternFile>{};
  const fs::path& pattern = config.matrix.values;
  std::vector<io::PatternFile> matrices;
  if (!pattern.empty()) {
    matrices = io::is_pattern(pattern) ? io::files_of(pattern)
                                       : std::vector<io::PatternFile>{{pattern, ""}};
  }
  if (many_b && matrices.size() > 1 && matrices.size() != right_hand_sides.size()) {
    fail(ExitCode::input,
         "{} are {} right-hand sides, and {} are {} matrices: give as many of both, or one of "
         "either",
         found.config.file.string(), right_hand_sides.size(), pattern.string(), matrices.size());
  }
  const std::size_t count = std::max({right_hand_sides.size(), matrices.size(), std::size_t{1}});
  std::vector<Step> steps;
  for (std::size_t k = 0; k < count; ++k) {
    Step step{found.config, found.source, {}, config.output.solution};
    std::string star;
    if (k < matrices.size()) {
      step.values = matrices[k].file;
      star = matrices[k].star;
    }
    if (many_b) {
      step.b.file = right_hand_sides[k].file;
      step.source = step.b.file.string();
      star = right_hand_sides[k].star;
    }
    step.solution = io::with_star(step.solution, star);
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Step> steps_for_all(Team& team, std::vector<Step> steps) {
  const Index count = broadcast_value(team, static_cast<Index>(steps.size()), 0);
  steps.resize(static_cast<std::size_t>(count));
  for (Step& step : steps) {
    step.b.kind = broadcast_value(team, step.b.kind, 0);
    step.b.seed = broadcast_value(team, step.b.seed, 0);
    step.b.columns = broadcast_value(team, step.b.columns, 0);
    step.b.file = broadcast_text(team, step.b.file.string(), 0);
    step.source = broadcast_text(team, step.source, 0);
    step.values = broadcast_text(team, step.values.string(), 0);
    step.solution = broadcast_text(team, step.solution.string(), 0);
  }
  return steps;
}

namespace {

[[noreturn]] void fail_pattern(const fs::path& file) {
  fail(ExitCode::input,
       "{}: its non-zeros lie elsewhere than those of the matrix that was analysed; values of one "
       "pattern are wanted",
       file.string());
}

void require_pattern(const fs::path& file, const Csr<double>& values, const Csr<double>& matrix) {
  if (values.row_offsets == matrix.row_offsets && values.column_indices == matrix.column_indices) {
    return;
  }
  fail_pattern(file);
}

/// Whether the file has one number for each non-zero, rather than a matrix.
bool is_array_of_values(const fs::path& file) {
  return !means_generator(file.string()) && holds_array(file) && describe_dense(file).columns == 1;
}

[[noreturn]] void fail_kind(const fs::path& file, bool complex) {
  fail(ExitCode::input, "{}: holds {} values, and the matrix is {}", file.string(),
       complex ? "real" : "complex", complex ? "complex" : "real");
}

/// Throws Error(input) where a matrix of that shape cannot have the file's values, by the sizes
/// that its header has.
void require_sizes(const fs::path& file, bool is_array, const MatrixShape& matrix) {
  if (!is_array) {
    const MatrixShape shape = describe_matrix(file.string());
    if (shape.parts != matrix.parts) fail_kind(file, matrix.is_complex());
    if (shape.rows != matrix.rows || shape.columns != matrix.rows) fail_pattern(file);
    return;
  }
  const DenseShape all = describe_dense(file);
  if (all.is_complex != matrix.is_complex()) fail_kind(file, matrix.is_complex());
  const Index nonzeros = matrix.nonzeros / (matrix.parts * matrix.parts);
  if (all.rows == nonzeros) return;
  fail(ExitCode::input, "{}: holds {} x {} values, and the matrix has {} non-zeros", file.string(),
       all.rows, all.columns, nonzeros);
}

/// Own values of a matrix of the same pattern.
std::vector<double> values_of_matrix(const fs::path& file, SystemMatrix& matrix,
                                     const MatrixShape& shape) {
  Team& team = matrix.team();
  Csr<double> whole = together(team, [&] {
    if (team.rank() != 0) return Csr<double>{};
    require_sizes(file, false, shape);
    return load_real_form(file.string()).rows;
  });
  Csr<double> own = scatter_rows(team, matrix.layout(), std::move(whole));
  const Csr<double> ours = matrix.scaled_rows({});
  together(team, [&] { require_pattern(file, own, ours); });
  return std::move(own.values);
}

/// Own part of an array of values; of complex ones both parts of each.
std::vector<double> values_of_array(const fs::path& file, SystemMatrix& matrix,
                                    const MatrixShape& shape) {
  Team& team = matrix.team();
  Dense<double> all;
  together(team, [&] {
    if (team.rank() != 0) return;
    require_sizes(file, true, shape);
    all = load_dense_parts(file);
  });
  const std::vector<Index> sizes = all_gather(team, matrix.local_rows().nonzeros() / shape.parts);
  std::vector<double> own(static_cast<std::size_t>(sizes[team.rank()]));
  if (team.rank() != 0) {
    if (!own.empty()) receive(team, std::span(own), 0);
    return own;
  }
  const double* value = std::as_const(all.values).data();
  std::copy(value, value + sizes[0], own.data());
  value += sizes[0];
  for (int rank = 1; rank < team.size(); ++rank) {
    const auto size = static_cast<std::size_t>(sizes[rank]);
    if (size > 0) send(team, std::span<const double>(value, size), rank);
    value += size;
  }
  return own;
}

/// The shape of a square matrix, or of a real form.
MatrixShape shape_of(Index rows, Index nonzeros, Index parts) {
  return {.rows = rows, .columns = rows, .nonzeros = nonzeros, .parts = parts};
}

}  // namespace

void check_values(const fs::path& file, const LoadedMatrix& matrix) {
  const bool is_array = is_array_of_values(file);
  require_sizes(file, is_array, shape_of(matrix.rows.rows, matrix.rows.nonzeros(), matrix.parts));
  if (!is_array) require_pattern(file, load_real_form(file.string()).rows, matrix.rows);
}

std::vector<double> values_of(const fs::path& file, SystemMatrix& matrix, const SystemForm& form) {
  Team& team = matrix.team();
  const MatrixShape shape = shape_of(matrix.order(), matrix.nonzeros(), form.parts);
  bool is_array = together(team, [&] { return team.rank() == 0 && is_array_of_values(file); });
  is_array = broadcast_value(team, is_array, 0);
  std::vector<double> values =
      is_array ? values_of_array(file, matrix, shape) : values_of_matrix(file, matrix, shape);
  if (!shape.is_complex()) return values;
  return together(team, [&] {
    const std::vector<Index>& offsets = matrix.local_rows().row_offsets;
    if (is_array) values = real_form_values(offsets, values);
    if (form.conjugates) conjugate_rows(offsets, values);
    return std::move(values);
  });
}

}  // namespace spsolve::task
