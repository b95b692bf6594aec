#include "krylov/shortfall.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace spsolve::inline krylov {

namespace {

std::string how_it_ended(KrylovEnd end, double time_limit) {
  switch (end) {
    case KrylovEnd::limit:
      return "took all of its steps";
    case KrylovEnd::time:
      return fmt::format("took all of its time, {:g} s", time_limit);
    case KrylovEnd::breakdown:
      return "broke down";
    default:
      return "came to a standstill";
  }
}

/// The advice where a method did not converge.
std::string advice(Method method, Preconditioner preconditioner) {
  std::string text = preconditioner == Preconditioner::elimination
                         ? "try a sparse method"
                         : "try another solve.preconditioner, such as elimination, or a sparse "
                           "method";
  if (method != Method::gmres) text += ", or solve.method=gmres";
  return text;
}

}  // namespace

std::string words_of_shortfall(const SolverOptions& options, Preconditioner preconditioner,
                               const KrylovSolve& solved, double wanted,
                               const std::vector<double>& errors) {
  std::string of_column;
  if (!errors.empty()) {
    const auto worst_one = std::ranges::max_element(errors) - errors.begin();
    of_column = fmt::format(" of column {} of {}", worst_one + 1, errors.size());
  }
  return fmt::format(
      "{} with solve.preconditioner={} {}: after {} steps the backward error{} was {:.1e} where "
      "{:.1e} was wanted; {}",
      name(options.method), name(preconditioner), how_it_ended(solved.end, options.time_limit),
      solved.steps, of_column, solved.error, wanted, advice(options.method, preconditioner));
}

}  // namespace spsolve::krylov
