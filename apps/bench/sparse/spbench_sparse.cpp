// spbench eliminate --matrix: sparse systems, compared with direct solvers of other houses.

#include "apps/bench/sparse/spbench_sparse.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apps/bench/peers/peer_words.hpp"
#include "apps/line/command_line.hpp"
#include "io/matrix_source.hpp"
#include "io/order_file.hpp"

namespace spsolve {

std::vector<std::string> matrix_names(const std::vector<std::string>& matrices) {
  std::vector<std::string> names;
  for (const std::string& word : matrices) {
    for (std::size_t first = 0; first <= word.size();) {
      const std::size_t comma = std::min(word.find(',', first), word.size());
      names.push_back(word.substr(first, comma - first));
      first = comma + 1;
    }
  }
  for (const std::string& name : names) bench::describe_sparse_system(name);
  return names;
}

void run_sparse_bench(const SparseOptions& options, const bench::Environment& environment,
                      Team& team) {
  Results results(options.files, environment, bench::sparse_columns(), team);
  const bool speaks = team.rank() == 0;
  bench::SparsePlan plan = options.plan;
  const auto names = together(team, [&] {
    plan.peers = bench::peers_of(bench::sparse_peers(), options.peers);
    auto found = matrix_names(options.files.matrices);
    if (plan.options.ordering == Ordering::file) {
      for (const std::string& name : found) {
        read_order(plan.options.ordering_file, bench::describe_sparse_system(name).rows);
      }
    }
    return found;
  });
  const auto candidates = bench::sparse_candidates(plan, team);
  if (candidates.empty()) {
    fail_everywhere(ExitCode::input, "{} leaves nothing to be measured",
                    plan.alone ? "--methods none --peers none"
                               : "--only-on-all-ranks, of these methods and peers,");
  }
  results.begin(bench::peers_left_out(bench::sparse_peers(), options.peers));
  results.facts = [](std::span<const bench::Row> rows) -> nlohmann::ordered_json {
    return {{"summary", to_json(bench::sparse_summary_columns(), bench::summaries_of(rows))}};
  };
  for (const std::string& name : names) {
    bench::SparseSystem system;
    together(team, [&] {
      if (speaks) system = bench::load_sparse_system(name);
    });
    const auto rows = bench::sample_sparse(team, system, candidates, plan.samples, plan.systems);
    results.add(fmt::format("\n{}: n = {}, {} non-zeros, {}\n", name, system.order,
                            system.matrix.nonzeros(),
                            system.maybe_definite ? "symmetric with a positive diagonal"
                            : system.symmetric    ? "symmetric indefinite"
                                                  : "unsymmetric"),
                rows);
  }
  const auto summaries = bench::summaries_of(results.rows());
  together(team, [&] {
    if (!speaks || summaries.empty()) return;
    print_out("\nThe shortest time of a peer / own, geometric means over the matrices:\n" +
              to_text(bench::sparse_summary_columns(), summaries));
  });
}

}  // namespace spsolve
