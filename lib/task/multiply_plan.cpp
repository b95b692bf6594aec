// The memory plan of task: multiply.

#include <algorithm>
#include <limits>

#include "core/system.hpp"
#include "io/matrix_source.hpp"
#include "multiply/cost.hpp"
#include "task/multiply.hpp"
#include "task/multivector.hpp"

namespace spsolve {

namespace {

/// What read_in_bands() takes on each rank.
void plan_reading_together(MemoryPlan& plan, const MatrixShape& shape, int ranks, Index height) {
  const Index nonzeros = shape.nonzeros / ranks;
  if (shape.entries > 0) {
    constexpr std::int64_t entry = 2 * sizeof(Index) + sizeof(double);
    // Beside the list: its columns sorted, then the entries on their way into rows.
    constexpr std::int64_t sorting = 28;
    plan.parts.push_back({"read", "entries of this rank's rows", nonzeros * entry});
    plan.parts.push_back({"read", "the same being sorted by row", nonzeros * sorting});
  } else {
    plan.parts.push_back({"read", "compressed rows of this rank's band",
                          csr_bytes(height, nonzeros, sizeof(double))});
  }
}

}  // namespace

MemoryCheck plan_multiply(const Config& config, Team& team, MemoryPlan& plan) {
  struct Sizes {
    MatrixShape shape;
    Index k;
  };
  const Sizes known = broadcast_value(
      team,
      together(team,
               [&] {
                 return team.rank() != 0 ? Sizes{}
                                         : Sizes{describe_matrix(config.matrix.name()),
                                                 columns_of_x(config.multiply)};
               }),
      0);
  const MatrixShape& shape = known.shape;
  const Index k = known.k;
  const auto multivector = [&](Index rows, std::size_t bytes) {
    // So much that it cannot fit, where the product of what was asked for is beyond 2^58.
    constexpr std::int64_t most = std::int64_t{1} << 58;
    const std::int64_t row = std::min<Index>(k, std::numeric_limits<LocalIndex>::max()) *
                             static_cast<std::int64_t>(bytes);
    return row > 0 && rows > most / row ? most : rows * row;
  };
  const std::size_t value = value_bytes(config.multiply.precision);
  const Index height = RowBands{shape.rows, team.size()}.band(team.rank()).size();
  const Index x_height = RowBands{shape.columns, team.size()}.band(team.rank()).size();
  const Index nonzeros = shape.nonzeros / team.size();
  const bool checks = config.multiply.verify;
  const bool x_whole =
      team.rank() == 0 && (checks || config.multiply.x.kind == MultivectorKind::file);
  plan = {};
  if (config.matrix.reader == ReaderChoice::parallel) {
    plan_reading_together(plan, shape, team.size(), height);
  } else {
    plan_reading(plan, shape, team.rank(), team.size(), height);
  }
  if (x_whole) {
    plan.parts.push_back({"scatter", "X, whole", multivector(shape.columns, sizeof(double))});
    plan.parts.push_back({"multiply", "X, whole", multivector(shape.columns, sizeof(double))});
  }
  if (team.rank() == 0) {
    if (team.size() > 1 && checks) {
      plan.parts.push_back({"multiply", "compressed rows of the whole matrix",
                            csr_bytes(shape.rows, shape.nonzeros, sizeof(double))});
    }
    if (checks || !config.output.product.empty()) {
      plan.parts.push_back({"multiply", "Y, whole", multivector(shape.rows, sizeof(double))});
    }
  }
  plan.parts.push_back(
      {"scatter", "rows of X of this rank's band", multivector(x_height, sizeof(double))});
  plan.parts.push_back({"multiply", "compressed rows of this rank's band and the kernel's format",
                        2 * csr_bytes(height, nonzeros, value)});
  // A band that borders on two others needs few rows of them; at worst the halo is all of X.
  plan.parts.push_back({"multiply", "rows of X, in double and in the product's type",
                        multivector(x_height, sizeof(double) + value)});
  plan.parts.push_back({"multiply", "rows of Y", multivector(height, value)});
  plan.resident = resident_memory();
  return check_memory(team, plan, Precision::float32);
}

}  // namespace spsolve
