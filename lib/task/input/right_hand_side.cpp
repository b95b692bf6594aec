#include "task/input/right_hand_side.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "distribute/row_exchange.hpp"
#include "io/dense_source.hpp"
#include "io/file_pattern.hpp"
#include "io/files/special_file.hpp"
#include "matrix/multivector.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline task {

namespace fs = std::filesystem;

namespace {

Dense<double> row_sums(const Csr<double>& rows, Index columns) {
  Dense<double> b(rows.rows, columns);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows.rows; ++i) {
    double sum = 0;
    for (const double value : rows.row_values(i)) sum += value;
    for (Index c = 0; c < columns; ++c) b(i, c) = sum;
  }
  return b;
}

/// Why a file whose name tells nothing of the matrix is not its right-hand side, or "".
std::string why_not_taken(const fs::path& file, Index rows) {
  if (!file.filename().string().starts_with("b.")) return "";
  try {
    const DenseShape b = describe_columns(file, rows);
    if (b.rows != rows) return fmt::format("it has not {} rows", rows);
    if (b.columns == rows && rows > 1) return "it is as large as the matrix";
  } catch (const Error&) {
    return "it cannot be read as one";
  }
  return "";
}

/// The names that a right-hand side may have next to the matrix, the nearest first.
std::vector<fs::path> files_beside(const Config& config) {
  const fs::path& matrix = config.matrix.file;
  if (matrix.empty() || io::is_written_through(matrix)) return {};
  std::string name = matrix.filename().string();
  for (const std::string_view ending : {".gz", ".mtx", ".npz", ".petsc"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  std::vector<fs::path> files;
  for (const std::string& stem : {name + "_b", std::string("b")}) {
    for (const std::string_view ending : {".mtx", ".mtx.gz", ".npy"}) {
      files.push_back(matrix.parent_path() / (stem + std::string(ending)));
    }
  }
  std::erase(files, matrix);
  return files;
}

/// The rows of b as rotate_rows() moves those of a matrix: row i becomes row (i - by) mod n.
/// Collective.
void rotate(Vectors& b, Index by) {
  const Index n = b.rows();
  std::vector<Index> moved;
  for (Index i = b.own().first; i < b.own().last; ++i) moved.push_back((i % n - by % n + n) % n);
  const RowExchange exchange(b.team(), b.layout(), moved);
  set_own_rows(b, exchange.to_list(own_rows(b)));
}

std::unique_ptr<Vectors> as_named(const Config::RightHandSide& config, SystemMatrix& matrix) {
  if (config.kind == RightHandSideKind::file) {
    return read_vectors(matrix.team(), matrix.layout(), matrix.memory(), config.file);
  }
  std::unique_ptr<Vectors> b = matrix.vectors(config.columns);
  together(matrix.team(), [&] {
    switch (config.kind) {
      case RightHandSideKind::row_sums:
        return set_own_rows(*b, row_sums(matrix.local_rows(), config.columns));
      case RightHandSideKind::random:
        return set_own_rows(
            *b, random_multivector(b->height(), config.columns, config.seed, b->own().first));
      default:
        return b->fill(1);
    }
  });
  return b;
}

}  // namespace

FoundRightHandSide find_right_hand_side(const Config& config, Index rows) {
  FoundRightHandSide found{config.right_hand_side, "", ""};
  Config::RightHandSide& b = found.config;
  if (b.kind == RightHandSideKind::automatic) {
    b.kind = RightHandSideKind::row_sums;
    for (const fs::path& file : files_beside(config)) {
      std::error_code ignored;
      if (!fs::is_regular_file(file, ignored)) continue;
      if (const std::string why = why_not_taken(file, rows); !why.empty()) {
        found.note = fmt::format("{} was not taken as the right-hand side: {}", file.string(), why);
        continue;
      }
      b.kind = RightHandSideKind::file;
      b.file = file;
      found.source = fmt::format("{}, found next to the matrix", file.string());
      if (file.filename().string().starts_with("b.")) {
        found.note = fmt::format(
            "{} was taken as the right-hand side, as it stands next to the matrix and has as many "
            "rows; name another one, or right_hand_side=row_sums",
            file.string());
      }
      return found;
    }
  }
  switch (b.kind) {
    case RightHandSideKind::file:
      found.source = b.file == "-" ? "the standard input" : b.file.string();
      if (io::is_pattern(b.file)) {
        found.source = fmt::format("{} files {}", io::files_of(b.file).size(), b.file.string());
      }
      break;
    case RightHandSideKind::random:
      found.source = fmt::format("random numbers, seed {}", b.seed);
      break;
    case RightHandSideKind::ones:
      found.source = "ones";
      break;
    default:
      found.source = "row sums of A, whose solution is all ones";
  }
  return found;
}

std::unique_ptr<Vectors> right_hand_side(const Config::RightHandSide& config, SystemMatrix& matrix,
                                         Index rotated_by) {
  std::unique_ptr<Vectors> b = as_named(config, matrix);
  if (rotated_by != 0 && rotates_with_rows(config)) rotate(*b, rotated_by);
  return b;
}

bool rotates_with_rows(const Config::RightHandSide& config) {
  return config.kind != RightHandSideKind::row_sums && config.kind != RightHandSideKind::ones;
}

Index columns_of_b(const Config::RightHandSide& config, std::optional<Index> rows) {
  if (config.kind != RightHandSideKind::file) return config.columns;
  Index most = 0;
  const auto look = [&](const fs::path& file) {
    const DenseShape b = rows ? describe_columns(file, *rows) : describe_dense(file);
    if (rows) require_shape(file, b, *rows);
    most = std::max(most, b.columns);
  };
  if (!io::is_pattern(config.file)) {
    look(config.file);
  } else {
    for (const io::PatternFile& file : io::files_of(config.file)) look(file.file);
  }
  return most;
}

bool solution_is_ones(const Config::RightHandSide& config) {
  return config.kind == RightHandSideKind::row_sums;
}

double distance_from_ones(const Vectors& x) {
  double sum = 0;
  for (const double value : own_rows(x).values) sum += (value - 1) * (value - 1);
  return all_sum(x.team(), sum);
}

}  // namespace spsolve::task
