#include "task/input/right_hand_side.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "distribute/layout/row_layout.hpp"
#include "distribute/row_exchange.hpp"
#include "io/dense_source.hpp"
#include "io/file_pattern.hpp"
#include "io/files/special_file.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline task {

namespace fs = std::filesystem;

namespace {

/// A 1: the sums of rows, of a real form over the columns of real parts.
Dense<double> row_sums(const SystemMatrix& matrix, Index parts, Index columns) {
  const Csr<double>& rows = matrix.local_rows();
  Dense<double> b(rows.rows, columns);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows.rows; ++i) {
    double sum = 0;
    if (parts == 1) {
      for (const double value : rows.row_values(i)) sum += value;
    } else {
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        if (matrix.global_column(rows.column_indices[k]) % parts == 0) sum += rows.values[k];
      }
    }
    for (Index c = 0; c < columns; ++c) b(i, c) = sum;
  }
  return b;
}

/// Ones, of real forms 1 + 0i.
Dense<double> ones(Index rows, Index parts, Index columns) {
  Dense<double> b(rows, columns);
  for (Index i = 0; i < rows; i += parts) std::fill_n(b.row(i), columns, 1.0);
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

/// Complex columns for a real matrix.
std::unique_ptr<Vectors> read_in_pairs(const fs::path& file, const SystemMatrix& matrix) {
  Team& team = matrix.team();
  const auto parts = read_vectors(team, layout_of_rows(matrix.layout(), complex_parts),
                                  host_vector_memory(), file, {.parts = complex_parts});
  std::unique_ptr<Vectors> b = matrix.vectors(complex_parts * parts->columns());
  together(team, [&] { set_own_rows(*b, in_pairs(own_rows(*parts))); });
  return b;
}

std::unique_ptr<Vectors> as_named(const Config::RightHandSide& config, SystemMatrix& matrix,
                                  const SystemForm& form) {
  if (config.kind == RightHandSideKind::file) {
    if (form.in_pairs) return read_in_pairs(config.file, matrix);
    return read_vectors(matrix.team(), matrix.layout(), matrix.memory(), config.file,
                        {.parts = form.parts});
  }
  std::unique_ptr<Vectors> b = matrix.vectors(config.columns);
  together(matrix.team(), [&] {
    switch (config.kind) {
      case RightHandSideKind::row_sums:
        return set_own_rows(*b, row_sums(matrix, form.parts, config.columns));
      case RightHandSideKind::random:
        return set_own_rows(
            *b, random_multivector(b->height(), config.columns, config.seed, b->own().first));
      default:
        return set_own_rows(*b, ones(b->height(), form.parts, config.columns));
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
                                         const SystemForm& form, Index rotated_by) {
  std::unique_ptr<Vectors> b = as_named(config, matrix, form);
  if (rotated_by != 0 && rotates_with_rows(config)) rotate(*b, form.parts * rotated_by);
  // Sums of rows have their signs.
  if (form.conjugates && config.kind != RightHandSideKind::row_sums) {
    together(matrix.team(), [&] {
      Dense<double> own = own_rows(*b);
      conjugate_rows(own);
      set_own_rows(*b, own);
    });
  }
  return b;
}

SystemForm form_of(const Config::RightHandSide& config, SystemForm form, Team& team) {
  if (form.parts > 1 || config.kind != RightHandSideKind::file) return form;
  form.in_pairs =
      together(team, [&] { return team.rank() == 0 && describe_dense(config.file).is_complex; });
  form.in_pairs = broadcast_value(team, form.in_pairs, 0);
  return form;
}

void write_solution(const fs::path& file, const Vectors& x, const SystemForm& form,
                    std::string_view comment) {
  if (!form.in_pairs) return write_vectors(file, x, comment, {.parts = form.parts});
  const RowLayout layout = layout_of_rows(x.layout(), complex_parts);
  const std::unique_ptr<Vectors> parts = together(x.team(), [&] {
    auto made = host_vector_memory().vectors(x.team(), layout, x.columns() / complex_parts);
    set_own_rows(*made, stacked(own_rows(x)));
    return made;
  });
  write_vectors(file, *parts, comment, {.parts = complex_parts});
}

bool rotates_with_rows(const Config::RightHandSide& config) {
  return config.kind != RightHandSideKind::row_sums && config.kind != RightHandSideKind::ones;
}

DenseShape columns_of_b(const Config::RightHandSide& config,
                        const std::optional<MatrixShape>& matrix) {
  DenseShape most{0, config.columns, false};
  if (config.kind != RightHandSideKind::file) return most;
  most.columns = 0;
  const auto look = [&](const fs::path& file) {
    const DenseShape b = matrix ? describe_columns(file, matrix->order()) : describe_dense(file);
    if (matrix) require_shape(file, b, matrix->order());
    most.columns = std::max(most.columns, b.columns);
    most.is_complex = most.is_complex || b.is_complex;
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

double distance_from_ones(const Vectors& x, Index parts) {
  const Dense<double> own = own_rows(x);
  double sum = 0;
  for (Index i = 0; i < own.rows; ++i) {
    const double known = i % parts == 0 ? 1 : 0;
    for (Index c = 0; c < own.columns; ++c) sum += (own(i, c) - known) * (own(i, c) - known);
  }
  return all_sum(x.team(), sum);
}

}  // namespace spsolve::task
