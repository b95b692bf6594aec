// spbench multiply, spbench kernels.

#include "apps/bench/multiply/spbench_multiply.hpp"

#include <iostream>
#include <set>

#include <fmt/format.h>

#include "api/gpus.hpp"
#include "apps/bench/multiply/distributed_bench.hpp"
#include "apps/bench/multiply/multiply_bench.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/bench/spbench_devices.hpp"
#include "apps/line/command_line.hpp"
#include "core/error.hpp"
#include "io/matrix_source.hpp"
#include "plan/reading_room.hpp"

namespace spsolve {

namespace {

constexpr std::string_view usual_baseline = "csr_openmp";

}  // namespace

std::vector<Kernel> table_of(std::string_view device, std::span<const Kernel> of_gpus) {
  std::vector<Kernel> table;
  const auto append = [&](std::span<const Kernel> rows) {
    table.insert(table.end(), rows.begin(), rows.end());
  };
  if (device != "cuda") append(host_kernels());
  if (device != "host") append(of_gpus);
  return table;
}

std::vector<const Kernel*> chosen_kernels(const MultiplyOptions& options,
                                          std::span<const Kernel> table, bool has_gpu) {
  std::vector<const Kernel*> chosen;
  const auto add = [&](const Kernel& kernel) {
    if (std::find(chosen.begin(), chosen.end(), &kernel) == chosen.end()) chosen.push_back(&kernel);
  };
  const auto usable = [&](const Kernel& kernel) {
    return has_gpu || kernel.device == KernelDevice::host;
  };
  std::vector<std::string> names = options.kernels;
  if (!options.baseline.empty()) names.push_back(options.baseline);
  for (const std::string& name : names) {
    const bool all = name == "all";
    if (!all && !usable(find_kernel(table, name))) add(find_kernel(table, name));
    for (const Kernel& kernel : table) {
      if (usable(kernel) && (all || kernel.name == name)) add(kernel);
    }
  }
  return chosen;
}

namespace {

void show_progress(const bench::MultiplyRow& row) {
  std::cerr << fmt::format("  {} {} K={} threads={}: ", row.kernel.name, name(row.precision), row.k,
                           row.threads);
  std::cerr << (row.result.sample ? fmt::format("{:.2f} GFLOP/s\n", row.gflops())
                                  : fmt::format("refused: {}\n", row.result.refused));
}

/// Each kernel's refusals once, in words.
std::string refusals(std::span<const bench::MultiplyRow> rows) {
  std::set<std::string> lines;
  for (const bench::MultiplyRow& row : rows) {
    if (!row.result.sample)
      lines.insert(fmt::format("refused: {} ({}): {}\n", row.kernel.name, name(row.precision),
                               row.result.refused));
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

bench::Table measured_rows(std::span<const bench::MultiplyRow> rows) {
  std::vector<bench::MultiplyRow> measured;
  for (const bench::MultiplyRow& row : rows) {
    if (row.result.sample) measured.push_back(row);
  }
  return bench::tabulate(bench::multiply_columns(), std::span<const bench::MultiplyRow>(measured));
}

nlohmann::ordered_json facts_of(const bench::HostDevice& host, const OpenGpu& gpu) {
  auto triads = nlohmann::ordered_json::array();
  for (const auto& [threads, triad] : host.triads()) {
    triads.push_back({{"threads", threads},
                      {"array_bytes", triad.array_bytes},
                      {"seconds", triad.seconds},
                      {"gbs", triad.bytes_per_second / 1e9}});
  }
  nlohmann::ordered_json facts{{"triad", triads}};
  if (gpu.device) facts["gpu"] = gpu.facts;
  return facts;
}

/// A matrix in one format at a time, X, Y and the serial product for the most columns.
BytesBeside bytes_to_multiply(const std::vector<Index>& columns) {
  const Index most = columns.empty() ? 1 : std::ranges::max(columns);
  return {8 + 16 * most, 16};
}

void run_multiply_bench(const MultiplyOptions& options, const bench::Environment& environment) {
  require_folders(options.common);
  const Gpus gpus = options.device == "host" ? Gpus{} : find_gpus();
  const bool has_gpu = gpus.why_none.empty();
  if (options.device == "cuda" && !has_gpu)
    fail(ExitCode::resources, "no GPU here: {}", gpus.why_none);
  const std::vector<Kernel> table = table_of(options.device, gpus.kernels);
  bench::MultiplyPlan plan;
  plan.kernels = chosen_kernels(options, table, has_gpu);
  plan.columns = options.columns;
  plan.threads = options.common.threads;
  plan.precisions = choices_of<Precision>(options.precisions);
  plan.sampling = {options.common.samples, options.common.sample_milliseconds * 1e-3};
  plan.rounds = options.rounds;
  plan.width = options.width;
  plan.seed = options.seed;
  plan.check = !options.no_check;
  for (const std::string& matrix : options.common.matrices) describe_matrix(matrix);  // typos first

  print_out(to_text(environment));
  bench::HostDevice host(options.triad_mebibytes < 0
                             ? -1
                             : std::int64_t{options.triad_mebibytes} * (std::int64_t{1} << 20));
  const bool measures_triad = options.triad_mebibytes >= 0 && options.device != "cuda";
  for (const int threads : measures_triad ? plan.threads : std::vector<int>{}) {
    host.bandwidth(threads);
    const bench::Triad& triad = host.triads().at(threads);
    print_out(fmt::format(
        "triad, {} thread{}: {:.2f} GB/s (24 bytes an element, without write-allocate; arrays of "
        "{} MiB)\n",
        threads, threads == 1 ? "" : "s", triad.bytes_per_second / 1e9, triad.array_bytes >> 20));
  }

  const std::string_view baseline =
      options.baseline.empty() ? usual_baseline : std::string_view(options.baseline);
  std::vector<bench::Device*> devices{&host};
  OpenGpu gpu;
  if (has_gpu) {
    gpu = open_gpu(options.triad_mebibytes >= 0);
    devices.push_back(gpu.device.get());
    print_out(gpu.text);
  }
  std::vector<bench::MultiplyRow> all;
  for (const std::string& name : options.common.matrices) {
    const Csr<double> matrix = load_within_memory(name, bytes_to_multiply(plan.columns));
    std::cerr << fmt::format("{}: {} x {}, {} non-zeros\n", name, matrix.rows, matrix.columns,
                             matrix.nonzeros());
    auto rows = bench::sample_matrix(name, matrix, plan, devices, show_progress);
    compare_rows(rows, baseline);
    print_out(fmt::format("\n{}: {} x {}, {} non-zeros; speed-up over {}\n", name, matrix.rows,
                          matrix.columns, matrix.nonzeros(), baseline) +
              to_text(measured_rows(rows)) + refusals(rows));
    all.insert(all.end(), rows.begin(), rows.end());
    write_results(
        options.common, environment,
        bench::tabulate(bench::multiply_columns(), std::span<const bench::MultiplyRow>(all)),
        facts_of(host, gpu));
  }
}

}  // namespace

std::string kernel_list() {
  std::string text;
  const Gpus gpus = find_gpus();
  for (const Kernel& kernel : table_of("auto", gpus.kernels)) {
    text += fmt::format("{:<27} {:<5} {:<20} {:<16} {}\n", kernel.name, bench::name(kernel.device),
                        kernel.format, kernel.reproducible ? "reproducible" : "not reproducible",
                        kernel.sentence);
  }
  if (!gpus.why_none.empty()) text += fmt::format("no GPU here: {}\n", gpus.why_none);
  return text;
}

void add_multiply_command(CLI::App& app, const bench::Environment& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "multiply", "samples the products Y = A X; under mpirun, in bands over the ranks");
  const auto options = std::make_shared<MultiplyOptions>();
  add_bench_options(*command, options->common, team.ranks_on_host());
  command->add_option("--kernels", options->kernels, "names of kernels, or all")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--columns", options->columns, "numbers K of columns of X")
      ->delimiter(',')
      ->check(CLI::Range(Index{1}, Index{1} << 20))
      ->capture_default_str();
  command->add_option("--precision", options->precisions, "float, double or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  command
      ->add_option("--device", options->device,
                   "whose kernels: host, cuda, or auto, which is both where there is a GPU (over "
                   "several ranks: cuda where every rank has one)")
      ->check(CLI::IsMember({"auto", "host", "cuda"}))
      ->capture_default_str();
  command
      ->add_option("--rounds", options->rounds,
                   "how often the kernels of a K take turns, with so many samples each time; more "
                   "than one where the machine's speed drifts (all their formats are then in "
                   "memory at once; not under mpirun)")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--width", options->width,
                   "parameter of the kernels that have one (sub-warp, tile, chunk); 0: their "
                   "default")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_option("--baseline", options->baseline,
                      "kernel that speed-ups refer to; sampled even if not in --kernels "
                      "(default: csr_openmp where it is sampled)");
  command->add_option("--seed", options->seed, "chooses the random X")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      ->add_option("--triad", options->triad_mebibytes,
                   "MiB of each array of the triad; 0: beyond the caches, -1: no triad")
      ->check(CLI::Range(-1, 1 << 20))
      ->capture_default_str();
  command->add_option("--bands", options->bands, "several ranks: auto, rows or nonzeros")
      ->check(CLI::IsMember({"auto", "rows", "nonzeros"}))
      ->capture_default_str();
  command
      ->add_option("--transport", options->transport,
                   "several ranks: how the halo travels between GPUs: peer (copies between GPUs of "
                   "one host), nccl, mpi (from GPU memory), pinned (host memory), or auto, the "
                   "fastest of those that work, tried for each K")
      ->check(CLI::IsMember({"auto", "peer", "nccl", "mpi", "pinned"}))
      ->capture_default_str();
  command->add_flag("--in-bands", options->in_bands,
                    "measure one rank as several are measured, with the same columns");
  command->add_flag("--share-gpus", options->share_gpus,
                    "several ranks: let them compute on one GPU");
  command->add_flag("--no-check", options->no_check, "don't compare with the serial product");
  command->footer([] {
    return "Columns of CSV and JSON (in CSV followed by the environment):\n" +
           bench::help_of(bench::multiply_columns()) + "Columns under mpirun:\n" +
           bench::help_of(bench::distributed_columns());
  });
  command->callback([options, environment, &team] {
    if (team.size() > 1 || options->in_bands) {
      run_distributed_bench(*options, environment, team);
    } else {
      run_multiply_bench(*options, environment);
    }
  });
}

}  // namespace spsolve
