#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "core/blas/blas.hpp"
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

TEST(BorderBlock, HasEachEntryOfTheLowerTriangleOnce) {
  for (const Index m : {1, 64, 65, 100, 384, 1000}) {
    const BorderBlock block(m, true);
    std::vector<int> taken(static_cast<std::size_t>(block.size()), 0);
    for (Index column = 0; column < m; ++column) {
      const Index first = column / block.width() * block.width();
      EXPECT_EQ(block.leading(first), m - first);
      for (Index row = first; row < m; ++row) ++taken[block.column_start(column) + row];
    }
    EXPECT_EQ(taken, std::vector<int>(taken.size(), 1)) << m;
    if (m > 300) {
      EXPECT_LT(static_cast<double>(block.size()), 0.6 * static_cast<double>(m * m));
    }
    const BorderBlock square(m + 4, false);
    EXPECT_EQ(square.size(), (m + 4) * (m + 4));
    EXPECT_EQ(square.column_start(3), 3 * (m + 4));
  }
}

constexpr double canary = 12345.0;

/// The factors by L D L^T of a dense symmetric front of p pivots and a border of m rows.
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

/// The parts that a border has of C = -L21 D L21^T, or of -L21 U12, panel by panel.
TEST(Fronts, PassUpTheLowerTriangleOfSymmetricOnes) {
  for (const auto& [p, m] : {std::pair<Index, Index>{2, 30}, {2, 130}, {40, 30}, {40, 700}}) {
    const Dense<double> a = random_multivector(p + m, p, 7), u = random_multivector(m, p, 8);
    std::vector<double> lower, upper, off_diagonal(static_cast<std::size_t>(p), 0.0);
    for (Index k = 0; k < p; ++k) {
      for (Index i = 0; i < p + m; ++i) lower.push_back(a(i, k));
      for (Index j = 0; j < m; ++j) upper.push_back(u(j, k));
    }
    off_diagonal[0] = 0.5;  // a pair of pivots
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      const bool symmetric = kind != Factorization::lu;
      const BorderBlock block(m, symmetric);
      std::vector<double> contribution(static_cast<std::size_t>(block.size() + 1), canary);
      std::vector<double> scratch(static_cast<std::size_t>(block.width() * p));
      const Front<double> front{p, m, lower.data(), upper.data(), contribution.data()};
      for (Index begin = 0; begin < m; begin += block.width()) {
        update_border(kind, front, off_diagonal.data(), begin, std::min(m, begin + block.width()),
                      scratch.data());
      }
      EXPECT_EQ(contribution.back(), canary);
      const auto right = [&](Index k, Index j) {  // (D L21^T)_kj, L21^T or U12
        if (kind == Factorization::lu) return u(j, k);
        if (kind == Factorization::cholesky) return a(front.pivots + j, k);
        const double paired = k < 2 ? 0.5 * a(front.pivots + j, 1 - k) : 0.0;
        return a(k, k) * a(front.pivots + j, k) + paired;
      };
      double worst = 0;
      for (Index j = 0; j < m; ++j) {
        for (Index i = symmetric ? j : 0; i < m; ++i) {
          double sum = contribution[block.column_start(j) + i];
          for (Index k = 0; k < p; ++k) sum += a(p + i, k) * right(k, j);
          worst = std::max(worst, std::abs(sum));
        }
      }
      EXPECT_LT(worst, 1e-12) << p << " pivots, border of " << m;
    }
  }
}

}  // namespace
}  // namespace spsolve
