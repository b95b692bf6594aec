#include "apps/bench/multiply/distributed_bench.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <omp.h>

#include "core/timer.hpp"
#include "distribute/distributed_product.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "multiply/cost.hpp"
#include "multiply/published/csr_kernels.hpp"
#include "report/report.hpp"

namespace spsolve::bench {

double DistributedRow::gflops() const {
  return product_flops(nonzeros, k) / sample->product.seconds.median / 1e9;
}

double DistributedRow::bytes_per_second() const {
  return product_floor_bytes(rows, columns, nonzeros, k, value_bytes(precision)) /
         sample->product.seconds.median;
}

double DistributedRow::imbalance() const {
  return spsolve::imbalance(sample->shares);
}

Index DistributedRow::halo_rows() const {
  Index all = 0;
  for (const RankShare& share : sample->shares) all += share.halo_rows;
  return all;
}

Index DistributedRow::halo_bytes() const {
  return halo_rows() * k * static_cast<Index>(value_bytes(precision));
}

namespace {

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

template <typename T>
DistributedSample sample_product(Team& team, ProductBackend& backend, const DistributedRow& row,
                                 const BandedMatrix& matrix, const DistributedPlan& plan) {
  DistributedSample result;
  const Index k = row.k;
  wait_for_all(team);
  const Timer preparing;
  DistributedProduct<T> product(team, backend, row.kernel, KernelOptions{k, row.threads, 0},
                                together(team, [&] { return matrix.rows; }),
                                bands_of_x(matrix.bands, matrix.columns));
  result.prepare_seconds = all_maximum(team, preparing.seconds());
  result.shares = all_gather(team, product.share());

  std::unique_ptr<DeviceBlock<T>> x, y;
  together(team, [&] {
    const Range own = product.plan().own;
    const Dense<double> random = random_multivector(own.size(), k, plan.seed, own.first);
    x = maker<T>(backend).block(own.size() * k);
    y = maker<T>(backend).block(product.share().rows * k);
    x->upload(std::vector<T>(random.values.begin(), random.values.end()));
    y->upload(
        std::vector<T>(static_cast<std::size_t>(product.share().rows * k), static_cast<T>(NAN)));
  });
  std::vector<ProductTimes> times;
  // The slowest rank's seconds decide, so that all repeat equally often.
  result.product = sample(
      [&](int repeats) {
        wait_for_all(team);
        const Timer timer;
        for (int r = 0; r < repeats; ++r) product.multiply(x->data(), y->data(), k);
        times.push_back(product.finish());
        return all_maximum(team, timer.seconds());
      },
      plan.sampling);
  result.detail = broadcast_text(team, product.detail(), 0);
  result.transport = product.transport();
  for (const auto part : {&ProductTimes::pack, &ProductTimes::exchange, &ProductTimes::interior,
                          &ProductTimes::wait, &ProductTimes::boundary}) {
    std::vector<double> values;
    for (const ProductTimes& one : times) values.push_back(one.*part);
    result.parts.*part = all_maximum(team, statistics_of(values).median);
  }
  if (plan.check) {
    std::vector<T> band(static_cast<std::size_t>(product.share().rows * k));
    together(team, [&] { y->download(band); });
    result.errors = check_rows<T>(team, matrix.rows, band, k, plan.seed);
  }
  return result;
}

}  // namespace

std::vector<DistributedRow> sample_distributed(
    Team& team, const std::string& name, const BandedMatrix& matrix, const DistributedPlan& plan,
    const std::function<std::unique_ptr<ProductBackend>(int)>& make_backend,
    const std::function<void(const DistributedRow&)>& on_row) {
  DistributedRow labelled;
  labelled.matrix = name;
  labelled.rows = matrix.bands.rows;
  labelled.columns = matrix.columns;
  labelled.nonzeros = matrix.nonzeros;
  labelled.ranks = team.size();
  labelled.hosts = count_hosts(team);
  labelled.bands = plan.bands;

  std::vector<DistributedRow> rows;
  for (const int threads : plan.threads) {
    omp_set_num_threads(threads);
    const auto backend = make_backend(threads);
    for (const Precision precision : plan.precisions) {
      for (const Index k : plan.columns) {
        for (const Kernel* kernel : plan.kernels) {
          DistributedRow row = labelled;
          row.kernel = *kernel;
          row.device = backend->device();
          row.precision = precision;
          row.k = k;
          row.threads = threads;
          try {
            row.sample = with_scalar(precision, [&]<typename T>(T) {
              return sample_product<T>(team, *backend, row, matrix, plan);
            });
          } catch (const Error& error) {
            // An error that every rank throws is a refusal; one rank's own failure ends the run.
            if (error.scope() != Scope::every_rank || error.code() == ExitCode::internal) throw;
            row.refused = error.what();
          }
          on_row(row);
          rows.push_back(std::move(row));
        }
      }
    }
  }
  return rows;
}

}  // namespace spsolve::bench
