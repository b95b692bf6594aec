#include "apps/bench/multiply/multiply_bench.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <omp.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "multiply/cost.hpp"
#include "multiply/published/csr_kernels.hpp"

namespace spsolve::bench {

namespace {

constexpr Column columns[] = {
    {"matrix", "file or generator"},
    {"rows", "rows of A"},
    {"columns", "columns of A"},
    {"nonzeros", "stored non-zeros of A, symmetric files mirrored"},
    {"longest_row", "non-zeros of the longest row"},
    {"symmetric", "whether a_ij = a_ji"},
    {"kernel", "name in the table of kernels", "{}", "kernel"},
    {"device", "host, or the model of the GPU", "{}", "device"},
    {"format", "storage format"},
    {"precision", "float or double", "{}", "precision"},
    {"k", "columns of X and Y", "{}", "K"},
    {"threads", "threads of the host; empty on other devices", "{}", "threads"},
    {"width", "parameter of the kernel (sub-warp, tile, chunk) asked for; empty: its default"},
    {"refused", "why the kernel was not run; empty where it was"},
    {"detail", "what the kernel chose for this matrix"},
    {"samples", "number of samples"},
    {"repeats", "products within a sample"},
    {"median_s", "seconds of one product: median of the samples", "{:.3e}", "median s"},
    {"mean_s", "mean, by Welford's one-pass algorithm"},
    {"variance_s2", "variance (divisor samples - 1), s^2"},
    {"min_s", "shortest sample", "{:.3e}", "min s"},
    {"max_s", "longest sample"},
    {"cold_median_s", "median of single products with an empty L2 cache; empty on the host"},
    {"gflops", "2 nonzeros k / median_s / 1e9, GFLOP/s", "{:.2f}", "GFLOP/s"},
    {"floor_bytes",
     "bytes that must move: values, 4-byte columns and 8-byte row offsets of CSR, X and Y once"},
    {"bandwidth_gbs", "floor_bytes / median_s / 1e9, GB/s", "{:.2f}", "GB/s"},
    {"triad_gbs",
     "triad a = b + s c with as many threads in the same run, 24 bytes an element, GB/s; on a GPU "
     "a large copy, bytes read and written"},
    {"triad_fraction", "bandwidth_gbs / triad_gbs", "{:.2f}", "of triad"},
    {"baseline", "the kernel that speedup refers to"},
    {"speedup", "median_s of the baseline kernel / median_s, as many threads", "{:.2f}",
     "speed-up"},
    {"of_fastest", "median_s of the fastest row of this matrix, precision and k / median_s",
     "{:.2f}", "of fastest"},
    {"largest_error", "max |y - r| / max(|y|, |r|) against the serial product r", "{:.1e}",
     "largest error"},
    {"mean_error", "mean of the same", "{:.1e}", "mean error"},
    {"scaled_error", "max |y - r| / (|A| |X|)"},
    {"error_bound", "(longest_row + 2) unit_roundoff, which scaled_error stays below"},
    {"unit_roundoff", "2^-53 in double, 2^-24 in float"},
    {"machine_epsilon",
     "twice that: 2.22e-16 in double, the unit round-off of the published table"},
    {"format_bytes", "bytes of the converted matrix"},
    {"convert_s", "seconds from CSR to the format, once", "{:.1e}", "convert s"},
    {"reproducible", "whether every run gives the same bits"},
};

/// The work of all kernels of one matrix, type and K: Y = A X, and the serial product to compare
/// with.
template <typename T>
struct Workload {
  const Csr<T>& matrix;
  MatrixFacts facts;
  Dense<T> x;          ///< columns x K
  Dense<T> reference;  ///< A X by csr_serial in T; empty where results are not checked
};

template <typename T>
Workload<T> make_workload(const Csr<T>& matrix, const MatrixFacts& facts, Index k, Index seed,
                          bool check) {
  Workload<T> work{matrix, facts, Dense<T>(matrix.columns, k), {}};
  const Dense<double> x = random_multivector(matrix.columns, k, seed);
  std::copy(x.values.begin(), x.values.end(), work.x.values.begin());
  if (check) {
    work.reference = Dense<T>(matrix.rows, k);
    csr_serial(work.matrix, work.x.values.data(), work.reference.values.data(), k);
  }
  return work;
}

/// A kernel's product of one workload: converts the matrix in the first turn, and compares Y with
/// the reference; samples in all of them.
template <typename T>
class KernelTurns {
 public:
  KernelTurns(const Kernel& kernel, Device* device, const Workload<T>& work, int threads,
              const MultiplyPlan& plan)
      : kernel_(kernel), device_(device), work_(work), threads_(threads), plan_(plan) {}

  void operator()(Turn& turn) {
    if (threads_ > 0) omp_set_num_threads(threads_);
    if (product_ == nullptr) convert(turn.row);
    const Index k = work_.x.columns;
    Dense<T> y(work_.matrix.rows, k, std::numeric_limits<T>::quiet_NaN());
    const Sampled sampled = device_->run(*product_, work_.x, y, plan_.sampling);
    turn.row["repeats"] = sampled.repeats;
    for (const double seconds : sampled.samples) turn.add("median_s", seconds);
    for (const double seconds : sampled.cold_samples) turn.add("cold_median_s", seconds);
    if (turn.round > 1 || work_.reference.columns == 0) return;
    set_errors(turn.row, compare_products(work_.matrix, work_.x.values.data(),
                                          work_.reference.values.data(), y.values.data(), k));
  }

 private:
  void convert(Row& row) {
    if (device_ == nullptr) {
      fail(ExitCode::input, "there is no {} device here", name(kernel_.device));
    }
    const Index k = work_.x.columns;
    const std::string refused = kernel_.refuse(work_.facts, k, sizeof(T));
    if (!refused.empty()) fail(ExitCode::input, "{}", refused);
    const Timer timer;
    try {
      product_ = prepare<T>(
          kernel_, work_.matrix,
          {.columns = k, .threads = threads_, .width = plan_.width, .room_behind = true});
    } catch (const std::bad_alloc&) {
      fail(ExitCode::resources, "the converted matrix does not fit into memory");
    }
    row["convert_s"] = timer.seconds();
    row["format_bytes"] = product_->bytes();
    row["detail"] = text_or_null(product_->detail());
  }

  const Kernel& kernel_;
  Device* device_;
  const Workload<T>& work_;
  int threads_;
  const MultiplyPlan& plan_;
  std::shared_ptr<KernelProduct<T>> product_;
};

Device* find_device(std::span<Device* const> devices, KernelDevice kind) {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](auto* d) { return d->kind() == kind; });
  return found == devices.end() ? nullptr : *found;
}

/// The labels of a kernel's row for one K.
Row label(const Row& labelled, const Kernel& kernel, Device* device, Index k, int threads) {
  Row row = labelled;
  row.name = fmt::format("{} ({})", kernel.name, row.cell("precision").get<std::string>());
  row["kernel"] = kernel.name;
  row["device"] = device != nullptr ? device->name() : std::string(name(kernel.device));
  row["format"] = kernel.format;
  row["reproducible"] = kernel.reproducible;
  row["k"] = k;
  if (threads > 0) row["threads"] = threads;
  const double triad = device != nullptr ? device->bandwidth(threads) : 0;
  if (triad > 0) row["triad_gbs"] = triad / 1e9;
  return row;
}

void set_rates(Row& row, const MatrixFacts& facts, Index k, std::size_t bytes_of_value) {
  const double floor =
      product_floor_bytes(facts.rows, facts.columns, facts.nonzeros, k, bytes_of_value);
  row["floor_bytes"] = floor;
  if (!row.measured()) return;
  row.add_spread("median_s");
  row["gflops"] = product_flops(facts.nonzeros, k) / row.number("median_s") / 1e9;
  row["bandwidth_gbs"] = floor / row.number("median_s") / 1e9;
  row["triad_fraction"] = number_or_null(row.number("bandwidth_gbs") / row.number("triad_gbs"));
}

template <typename T>
void sample_precision(const Row& labelled, const Csr<T>& matrix, const MatrixFacts& facts,
                      const MultiplyPlan& plan, std::span<Device* const> devices,
                      std::vector<Row>& rows) {
  const std::vector<int> no_threads{0};
  SoloTeam alone;
  for (const Index k : plan.columns) {
    const Workload<T> work = make_workload(matrix, facts, k, plan.seed, plan.check);
    std::vector<Contender> contenders;
    for (const Kernel* kernel : plan.kernels) {
      Device* const device = find_device(devices, kernel->device);
      const bool threaded = device != nullptr && device->has_threads();
      for (const int threads : threaded ? plan.threads : no_threads) {
        contenders.push_back({label(labelled, *kernel, device, k, threads), true,
                              KernelTurns<T>(*kernel, device, work, threads, plan)});
      }
    }
    Rules rules;
    rules.where = fmt::format("{}, K = {}", labelled.name, k);
    rules.rounds = plan.rounds;
    for (Row& row : compete(alone, std::move(contenders), rules)) {
      set_rates(row, facts, k, sizeof(T));
      rows.push_back(std::move(row));
    }
  }
}

}  // namespace

Columns multiply_columns() {
  return columns;
}

std::vector<Row> sample_matrix(const std::string& name, const Csr<double>& matrix,
                               const MultiplyPlan& plan, std::span<Device* const> devices) {
  const MatrixFacts facts = facts_of(matrix);
  Row labelled;
  labelled.name = name;
  labelled.cells = {{"matrix", name},
                    {"rows", facts.rows},
                    {"columns", facts.columns},
                    {"nonzeros", facts.nonzeros},
                    {"longest_row", facts.longest_row},
                    {"symmetric", facts.symmetric}};
  if (plan.width > 0) labelled["width"] = plan.width;
  std::vector<Row> rows;
  for (const Precision precision : plan.precisions) {
    labelled["precision"] = spsolve::name(precision);
    if (precision == Precision::float32) {
      sample_precision(labelled, csr_cast<float>(matrix), facts, plan, devices, rows);
    } else {
      sample_precision(labelled, matrix, facts, plan, devices, rows);
    }
  }
  return rows;
}

void set_errors(Row& row, const ProductErrors& errors) {
  row["largest_error"] = errors.largest;
  row["mean_error"] = errors.mean;
  row["scaled_error"] = errors.scaled;
  row["error_bound"] = errors.bound;
  row["unit_roundoff"] = errors.roundoff;
  row["machine_epsilon"] = errors.epsilon;
}

void compare_rows(std::span<Row> rows, std::string_view baseline) {
  const auto alike = [](const Row& own, const Row& other) {
    return other.cell("matrix") == own.cell("matrix") && other.cell("k") == own.cell("k") &&
           other.cell("precision") == own.cell("precision");
  };
  double most = 0;
  for (const Row& row : rows) {
    if (row.measured() && row.cell("kernel") == baseline && row.number("threads") > most) {
      most = row.number("threads");
    }
  }
  compare(rows, "median_s", "of_fastest", alike);
  compare(rows, "median_s", "speedup", [&](const Row& own, const Row& other) {
    if (other.cell("kernel") != baseline || !alike(own, other)) return false;
    const bool of_most = own.cell("threads").is_null() && most > 0;
    return other.cell("threads") == (of_most ? Cell(most) : own.cell("threads"));
  });
  for (Row& row : rows) {
    if (!row.cell("speedup").is_null()) row["baseline"] = baseline;
  }
}

}  // namespace spsolve::bench
