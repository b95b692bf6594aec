#include "apps/bench/sparse/sparse_systems.hpp"

#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/matrix_source.hpp"
#include "matrix/real_form.hpp"
#include "matrix/symmetry.hpp"
#include "plan/reading_room.hpp"
#include "sparse/dissection/graph.hpp"

namespace spsolve::bench {

namespace {

/// The names that one stands for: see systems_in_turn().
void expand(const std::string& word, std::vector<std::string>& names) {
  const std::size_t dots = word.find("..");
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t first = dots, last = dots == std::string::npos ? dots : dots + 2;
  while (first != std::string::npos && first > 0 && is_digit(word[first - 1])) --first;
  while (last < word.size() && is_digit(word[last])) ++last;
  constexpr std::size_t most_digits = 6;
  const bool stands = dots != std::string::npos && first < dots && last > dots + 2 &&
                      dots - first <= most_digits && last - dots - 2 <= most_digits;
  if (!stands) {
    names.push_back(word);
    return;
  }
  const int from = std::stoi(word.substr(first, dots - first));
  const int to = std::stoi(word.substr(dots + 2, last - dots - 2));
  for (int number = from; number <= to; ++number) {
    names.push_back(fmt::format("{}{}{}", word.substr(0, first), number, word.substr(last)));
  }
}

constexpr std::string_view laplacian = "laplacian:";

/// The name of a file or generator after "laplacian:".
std::string source_of(const std::string& name) {
  return name.starts_with(laplacian) ? name.substr(laplacian.size()) : name;
}

Csr<double> laplacian_of(const Csr<double>& matrix) {
  const Graph graph = graph_of(matrix.row_offsets, matrix.column_indices);
  Csr<double> made;
  made.rows = made.columns = matrix.rows;
  for (LocalIndex i = 0; i < graph.size(); ++i) {
    const auto edges = graph.of(i);
    const auto above = std::ranges::lower_bound(edges, i);
    auto& columns = made.column_indices;
    columns.insert(columns.end(), edges.begin(), above);
    made.values.resize(columns.size(), -1.0);
    columns.push_back(i);
    made.values.push_back(1 + static_cast<double>(edges.size()));
    columns.insert(columns.end(), above, edges.end());
    made.values.resize(columns.size(), -1.0);
    made.row_offsets.push_back(static_cast<Index>(columns.size()));
  }
  return made;
}

}  // namespace

SystemsInTurn systems_in_turn(const std::vector<std::string>& words) {
  constexpr int most = 100000;
  SystemsInTurn systems;
  const bool is_number = words.size() == 1 && !words[0].empty() &&
                         words[0].find_first_not_of("0123456789") == std::string::npos;
  if (is_number) {
    systems.count = words[0].size() < 7 ? std::stoi(words[0]) : most + 1;
  } else {
    for (const std::string& word : words) expand(word, systems.names);
    systems.count = static_cast<int>(systems.names.size());
    if (!words.empty() && systems.count == 0) {
      fail(ExitCode::input, "--systems {}: there is no number from the first to the last",
           words[0]);
    }
  }
  if (systems.count > most) fail(ExitCode::input, "--systems: {} at most", most);
  return systems;
}

MatrixShape describe_sparse_system(const std::string& name) {
  const MatrixShape shape = describe_matrix(source_of(name));
  if (shape.rows != shape.columns) {
    fail(ExitCode::input, "'{}' is {} x {}: only square matrices are eliminated", name,
         shape.rows / shape.parts, shape.columns / shape.parts);
  }
  return shape;
}

SparseSystem load_sparse_system(const std::string& name) {
  SparseSystem system;
  system.name = name;
  describe_sparse_system(name);
  // Memory for the analysis of its pattern, its transpose, and b, x and residuals.
  require_room_to_read(source_of(name), {150, 60});
  LoadedMatrix loaded = load_real_form(source_of(name));
  Csr<double>& matrix = loaded.rows;
  if (name.starts_with(laplacian)) {
    matrix = laplacian_of(loaded.parts > 1 ? parts_of(matrix).s : matrix);
    loaded.parts = 1;
  }
  system.parts = loaded.parts;
  system.order = matrix.rows / system.parts;
  if (system.is_complex()) {
    const ComplexSymmetry symmetry = complex_symmetry_of(matrix);
    system.symmetric = symmetry.symmetric;
    system.conjugates = symmetry.wants_conjugate_rows();
  }
  const SymmetryFacts facts = symmetry_of(matrix);
  system.hermitian = facts.symmetric;
  system.symmetric_pattern = facts.symmetric_pattern;
  system.maybe_definite = facts.symmetric && facts.positive_diagonal;
  if (!system.is_complex()) system.symmetric = facts.symmetric;
  if (system.conjugates) conjugate_rows(matrix);
  system.matrix = std::move(matrix);
  return system;
}

}  // namespace spsolve::bench
