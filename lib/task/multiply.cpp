#include "task/multiply.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "choice/gpu_memory.hpp"
#include "choice/place.hpp"
#include "config/schema.hpp"
#include "core/statistics.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "distribute/reading/scatter.hpp"
#include "io/dense_source.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "multiply/cost.hpp"
#include "multiply/published/csr_kernels.hpp"
#include "process/system.hpp"
#include "task/begin.hpp"
#include "task/ignored_keys.hpp"
#include "task/multivector.hpp"
#include "vectors/basic_band_matrix.hpp"

namespace spsolve::inline task {

namespace {

/// These numbers in T.
template <typename T>
Dense<T> rounded(const Dense<double>& values) {
  Dense<T> result(values.rows, values.columns);
  std::copy(values.values.begin(), values.values.end(), result.values.begin());
  return result;
}

template <typename T>
Csr<T> rounded(Csr<double>&& matrix) {
  if constexpr (std::is_same_v<T, double>) {
    return std::move(matrix);
  } else {
    return csr_cast<T>(matrix);
  }
}

/// The errors of rank 0's Y against the serial product of the whole matrix in T; see
/// compare_products().
template <typename T>
ProductErrors verify(const Csr<T>& whole, const Dense<T>& x, const Dense<double>& y,
                     bool lower_for_both) {
  if (whole.rows != y.rows || whole.columns != x.rows) {
    fail(ExitCode::internal, "verify: a {} x {} matrix for a product of {} rows", whole.rows,
         whole.columns, y.rows);
  }
  Dense<T> reference(y.rows, y.columns);
  csr_serial(whole, x.values.data(), reference.values.data(), x.columns);
  const MirroredBlock all;
  return compare_products(whole, x.values.data(), reference.values.data(),
                          rounded<T>(y).values.data(), x.columns, lower_for_both ? &all : nullptr);
}

/// Whether some rank multiplies by one of a_ij and a_ji for both, which differ by rounding.
bool rounds_mirrors(const std::vector<RankShare>& shares) {
  return std::ranges::any_of(shares, &RankShare::rounds_mirrors);
}

/// Throws Error(not_trustworthy) where Y, of rank 0, `parts` rows to one of its own, has what is no
/// finite number.
void refuse_infinite(const Dense<double>& y, Index parts, Precision precision) {
  const auto found = std::ranges::find_if_not(y.values, [](double v) { return std::isfinite(v); });
  if (found == y.values.end()) return;
  const Index place = found - y.values.begin();
  const bool in_double = precision == Precision::float64;
  fail(
      ExitCode::not_trustworthy,
      "Y = A X is {} in row {}, column {} (numbered from 1): a value, a product or a sum is beyond "
      "the range of {}, about {}; {}",
      *found, place / y.columns / parts + 1, place % y.columns + 1, in_double ? "double" : "float",
      in_double ? "1.8e308" : "3.4e38",
      in_double ? "scale A or X" : "use multiply.precision=double, or scale A or X");
}

/// Seconds of each repeat on the slowest rank, and the medians of this rank's parts.
struct RepeatTimes {
  std::vector<double> slowest;
  PhaseTimes parts;
};

template <typename T>
RepeatTimes repeat_product(BasicBandMatrix<T>& product, const T* x, T* y, Index k, int repeats) {
  Team& team = product.team();
  std::vector<double> seconds;
  std::vector<ProductTimes> parts;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    wait_for_all(team);
    const Timer timer;
    product.multiply(x, y, k);
    parts.push_back(product.finish());
    seconds.push_back(timer.seconds());
  }
  RepeatTimes times;
  const auto median = [&](double ProductTimes::*part) {
    std::vector<double> values;
    for (const ProductTimes& one : parts) values.push_back(one.*part);
    return statistics_of(values).median;
  };
  times.parts.add("pack", median(&ProductTimes::pack));
  times.parts.add("exchange", median(&ProductTimes::exchange));
  times.parts.add("interior", median(&ProductTimes::interior));
  times.parts.add("wait", median(&ProductTimes::wait));
  times.parts.add("boundary", median(&ProductTimes::boundary));
  all_maximum(team, seconds);
  times.slowest = std::move(seconds);
  return times;
}

/// The data of a run besides the configuration.
struct Problem {
  Index parts = 1;      ///< rows to a row of A: of a complex one these are of its real form
  RowLayout bands;      ///< of A and Y
  RowLayout x_bands;    ///< of X
  CompressedRows rows;  ///< this rank's
  Dense<double> x;      ///< this rank's rows
  bool needs_whole_x = false;
  Csr<double> whole;      ///< rank 0, where it will verify
  Dense<double> whole_x;  ///< likewise, or where X is a file
};

/// Multiplies this rank's rows, gathers and verifies; Y, whole, on rank 0 where it is wanted.
template <typename T>
Dense<double> multiply_bands(const Config& config, Team& team, const VectorMemory& memory,
                             const Kernel& kernel, Problem&& problem, PhaseTimes& times,
                             MultiplyReport& report) {
  const Config::Multiply& wanted = config.multiply;
  const Index k = problem.x.columns;
  std::optional<BasicBandMatrix<T>> product;
  std::unique_ptr<DeviceBlock<T>> x, y;
  times.measure("prepare", [&] {
    product.emplace(team, problem.bands, problem.x_bands, std::move(problem.rows), memory, kernel,
                    KernelOptions{k, report.threads, 0, wanted.repeat});
    together(team, [&] {
      x = maker<T>(memory).block(product->share().x_rows * k);
      y = maker<T>(memory).block(product->share().rows * k);
      x->upload(rounded<T>(problem.x).values);
    });
  });
  report.shares = all_gather(team, product->share());

  times.measure("multiply", [&] {
    RepeatTimes repeats = repeat_product(*product, x->data(), y->data(), k, wanted.repeat);
    report.product_seconds = statistics_of(repeats.slowest).median;
    report.parts = spread_over_ranks(team, repeats.parts);
  });
  // GPU kernels make their choices in the first product.
  for (int rank = 0; rank < team.size(); ++rank) {
    report.details.push_back(broadcast_text(team, product->detail(), rank));
  }
  report.detail = report.details.front();
  report.transport = product->transport();
  for (const RankShare& share : report.shares) {
    report.format_bytes += share.bytes;
    report.halo_bytes += share.halo_rows * k * static_cast<Index>(sizeof(T));
  }

  Dense<double> gathered;
  times.measure("gather", [&] {
    if (!wanted.verify && config.output.product.empty()) return;
    const Dense<T> band = together(team, [&] {
      Dense<T> rows(product->share().rows, k);
      y->download(rows.values);
      return rows;
    });
    gathered = gather_rows(team, problem.bands, band);
    together(team, [&] { refuse_infinite(gathered, problem.parts, wanted.precision); });
  });
  if (wanted.verify) {
    times.measure("verify", [&] {
      const ProductErrors errors = together(team, [&] {
        if (team.rank() != 0) return ProductErrors{};
        return verify(rounded<T>(std::move(problem.whole)), rounded<T>(problem.whole_x), gathered,
                      rounds_mirrors(report.shares));
      });
      report.errors = broadcast_value(team, errors, 0);
    });
  }
  return gathered;
}

/// Phases "read" and "scatter": rank 0 reads and deals out.
void deal_out(const Config& config, Team& team, PhaseTimes& times, Problem& problem,
              MultiplyReport& report) {
  const Config::Multiply& wanted = config.multiply;
  const auto read_x = [&](const Csr<double>& matrix) {
    if (problem.needs_whole_x) problem.whole_x = whole_x(wanted, matrix.columns, problem.parts);
  };
  Csr<double> whole = std::move(read_matrix(config, team, times, report, read_x).rows);
  times.measure("scatter", [&] {
    problem.bands = with_whole_nodes(
        choose_bands(team, wanted.bands, profile_of(whole.row_offsets)), problem.parts);
    report.note_peak_memory();
    const MemoryGrowth growth;
    Csr<double> rows;
    if (wanted.verify) {  // rank 0 needs its arrays again
      rows = scatter_rows(team, problem.bands, whole);
      problem.whole = std::move(whole);
    } else {
      rows = scatter_rows(team, problem.bands, std::move(whole));
    }
    if (const auto peak = growth.peak(); peak && team.rank() == 0) {
      const Index parts = problem.parts;
      report.scatter_peak =
          csr_bytes(parts * report.rows, parts * parts * report.nonzeros, sizeof(double)) + *peak;
    }
    problem.rows = together(team, [&] { return compress_columns(std::move(rows)); });
  });
}

/// Phase "read" with every rank reading; rank 0 reads all again where it will verify.
void read_together(const Config& config, Team& team, PhaseTimes& times, Problem& problem,
                   MultiplyReport& report) {
  const Config::Multiply& wanted = config.multiply;
  times.measure("read", [&] {
    BandedMatrix matrix = read_in_bands(team, {.name = config.matrix.name(),
                                               .rotate_by = config.matrix.rotate_rows,
                                               .bands = wanted.bands,
                                               .node = problem.parts});
    report.note_sizes({.rows = matrix.bands.rows,
                       .columns = matrix.columns,
                       .nonzeros = matrix.nonzeros,
                       .parts = problem.parts});
    problem.bands = std::move(matrix.bands);
    problem.rows = std::move(matrix.rows);
    together(team, [&] {
      if (team.rank() != 0) return;
      if (problem.needs_whole_x) problem.whole_x = whole_x(wanted, matrix.columns, problem.parts);
      if (wanted.verify) problem.whole = load_rotated(config).rows;
    });
  });
}

/// The kernel by name, on every rank.
const Kernel& kernel_of(const VectorMemory& memory, const std::string& name) {
  const auto table = memory.kernels();
  const auto found = std::ranges::find(table, name, &Kernel::name);
  if (found == table.end()) {
    fail_everywhere(ExitCode::input,
                    "multiply.kernel={} is no kernel of {}; spbench --list-kernels shows which are",
                    name, memory.device());
  }
  return *found;
}

}  // namespace

MemoryCheck plan_multiply(const Config& config, Team& team, const Gpus& gpus, MemoryPlan& plan) {
  TaskReport ignored;
  take_threads(config, team);
  const bool on_gpu = wants_gpu_products(config, team, gpus, ignored);
  const auto table = on_gpu ? gpus.kernels : host_kernels();
  const ProductDevice device{find_kernel(table, config.multiply.kernel).format, on_gpu,
                             on_gpu ? free_memory_of_own_gpu(config, team, gpus) : std::nullopt};
  return plan_multiply(config, team, device, plan);
}

void run_multiply(const Config& config, Team& team, const Gpus& gpus, MultiplyReport& report) {
  const Config::Multiply& wanted = config.multiply;
  const Timer total;
  PhaseTimes times;
  times.add("start", report.before);
  begin_task(config, team, report);
  report.threads = take_threads(config, team);
  const auto device = choose_memory(config, team, gpus, report);
  const Kernel& kernel = kernel_of(*device, wanted.kernel);

  MemoryPlan plan;
  const bool on_gpu = kernel.device == KernelDevice::cuda;
  const GpuMemoryWatch on_its_gpu(gpus, on_gpu);
  const MemoryCheck memory =
      plan_multiply(config, team, {kernel.format, on_gpu, on_its_gpu.available()}, plan);
  refuse_what_does_not_fit(plan, memory, report);

  Problem problem;
  problem.parts = broadcast_value(
      team,
      together(
          team,
          [&] { return team.rank() > 0 ? Index{1} : describe_matrix(config.matrix.name()).parts; }),
      0);
  const Index parts = problem.parts;
  problem.needs_whole_x = wanted.verify || wanted.x.kind == MultivectorKind::file;
  if (config.matrix.reader == ReaderChoice::parallel) {
    read_together(config, team, times, problem, report);
  } else {
    deal_out(config, team, times, problem, report);
  }
  times.measure("scatter", [&] {
    problem.x_bands = with_whole_nodes(bands_of_x(problem.bands, parts * report.columns), parts);
    problem.x = band_of_x(wanted, team, problem.x_bands, problem.whole_x, parts);
    if (!wanted.verify) problem.whole_x = {};
  });
  // What is multiplied: of a complex matrix the real form.
  const Index rows = parts * report.rows, columns = parts * report.columns,
              nonzeros = parts * parts * report.nonzeros;
  report.matrix_bytes = csr_bytes(rows, nonzeros, sizeof(double));
  report.bands = kind_of(problem.bands);
  report.k = problem.x.columns;
  const Dense<double> y = with_scalar(wanted.precision, [&]<typename T>(T) {
    return multiply_bands<T>(config, team, *device, kernel, std::move(problem), times, report);
  });

  // Of complex numbers the real form is there as well while the format is made.
  if (parts == 1) plan.settle(format_at_most, report.shares[team.rank()].bytes);
  note_plan(plan, report);
  times.measure("write", [&] {
    together(team, [&] {
      if (team.rank() != 0 || config.output.product.empty()) return;
      write_dense(config.output.product, y,
                  fmt::format("product Y = A X, A = {}", config.matrix.name()), parts > 1);
    });
  });
  times.add("total", report.before + total.seconds());

  const bool trusted = !report.errors || report.errors->within_bound();
  report.status = name(trusted ? Verdict::solved : Verdict::not_trustworthy);
  if (!trusted) {
    report.notes.push_back(
        fmt::format("Y differs from the serial product by more than rounding allows: the kernel {} "
                    "is wrong here",
                    kernel.name));
  }
  if (rounds_mirrors(report.shares)) {
    report.notes.push_back(
        "A is symmetric but for rounding: the kernel takes a_ij, i > j, for a_ji as well, and Y is "
        "compared with the product with A as it is");
  }
  for (std::string& note : notes_on_ignored_keys(config, Method::automatic, on_gpu)) {
    report.notes.push_back(std::move(note));
  }
  report.kernel = kernel.name;
  report.repeats = wanted.repeat;
  report.imbalance = imbalance(report.shares);
  report.gflops = product_flops(nonzeros, report.k) / report.product_seconds / 1e9;
  report.bytes_per_second =
      product_floor_bytes(rows, columns, nonzeros, report.k, value_bytes(wanted.precision)) /
      report.product_seconds;
  on_its_gpu.note(report);
  report.add_run(team, times);
  if (on_gpu && gpus.leave) gpus.leave();
}

}  // namespace spsolve::task
