// spbench multiply, spbench kernels.

#include <iostream>

#include <fmt/format.h>

#include "api/gpus.hpp"
#include "apps/bench/multiply/distributed_bench.hpp"
#include "apps/bench/spbench.hpp"
#include "apps/bench/spbench_devices.hpp"
#include "apps/line/command_line.hpp"
#include "core/error.hpp"
#include "distribute/reading/scatter.hpp"
#include "io/matrix_source.hpp"
#include "plan/reading_room.hpp"

namespace spsolve {

namespace {

constexpr std::string_view usual_baseline = "csr_openmp";

/// The options of spbench multiply.
struct MultiplyOptions {
  BenchOptions common;
  std::vector<std::string> kernels{"all"};
  std::vector<Index> columns{1, 3, 4, 8, 12, 16, 32, 64};
  std::vector<std::string> precisions{"double"};
  std::string device = "auto";
  std::string baseline;
  int rounds = 1;
  int width = 0;
  Index seed = 1;
  int triad_mebibytes = 0;
  std::string bands = "auto";
  std::string transport = "auto";
  bool in_bands = false;
  bool no_check = false;
};

/// The kernels of the devices that the user wants: host, cuda (`of_gpus`), or auto for both.
std::vector<Kernel> table_of(std::string_view device, std::span<const Kernel> of_gpus) {
  std::vector<Kernel> table;
  const auto append = [&](std::span<const Kernel> rows) {
    table.insert(table.end(), rows.begin(), rows.end());
  };
  if (device != "cuda") append(host_kernels());
  if (device != "host") append(of_gpus);
  return table;
}

/// The rows of the table that the user named, in that order; the baseline is always among them.
/// Where there is no GPU its kernels are left out, unless one is named that only a GPU has: that
/// will be refused.
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

/// The plan that the options mean, with these kernels.
bench::MultiplyPlan plan_of(const MultiplyOptions& options, std::vector<const Kernel*> kernels) {
  bench::MultiplyPlan plan;
  plan.kernels = std::move(kernels);
  plan.columns = options.columns;
  plan.threads = options.common.threads;
  plan.precisions = choices_of<Precision>(options.precisions);
  plan.sampling = {options.common.samples, options.common.sample_milliseconds * 1e-3};
  plan.rounds = options.rounds;
  plan.width = options.width;
  plan.seed = options.seed;
  plan.check = !options.no_check;
  plan.bands = choice_of<BandsChoice>(options.bands);
  return plan;
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

/// Measures the triad with each number of threads, and tells.
void measure_triads(bench::HostDevice& host, const std::vector<int>& threads) {
  for (const int count : threads) {
    host.bandwidth(count);
    const bench::Triad& triad = host.triads().at(count);
    print_out(fmt::format(
        "triad, {} thread{}: {:.2f} GB/s (24 bytes an element, without write-allocate; arrays of "
        "{} MiB)\n",
        count, count == 1 ? "" : "s", triad.bytes_per_second / 1e9, triad.array_bytes >> 20));
  }
}

void run_multiply_bench(const MultiplyOptions& options, const bench::Environment& environment,
                        Team& team) {
  Results results(options.common, environment, bench::multiply_columns(), team);
  const Gpus gpus = options.device == "host" ? Gpus{} : find_gpus();
  const bool has_gpu = gpus.why_none.empty();
  if (options.device == "cuda" && !has_gpu)
    fail(ExitCode::resources, "no GPU here: {}", gpus.why_none);
  const std::vector<Kernel> table = table_of(options.device, gpus.kernels);
  const bench::MultiplyPlan plan = plan_of(options, chosen_kernels(options, table, has_gpu));
  for (const std::string& matrix : options.common.matrices) describe_matrix(matrix);  // typos first

  results.begin();
  const bool measures_triad = options.triad_mebibytes >= 0;
  bench::HostDevice host(measures_triad ? std::int64_t{options.triad_mebibytes} << 20 : -1);
  if (measures_triad && options.device != "cuda") measure_triads(host, plan.threads);
  const std::string_view baseline =
      options.baseline.empty() ? usual_baseline : std::string_view(options.baseline);
  std::vector<bench::Device*> devices{&host};
  OpenGpu gpu;
  if (has_gpu) {
    gpu = open_gpu(measures_triad);
    devices.push_back(gpu.device.get());
    print_out(gpu.text);
  }
  results.facts = [&](std::span<const bench::Row>) { return facts_of(host, gpu); };
  for (const std::string& name : options.common.matrices) {
    const Csr<double> matrix = load_within_memory(name, bytes_to_multiply(plan.columns));
    const std::string title = fmt::format("{}: {} x {}, {} non-zeros", name, matrix.rows,
                                          matrix.columns, matrix.nonzeros());
    std::cerr << title << '\n';
    auto rows = bench::sample_matrix(name, matrix, plan, devices);
    compare_rows(rows, baseline);
    results.add(fmt::format("\n{}; speed-up over {}\n", title, baseline), rows);
  }
}

/// Generated by all ranks; read by rank 0 and dealt out where it is a file of any kind.
BandedMatrix in_bands(Team& team, const std::string& name, BandsChoice bands) {
  if (means_generator(name)) return generate_in_bands(team, {name, 0, bands});
  Csr<double> whole = together(
      team, [&] { return team.rank() == 0 ? load_within_memory(name, {}) : Csr<double>{}; });
  BandedMatrix matrix;
  matrix.columns = broadcast_value(team, whole.columns, 0);
  matrix.nonzeros = broadcast_value(team, whole.nonzeros(), 0);
  matrix.bands = choose_bands(team, bands, profile_of(whole.row_offsets));
  Csr<double> rows = scatter_rows(team, matrix.bands, std::move(whole));
  matrix.rows = together(team, [&] { return compress_columns(std::move(rows)); });
  return matrix;
}

/// Samples products in bands over the ranks of the team. Rank 0 prints and writes. Collective.
void run_distributed_bench(const MultiplyOptions& options, const bench::Environment& environment,
                           Team& team) {
  Results results(options.common, environment, bench::distributed_columns(), team);
  const Gpus gpus = find_gpus();
  const bool on_gpus =
      options.device == "cuda" ||
      (options.device == "auto" && all_sum(team, gpus.visible.empty() ? 1 : 0) == 0);
  if (on_gpus) {
    const int mine = bind_gpu(team, gpus.visible, gpus.why_none, options.common.share_gpus);
    together(team, [&] { gpus.use(mine); });
  }
  const std::vector<Kernel> table = table_of(on_gpus ? "cuda" : "host", gpus.kernels);
  const bench::MultiplyPlan plan =
      together(team, [&] { return plan_of(options, chosen_kernels(options, table, on_gpus)); });
  together(team, [&] {
    for (const std::string& matrix : options.common.matrices) describe_matrix(matrix);
  });

  results.begin();
  const auto on_gpu = on_gpus ? gpus.products(team, choice_of<Transport>(options.transport))
                              : std::unique_ptr<VectorMemory>();
  const VectorMemory& memory = on_gpus ? *on_gpu : host_vector_memory();
  for (const std::string& name : options.common.matrices) {
    const BandedMatrix matrix = in_bands(team, name, plan.bands);
    const auto rows = bench::sample_distributed(team, name, matrix, plan, memory);
    results.add(fmt::format("\n{}: {} x {}, {} non-zeros, {} ranks\n", name, matrix.bands.rows,
                            matrix.columns, matrix.nonzeros, team.size()),
                rows);
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

namespace {

/// The options that choose what is multiplied by which kernels.
void add_kernel_options(CLI::App& command, MultiplyOptions& options) {
  add_list(command, "--kernels", options.kernels, "names of kernels, or all");
  add_list(command, "--columns", options.columns, "numbers K of columns of X")
      ->check(CLI::Range(Index{1}, Index{1} << 20));
  add_list(command, "--precision", options.precisions, "float, double or both")
      ->check(CLI::IsMember({"float", "double"}));
  command
      .add_option("--device", options.device,
                  "whose kernels: host, cuda, or auto, which is both where there is a GPU (over "
                  "several ranks: cuda where every rank has one)")
      ->check(CLI::IsMember({"auto", "host", "cuda"}))
      ->capture_default_str();
  command
      .add_option("--rounds", options.rounds,
                  "how often the kernels of a K take turns, with so many samples each time; more "
                  "than one where the machine's speed drifts (all their formats are then in "
                  "memory at once; not under mpirun)")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      .add_option("--width", options.width,
                  "parameter of the kernels that have one (sub-warp, tile, chunk); 0: their "
                  "default")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_option("--baseline", options.baseline,
                     "kernel that speed-ups refer to; sampled even if not in --kernels "
                     "(default: csr_openmp where it is sampled)");
  command.add_option("--seed", options.seed, "chooses the random X")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      .add_option("--triad", options.triad_mebibytes,
                  "MiB of each array of the triad; 0: beyond the caches, -1: no triad")
      ->check(CLI::Range(-1, 1 << 20))
      ->capture_default_str();
  command.add_flag("--no-check", options.no_check, "don't compare with the serial product");
}

/// The options of products over several ranks.
void add_rank_options(CLI::App& command, MultiplyOptions& options) {
  command.add_option("--bands", options.bands, "several ranks: auto, rows or nonzeros")
      ->check(CLI::IsMember({"auto", "rows", "nonzeros"}))
      ->capture_default_str();
  command
      .add_option("--transport", options.transport,
                  "several ranks: how the halo travels between GPUs: peer (copies between GPUs of "
                  "one host), nccl, mpi (from GPU memory), pinned (host memory), or auto, the "
                  "fastest of those that work, tried for each K")
      ->check(CLI::IsMember({"auto", "peer", "nccl", "mpi", "pinned"}))
      ->capture_default_str();
  command.add_flag("--in-bands", options.in_bands,
                   "measure one rank as several are measured, with the same columns");
  command.add_flag("--share-gpus", options.common.share_gpus,
                   "several ranks: let them compute on one GPU");
}

}  // namespace

void add_multiply_command(CLI::App& app, const bench::Environment& environment, Team& team) {
  CLI::App* const command = app.add_subcommand(
      "multiply", "samples the products Y = A X; under mpirun, in bands over the ranks");
  const auto options = std::make_shared<MultiplyOptions>();
  add_sampling_options(*command, options->common, team.ranks_on_host());
  add_kernel_options(*command, *options);
  add_rank_options(*command, *options);
  command->footer([] {
    return help_of_files(bench::multiply_columns()) + "Columns under mpirun:\n" +
           bench::help_of(bench::distributed_columns());
  });
  command->callback([options, environment, &team] {
    const bool in_bands = team.size() > 1 || options->in_bands;
    (in_bands ? run_distributed_bench : run_multiply_bench)(*options, environment, team);
  });
}

}  // namespace spsolve
