// Sampling of products, and the tables made of it. Nothing here depends on how long anything takes.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "apps/bench/contest.hpp"
#include "apps/bench/convert.hpp"
#include "apps/bench/multiply/multiply_bench.hpp"
#include "core/error.hpp"
#include "matrix/formats/conversions.hpp"
#include "matrix/generate/generate.hpp"
#include "multiply/compare.hpp"
#include "multiply/cost.hpp"
#include "multiply/kernel_row.hpp"
#include "multiply/published/csr_kernels.hpp"

namespace spsolve::bench {
namespace {

constexpr SamplingOptions quick{3, 0.0};

TEST(Sampling, RepeatsShortWorkWithinASample) {
  // A clock of our own: every run takes a millisecond.
  int runs = 0;
  const auto run = [&](int repeats) {
    runs += repeats;
    return 1e-3 * repeats;
  };
  const Sampled sampled = sample(run, {5, 6e-3});
  EXPECT_EQ(sampled.repeats, 8);
  EXPECT_EQ(sampled.samples, std::vector<double>(5, 1e-3));
  EXPECT_EQ(runs, 1 + (1 + 2 + 4 + 8) + 5 * 8);
}

TEST(Sampling, WorkWithoutDurationEnds) {
  const Sampled sampled = sample([](int) { return 0.0; }, {2, 1e-3});
  EXPECT_EQ(sampled.samples, std::vector<double>(2, 0.0));
  EXPECT_TRUE(sampled.cold_samples.empty());
}

TEST(Bandwidth, TriadCountsThreeArrays) {
  const Triad triad = measure_triad(2, 1 << 20, 3);
  EXPECT_EQ(triad.threads, 2);
  EXPECT_EQ(triad.array_bytes, 1 << 20);
  EXPECT_DOUBLE_EQ(triad.bytes_per_second * triad.seconds, 3.0 * (1 << 20));
  EXPECT_THROW(measure_triad(1, std::numeric_limits<std::int64_t>::max() / 8), Error);
  EXPECT_GE(triad_array_bytes(), 1 << 20);
}

TEST(ProductCost, CountsWhatMustMove) {
  EXPECT_EQ(product_flops(10, 3), 60.0);
  EXPECT_EQ(product_floor_bytes(4, 5, 10, 3, 8), 10 * 12 + 5 * 8 + 3 * 9 * 8);
  EXPECT_EQ(product_floor_bytes(4, 5, 10, 3, 4), 10 * 8 + 5 * 8 + 3 * 9 * 4);
}

TEST(CompareProducts, MeasuresErrors) {
  const Csr<double> a = generate_matrix("tridiagonal:3");  // 2 on the diagonal, -1 next to it
  const std::vector<double> x{1, 1, 1};
  const std::vector<double> reference{1, 0, 1};
  const ProductErrors none = compare_products(a, x.data(), reference.data(), reference.data(), 1);
  EXPECT_EQ(none.largest, 0.0);
  EXPECT_EQ(none.scaled, 0.0);
  EXPECT_EQ(none.roundoff, 0x1p-53);
  EXPECT_EQ(none.bound, 5 * 0x1p-53);
  EXPECT_TRUE(none.within_bound());

  const std::vector<double> y{1 + 0x1p-52, 0x1p-53, 1};  // the sum of row 2 cancels
  const ProductErrors rounded = compare_products(a, x.data(), reference.data(), y.data(), 1);
  EXPECT_EQ(rounded.largest, 1.0);
  EXPECT_NEAR(rounded.mean, 1.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(rounded.scaled, 0x1p-52 / 3);
  EXPECT_TRUE(rounded.within_bound());

  const std::vector<double> wrong{1, 1e-10, 1};
  EXPECT_FALSE(compare_products(a, x.data(), reference.data(), wrong.data(), 1).within_bound());
  const std::vector<double> left_out{1, 0, std::nan("")};
  const ProductErrors nan = compare_products(a, x.data(), reference.data(), left_out.data(), 1);
  EXPECT_TRUE(std::isinf(nan.largest));
  EXPECT_FALSE(nan.within_bound());
}

TEST(CompareProducts, HasRoomForMirrorsThatRound) {
  // A 2 x 2 block in columns 4 and 6 of rows 4 and 5, and a column of others: 7 is not named.
  Csr<double> a;
  a.rows = 2;
  a.columns = 3;
  a.row_offsets = {0, 3, 5};
  a.column_indices = {0, 1, 2, 1, 2};
  a.values = {1, 1, 1e-3 + 3e-15, 1e-3, 1};
  const std::vector<Index> global{2, 4, 5};
  const MirroredBlock block{4, global};
  const std::vector<double> x{0, 1e-6, 1};
  const std::vector<double> reference{1e-6 + a.values[2], 1e-9 + 1};
  std::vector<double> y{1e-6 + a.values[3], 1e-9 + 1};  // the lower triangle for both
  const auto compare = [&](const MirroredBlock* mirrored) {
    return compare_products(a, x.data(), reference.data(), y.data(), 1, mirrored);
  };
  EXPECT_FALSE(compare(nullptr).within_bound());
  EXPECT_TRUE(compare(&block).within_bound());
  EXPECT_EQ(compare(&block).scaled, compare(nullptr).scaled);
  const MirroredBlock elsewhere{0, global};
  EXPECT_FALSE(compare(&elsewhere).within_bound());
  y[1] += 1e-10;
  EXPECT_FALSE(compare(&block).within_bound());
  // An entry of rounding whose mirror is not stored changes the other row.
  a.row_offsets = {0, 2, 4};
  a.column_indices = {0, 1, 1, 2};
  a.values = {1, 1, 1e-15, 1};
  const std::vector<double> one{1e-6, 1}, both{1e-6 + 1e-15, 1};
  const auto missing = [&](const MirroredBlock* mirrored) {
    return compare_products(a, x.data(), one.data(), both.data(), 1, mirrored).within_bound();
  };
  EXPECT_FALSE(missing(nullptr));
  EXPECT_TRUE(missing(&block));
}

/// The rows of some kernels on a matrix, with this host alone.
std::vector<Row> sampled(std::string_view spec, MultiplyPlan plan) {
  plan.sampling = quick;
  HostDevice host(-1);
  Device* const devices[] = {&host};
  const Csr<double> matrix = generate_matrix(spec);
  SoloTeam alone;
  return sample_products(alone, whole_case(std::string(spec), matrix, plan, devices), plan);
}

TEST(KernelSampling, EveryKernelOfTheTableIsRightOrRefuses) {
  MultiplyPlan plan;
  plan.columns = {3};
  plan.threads = {2};
  for (const Kernel& kernel : host_kernels()) plan.kernels.push_back(&kernel);
  for (const std::string_view spec : {"grid2d:7", "random_sparse:30:20:4", "power_law:100:5"}) {
    const MatrixFacts facts = facts_of(generate_matrix(spec));
    const std::vector<Row> rows = sampled(spec, plan);
    ASSERT_EQ(rows.size(), plan.kernels.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      SCOPED_TRACE(testing::Message() << rows[k].name << " on " << spec);
      EXPECT_EQ(rows[k].refused, plan.kernels[k]->refuse(facts, 3, sizeof(double)));
      if (!rows[k].measured()) continue;
      EXPECT_LE(rows[k].number("scaled_error"), rows[k].number("error_bound"));
      EXPECT_EQ(rows[k].cell("samples"), 3);
      EXPECT_GT(rows[k].number("format_bytes"), 0);
    }
  }
}

TEST(KernelSampling, AnElementThatIsLeftOutIsSeen) {
  constexpr Kernel forgetful =
      host_row<CsrStorage, [](const auto& a, const auto* x, auto* y, Index columns) {
        const auto last = y[a.matrix.rows * columns - 1];
        csr_serial(a.matrix, x, y, columns);
        y[a.matrix.rows * columns - 1] = last;
      }>({"forgetful", "csr", true, "leaves the last element as it is", takes_all});
  MultiplyPlan plan;
  plan.kernels = {&forgetful};
  plan.columns = {2};
  const std::vector<Row> rows = sampled("grid2d:4", plan);
  EXPECT_GT(rows[0].cell("largest_error"), 1);
  EXPECT_GT(rows[0].cell("scaled_error"), rows[0].cell("error_bound"));
}

/// A product that notes how it is sampled, and holds 8 bytes.
class NotedProduct final : public SampledProduct {
 public:
  explicit NotedProduct(std::string& calls) : calls_(calls) {}
  ~NotedProduct() override { calls_ += '.'; }
  void prepare(Row&) override { calls_ += 'p'; }
  std::int64_t bytes() const override { return 8; }
  Sampled run(const SamplingOptions& options) override {
    calls_ += fmt::format("{}x{}", options.samples, options.repeats);
    return {4, std::vector<double>(static_cast<std::size_t>(options.samples), 1.0), {}};
  }
  void note(Row&, bool checks) override { calls_ += checks ? 'c' : 'n'; }

 private:
  std::string& calls_;
};

TEST(KernelSampling, WhatHasRoomIsSampledInTurnsAndTheRestInOne) {
  MultiplyPlan plan;
  plan.columns = {1};
  plan.sampling = quick;
  SoloTeam alone;
  std::string calls;
  ProductCase one;
  one.labels.cells = {{"rows", 2}, {"columns", 2}, {"nonzeros", 2}};
  one.contenders = [&](ProductNumbers, Index) {
    std::vector<ProductContender> all;
    all.push_back({one.labels, 0, KernelDevice::host, std::make_unique<NotedProduct>(calls)});
    return all;
  };
  const auto sampled_with = [&](std::int64_t free, int rounds) {
    calls.clear();
    one.free_bytes = [free](KernelDevice) { return free; };
    plan.rounds = rounds;
    return sample_products(alone, one, plan).front();
  };
  EXPECT_EQ(sampled_with(16, 0).cell("samples"), 3);
  EXPECT_EQ(calls, "p1x0c1x4n1x4n.");
  EXPECT_EQ(sampled_with(15, 0).cell("samples"), 3);
  EXPECT_EQ(calls, "p3x0c.");
  EXPECT_EQ(sampled_with(16, 2).cell("samples"), 6);
  EXPECT_EQ(calls, "p3x0c3x4n.");
  EXPECT_EQ(sampled_with(15, 2).cell("samples"), 6);
  EXPECT_EQ(calls, "p6x0c.");
}

TEST(KernelSampling, RowsCompareWithinTheirGroup) {
  const auto row = [](std::string_view kernel, Index k, int threads, double seconds) {
    Row result;
    result.cells = {{"kernel", kernel}, {"k", k}, {"median_s", seconds}};
    if (threads > 0) result["threads"] = threads;
    return result;
  };
  std::vector<Row> rows{row("base", 1, 1, 8.0), row("base", 1, 2, 4.0), row("fast", 1, 1, 2.0),
                        row("fast", 1, 2, 1.0), row("fast", 3, 1, 3.0), row("gpu", 1, 0, 0.5)};
  rows.emplace_back().refused = std::string("it does not");
  compare_rows(rows, "base");
  EXPECT_EQ(rows[0].number("speedup"), 1.0);
  EXPECT_EQ(rows[0].cell("baseline"), "base");
  EXPECT_EQ(rows[2].number("speedup"), 4.0);
  EXPECT_EQ(rows[3].number("speedup"), 4.0);
  EXPECT_EQ(rows[3].number("of_fastest"), 0.5);
  EXPECT_TRUE(rows[4].cell("speedup").is_null());
  EXPECT_TRUE(rows[4].cell("baseline").is_null());
  EXPECT_EQ(rows[4].number("of_fastest"), 1.0);
  EXPECT_EQ(rows[5].number("speedup"), 8.0);
  EXPECT_TRUE(rows[6].cell("speedup").is_null());
}

TEST(KernelSampling, WithoutACheckThereAreNoErrors) {
  MultiplyPlan plan;
  plan.kernels = {&host_kernels()[0]};
  plan.columns = {2};
  plan.check = false;
  const std::vector<Row> rows = sampled("grid2d:3", plan);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].measured());
  EXPECT_TRUE(rows[0].cell("scaled_error").is_null());
}

TEST(KernelSampling, KernelsOfADeviceThatIsNotHereAreRefused) {
  Kernel other = host_kernels()[0];
  other.device = KernelDevice::cuda;
  MultiplyPlan plan;
  plan.kernels = {&other, &host_kernels()[0]};
  plan.columns = {2};
  plan.precisions = {ProductNumbers::float32, ProductNumbers::float64};
  plan.rounds = 2;
  const std::vector<Row> rows = sampled("grid2d:3", plan);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].refused, "there is no cuda device here");
  EXPECT_TRUE(rows[1].measured());
  EXPECT_EQ(rows[1].number("unit_roundoff"), 0x1p-24);
  EXPECT_EQ(rows[1].cell("samples"), 2 * quick.samples);
  EXPECT_GT(rows[3].number("floor_bytes"), rows[1].number("floor_bytes"));
}

TEST(ConversionSampling, EveryConversionRuns) {
  Coo entries;
  entries.rows = entries.columns = 3;
  entries.row = {0, 2, 1};
  entries.column = {1, 2, 0};
  entries.value = {1, 2, 3};
  ConversionPlan plan;
  plan.sampling = quick;
  const auto all = sample_conversions("m", entries, plan);
  EXPECT_EQ(all.size(), conversions().size());
  for (const Row& row : all) {
    EXPECT_EQ(row.refused, "") << row.name;
    EXPECT_EQ(row.cell("samples"), quick.samples) << row.name;
    EXPECT_FALSE(row.cell("speedup").is_null()) << row.name;
  }
  plan.most_steps = 8;
  for (const Row& row : sample_conversions("m", entries, plan)) {
    EXPECT_EQ(row.measured(), row.cell("quadratic") == false) << row.name;
  }
}

}  // namespace
}  // namespace spsolve::bench
