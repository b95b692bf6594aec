#include <algorithm>
#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sparse/fronts/front.hpp"
#include "sparse/kernels/vector_sweeps.hpp"
#include "sparse/sweeps/front_sweeps.hpp"
#include "sparse/threshold/threshold_front.hpp"

namespace spsolve {
namespace {

// Fronts of every kind over every scalar: a front without a border is a matrix that is solved
// with, one with a border leaves its Schur complement, F22 - L21 D L21^H, for instance.

template <typename T>
class Numbers {
 public:
  T operator()() {
    if constexpr (is_complex<T>) {
      return T(part(), part());
    } else {
      return part();
    }
  }

 private:
  Real<T> part() { return static_cast<Real<T>>(values_(random_)); }

  std::mt19937 random_{7};
  std::uniform_real_distribution<double> values_{-1, 1};
};

/// A square matrix in columns.
template <typename T>
struct Square {
  explicit Square(Index order) : n(order), values(static_cast<std::size_t>(n * n), T(0)) {}
  T& operator()(Index i, Index j) { return values[i + j * n]; }
  const T& operator()(Index i, Index j) const { return values[i + j * n]; }

  Index n;
  std::vector<T> values;
};

/// A random matrix of the kind; of a Hermitian one that is not positive definite, `negative` gets
/// how many eigenvalues are: those of D in a product X D X^H (Sylvester).
template <typename T>
Square<T> matrix_of(Factorization kind, Index n, Index& negative) {
  Numbers<T> number;
  Square<T> a(n), x(n);
  for (T& value : x.values) value = number();
  negative = 0;
  if (kind == Factorization::lu) return x;
  if (kind == Factorization::ldlt) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) a(i, j) = x(i, j) + x(j, i);
    }
    return a;
  }
  std::vector<Real<T>> d(static_cast<std::size_t>(n), Real<T>(1));
  if (kind == Factorization::ldlh) {
    for (Index k = 0; k < n; k += 3) d[k] = -1;
    negative = (n + 2) / 3;
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < n; ++k) a(i, j) += x(i, k) * d[k] * conj(x(j, k));
    }
    a(j, j) = T(real_part(a(j, j)));
  }
  return a;
}

/// The largest entry of A X - B for rows of `columns` values, as a part of n times that of X.
template <typename T>
double residual(const Square<T>& a, Index columns, const std::vector<T>& x,
                const std::vector<T>& b) {
  double most = 0, size = 0;
  for (const T& value : x) size = std::max<double>(size, magnitude(value));
  for (Index i = 0; i < a.n; ++i) {
    for (Index c = 0; c < columns; ++c) {
      Wide<T> sum = -Wide<T>(b[i * columns + c]);
      for (Index j = 0; j < a.n; ++j) sum += Wide<T>(a(i, j)) * Wide<T>(x[j * columns + c]);
      most = std::max(most, magnitude(sum));
    }
  }
  return most / (static_cast<double>(a.n) * size);
}

template <typename T>
class FrontsOverScalars : public testing::Test {
 protected:
  static constexpr bool single = std::is_same_v<Real<T>, float>;

  /// x with F11 x = b by sweeps of a front without a border.
  static std::vector<T> solve(Factorization kind, const FactoredFront<T>& front, Index columns,
                              std::vector<T> b) {
    const FrontSweeps<T> sweeps(kind, false);
    std::vector<T> x(b.size()), z(b.size() + vector_sweeps::padding<T>);
    sweeps.forward(front, nullptr, columns, {b.data(), front.pivots, nullptr, nullptr}, x.data(),
                   z.data());
    const auto conjugate = [&] {
      if (!is_hermitian(kind)) return;
      for (T& value : x) value = conj(value);
    };
    conjugate();
    sweeps.backward(front, nullptr, columns, x.data(), z.data());
    conjugate();
    return x;
  }

  static void expect_solved(Factorization kind, const Square<T>& a, const FactoredFront<T>& front) {
    Numbers<T> number;
    for (const Index columns : {1, 3, 16}) {
      std::vector<T> b(static_cast<std::size_t>(a.n * columns));
      for (T& value : b) value = number();
      const std::vector<T> x = solve(kind, front, columns, b);
      EXPECT_LE(residual(a, columns, x, b), single ? 1e-3 : 1e-12)
          << a.n << " rows, kind " << static_cast<int>(kind) << ", " << columns << " columns";
    }
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(FrontsOverScalars, Types);

constexpr Factorization kinds[] = {Factorization::cholesky, Factorization::ldlt,
                                   Factorization::ldlh, Factorization::lu};

TYPED_TEST(FrontsOverScalars, AreSolvedWithAndLeaveTheirSchurComplement) {
  using T = TypeParam;
  for (const Factorization kind : kinds) {
    for (const auto& [p, m] : {std::pair<Index, Index>{1, 4}, {6, 5}, {20, 30}, {150, 70}}) {
      Index negative = 0;
      const Square<T> whole = matrix_of<T>(kind, p + m, negative);
      const BorderBlock block(m, kind != Factorization::lu);
      std::vector<T> lower(whole.values.begin(), whole.values.begin() + (p + m) * p), upper;
      lower.resize(lower.size() + vector_sweeps::padding<T>);
      if (kind == Factorization::lu) {
        for (Index k = 0; k < p; ++k) {
          for (Index j = 0; j < m; ++j) upper.push_back(whole(k, p + j));
        }
      }
      std::vector<T> contribution(static_cast<std::size_t>(block.size())),
          off_diagonal(static_cast<std::size_t>(p)),
          scratch(
              static_cast<std::size_t>(std::max(scratch_of_pivots(p, p + m), block.width() * p)));
      std::vector<LocalIndex> rows(static_cast<std::size_t>(p)), columns(rows.size());
      for (Index k = 0; k < p; ++k) columns[k] = rows[k] = static_cast<LocalIndex>(k);
      const Front<T> front{p, m, lower.data(), upper.data(), contribution.data()};
      const PivotRule rule{0, is_hermitian(kind)};
      PivotCounts counts;
      if (kind == Factorization::cholesky) {
        eliminate_cholesky(front, Tiles(1), counts);
      } else if (kind == Factorization::lu) {
        eliminate_lu(front, rule, Tiles(1), rows.data(), counts);
      } else {
        eliminate_ldlt(front, rule, Tiles(1), rows.data(), off_diagonal.data(), scratch.data(),
                       counts);
        columns = rows;
      }
      ASSERT_EQ(counts.failed, -1);
      ASSERT_EQ(counts.perturbed, 0);
      for (Index begin = 0; begin < m; begin += block.width()) {
        update_border(kind, front, off_diagonal.data(), begin, std::min(m, begin + block.width()),
                      scratch.data());
      }
      // F11 alone.
      Square<T> pivots(p);
      for (Index j = 0; j < p; ++j) {
        for (Index i = 0; i < p; ++i) pivots(i, j) = whole(i, j);
      }
      FactoredFront<T> factored;
      factored.pivots = static_cast<LocalIndex>(p);
      factored.border = 0;
      factored.lower = lower.data();
      factored.ld = p + m;
      factored.rows = rows.data();
      factored.columns = columns.data();
      factored.off_diagonal = off_diagonal.data();
      this->expect_solved(kind, pivots, factored);
      // - F21 F11^-1 F12 is what the border gets.
      double worst = 0, largest = 0;
      std::vector<T> b(static_cast<std::size_t>(p * m));
      for (Index k = 0; k < p; ++k) {
        for (Index j = 0; j < m; ++j) b[k * m + j] = whole(k, p + j);
      }
      const std::vector<T> x = this->solve(kind, factored, m, b);
      for (Index j = 0; j < m; ++j) {
        for (Index i = kind == Factorization::lu ? 0 : j; i < m; ++i) {
          Wide<T> sum = contribution[block.column_start(j) + i];
          for (Index k = 0; k < p; ++k) sum += Wide<T>(whole(p + i, k)) * Wide<T>(x[k * m + j]);
          worst = std::max(worst, magnitude(sum));
          largest = std::max<double>(largest, magnitude(contribution[block.column_start(j) + i]));
        }
      }
      EXPECT_LE(worst, (this->single ? 1e-2 : 1e-10) * largest)
          << p << " pivots, border of " << m << ", kind " << static_cast<int>(kind);
    }
  }
}

TYPED_TEST(FrontsOverScalars, OfHermitianOnesTheInertiaIsTold) {
  using T = TypeParam;
  for (const Index n : {1, 2, 7, 40, 100}) {
    Index negative = 0;
    const Square<T> a = matrix_of<T>(Factorization::ldlh, n, negative);
    std::vector<T> lower = a.values, off_diagonal(static_cast<std::size_t>(n)),
                   scratch(static_cast<std::size_t>(scratch_of_pivots(n, n)));
    std::vector<LocalIndex> rows(static_cast<std::size_t>(n));
    PivotCounts counts;
    eliminate_ldlt(Front<T>{n, 0, lower.data(), nullptr, nullptr}, PivotRule{0, true}, Tiles(1),
                   rows.data(), off_diagonal.data(), scratch.data(), counts);
    EXPECT_EQ(counts.failed, -1);
    EXPECT_EQ(counts.negative, negative) << n;
  }
}

TYPED_TEST(FrontsOverScalars, TakePivotsAboveAThreshold) {
  using T = TypeParam;
  for (const Factorization kind : {Factorization::ldlt, Factorization::ldlh, Factorization::lu}) {
    for (const Index n : {1, 5, 60, 120}) {
      Index negative = 0;
      Square<T> a = matrix_of<T>(kind, n, negative);
      if (kind == Factorization::ldlt) {
        for (Index k = 0; k < n; k += 2) a(k, k) = T(0);  // for pairs
      }
      ThresholdFront<T> work(n, n, kind, 0);
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) work.at(i, j) = a(i, j);
        work.rows.push_back(static_cast<LocalIndex>(j));
      }
      work.columns = work.rows;
      PivotCounts counts;
      work.eliminate(Tiles(1), counts);
      if (n == 1 && kind == Factorization::ldlt) continue;  // its diagonal is 0
      ASSERT_EQ(work.done(), n);
      if (kind == Factorization::ldlh) {
        EXPECT_EQ(counts.negative, negative);
      }
      std::vector<T> lower;
      for (Index j = 0; j < n; ++j) lower.insert(lower.end(), &work.at(0, j), &work.at(0, j) + n);
      lower.resize(lower.size() + vector_sweeps::padding<T>);
      FactoredFront<T> factored;
      factored.pivots = static_cast<LocalIndex>(n);
      factored.lower = lower.data();
      factored.ld = n;
      factored.rows = work.rows.data();
      factored.columns = work.columns.data();
      factored.off_diagonal = work.off_diagonal().data();
      this->expect_solved(kind, a, factored);
    }
  }
}

}  // namespace
}  // namespace spsolve
