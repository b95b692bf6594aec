#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/blas.hpp"
#include "matrix/multivector.hpp"
#include "sparse/fronts/front.hpp"

namespace spsolve {
namespace {

TEST(Tiles, EachAtWorkHasASlotOfItsOwn) {
  for (const int threads : {1, 2, 4}) {
    for (const Index count : {0, 1, 3, 40}) {
      const Index slots = Tiles::slots(count, threads);
      std::vector<std::atomic<int>> taken(static_cast<std::size_t>(slots));
      std::vector<int> done(static_cast<std::size_t>(count), 0);
      std::atomic<bool> alone{true};
      Tiles(threads).run_pieces(0, 10 * count, 10, [&](Index begin, Index end, Index slot) {
        if (slot < 0 || slot >= slots || end != begin + 10 || taken[slot]++ != 0) alone = false;
        ++done[begin / 10];
        --taken[slot];
      });
      EXPECT_TRUE(alone) << count << " tiles, " << threads << " threads";
      EXPECT_EQ(done, std::vector<int>(static_cast<std::size_t>(count), 1));
    }
  }
}

constexpr double canary = 12345.0;

/// What L D L^T makes of a dense symmetric front of p pivots and a border of m rows.
struct EliminatedFront {
  EliminatedFront(const Dense<double>& a, Index p, int threads) : height(a.rows), pivots(p) {
    for (Index j = 0; j < p; ++j) {
      for (Index i = 0; i < height; ++i) lower.push_back(i < j ? 0 : a(i, j) + a(j, i));
    }
    rows.resize(p);
    off_diagonal.resize(p);
    const Index room = scratch_of_pivots(p, height);
    std::vector<double> scratch(room + 1, canary);
    const Front<double> front{p, height - p, lower.data(), nullptr, nullptr};
    eliminate_ldlt(front, PivotRule{1e-12}, Tiles(threads), rows.data(), off_diagonal.data(),
                   scratch.data(), counts);
    EXPECT_EQ(scratch[room], canary) << "more scratch than was asked for";
  }

  /// Largest entry of P (L D L^T - A) P^T within the columns of the pivots.
  double error(const Dense<double>& a) const {
    const auto l = [&](Index i, Index k) {
      return i == k ? 1.0 : (i < k ? 0.0 : lower[i + k * height]);
    };
    const auto row = [&](Index i) { return i < pivots ? rows[i] : i; };
    double most = 0;
    for (Index j = 0; j < pivots; ++j) {
      for (Index i = j; i < height; ++i) {
        double sum = 0;
        for (Index k = 0; k <= std::min(j + 1, pivots - 1); ++k) {
          double product = lower[k + k * height] * l(j, k);                    // (D L^T)_kj
          if (off_diagonal[k] != 0) product += off_diagonal[k] * l(j, k + 1);  // of a pair
          if (k > 0 && off_diagonal[k - 1] != 0) product += off_diagonal[k - 1] * l(j, k - 1);
          sum += l(i, k) * product;
        }
        most = std::max(most, std::abs(sum - a(row(i), row(j)) - a(row(j), row(i))));
      }
    }
    return most;
  }

  Index height, pivots;
  std::vector<double> lower, off_diagonal;
  std::vector<LocalIndex> rows;
  PivotCounts counts;
};

TEST(Fronts, LdltMovesRowsAndKeepsToItsScratch) {
  const int all = omp_get_max_threads();
  blas::set_threads(1);
  for (const Index p : {3, 64, 65, 200}) {
    const Dense<double> a = random_multivector(p + 300, p + 300, 5);
    const EliminatedFront one(a, p, 1);
    EXPECT_EQ(one.counts.failed, -1);
    if (p > 3) {
      EXPECT_GT(one.counts.pairs, 0) << p;
      EXPECT_GT(one.counts.swaps, 0) << p;
    }
    EXPECT_LT(one.error(a), 1e-9) << p;
    for (const int threads : {2, 4}) {
      const EliminatedFront more(a, p, threads);
      EXPECT_TRUE(more.lower == one.lower) << p << " pivots, " << threads << " threads";
      EXPECT_EQ(more.rows, one.rows);
    }
  }
  blas::set_threads(all);
  omp_set_num_threads(all);
}

}  // namespace
}  // namespace spsolve
