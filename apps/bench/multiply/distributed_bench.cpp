#include "apps/bench/multiply/distributed_bench.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "core/timer.hpp"
#include "distribute/rank_share.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "multiply/cost.hpp"
#include "multiply/published/csr_kernels.hpp"
#include "report/report.hpp"
#include "vectors/basic_band_matrix.hpp"

namespace spsolve::bench {

namespace {

constexpr Column columns[] = {
    {"matrix", "file or generator"},
    {"rows", "rows of A"},
    {"columns", "columns of A"},
    {"nonzeros", "stored non-zeros of A, symmetric files mirrored"},
    {"kernel", "name in the table of kernels", "{}", "kernel"},
    {"device", "host, or the model of the GPU", "{}", "device"},
    {"precision", "float or double", "{}", "precision"},
    {"k", "columns of X and Y", "{}", "K"},
    {"ranks", "ranks of the team", "{}", "ranks"},
    {"hosts", "hosts that they are on"},
    {"threads", "threads of each rank", "{}", "threads"},
    {"bands", "how rows are dealt out, as asked for"},
    {"transport", "how the halo travels"},
    {"refused", "why the kernel was not run; empty where it was"},
    {"detail", "what the kernel chose on rank 0"},
    {"samples", "number of samples"},
    {"repeats", "products within a sample"},
    {"median_s", "seconds of one product on the slowest rank: median of the samples", "{:.3e}",
     "median s"},
    {"mean_s", "mean, by Welford's one-pass algorithm"},
    {"variance_s2", "variance (divisor samples - 1), s^2"},
    {"min_s", "shortest sample"},
    {"max_s", "longest sample"},
    {"pack_s", "of one product: packing; this and the next four on the rank where it is longest",
     "{:.1e}", "pack"},
    {"exchange_s", "letting messages go", "{:.1e}", "exchange"},
    {"interior_s", "multiplying own rows of X", "{:.1e}", "interior"},
    {"wait_s", "waiting for the halo when all else is done", "{:.1e}", "wait"},
    {"boundary_s", "multiplying the halo", "{:.1e}", "boundary"},
    {"gflops", "2 nonzeros k / median_s / 1e9, GFLOP/s", "{:.2f}", "GFLOP/s"},
    {"bandwidth_gbs", "bytes that must move / median_s / 1e9, GB/s", "{:.2f}", "GB/s"},
    {"halo_rows", "rows of X that travel in one product", "{}", "halo rows"},
    {"halo_bytes", "their bytes"},
    {"imbalance", "non-zeros of the fullest rank over the mean", "{:.3f}", "imbalance"},
    {"prepare_s", "halo plan and conversion, once"},
    {"largest_error", "max |y - r| / max(|y|, |r|) against the serial product r", "{:.1e}",
     "largest error"},
    {"scaled_error", "max |y - r| / (|A| |X|)"},
    {"error_bound", "(longest row + 2) unit round-off, which scaled_error stays below"},
};

/// Columns `global` of the bench's X, ascending: each a row of K numbers.
template <typename T>
std::vector<T> rows_of_x(const std::vector<Index>& global, Index k, Index seed) {
  std::vector<T> x;
  x.reserve(global.size() * static_cast<std::size_t>(k));
  for (std::size_t first = 0, last = 0; first < global.size(); first = last) {
    // A run of neighbours at a time.
    while (last < global.size() &&
           global[last] - global[first] == static_cast<Index>(last - first)) {
      ++last;
    }
    const Dense<double> run =
        random_multivector(static_cast<Index>(last - first), k, seed, global[first]);
    x.insert(x.end(), run.values.begin(), run.values.end());
  }
  return x;
}

/// Errors of this rank's Y against the serial product of its rows with X, made here without any
/// exchange; of all ranks the worst.
template <typename T>
ProductErrors check_rows(Team& team, const CompressedRows& in_double, const std::vector<T>& y,
                         Index k, Index seed) {
  ProductErrors mine = together(team, [&] {
    const Csr<T> rows = csr_cast<T>(in_double.rows);
    const std::vector<T> x = rows_of_x<T>(in_double.global_columns, k, seed);
    std::vector<T> reference(y.size());
    csr_serial(rows, x.data(), reference.data(), k);
    return compare_products(rows, x.data(), reference.data(), y.data(), k);
  });
  for (double* figure : {&mine.largest, &mine.mean, &mine.scaled, &mine.bound}) {
    *figure = all_maximum(team, *figure);
  }
  return mine;
}

/// Seconds of a sample's last product, medians; each where it took longest.
void set_parts(Team& team, const std::vector<ProductTimes>& times, Row& row) {
  constexpr std::pair<std::string_view, double ProductTimes::*> parts[] = {
      {"pack_s", &ProductTimes::pack},
      {"exchange_s", &ProductTimes::exchange},
      {"interior_s", &ProductTimes::interior},
      {"wait_s", &ProductTimes::wait},
      {"boundary_s", &ProductTimes::boundary}};
  for (const auto& [column, part] : parts) {
    std::vector<double> values;
    for (const ProductTimes& one : times) values.push_back(one.*part);
    row[column] = all_maximum(team, statistics_of(values).median);
  }
}

void set_shares(const std::vector<RankShare>& shares, Index k, std::size_t bytes_of_value,
                Row& row) {
  Index halo = 0;
  for (const RankShare& share : shares) halo += share.halo_rows;
  row["halo_rows"] = halo;
  row["halo_bytes"] = halo * k * static_cast<Index>(bytes_of_value);
  row["imbalance"] = imbalance(shares);
}

/// One turn of a kernel: makes its product over the ranks and samples it.
template <typename T>
void sample_product(Turn& turn, const VectorMemory& memory, const Kernel& kernel, Index k,
                    int threads, const BandedMatrix& matrix, const MultiplyPlan& plan) {
  Team& team = turn.team;
  Row& row = turn.row;
  wait_for_all(team);
  const Timer preparing;
  BasicBandMatrix<T> product(team, matrix.bands, bands_of_x(matrix.bands, matrix.columns),
                             together(team, [&] { return matrix.rows; }), memory, kernel,
                             KernelOptions{k, threads, 0});
  row["prepare_s"] = all_maximum(team, preparing.seconds());
  const std::vector<RankShare> shares = all_gather(team, product.share());

  std::unique_ptr<DeviceBlock<T>> x, y;
  together(team, [&] {
    const Range own = product.own_columns();
    const Dense<double> random = random_multivector(own.size(), k, plan.seed, own.first);
    x = maker<T>(memory).block(own.size() * k);
    y = maker<T>(memory).block(product.share().rows * k);
    x->upload(std::vector<T>(random.values.begin(), random.values.end()));
    y->upload(
        std::vector<T>(static_cast<std::size_t>(product.share().rows * k), static_cast<T>(NAN)));
  });
  std::vector<ProductTimes> times;
  // The slowest rank's seconds decide, so that all repeat equally often.
  const Sampled sampled = sample(
      [&](int repeats) {
        wait_for_all(team);
        const Timer timer;
        for (int r = 0; r < repeats; ++r) product.multiply(x->data(), y->data(), k);
        times.push_back(product.finish());
        return all_maximum(team, timer.seconds());
      },
      plan.sampling);
  row["repeats"] = sampled.repeats;
  row.samples["median_s"] = sampled.samples;
  row["detail"] = text_or_null(broadcast_text(team, product.detail(), 0));
  row["transport"] = product.transport();
  set_parts(team, times, row);
  set_shares(shares, k, sizeof(T), row);
  if (!plan.check) return;
  std::vector<T> band(static_cast<std::size_t>(product.share().rows * k));
  together(team, [&] { y->download(band); });
  set_errors(row, check_rows<T>(team, matrix.rows, band, k, plan.seed));
}

void set_rates(Row& row, const BandedMatrix& matrix, Index k, Precision precision) {
  if (!row.measured()) return;
  row.add_spread("median_s");
  const double seconds = row.number("median_s"),
               bytes = product_floor_bytes(matrix.bands.rows, matrix.columns, matrix.nonzeros, k,
                                           value_bytes(precision));
  row["gflops"] = product_flops(matrix.nonzeros, k) / seconds / 1e9;
  row["bandwidth_gbs"] = bytes / seconds / 1e9;
}

}  // namespace

Columns distributed_columns() {
  return columns;
}

std::vector<Row> sample_distributed(Team& team, const std::string& name, const BandedMatrix& matrix,
                                    const MultiplyPlan& plan, const VectorMemory& memory) {
  Row labelled;
  labelled.cells = {{"matrix", name},
                    {"rows", matrix.bands.rows},
                    {"columns", matrix.columns},
                    {"nonzeros", matrix.nonzeros},
                    {"ranks", team.size()},
                    {"hosts", count_hosts(team)},
                    {"bands", spsolve::name(plan.bands)}};
  std::vector<Row> rows;
  for (const int threads : plan.threads) {
    omp_set_num_threads(threads);
    labelled["device"] = memory.device();
    labelled["threads"] = threads;
    for (const Precision precision : plan.precisions) {
      labelled["precision"] = spsolve::name(precision);
      for (const Index k : plan.columns) {
        labelled["k"] = k;
        std::vector<Contender> contenders;
        for (const Kernel* kernel : plan.kernels) {
          Row row = labelled;
          row.name = fmt::format("{} ({})", kernel->name, spsolve::name(precision));
          row["kernel"] = kernel->name;
          const auto turn = with_scalar(precision, []<typename T>(T) { return sample_product<T>; });
          contenders.push_back({std::move(row), true, [&, k, kernel, threads, turn](Turn& now) {
                                  turn(now, memory, *kernel, k, threads, matrix, plan);
                                }});
        }
        Rules rules;
        rules.where = fmt::format("{}, K = {}", name, k);
        for (Row& row : compete(team, std::move(contenders), rules)) {
          set_rates(row, matrix, k, precision);
          rows.push_back(std::move(row));
        }
      }
    }
  }
  return rows;
}

}  // namespace spsolve::bench
