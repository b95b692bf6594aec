#include "task/check/check.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "io/dense_source.hpp"
#include "io/file_pattern.hpp"
#include "io/files/atomic_file.hpp"
#include "io/matrix_source.hpp"
#include "io/order_file.hpp"
#include "krylov/null_space.hpp"
#include "sparse/analysis/analysis_file.hpp"
#include "system/coordinates.hpp"
#include "system/first_guess.hpp"
#include "task/begin.hpp"
#include "task/input/right_hand_side.hpp"
#include "task/multivector.hpp"
#include "task/solve/sequence.hpp"
#include "task/solve/system_known.hpp"
#include "team/team.hpp"

namespace spsolve::inline task {

namespace {

namespace fs = std::filesystem;

/// Files one after another, and their faults.
class Checks {
 public:
  /// Looks at something that takes no time; whether nothing is wrong with it.
  bool look(const std::function<void()>& look) {
    try {
      look();
      return true;
    } catch (...) {
      failures_.push_back(current_failure());
      return false;
    }
  }

  using Read = std::function<CheckedEntries(const Deadline&)>;

  /// Will read a file's entries.
  void add(std::string what, const std::string& file, Read read) {
    reads_.push_back({{std::move(what), file, {}}, std::move(read)});
  }
  void add_dense(std::string what, const fs::path& file) {
    add(std::move(what), file.string(),
        [file](const Deadline& deadline) { return check_dense_file(file, deadline); });
  }
  void add_matrix(std::string what, const std::string& file) {
    add(std::move(what), file,
        [file](const Deadline& deadline) { return check_matrix_file(file, deadline); });
  }

  /// Reads them all, and throws their faults.
  std::vector<CheckedFile> finish(const Deadline& deadline) {
    std::vector<CheckedFile> files;
    for (std::size_t k = 0; k < reads_.size(); ++k) {
      const Deadline share(deadline.seconds_left() / static_cast<double>(reads_.size() - k));
      look([&] {
        reads_[k].file.entries = reads_[k].read(share);
        files.push_back(reads_[k].file);
      });
    }
    if (failures_.empty()) return files;
    std::vector<std::string_view> sentences;
    for (const Failure& failure : failures_) sentences.push_back(failure.message);
    const bool is_input = std::ranges::any_of(
        failures_, [](const Failure& failure) { return failure.code == ExitCode::input; });
    fail(is_input ? ExitCode::input : failures_.front().code, "{}", fmt::join(sentences, "\n"));
  }

 private:
  struct FileRead {
    CheckedFile file;
    Read read;
  };
  std::vector<Failure> failures_;
  std::vector<FileRead> reads_;
};

std::vector<fs::path> files_named(const fs::path& file) {
  if (!io::is_pattern(file)) return {file};
  std::vector<fs::path> files;
  for (const io::PatternFile& each : io::files_of(file)) files.push_back(each.file);
  return files;
}

/// Files of values; they are compared with the matrix where both could be read in the time.
void add_values(const Config& config, Checks& checks) {
  for (const fs::path& file : files_named(config.matrix.values)) {
    checks.add("values", file.string(), [file, &config](const Deadline& deadline) {
      const std::string matrix = config.matrix.name();
      const CheckedEntries check = holds_array(file) ? check_dense_file(file, deadline)
                                                     : check_matrix_file(file.string(), deadline);
      const bool both = check.is_whole() && !deadline.is_over() &&
                        (means_generator(matrix) || check_matrix_file(matrix, deadline).is_whole());
      if (both) check_values(file, load_real_form(matrix));
      return check;
    });
  }
}

void add_solve(const Config& config, const std::optional<MatrixShape>& matrix, Checks& checks) {
  const Config::Solve& solve = config.solve;
  FoundRightHandSide found;
  DenseShape b;
  const bool has_b = checks.look([&] {
    found = find_right_hand_side(config, matrix ? matrix->order() : 0);
    b = columns_of_b(found.config, matrix);
    steps_of(config, found);
    refuse_for_complex(config, matrix && matrix->is_complex(), b.is_complex);
    b.is_complex = b.is_complex || (matrix && matrix->is_complex());
    check_result_columns(config.output.solution, b);
  });
  if (has_b && found.config.kind == RightHandSideKind::file) {
    for (const fs::path& file : files_named(found.config.file)) {
      checks.add_dense("right-hand side", file);
    }
  }
  if (!solve.analysis_file.empty() && fs::exists(solve.analysis_file)) {
    checks.look([&] { load_analysis(solve.analysis_file); });
  } else {
    // A run that cannot write it does without.
    checks.look([&] { io::require_folder_of(solve.analysis_file); });
  }
  if (!matrix) return;
  const Index rows = matrix->order();
  if (solve.ordering == Ordering::file) {
    checks.add("ordering", solve.ordering_file, [&solve, rows](const Deadline& deadline) {
      const auto order = read_order(solve.ordering_file, rows, deadline);
      return CheckedEntries{static_cast<Index>(order.size()), rows};
    });
  }
  if (has_b && !solve.initial_guess.empty() &&
      checks.look([&] { check_first_guess(solve.initial_guess, rows, b.columns); })) {
    checks.add_dense("first guess", solve.initial_guess);
  }
  if (!solve.coordinates.empty() &&
      checks.look([&] { find_coordinates(solve.coordinates, "", rows); })) {
    checks.add_dense("coordinates", solve.coordinates);
  }
  if (checks.look([&] { null_vectors(solve, rows); }) && solve.null_space == NullSpaceKind::file) {
    checks.add_dense("null space", solve.null_space_file);
  }
  if (!config.matrix.values.empty()) checks.look([&] { add_values(config, checks); });
}

void add_multiply(const Config& config, const std::optional<MatrixShape>& matrix, Checks& checks) {
  const bool good = checks.look([&] {
    check_result_columns(config.output.product, {0, columns_of_x(config.multiply, matrix),
                                                 matrix && matrix->is_complex()});
  });
  if (good && config.multiply.x.kind == MultivectorKind::file) {
    checks.add_dense("X", config.multiply.x.file);
  }
}

}  // namespace

std::vector<CheckedFile> check_files(const Config& config, const Deadline& deadline) {
  Checks checks;
  const bool solves = config.task == Task::solve;
  const std::string name = config.matrix.name();
  MatrixShape shape;
  const bool known =
      checks.look([&] { shape = solves ? square_shape(config) : describe_matrix(name); });
  if (known && !means_generator(name)) checks.add_matrix("matrix", name);
  if (solves) {
    add_solve(config, known ? std::optional(shape) : std::nullopt, checks);
  } else {
    add_multiply(config, known ? std::optional(shape) : std::nullopt, checks);
  }
  for (const auto& file : result_files(config)) {
    checks.look([&] { io::require_folder_of(file); });
  }
  return checks.finish(deadline);
}

std::string to_text(const std::vector<CheckedFile>& files) {
  std::string text;
  for (const CheckedFile& file : files) {
    const auto& [seen, all] = file.entries;
    text += fmt::format("  {:<17}  {}: ", file.what, file.file);
    if (file.entries.is_whole()) {
      text += fmt::format("checked all {} entries\n", all);
    } else {
      text += fmt::format(
          "checked the first {} of {} entries in the time that there was; --check-seconds gives "
          "more\n",
          seen, all);
    }
  }
  return text;
}

}  // namespace spsolve::task
