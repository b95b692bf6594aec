// Sampling of products, and the tables made of it. Nothing here depends on how long anything takes.

#include "apps/bench/sampling.hpp"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "apps/bench/bandwidth.hpp"
#include "apps/bench/convert_bench.hpp"
#include "apps/bench/multiply/multiply_bench.hpp"
#include "apps/bench/table.hpp"
#include "core/error.hpp"
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
  EXPECT_EQ(sampled.seconds.count, 5);
  EXPECT_DOUBLE_EQ(sampled.seconds.median, 1e-3);
  EXPECT_EQ(runs, 1 + (1 + 2 + 4 + 8) + 5 * 8);
}

TEST(Sampling, FiguresAreOfAllRounds) {
  Sampled all;
  double second = 1;
  const auto run = [&](int) { return second; };
  for (const double value : {1.0, 5.0, 2.0}) {
    second = value;
    all.add(sample(run, {3, 0.0}));
  }
  EXPECT_EQ(all.seconds.count, 9);
  EXPECT_EQ(all.seconds.median, 2.0);
  EXPECT_EQ(all.seconds.max, 5.0);
  EXPECT_FALSE(all.cold_seconds.has_value());
}

TEST(Sampling, WorkWithoutDurationEnds) {
  const Sampled sampled = sample([](int) { return 0.0; }, {2, 1e-3});
  EXPECT_EQ(sampled.seconds.count, 2);
  EXPECT_EQ(sampled.seconds.max, 0.0);
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

TEST(KernelSampling, EveryKernelOfTheTableIsRightOrRefuses) {
  HostDevice host(-1);
  for (const std::string_view spec : {"grid2d:7", "random_sparse:30:20:4", "power_law:100:5"}) {
    const Csr<double> matrix = generate_matrix(spec);
    const MatrixFacts facts = facts_of(matrix);
    const auto work = make_workload(matrix, facts, 3, 1);
    for (const Kernel& kernel : host_kernels()) {
      SCOPED_TRACE(testing::Message() << kernel.name << " on " << spec);
      const SampleOrRefusal result = sample_kernel(kernel, host, work, 2, quick);
      EXPECT_EQ(result.sample.has_value(), kernel.refuse(facts, 3, sizeof(double)).empty());
      EXPECT_EQ(result.refused.empty(), result.sample.has_value());
      if (!result.sample) continue;
      EXPECT_TRUE(result.sample->errors->within_bound()) << result.sample->errors->scaled;
      EXPECT_EQ(result.sample->product.seconds.count, 3);
      EXPECT_GT(result.sample->format_bytes, 0);
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
  HostDevice host(-1);
  const Csr<double> matrix = generate_matrix("grid2d:4");
  const auto work = make_workload(matrix, facts_of(matrix), 2, 1);
  const auto result = sample_kernel(forgetful, host, work, 1, quick);
  EXPECT_FALSE(result.sample->errors->within_bound());
}

TEST(KernelSampling, RowsCompareWithinTheirGroup) {
  const auto row = [](std::string_view kernel, KernelDevice device, Index k, int threads,
                      double seconds) {
    MultiplyRow result;
    result.kernel = host_kernels()[0];
    result.kernel.name = kernel;
    result.kernel.device = device;
    result.k = k;
    result.threads = threads;
    result.result.sample.emplace();
    result.result.sample->product.seconds.median = seconds;
    return result;
  };
  const auto host = KernelDevice::host;
  std::vector<MultiplyRow> rows{
      row("base", host, 1, 1, 8.0), row("base", host, 1, 2, 4.0),
      row("fast", host, 1, 1, 2.0), row("fast", host, 1, 2, 1.0),
      row("fast", host, 3, 1, 3.0), row("gpu", KernelDevice::cuda, 1, 0, 0.5)};
  rows.emplace_back();  // a refusal
  compare_rows(rows, "base");
  EXPECT_EQ(rows[0].speedup, 1.0);
  EXPECT_EQ(rows[2].speedup, 4.0);
  EXPECT_EQ(rows[3].speedup, 4.0);
  EXPECT_EQ(rows[3].of_fastest, 0.5);
  EXPECT_EQ(rows[4].speedup, std::nullopt);
  EXPECT_EQ(rows[4].of_fastest, 1.0);
  EXPECT_EQ(rows[5].speedup, 8.0);
  EXPECT_EQ(rows[6].speedup, std::nullopt);
}

TEST(KernelSampling, WithoutACheckThereAreNoErrors) {
  MultiplyPlan plan;
  plan.kernels = {&host_kernels()[0]};
  plan.columns = {2};
  plan.sampling = quick;
  plan.check = false;
  HostDevice host(-1);
  Device* const devices[] = {&host};
  const auto rows = sample_matrix("grid2d:3", generate_matrix("grid2d:3"), plan, devices,
                                  [](const MultiplyRow&) {});
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].result.sample.has_value());
  EXPECT_FALSE(rows[0].result.sample->errors.has_value());
}

TEST(KernelSampling, KernelsOfADeviceThatIsNotHereAreRefused) {
  Kernel other = host_kernels()[0];
  other.device = KernelDevice::cuda;
  MultiplyPlan plan;
  plan.kernels = {&other, &host_kernels()[0]};
  plan.columns = {2};
  plan.precisions = {Precision::float32, Precision::float64};
  plan.sampling = quick;
  plan.rounds = 2;
  HostDevice host(-1);
  Device* const devices[] = {&host};
  int seen = 0;
  const auto rows = sample_matrix("grid2d:3", generate_matrix("grid2d:3"), plan, devices,
                                  [&](const MultiplyRow&) { ++seen; });
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(seen, 4);
  EXPECT_NE(rows[0].result.refused.find("no cuda device"), std::string::npos);
  EXPECT_TRUE(rows[1].result.sample.has_value());
  EXPECT_EQ(rows[1].result.sample->errors->roundoff, 0x1p-24);
  EXPECT_EQ(rows[1].result.sample->product.seconds.count, 2 * quick.samples);
  EXPECT_GT(rows[3].floor_bytes(), rows[1].floor_bytes());
}

TEST(ConversionSampling, EveryConversionRuns) {
  Coo entries;
  entries.rows = entries.columns = 3;
  entries.row = {0, 2, 1};
  entries.column = {1, 2, 0};
  entries.value = {1, 2, 3};
  ConversionPlan plan;
  plan.sampling = quick;
  const auto all = sample_conversions("m", entries, plan, [](const ConversionRow&) {});
  EXPECT_EQ(all.size(), conversions().size());
  for (const ConversionRow& row : all) EXPECT_EQ(row.refused, "") << row.conversion.name;
  plan.most_steps = 8;
  for (const ConversionRow& row : sample_conversions("m", entries, plan, [](const auto&) {}))
    EXPECT_EQ(row.refused.empty(), !row.conversion.quadratic) << row.conversion.name;
}

struct Pair {
  std::string text;
  double number;
};

const Column<Pair> pair_columns[] = {
    {"text", "a text", "{}", "Text", [](const Pair& pair) { return Cell(pair.text); }},
    {"number", "a number", "{:.1f}", "Number", [](const Pair& pair) { return Cell(pair.number); }},
    {"hidden", "only in files", "", "", [](const Pair&) { return Cell(); }},
};

TEST(BenchTable, SaysTheSameInEveryForm) {
  const std::vector<Pair> pairs{{"plain", 0.1}, {"a, \"b\"", std::nan("")}, {"long text", 1e300}};
  Table table = tabulate(std::span<const Column<Pair>>(pair_columns), std::span<const Pair>(pairs));
  add_constant(table, "same", 7);
  EXPECT_EQ(to_csv(table),
            "text,number,hidden,same\n"
            "plain,0.1,,7\n"
            "\"a, \"\"b\"\"\",,,7\n"
            "long text,1e+300,,7\n");
  const auto json = to_json(table);
  EXPECT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0]["number"], 0.1);
  EXPECT_TRUE(json[1]["number"].is_null());
  EXPECT_TRUE(json[0]["hidden"].is_null());
  EXPECT_EQ(json[2]["same"], 7);
  table.rows.pop_back();
  EXPECT_EQ(to_text(table),
            "Text    Number\n"
            "plain      0.1\n"
            "a, \"b\"     nan\n");
}

TEST(BenchTable, ColumnsOfTheBenchmarkAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const auto& column : multiply_columns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    EXPECT_GT(column.help.size(), 3u) << column.name;
    EXPECT_EQ(column.shown.empty(), column.heading.empty()) << column.name;
  }
}

}  // namespace
}  // namespace spsolve::bench
