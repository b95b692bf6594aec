#include "sparse/missing_pivots.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "team/team.hpp"

namespace spsolve::inline sparse {

void refuse_singular(Team& team, const SparseAnalysis* analysis, const ThresholdOutcome* found,
                     Index missing, Index parts, InverseFacts& facts) {
  std::vector<LocalIndex> columns;
  if (found != nullptr) {
    for (const LocalIndex k : found->rows) facts.missing.push_back(parts * analysis->row(k));
    for (const LocalIndex k : found->columns) columns.push_back(analysis->order[k]);
    std::ranges::sort(facts.missing);
    std::ranges::sort(columns);
  }
  facts.missing.resize(missing);
  broadcast(team, std::span(facts.missing), 0);
  facts.sparse->missing_pivots = parts * missing;
  together(team, [&] {
    if (analysis == nullptr) return;
    std::vector<LocalIndex> rows;
    for (const Index row : facts.missing) rows.push_back(static_cast<LocalIndex>(row / parts));
    const Index n = analysis->rows();
    const RowNames names(parts == 1 ? RowNames::parts() : 1);
    fail(ExitCode::not_trustworthy,
         "the matrix is singular: of {} pivots {} were found, and none is left for rows {} and "
         "columns {} (numbered from 1)",
         RowNames::count(n), RowNames::count(n - missing), named_from_one(rows),
         named_from_one(columns));
  });
  fail(ExitCode::internal, "a matrix without pivots was not refused");
}

}  // namespace spsolve::sparse
