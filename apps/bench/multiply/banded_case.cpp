#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "apps/bench/multiply/multiply_bench.hpp"
#include "core/timer.hpp"
#include "distribute/rank_share.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "multiply/published/csr_kernels.hpp"
#include "report/report.hpp"
#include "vectors/basic_band_matrix.hpp"

namespace spsolve::bench {

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
/// exchange; of all ranks the worst. `mirrored`: of this rank's rows, if it multiplies so.
template <typename T>
ProductErrors check_rows(Team& team, const CompressedRows& in_double, const std::vector<T>& y,
                         Index k, Index seed, const MirroredBlock* mirrored) {
  ProductErrors mine = together(team, [&] {
    const Csr<T> rows = csr_cast<T>(in_double.rows);
    const std::vector<T> x = rows_of_x<T>(in_double.global_columns, k, seed);
    std::vector<T> reference(y.size());
    csr_serial(rows, x.data(), reference.data(), k);
    return compare_products(rows, x.data(), reference.data(), y.data(), k, mirrored);
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

/// A matrix in bands, and what multiplies it.
struct Bands {
  Team& team;
  const BandedMatrix& matrix;
  const VectorMemory& memory;
  Index seed;
};

template <typename T>
class BandedProduct final : public SampledProduct {
 public:
  BandedProduct(const Bands& bands, const Kernel& kernel, const KernelOptions& options)
      : bands_(bands), kernel_(kernel), options_(options) {}

  void prepare(Row& row) override {
    wait_for_all(bands_.team);
    const Timer timer;
    product_ = std::make_unique<BasicBandMatrix<T>>(
        bands_.team, bands_.matrix.bands, bands_of_x(bands_.matrix.bands, bands_.matrix.columns),
        together(bands_.team, [&] { return bands_.matrix.rows; }), bands_.memory, kernel_,
        options_);
    row["convert_s"] = all_maximum(bands_.team, timer.seconds());
    const std::vector<RankShare> shares = all_gather(bands_.team, product_->share());
    set_shares(shares, options_.columns, sizeof(T), row);
    for (const RankShare& share : shares) most_bytes_ = std::max(most_bytes_, share.bytes);
    const Index k = options_.columns, height = product_->share().rows;
    together(bands_.team, [&] {
      const Range own = product_->own_columns();
      const Dense<double> random = random_multivector(own.size(), k, bands_.seed, own.first);
      x_ = maker<T>(bands_.memory).block(own.size() * k);
      y_ = maker<T>(bands_.memory).block(height * k);
      x_->upload(std::vector<T>(random.values.begin(), random.values.end()));
      y_->upload(std::vector<T>(static_cast<std::size_t>(height * k), static_cast<T>(NAN)));
    });
  }

  std::int64_t bytes() const override { return most_bytes_; }

  /// The slowest rank's seconds decide, so that all repeat equally often.
  Sampled run(const SamplingOptions& options) override {
    return sample(
        [&](int repeats) {
          wait_for_all(bands_.team);
          const Timer timer;
          for (int r = 0; r < repeats; ++r) {
            product_->multiply(x_->data(), y_->data(), options_.columns);
          }
          times_.push_back(product_->finish());
          return all_maximum(bands_.team, timer.seconds());
        },
        options);
  }

  void note(Row& row, bool checks) override {
    row["detail"] = text_or_null(broadcast_text(bands_.team, product_->detail(), 0));
    row["transport"] = product_->transport();
    set_parts(bands_.team, times_, row);
    if (!checks) return;
    std::vector<T> band(static_cast<std::size_t>(product_->share().rows * options_.columns));
    together(bands_.team, [&] { y_->download(band); });
    const MirroredBlock own{product_->own_rows().first, bands_.matrix.rows.global_columns};
    set_errors(row, check_rows<T>(bands_.team, bands_.matrix.rows, band, options_.columns,
                                  bands_.seed, product_->share().rounds_mirrors ? &own : nullptr));
  }

 private:
  Bands bands_;
  const Kernel& kernel_;
  KernelOptions options_;
  std::unique_ptr<BasicBandMatrix<T>> product_;
  std::unique_ptr<DeviceBlock<T>> x_, y_;
  std::int64_t most_bytes_ = 0;
  std::vector<ProductTimes> times_;
};

}  // namespace

ProductCase banded_case(Team& team, const std::string& name, const BandedMatrix& matrix,
                        const MultiplyPlan& plan, const VectorMemory& memory,
                        std::function<std::int64_t()> free_memory) {
  Row labels;
  labels.name = name;
  labels.cells = {{"matrix", name},
                  {"rows", matrix.bands.rows},
                  {"columns", matrix.columns},
                  {"nonzeros", matrix.nonzeros},
                  {"device", memory.device()},
                  {"ranks", team.size()},
                  {"hosts", count_hosts(team)},
                  {"bands", spsolve::name(plan.bands)}};
  const Bands bands{team, matrix, memory, plan.seed};
  const auto contenders = [=, &plan](ProductNumbers numbers, Index k) {
    std::vector<ProductContender> all;
    for (const int threads : plan.threads) {
      for (const Kernel* kernel : plan.kernels) {
        Row row = label_product(labels, *kernel, numbers, k);
        row["threads"] = threads;
        auto product = with_scalar(precision_of(numbers),
                                   [&]<typename T>(T) -> std::unique_ptr<SampledProduct> {
                                     return std::make_unique<BandedProduct<T>>(
                                         bands, *kernel, KernelOptions{k, threads, 0});
                                   });
        all.push_back({std::move(row), threads, kernel->device, std::move(product)});
      }
    }
    return all;
  };
  return {labels, contenders, [&team, free_memory = std::move(free_memory)](KernelDevice) {
            const auto free = static_cast<double>(free_memory());
            return static_cast<std::int64_t>(-all_maximum(team, -free));
          }};
}

}  // namespace spsolve::bench
