#include "dense/columnwise/columnwise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cuda/dense/columnwise/device_dense_rows.hpp"
#include "cuda/device/gpu_device.hpp"
#include "dense/columnwise/host_dense_rows.hpp"
#include "gpu_test.hpp"
#include "helpers/checkpoint_runs.hpp"
#include "matrix/structure.hpp"

namespace spsolve::cuda {
namespace {

class GpuColumnwise : public GpuTest {};

struct Case {
  Method method;
  Pivoting pivoting;
};

constexpr Case cases[] = {{Method::gauss, Pivoting::none},
                          {Method::gauss, Pivoting::partial},
                          {Method::gauss_jordan, Pivoting::none},
                          {Method::gauss_jordan, Pivoting::partial}};

std::string print(const Case& c, Index n) {
  return fmt::format("{} {}, n = {}", name(c.method), name(c.pivoting), n);
}

/// Random entries; for eliminations that do not pivot, a dominant diagonal.
Csr<double> random_system(Index n, const Case& c) {
  Dense<double> dense = random_multivector(n, n, n);
  for (Index i = 0; i < n && c.pivoting == Pivoting::none; ++i) {
    dense(i, i) += static_cast<double>(n);
  }
  return test::sparse(dense);
}

/// The results of an elimination.
template <typename T>
struct Left {
  std::vector<Index> rows;     ///< of the pivots
  std::vector<double> pivots;  ///< their magnitudes
  double largest = 0;          ///< in the pivot rows
  std::vector<T> elements;
  std::vector<T> carried;  ///< right-hand sides that went along
};

template <typename T>
std::vector<T> values_of(const Dense<double>& dense) {
  return {dense.values.begin(), dense.values.end()};
}

/// Rows in GPU memory that are eliminated in both ways, with `columns` right-hand sides that go
/// along.
template <typename T>
class TwoWays {
 public:
  explicit TwoWays(const Csr<double>& matrix, Index columns = 0)
      : n_(matrix.rows), columns_(columns), dense_(streams_, Range{0, n_}, n_) {
    dense_.fill(matrix);
    if (columns_ > 0) dense_.carry(values_of<T>(right_hand_sides()), columns_);
  }

  /// By the operations of all dense rows.
  Left<T> step_by_step(const Case& c) {
    for (Index k = 0; k < n_; ++k) {
      const Index last = c.pivoting == Pivoting::none ? k + 1 : n_;
      note(dense_.find_pivot({k, last}, {k, k + 1}));
      if (!usable(left_.pivots.back())) break;
      dense_.load_row(left_.rows.back(), {k, dense_.width()}, 0);
      if (left_.rows.back() != k) dense_.swap_rows(k, left_.rows.back());
      dense_.eliminate(k, {k + 1, n_});
      if (c.method == Method::gauss_jordan) dense_.eliminate(k, {0, k});
      left_.largest = std::max(left_.largest, dense_.find_pivot({k, k + 1}, {k, n_}).magnitude);
    }
    return result();
  }

  /// The right-hand sides as the steps of either way leave them that are repeated for them.
  std::vector<T> repeated() {
    Dense<double> swapped = right_hand_sides();
    for (Index k = 0; k < n_; ++k) {
      for (Index c = 0; c < columns_; ++c) std::swap(swapped(k, c), swapped(left_.rows[k], c));
    }
    dense_.carry(values_of<T>(swapped), columns_);
    for (Index k = 0; k < n_; ++k) {
      dense_.load_row(k, {n_, dense_.width()}, 0);
      dense_.repeat_step(k);
    }
    return released();
  }

  /// By runs, cut where `lengths` say, in turn; 0: as long as they want.
  Left<T> in_runs(const Case& c, const std::vector<Index>& lengths) {
    std::size_t turn = 0;
    while (static_cast<Index>(left_.rows.size()) < n_) {
      const auto k = static_cast<Index>(left_.rows.size());
      const Index wanted = lengths[turn++ % lengths.size()];
      const Index length = wanted > 0 ? wanted : dense_.longest_run(k, c.method, c.pivoting);
      const EliminatedRun run =
          dense_.eliminate_run({k, std::min(k + length, n_)}, c.method, c.pivoting);
      left_.largest = std::max(left_.largest, run.largest_in_pivot_rows);
      for (const PivotCandidate& pivot : run.pivots) note(pivot);
      if (run.pivots.empty() || !usable(left_.pivots.back())) break;
    }
    return result();
  }

 private:
  static bool usable(double pivot) { return pivot > 0 && std::isfinite(pivot); }

  void note(const PivotCandidate& pivot) {
    EXPECT_EQ(pivot.column, static_cast<Index>(left_.rows.size()));
    left_.rows.push_back(pivot.row);
    left_.pivots.push_back(pivot.magnitude);
  }

  Dense<double> right_hand_sides() const { return random_multivector(n_, columns_, 17); }

  std::vector<T> released() {
    std::vector<T> values(static_cast<std::size_t>(n_ * columns_));
    dense_.release_carried(values);
    return values;
  }

  Left<T> result() {
    left_.carried = released();
    left_.elements.resize(static_cast<std::size_t>(n_ * n_));
    dense_.read_rows({0, n_}, left_.elements);
    return left_;
  }

  Index n_;
  Index columns_;
  DenseStreams streams_;
  DeviceDenseRows<T> dense_;
  Left<T> left_;
};

template <typename T>
void expect_both_ways_equal(const Csr<double>& matrix, const Case& c,
                            const std::vector<Index>& lengths) {
  const std::string where = print(c, matrix.rows);
  const Left<T> expected = TwoWays<T>(matrix).step_by_step(c);
  const Left<T> ours = TwoWays<T>(matrix).in_runs(c, lengths);
  EXPECT_EQ(ours.rows, expected.rows) << where;
  EXPECT_EQ(ours.pivots, expected.pivots) << where;
  EXPECT_EQ(ours.largest, expected.largest) << where;
  Index different = 0, first = -1;
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    if (ours.elements[i] == expected.elements[i]) continue;
    if (different++ == 0) first = static_cast<Index>(i);
  }
  EXPECT_EQ(different, 0) << where << ", the first at (" << first / matrix.rows << ", "
                          << first % matrix.rows << ")";
}

TEST_F(GpuColumnwise, RunsLeaveTheElementsOfSingleSteps) {
  for (const Case& c : cases) {
    for (const Index n : {1, 2, 5, 16, 31, 32, 33, 63, 64, 65, 128, 200, 257, 513, 1100}) {
      const Csr<double> matrix = random_system(n, c);
      expect_both_ways_equal<double>(matrix, c, {0});
      expect_both_ways_equal<float>(matrix, c, {0});
    }
  }
}

template <typename T>
void expect_carried_equal(const Csr<double>& matrix, const Case& c, Index columns) {
  const std::string where = fmt::format("{}, {} columns", print(c, matrix.rows), columns);
  TwoWays<T> steps(matrix, columns), runs(matrix, columns), without(matrix);
  const Left<T> expected = steps.step_by_step(c);
  const Left<T> ours = runs.in_runs(c, {0});
  EXPECT_EQ(ours.carried, expected.carried) << where;
  EXPECT_EQ(ours.elements, expected.elements) << where;
  EXPECT_EQ(ours.largest, expected.largest) << where;
  EXPECT_EQ(ours.elements, without.in_runs(c, {0}).elements) << where;
  EXPECT_EQ(runs.repeated(), expected.carried) << where;
}

TEST_F(GpuColumnwise, RightHandSidesGoAlongAsColumnsOfTheMatrix) {
  for (const Case& c : cases) {
    if (c.method != Method::gauss_jordan) continue;
    for (const Index n : {1, 2, 31, 64, 65, 257, 700}) {
      const Csr<double> matrix = random_system(n, c);
      for (const Index columns : {1, 2, 5, 64, 130}) {
        expect_carried_equal<double>(matrix, c, columns);
        expect_carried_equal<float>(matrix, c, columns);
      }
    }
  }
}

TEST_F(GpuColumnwise, RunsOfAnyLength) {
  for (const Case& c : cases) {
    const Csr<double> matrix = random_system(150, c);
    for (const std::vector<Index>& lengths :
         std::vector<std::vector<Index>>{{1}, {2}, {3, 1, 7}, {64, 1}, {63}}) {
      expect_both_ways_equal<double>(matrix, c, lengths);
      expect_both_ways_equal<float>(matrix, c, lengths);
    }
  }
}

TEST_F(GpuColumnwise, TallTiles) {
  const Case partial{Method::gauss_jordan, Pivoting::partial};
  expect_both_ways_equal<double>(random_system(2100, partial), partial, {0});
  const Case below{Method::gauss, Pivoting::partial};
  expect_both_ways_equal<float>(random_system(3100, below), below, {0});
}

TEST_F(GpuColumnwise, RotatedRowsSwapInEveryStep) {
  const Index n = 300;
  Dense<double> dense = random_multivector(n, n, 3);
  for (Index i = 0; i < n; ++i) dense(i, (i + n - 1) % n) += 50;
  const Case partial{Method::gauss_jordan, Pivoting::partial};
  expect_both_ways_equal<double>(test::sparse(dense), partial, {0});
}

template <typename T>
struct Solved {
  Elimination elimination;
  Dense<double> x;
  Dense<double> y;        ///< of A^T y = b
  Dense<double> carried;  ///< x as gauss_jordan makes it on the way, or b
};

template <typename T>
Solved<T> solve_with(DenseRows<T>& rows, const Dense<double>& b, const Case& c) {
  SoloTeam team;
  const RowLayout bands{rows.order(), 1};
  Progress progress("test", 0, Progress::Show::off);
  Solved<T> solved{{}, b, b, b};
  Dense<T> x(b.rows, b.columns);
  std::copy(b.values.begin(), b.values.end(), x.values.begin());
  Dense<T> y = x, carried = x;
  solved.elimination = eliminate_columnwise<T>(team, team, bands, rows, c.method, c.pivoting,
                                               progress, nullptr, &carried);
  solve_columnwise<T>(team, bands, rows, solved.elimination, x);
  solve_columnwise_transposed<T>(team, bands, rows, solved.elimination, y);
  std::copy(x.values.begin(), x.values.end(), solved.x.values.begin());
  std::copy(y.values.begin(), y.values.end(), solved.y.values.begin());
  std::copy(carried.values.begin(), carried.values.end(), solved.carried.values.begin());
  return solved;
}

template <typename T>
Solved<T> solve_on_gpu(const Csr<double>& matrix, const Dense<double>& b, const Case& c) {
  DenseStreams streams;
  DeviceDenseRows<T> rows(streams, Range{0, matrix.rows}, matrix.rows);
  rows.fill(matrix);
  return solve_with<T>(rows, b, c);
}

template <typename T>
Solved<T> solve_on_host(const Csr<double>& matrix, const Dense<double>& b, const Case& c) {
  HostDenseRows<T> rows(matrix, 0);
  return solve_with<T>(rows, b, c);
}

template <typename T>
void expect_as_on_the_host(const Csr<double>& matrix, const Dense<double>& b, const Case& c) {
  const std::string where = print(c, matrix.rows);
  const Solved<T> host = solve_on_host<T>(matrix, b, c);
  const Solved<T> gpu = solve_on_gpu<T>(matrix, b, c);
  EXPECT_EQ(gpu.elimination.row_swaps, host.elimination.row_swaps) << where;
  const auto near = [&](double ours, double theirs) {
    EXPECT_NEAR(ours, theirs, (std::is_same_v<T, float> ? 1e-2 : 1e-9) * theirs) << where;
  };
  const PivotStatistics& ours = gpu.elimination.pivots;
  const PivotStatistics& theirs = host.elimination.pivots;
  near(ours.growth, theirs.growth);
  near(ours.smallest_pivot, theirs.smallest_pivot);
  near(ours.largest_pivot, theirs.largest_pivot);
  EXPECT_EQ(ours.largest_entry, theirs.largest_entry) << where;
  EXPECT_LE(test::backward_error(matrix, b, gpu.x),
            20 * test::backward_error(matrix, b, host.x) + 8 * unit_roundoff)
      << where;
  if (c.method == Method::gauss_jordan) {
    EXPECT_LE(test::backward_error(matrix, b, gpu.carried),
              20 * test::backward_error(matrix, b, host.carried) + 8 * unit_roundoff)
        << where << ", on the way";
  } else {
    EXPECT_EQ(gpu.carried.values, host.carried.values) << where;
  }
  const Csr<double> transposed = transpose(matrix);
  EXPECT_LE(test::backward_error(transposed, b, gpu.y),
            20 * test::backward_error(transposed, b, host.y) + 8 * unit_roundoff)
      << where << ", transposed";
}

TEST_F(GpuColumnwise, SolvesAsTheHost) {
  for (const Case& c : cases) {
    for (const Index n : {1, 2, 5, 63, 64, 65, 200, 513}) {
      const Csr<double> matrix = random_system(n, c);
      const Dense<double> b = random_multivector(n, 3, n + 1);
      expect_as_on_the_host<double>(matrix, b, c);
      // In float a step's two best candidates may be as good: compare where none are.
      if (n <= 65) expect_as_on_the_host<float>(matrix, b, c);
    }
  }
}

TEST_F(GpuColumnwise, SolvesWithTheTransposeBehindCompletePivoting) {
  for (const Method method : {Method::gauss, Method::gauss_jordan}) {
    for (const Index columns : {1, 3}) {
      const Case complete{method, Pivoting::complete};
      const Csr<double> matrix = random_system(130, complete);
      expect_as_on_the_host<double>(matrix, random_multivector(130, columns, 7), complete);
    }
  }
}

/// Sylvester's matrix of ones and minus ones: exact in binary, and ties in every step.
Csr<double> hadamard(Index n) {
  Dense<double> dense(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      dense(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
    }
  }
  return test::sparse(dense);
}

TEST_F(GpuColumnwise, TiesGoToTheLowestRow) {
  for (const Method method : {Method::gauss, Method::gauss_jordan}) {
    for (const Index n : {64, 256}) {
      const Case c{method, Pivoting::partial};
      const Csr<double> matrix = hadamard(n);
      const Dense<double> b = random_multivector(n, 2, 8);
      EXPECT_EQ(solve_on_gpu<double>(matrix, b, c).elimination.row_swaps,
                solve_on_host<double>(matrix, b, c).elimination.row_swaps);
      EXPECT_EQ(solve_on_gpu<float>(matrix, b, c).elimination.row_swaps,
                solve_on_host<float>(matrix, b, c).elimination.row_swaps);
    }
  }
}

template <typename Work>
std::string refusal_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_trustworthy);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST_F(GpuColumnwise, NamesTheStepInARun) {
  const Index n = 140;
  for (const Case& c : cases) {
    for (const double bad : {0.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
      for (const Index step : {0, 1, 63, 64, 100, 139}) {
        Dense<double> dense(n, n);
        for (Index i = 0; i < n; ++i) dense(i, i) = i == step ? bad : 4;
        const Csr<double> matrix = test::sparse(dense);
        const Dense<double> b(n, 1);
        const std::string ours = refusal_of([&] { solve_on_gpu<double>(matrix, b, c); });
        EXPECT_EQ(ours, refusal_of([&] { solve_on_host<double>(matrix, b, c); }));
        EXPECT_EQ(refusal_of([&] { solve_on_gpu<float>(matrix, b, c); }), ours);
        EXPECT_NE(ours.find(fmt::format("step {} of 140", step + 1)), std::string::npos) << ours;
      }
    }
  }
}

TEST_F(GpuColumnwise, NothingIsDoneBehindAZeroPivot) {
  const Index n = 100;
  for (const Case& c : cases) {
    Dense<double> dense = random_multivector(n, n, 4);
    for (Index i = 0; i < n; ++i) {
      dense(i, i) += 100;
      dense(i, 40) = 0;
    }
    expect_both_ways_equal<double>(test::sparse(dense), c, {0});
    EXPECT_EQ(TwoWays<double>(test::sparse(dense)).in_runs(c, {0}).rows.size(), 41u);
  }
}

TEST_F(GpuColumnwise, CheckpointsLieBetweenRuns) {
  using namespace test::checkpoints;
  SoloTeam team;
  const SharedFolder folder(team);
  const auto memory = gpu_device(team, Transport::pinned);
  for (const auto& c : test::checkpoints::cases()) {
    if (c.choice.method == Method::lu || c.choice.pivoting == Pivoting::complete) continue;
    const System system = system_for(c, 130);
    const auto until = [&](Index stop) {
      return run(team, *memory, system, c.choice, c.equilibrate, folder.path(), stop);
    };
    const Ran undisturbed = until(never);
    struct Stop {
      Index asked;
      Index done;
    };
    for (const Stop stop : {Stop{1, 64}, Stop{64, 64}, Stop{65, 128}, Stop{129, 130}}) {
      const std::string where =
          fmt::format("{}, stopped at {}", test::checkpoints::print(c), stop.asked);
      EXPECT_FALSE(until(stop.asked).x) << where;
      const Ran ran = until(never);
      EXPECT_EQ(ran.checkpoints.resumed_step, stop.done) << where;
      expect_same(ran, undisturbed, where);
    }
  }
}

}  // namespace
}  // namespace spsolve::cuda
