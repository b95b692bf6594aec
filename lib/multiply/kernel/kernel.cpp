#include "multiply/kernel/kernel.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/names/did_you_mean.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"
#include "multiply/kernel/row_types.hpp"

namespace spsolve::inline multiply {

namespace {

/// Notes how the mirrors compare, and of a square matrix that is not symmetric which differ most.
template <typename T>
void note_mirrors(const Csr<T>& matrix, Mirrors mirrors, MatrixFacts& facts) {
  facts.mirrors = mirrors;
  if (mirrors == Mirrors::differ && matrix.rows == matrix.columns) {
    facts.furthest = furthest_from_symmetric(matrix);
  }
}

}  // namespace

MatrixFacts facts_of(const Csr<double>& matrix) {
  const Structure structure = analyse(matrix);
  MatrixFacts facts{.rows = matrix.rows,
                    .columns = matrix.columns,
                    .nonzeros = matrix.nonzeros(),
                    .longest_row = structure.longest_row,
                    .row_types = count_row_types(matrix),
                    .real_form = real_form_kind(matrix) != RealFormKind::none,
                    .furthest = {}};
  note_mirrors(matrix, structure.symmetry.mirrors(), facts);
  return facts;
}

template <typename T>
MatrixFacts facts_for(const Kernel& kernel, const Csr<T>& matrix, Index columns) {
  MatrixFacts facts{.rows = matrix.rows,
                    .columns = matrix.columns,
                    .nonzeros = matrix.nonzeros(),
                    .furthest = {}};
  for (Index i = 0; i < matrix.rows; ++i) {
    facts.longest_row =
        std::max(facts.longest_row, matrix.row_offsets[i + 1] - matrix.row_offsets[i]);
  }
  const auto refused = [&] { return !kernel.refuse(facts, columns, sizeof(T)).empty(); };
  if (refused()) facts.real_form = real_form_kind(matrix) != RealFormKind::none;
  if (refused()) facts.row_types = count_row_types(matrix);
  if (refused()) note_mirrors(matrix, symmetry_of(matrix).mirrors(), facts);
  return facts;
}

SPSOLVE_INSTANTIATE_FUNCTION(facts_for)

namespace {
std::span<const Kernel> gpu_table;
}

void offer_gpu_kernels(std::span<const Kernel> table) {
  gpu_table = table;
}

std::span<const Kernel> offered_gpu_kernels() {
  return gpu_table;
}

const Kernel& find_kernel(std::span<const Kernel> table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Kernel& row) { return row.name == name; });
  if (found != table.end()) return *found;
  std::vector<std::string_view> names;
  for (const Kernel& row : table) names.push_back(row.name);
  fail(ExitCode::input, "there is no kernel '{}'{}; --list-kernels shows all", name,
       did_you_mean(name, names));
}

}  // namespace spsolve::multiply
