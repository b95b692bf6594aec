#include "vectors/multivector/host_vectors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>

#include <cblas.h>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"

namespace spsolve::inline vectors {

namespace {

/// Elements of dot products with several vectors that are worth waking threads for: a thread goes
/// through them in half a nanosecond each, as the vector that all have in common stays in its
/// cache.
constexpr Index worthwhile_of_each = 1 << 18;

/// Calls work(first, last, columns) for blocks of rows in threads: with a constant for the one
/// column that most vectors have, which compilers make loops over rows of, else with K.
template <typename Work>
void over_rows(Index rows, Index columns, const Work& work) {
  const Index blocks = (rows + block_rows - 1) / block_rows;
#pragma omp parallel for schedule(static) if (worth_threads(rows * columns))
  for (Index block = 0; block < blocks; ++block) {
    const Index first = block * block_rows, last = std::min(first + block_rows, rows);
    if (columns == 1) {
      work(first, last, std::integral_constant<Index, 1>{});
    } else {
      work(first, last, columns);
    }
  }
}

/// x^T y of `count` numbers, in `lanes` sums at a time, so that none waits for the one before. By
/// pointers that nothing else can change: loops over what a lambda holds by reference become
/// gathers.
double dot_of(const double* x, const double* y, Index count) {
  constexpr Index lanes = 32;
  double sums[lanes] = {};
  const Index whole = count - count % lanes;
  for (Index i = 0; i < whole; i += lanes) {
#pragma omp simd
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  for (Index i = whole; i < count; ++i) sums[i - whole] += x[i] * y[i];
  for (Index half = lanes / 2; half > 0; half /= 2) {
    for (Index lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

/// x <- x + t_0 y_0 + t_1 y_1 + .. in rows first ... last, added in this order, 4 at a time.
void add_each(const double* t, const std::vector<const double*>& y, double* x, Index first,
              Index last) {
  std::size_t j = 0;
  for (; j + 4 <= y.size(); j += 4) {
    const double t0 = t[j], t1 = t[j + 1], t2 = t[j + 2], t3 = t[j + 3];
    const double *const y0 = y[j], *const y1 = y[j + 1], *const y2 = y[j + 2], *const y3 = y[j + 3];
#pragma omp simd
    for (Index i = first; i < last; ++i) {
      x[i] = x[i] + t0 * y0[i] + t1 * y1[i] + t2 * y2[i] + t3 * y3[i];
    }
  }
  for (; j < y.size(); ++j) {
    const double factor = t[j];
    const double* const one = y[j];
#pragma omp simd
    for (Index i = first; i < last; ++i) x[i] += factor * one[i];
  }
}

/// |x| as a whole number of the same order, in which a nan is more than everything.
std::uint64_t magnitude(double x) {
  return std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
}

/// max |x_i| of `count` numbers; nan where one is.
double largest_of(const double* x, Index count) {
  std::uint64_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (Index i = 0; i < count; ++i) largest = std::max(largest, magnitude(x[i]));
  return std::bit_cast<double>(largest);
}

/// x <- x - t y, of `count` numbers; hands back max |x_i|, nan where one is.
double subtract_multiple(double t, const double* y, double* x, Index count) {
  std::uint64_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (Index i = 0; i < count; ++i) {
    x[i] -= t * y[i];
    largest = std::max(largest, magnitude(x[i]));
  }
  return std::bit_cast<double>(largest);
}

// Sums, maxima and steps for the `k` columns of row-major numbers.

void add_dots(const double* x, const double* y, Index rows, Index k, double* sums) {
  for (Index i = 0; i < rows; ++i, x += k, y += k) {
#pragma omp simd
    for (Index c = 0; c < k; ++c) sums[c] += x[c] * y[c];
  }
}

void largest_of_columns(const double* x, Index rows, Index k, double* largest) {
  for (Index i = 0; i < rows; ++i, x += k) {
#pragma omp simd
    for (Index c = 0; c < k; ++c) {
      largest[c] = std::bit_cast<double>(std::max(magnitude(largest[c]), magnitude(x[c])));
    }
  }
}

void subtract_multiples(const double* t, const double* y, double* x, Index rows, Index k,
                        double* largest) {
  for (Index i = 0; i < rows; ++i, y += k, x += k) {
#pragma omp simd
    for (Index c = 0; c < k; ++c) {
      x[c] -= t[c] * y[c];
      largest[c] = std::bit_cast<double>(std::max(magnitude(largest[c]), magnitude(x[c])));
    }
  }
}

/// C <- op(A) B + beta C for C of m x n, op(A) of m x k, row-major: of a block of rows, by the BLAS
/// of one thread, which adds up in the order of k whatever the threads are.
void multiply_row_major(bool transposed, Index m, Index n, Index k, const double* a, Index lda,
                        const double* b, Index ldb, double beta, double* c, Index ldc) {
  const auto narrow = [](Index value) { return static_cast<int>(value); };
  cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, narrow(m),
              narrow(n), narrow(k), 1, a, narrow(lda), b, narrow(ldb), beta, c, narrow(ldc));
}

/// Coefficients in host memory: there at once.
class HostCoefficients final : public Coefficients {
 public:
  HostCoefficients(int rows, Index columns) : Coefficients(rows, columns), values_(rows, columns) {}

  std::span<double> row(int number) {
    return {values_.row(number), static_cast<std::size_t>(columns())};
  }
  std::span<const double> row(int number) const {
    return {values_.row(number), static_cast<std::size_t>(columns())};
  }

  int lead() const override { return 0; }
  void send() override { sent_.push_back(values_); }
  Dense<double> take() override {
    Dense<double> first = std::move(sent_.front());
    sent_.pop_front();
    return first;
  }
  void read(int number, std::span<double> values) const override {
    std::ranges::copy(row(number), values.begin());
  }
  void write(int number, std::span<const double> values) override {
    std::ranges::copy(values, row(number).begin());
  }

  /// wanted_c times the quotient of column c.
  std::vector<double> factors(std::span<const double> wanted, Quotient t) const {
    std::vector<double> result(wanted.size());
    for (std::size_t c = 0; c < result.size(); ++c) {
      const double under = row(t.under)[c];
      if (wanted[c] != 0 && under != 0) result[c] = wanted[c] * (row(t.over)[c] / under);
    }
    return result;
  }

 private:
  Dense<double> values_;
  std::deque<Dense<double>> sent_;
};

const HostCoefficients& on_host(const Coefficients& all) {
  return dynamic_cast<const HostCoefficients&>(all);
}

std::span<double> on_host(const ToRow& to) {
  return dynamic_cast<HostCoefficients&>(to.all).row(to.row);
}

}  // namespace

HostVectors& on_host(Vectors& x) {
  return dynamic_cast<HostVectors&>(x);
}
const HostVectors& on_host(const Vectors& x) {
  return dynamic_cast<const HostVectors&>(x);
}

HostVectors::HostVectors(Team& team, const RowLayout& layout, Index columns)
    : Vectors(team, layout, columns), values_(static_cast<std::size_t>(height() * columns)) {}

std::unique_ptr<Vectors> HostVectors::similar(Index columns) const {
  return std::make_unique<HostVectors>(team(), layout(), columns);
}

void HostVectors::write_rows(Range rows, std::span<const double> values) {
  std::copy_n(values.begin(), rows.size() * columns(), row(rows.first));
}

void HostVectors::read_rows(Range rows, std::span<double> values) const {
  std::copy_n(row(rows.first), rows.size() * columns(), values.begin());
}

void HostVectors::fill(double value) {
  std::ranges::fill(values_, value);
}

void HostVectors::copy_columns(const Vectors& y, Index from, Index to, Index count) {
  const HostVectors& other = on_host(y);
#pragma omp parallel for schedule(static) if (worth_threads(height() * count))
  for (Index i = 0; i < height(); ++i) std::copy_n(other.row(i) + from, count, row(i) + to);
}

void HostVectors::add_multiples(std::span<const double> factors, const Vectors& y) {
  double* const mine = row(0);
  const double* const theirs = on_host(y).row(0);
  over_rows(height(), columns(), [=](Index first, Index last, auto k) {
    for (Index i = first; i < last; ++i) {
      for (Index c = 0; c < k; ++c) mine[i * k + c] += factors[c] * theirs[i * k + c];
    }
  });
}

void HostVectors::add_multiples_of_each(std::span<const double> factors, List ys) {
  if (columns() != 1) return Vectors::add_multiples_of_each(factors, ys);
  std::vector<const double*> theirs;
  for (const auto& y : ys) theirs.push_back(on_host(*y).row(0));
  over_rows(height(), 1, [&, mine = row(0)](Index first, Index last, auto) {
    add_each(factors.data(), theirs, mine, first, last);
  });
}

void HostVectors::combine(std::span<const double> own, std::span<const double> factors,
                          const Vectors& y) {
  double* const mine = row(0);
  const double* const theirs = on_host(y).row(0);
  over_rows(height(), columns(), [=](Index first, Index last, auto k) {
    for (Index i = first; i < last; ++i) {
      for (Index c = 0; c < k; ++c) {
        const double kept = own[c] == 0 ? 0.0 : own[c] * mine[i * k + c];
        mine[i * k + c] = kept + factors[c] * theirs[i * k + c];
      }
    }
  });
}

void HostVectors::add_scaled_rows(double own, double factor, const Vectors& d, const Vectors& y) {
  const double* const of_rows = on_host(d).row(0);
  double* const mine = row(0);
  const double* const theirs = on_host(y).row(0);
  over_rows(height(), columns(), [=](Index first, Index last, auto k) {
    for (Index i = first; i < last; ++i) {
      const double of_row = factor * of_rows[i];
      for (Index c = 0; c < k; ++c) {
        const double kept = own == 0 ? 0.0 : own * mine[i * k + c];
        mine[i * k + c] = kept + of_row * theirs[i * k + c];
      }
    }
  });
}

void HostVectors::add_product(double own, const Vectors& y, std::span<const double> f) {
  const HostVectors& other = on_host(y);
  const Index k = columns(), theirs = y.columns();
  if (theirs == 0) return scale_columns(std::vector<double>(static_cast<std::size_t>(k), own));
  if (k == 0) return;
  over_rows(height(), k, [&](Index first, Index last, auto) {
    multiply_row_major(false, last - first, k, theirs, other.row(first), theirs, f.data(), k, own,
                       row(first), k);
  });
}

void HostVectors::scale_columns(std::span<const double> factors) {
#pragma omp parallel for schedule(static) if (worth_threads(height() * columns()))
  for (Index i = 0; i < height(); ++i) {
    double* const mine = row(i);
    for (Index c = 0; c < columns(); ++c) mine[c] = factors[c] == 0 ? 0.0 : factors[c] * mine[c];
  }
}

void HostVectors::scale_rows(const Vectors& d) {
  const HostVectors& factors = on_host(d);
#pragma omp parallel for schedule(static) if (worth_threads(height() * columns()))
  for (Index i = 0; i < height(); ++i) {
    double* const mine = row(i);
    for (Index c = 0; c < columns(); ++c) mine[c] *= *factors.row(i);
  }
}

void HostVectors::add_own_dots(const HostVectors& y, Range rows, double* sums) const {
  const Index k = columns();
  const double *const mine = row(rows.first), *const theirs = y.row(rows.first);
  if (k == 1) {
    *sums += dot_of(mine, theirs, rows.size());
  } else {
    add_dots(mine, theirs, rows.size(), k, sums);
  }
}

void HostVectors::own_dots(const Vectors& y, std::span<double> sums) const {
  over_blocks(
      height(), sums,
      [&](Index first, Index last, double* block) {
        add_own_dots(on_host(y), {first, last}, block);
      },
      [](double a, double b) { return a + b; });
}

void HostVectors::own_dots_with_each(List ys, std::span<double> sums) const {
  over_blocks(
      height(), sums,
      [&](Index first, Index last, double* block) {
        for (const auto& y : ys) {
          add_own_dots(on_host(*y), {first, last}, block);
          block += columns();
        }
      },
      [](double a, double b) { return a + b; }, worthwhile_of_each);
}

void HostVectors::own_products(const Vectors& y, std::span<double> sums) const {
  // A few columns of X at a time, so that sums of all blocks of rows are few compared with the
  // vectors.
  constexpr Index strip = 16;
  const HostVectors& other = on_host(y);
  const Index theirs = y.columns();
  if (theirs == 0) return;
  for (Index first_column = 0; first_column < columns(); first_column += strip) {
    const Index count = std::min(strip, columns() - first_column);
    over_blocks(
        height(),
        sums.subspan(static_cast<std::size_t>(first_column * theirs),
                     static_cast<std::size_t>(count * theirs)),
        [&](Index first, Index last, double* block) {
          multiply_row_major(true, count, theirs, last - first, row(first) + first_column,
                             columns(), other.row(first), theirs, 0, block, theirs);
        },
        [](double a, double b) { return a + b; });
  }
}

void HostVectors::own_maxima(std::span<double> largest) const {
  over_blocks(
      height(), largest,
      [&, k = columns(), mine = row(0)](Index first, Index last, double* block) {
        if (k == 1) {
          *block = largest_of(mine + first, last - first);
          return;
        }
        largest_of_columns(mine + first * k, last - first, k, block);
      },
      [](double a, double b) { return larger(a, b); });
}

std::unique_ptr<Coefficients> HostVectors::coefficients(int rows) const {
  return std::make_unique<HostCoefficients>(rows, columns());
}

void HostVectors::own_dots(const Vectors& y, const ToRow& sums) const {
  own_dots(y, on_host(sums));
}

void HostVectors::own_subtract(std::span<const double> wanted, Quotient t, const Vectors& y,
                               const ToRow& largest, const ToRow* squares) {
  const std::vector<double> factors = on_host(largest.all).factors(wanted, t);
  const double* const theirs = on_host(y).row(0);
  double* const mine = row(0);
  over_blocks(
      height(), on_host(largest),
      [&, k = columns()](Index first, Index last, double* block) {
        if (k == 1) {
          *block = subtract_multiple(factors[0], theirs + first, mine + first, last - first);
          return;
        }
        subtract_multiples(factors.data(), theirs + first * k, mine + first * k, last - first, k,
                           block);
      },
      [](double a, double b) { return larger(a, b); });
  if (squares != nullptr) own_dots(*this, *squares);
}

void HostVectors::step_and_turn(std::span<const double> wanted, const Coefficients& all, Quotient s,
                                Vectors& x, Quotient t, const Vectors& y) {
  const std::vector<double> steps = on_host(all).factors(wanted, s);
  const std::vector<double> kept = on_host(all).factors(wanted, t);
  double* const mine = row(0);
  double* const solution = on_host(x).row(0);
  const double* const theirs = on_host(y).row(0);
  over_rows(height(), columns(),
            [=, s = steps.data(), t = kept.data()](Index first, Index last, auto k) {
              for (Index i = first; i < last; ++i) {
                for (Index c = 0; c < k; ++c) {
                  const double of_p = mine[i * k + c];
                  solution[i * k + c] += s[c] * of_p;
                  mine[i * k + c] = (t[c] == 0 ? 0.0 : t[c] * of_p) + theirs[i * k + c];
                }
              }
            });
}

}  // namespace spsolve::vectors
