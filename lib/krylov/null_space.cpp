#include "krylov/null_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/extremes.hpp"
#include "distribute/reading/scatter.hpp"
#include "io/dense_source.hpp"
#include "krylov/methods/orthonormal.hpp"
#include "solve/operators/equilibrate.hpp"
#include "vectors/vector_files.hpp"

namespace spsolve::inline krylov {

namespace {

/// The largest product, relative to ||A||, of vectors that A takes to zero: no more than rounding.
constexpr double negligible = 1e-10;

/// max over the columns of ||A n||_max / (||A|| ||n||_max); 0 for A = 0, nan where ||A|| is beyond
/// the range of double. Collective.
double largest_share_left(SystemMatrix& matrix, const Vectors& n) {
  const std::unique_ptr<Vectors> product = n.similar(n.columns());
  matrix.apply(n, *product);
  const double norm = matrix.infinity_norm({});
  const std::vector<double> left = maxima(*product), size = maxima(n);
  if (!std::isfinite(norm)) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (norm > 0) largest = larger(largest, left[k] / (norm * size[k]));
  }
  return largest;
}

}  // namespace

bool takes_constants_to_zero(SystemMatrix& matrix) {
  const std::unique_ptr<Vectors> ones = matrix.vectors(1);
  ones->fill(1);
  constexpr double rounding = 1e-14;  // of sums of a row: what is more may be meant
  return largest_share_left(matrix, *ones) <= rounding;
}

Index null_vectors(const SolverOptions& options, Index rows) {
  if (options.null_space != NullSpaceKind::file) {
    return options.null_space == NullSpaceKind::none ? 0 : 1;
  }
  const std::string& file = options.null_space_file;
  DenseShape shape;
  if (!file.empty()) {
    shape = describe_columns(file, rows);
  } else if (const auto& given = options.null_vectors; given != nullptr) {
    shape = {given->rows, given->columns};
    if (!std::ranges::all_of(given->values, [](double x) { return std::isfinite(x); })) {
      fail(ExitCode::input, "SolverOptions::null_vectors: a number is not finite");
    }
  }
  require_shape(file.empty() ? "SolverOptions::null_vectors" : file, shape, rows, "null space");
  if (shape.columns >= 1 && shape.columns < rows) return shape.columns;
  fail(ExitCode::input, "{}: a null space of {} vectors of a matrix of order {}", file,
       shape.columns, rows);
}

NullSpace::NullSpace(SystemMatrix& matrix, const SolverOptions& options) {
  Team& team = matrix.team();
  std::unique_ptr<Vectors> given;
  if (options.null_space == NullSpaceKind::constants) {
    given = matrix.vectors(1);
    given->fill(1);
    words_ = "constants";
  } else {
    const std::string& file = options.null_space_file;
    together(team, [&] {
      if (team.rank() == 0) null_vectors(options, matrix.order());
    });
    if (file.empty()) {
      const Dense<double> none;
      const Dense<double> own =
          scatter_rows(team, matrix.layout(), team.rank() == 0 ? *options.null_vectors : none);
      given = matrix.vectors(own.columns);
      set_own_rows(*given, own);
    } else {
      given = read_vectors(team, matrix.layout(), matrix.memory(), file);
    }
    words_ = fmt::format("{} vector{}{}", given->columns(), given->columns() == 1 ? "" : "s",
                         file.empty() ? "" : " of " + file);
  }
  vectors_ = orthonormal(*given);
  if (dimension() < given->columns()) {
    fail_everywhere(ExitCode::input,
                    "solve.null_space: the {} depend on each other: only {} of them {} independent",
                    words_, dimension(), dimension() == 1 ? "is" : "are");
  }
  const double share = largest_share_left(matrix, *vectors_);
  if (share <= negligible) return;
  fail_everywhere(ExitCode::input,
                  "solve.null_space: A does not take the {} to zero, but to {:.1e} of ||A||; they "
                  "are not its null space",
                  words_, share);
}

void NullSpace::project(Vectors& x) const {
  Dense<double> along = products(*vectors_, x);
  for (double& value : along.values) value = -value;
  x.add_product(1, *vectors_, along.values);
}

double NullSpace::part_of(const Vectors& b) const {
  const Dense<double> along = products(*vectors_, b);
  const std::vector<double> length = norms(b);
  double worst = 0;
  for (Index c = 0; c < along.columns; ++c) {
    double sum = 0;
    for (Index k = 0; k < along.rows; ++k) sum += along(k, c) * along(k, c);
    if (sum > 0) worst = std::max(worst, std::sqrt(sum) / length[static_cast<std::size_t>(c)]);
  }
  return worst;
}

}  // namespace spsolve::krylov
