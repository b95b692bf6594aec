// spbench multiply over the ranks of a team.

#include <iostream>

#include <fmt/ranges.h>

#include "apps/gpus.hpp"
#include "apps/spbench_multiply.hpp"
#include "bench/distributed_bench.hpp"
#include "core/error.hpp"
#include "distribute/host_backend.hpp"
#include "io/matrix_source.hpp"

namespace spsolve {

namespace {

BandsChoice chosen_bands(const std::string& word) {
  const Words words = words_of(BandsChoice{});
  return static_cast<BandsChoice>(std::ranges::find(words, word) - words.begin());
}

bench::Table measured_rows(std::span<const bench::DistributedRow> rows) {
  std::vector<bench::DistributedRow> measured;
  for (const bench::DistributedRow& row : rows) {
    if (row.sample) measured.push_back(row);
  }
  return bench::tabulate(bench::distributed_columns(),
                         std::span<const bench::DistributedRow>(measured));
}

}  // namespace

void run_distributed_bench(const MultiplyOptions& options, const bench::Environment& environment,
                           Team& team) {
  const bool speaks = team.rank() == 0;
  const Gpus gpus = find_gpus();
  const bool on_gpus =
      options.device == "cuda" ||
      (options.device == "auto" && all_sum(team, gpus.visible.empty() ? 1 : 0) == 0);
  if (on_gpus) {
    const int mine = bind_gpu(team, gpus.visible, gpus.why_none, options.share_gpus);
    together(team, [&] { gpus.use(mine); });
  }
  const std::vector<Kernel> table =
      on_gpus ? std::vector<Kernel>(gpus.kernels.begin(), gpus.kernels.end()) : table_of("host");
  bench::DistributedPlan plan;
  plan.kernels = together(team, [&] { return chosen_kernels(options, table, on_gpus); });
  plan.columns = options.columns;
  plan.threads = options.common.threads;
  plan.precisions = chosen_precisions(options);
  plan.bands = chosen_bands(options.bands);
  plan.sampling = {options.common.samples, options.common.sample_milliseconds * 1e-3};
  plan.seed = options.seed;
  plan.check = !options.no_check;
  together(team, [&] {
    for (const std::string& matrix : options.common.matrices) describe_matrix(matrix);
  });

  if (speaks) std::cout << to_text(environment);
  std::vector<bench::DistributedRow> all;
  for (const std::string& name : options.common.matrices) {
    Csr<double> matrix = together(team, [&] { return speaks ? load_matrix(name) : Csr<double>{}; });
    const auto rows = bench::sample_distributed(
        team, name, std::move(matrix), plan,
        [&](int threads) -> std::unique_ptr<ProductBackend> {
          if (on_gpus) return gpus.products(team);
          return std::make_unique<HostBackend>(threads);
        },
        [&](const bench::DistributedRow& row) {
          if (!speaks) return;
          std::cerr << fmt::format("  {} K={} threads={}: ", row.kernel.name, row.k, row.threads)
                    << (row.sample ? fmt::format("{:.2f} GFLOP/s\n", row.gflops())
                                   : fmt::format("refused: {}\n", row.refused));
        });
    all.insert(all.end(), rows.begin(), rows.end());
    together(team, [&] {
      if (!speaks) return;
      std::cout << fmt::format("\n{}: {} x {}, {} non-zeros, {} ranks\n", name, rows[0].rows,
                               rows[0].columns, rows[0].nonzeros, team.size())
                << to_text(measured_rows(rows)) << std::flush;
      write_results(options.common, environment,
                    bench::tabulate(bench::distributed_columns(),
                                    std::span<const bench::DistributedRow>(all)));
    });
  }
}

}  // namespace spsolve
