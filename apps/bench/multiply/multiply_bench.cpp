#include "apps/bench/multiply/multiply_bench.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <omp.h>

#include "multiply/cost.hpp"

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
    {"precision", "float, double, complex_float or complex_double", "{}", "precision"},
    {"k", "columns of X and Y", "{}", "K"},
    {"threads", "threads of the host, of each rank; empty on other devices", "{}", "threads"},
    {"ranks", "ranks that share the rows", "{}", "ranks"},
    {"hosts", "hosts that they are on; this and the next two of products in bands alone"},
    {"bands", "how rows are dealt out, as asked for"},
    {"transport", "how the halo travels"},
    {"width", "parameter of the kernel (sub-warp, tile, chunk) asked for; empty: its default"},
    {"refused", "why the kernel was not run; empty where it was"},
    {"detail", "what the kernel chose for this matrix"},
    {"samples", "number of samples"},
    {"repeats", "products within a sample"},
    {"median_s", "seconds of one product, of the slowest rank: median of the samples", "{:.3e}",
     "median s"},
    {"mean_s", "mean, by Welford's one-pass algorithm"},
    {"variance_s2", "variance (divisor samples - 1), s^2"},
    {"min_s", "shortest sample", "{:.3e}", "min s"},
    {"max_s", "longest sample"},
    {"cold_median_s", "median of single products with an empty L2 cache; empty on the host"},
    {"pack_s", "of one product: packing; this and the next four on the rank where it is longest",
     "{:.1e}", "pack"},
    {"exchange_s", "letting messages go", "{:.1e}", "exchange"},
    {"interior_s", "multiplying own rows of X", "{:.1e}", "interior"},
    {"wait_s", "waiting for the halo when all else is done", "{:.1e}", "wait"},
    {"boundary_s", "multiplying the halo", "{:.1e}", "boundary"},
    {"gflops", "2 nonzeros k / median_s / 1e9, GFLOP/s; of complex numbers 8", "{:.2f}", "GFLOP/s"},
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
    {"convert_s", "seconds from CSR to the format, once; in bands with the plan of the halo",
     "{:.1e}", "convert s"},
    {"halo_rows", "rows of X that travel in one product in bands", "{}", "halo rows"},
    {"halo_bytes", "their bytes"},
    {"imbalance", "non-zeros of the fullest rank over the mean", "{:.3f}", "imbalance"},
    {"reproducible", "whether every run gives the same bits"},
};

/// Samples a product turn by turn. `room`: bytes that it may hold from one to the next.
class ProductTurns {
 public:
  ProductTurns(ProductContender who, const MultiplyPlan& plan, std::int64_t room)
      : threads_(who.threads), product_(std::move(who.product)), plan_(plan), room_(room) {}

  void operator()(Turn& turn) {
    if (product_ == nullptr) return;
    if (threads_ > 0) omp_set_num_threads(threads_);
    const bool first = repeats_ == 0;
    if (first) product_->prepare(turn.row);
    const bool stays = product_->bytes() <= room_;
    SamplingOptions sampling = plan_.sampling;
    if (plan_.rounds > 0 && !stays) sampling.samples *= plan_.rounds;
    if (plan_.rounds == 0 && stays) sampling.samples = 1;
    sampling.repeats = repeats_;
    const Sampled sampled = product_->run(sampling);
    turn.row["repeats"] = repeats_ = sampled.repeats;
    for (const double seconds : sampled.samples) turn.add("median_s", seconds);
    for (const double seconds : sampled.cold_samples) turn.add("cold_median_s", seconds);
    product_->note(turn.row, first && plan_.check);
    if (!stays) product_ = nullptr;
  }

 private:
  int threads_, repeats_ = 0;
  std::shared_ptr<SampledProduct> product_;
  const MultiplyPlan& plan_;
  std::int64_t room_;
};

void set_rates(Row& row, ProductNumbers numbers, Index k) {
  const Index parts = parts_of(numbers);
  const auto count = [&](std::string_view column) { return row.cell(column).get<Index>(); };
  const double floor = product_floor_bytes(count("rows"), count("columns"), count("nonzeros"), k,
                                           parts * value_bytes(precision_of(numbers)));
  row["floor_bytes"] = floor;
  if (!row.measured()) return;
  row.add_spread("median_s");
  row["gflops"] =
      product_flops(parts * parts * count("nonzeros"), k) / row.number("median_s") / 1e9;
  row["bandwidth_gbs"] = floor / row.number("median_s") / 1e9;
  row["triad_fraction"] = number_or_null(row.number("bandwidth_gbs") / row.number("triad_gbs"));
}

}  // namespace

Columns multiply_columns() {
  return columns;
}

std::vector<Row> sample_products(Team& team, const ProductCase& matrix, const MultiplyPlan& plan) {
  std::vector<Row> rows;
  for (const ProductNumbers numbers : plan.precisions) {
    for (const Index k : plan.columns) {
      std::vector<ProductContender> products = matrix.contenders(numbers, k);
      const auto each = 2 * static_cast<std::int64_t>(products.size());
      std::vector<Contender> contenders;
      for (ProductContender& one : products) {
        const std::int64_t room = matrix.free_bytes(one.device) / each;
        Row row = one.row;
        contenders.push_back({std::move(row), true, ProductTurns(std::move(one), plan, room)});
      }
      Rules rules;
      rules.where = fmt::format("{}, K = {}", matrix.labels.name, k);
      rules.rounds = plan.rounds > 0 ? plan.rounds : plan.sampling.samples;
      rules.brief = true;
      for (Row& row : compete(team, std::move(contenders), rules)) {
        set_rates(row, numbers, k);
        rows.push_back(std::move(row));
      }
    }
  }
  compare_rows(rows, plan.baseline);
  return rows;
}

Row label_product(const Row& labels, const Kernel& kernel, ProductNumbers numbers, Index k) {
  Row row = labels;
  row.name = fmt::format("{} ({})", kernel.name, spsolve::name(numbers));
  row["kernel"] = kernel.name;
  row["format"] = kernel.format;
  row["reproducible"] = kernel.reproducible;
  row["precision"] = spsolve::name(numbers);
  row["k"] = k;
  return row;
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
