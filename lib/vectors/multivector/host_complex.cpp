// Complex factors and sums of vectors in host memory, whose rows 2i and 2i + 1 are the parts of one
// number. A pair of rows has K real parts and then K imaginary ones.

#include <algorithm>
#include <type_traits>

#include "core/over_blocks.hpp"
#include "vectors/multivector/host_vectors.hpp"
#include "vectors/multivector/parts.hpp"

namespace spsolve::inline vectors {

namespace {

using Complex = Vectors::Complex;

/// Calls work(first, last, columns) for blocks of pairs of rows in threads, as over_rows() does for
/// rows: with a constant for one column.
template <typename Work>
void over_pairs(Index rows, Index columns, const Work& work) {
  constexpr Index of_block = block_rows / 2;
  const Index pairs = rows / 2;
  const Index blocks = (pairs + of_block - 1) / of_block;
#pragma omp parallel for schedule(static) if (worth_threads(rows * columns))
  for (Index block = 0; block < blocks; ++block) {
    const Index first = block * of_block, last = std::min(first + of_block, pairs);
    if (columns == 1) {
      work(first, last, std::integral_constant<Index, 1>{});
    } else {
      work(first, last, columns);
    }
  }
}

/// x <- own x + factor y of the parts of one number; an `own` of 0 takes nothing of what x holds.
inline void combine_one(Complex own, Complex factor, double re, double im, double& x_re,
                        double& x_im) {
  double kept_re = 0, kept_im = 0;
  if (own != 0.0) {
    kept_re = own.real() * x_re - own.imag() * x_im;
    kept_im = own.real() * x_im + own.imag() * x_re;
  }
  x_re = kept_re + (factor.real() * re - factor.imag() * im);
  x_im = kept_im + (factor.real() * im + factor.imag() * re);
}

/// x <- x + factor y for `count` numbers that lie one after another.
void add_multiple_of_numbers(Complex factor, const double* y, double* x, Index count) {
  const double re = factor.real(), im = factor.imag();
#pragma omp simd
  for (Index j = 0; j < count; ++j) {
    x[2 * j] += re * y[2 * j] - im * y[2 * j + 1];
    x[2 * j + 1] += re * y[2 * j + 1] + im * y[2 * j];
  }
}

/// Adds to `sum` op(x)^T y of `count` numbers one after another, op being conjugation or nothing,
/// in `lanes` sums at a time.
template <bool conjugates>
void add_dot_of_numbers(const double* x, const double* y, Index count, double* sum) {
  constexpr Index lanes = 8;
  double straight[2 * lanes] = {}, crossed[2 * lanes] = {};
  const auto add = [&](Index lane, const double* a, const double* b) {
    straight[2 * lane] += a[0] * b[0];
    straight[2 * lane + 1] += a[1] * b[1];
    crossed[2 * lane] += a[0] * b[1];
    crossed[2 * lane + 1] += a[1] * b[0];
  };
  const Index whole = count - count % lanes;
  for (Index j = 0; j < whole; j += lanes) {
#pragma omp simd
    for (Index lane = 0; lane < lanes; ++lane) add(lane, x + 2 * (j + lane), y + 2 * (j + lane));
  }
  for (Index j = whole; j < count; ++j) add(j - whole, x + 2 * j, y + 2 * j);
  for (Index half = lanes; half > 1; half /= 2) {
    for (Index k = 0; k < half; ++k) {
      straight[k] += straight[k + half];
      crossed[k] += crossed[k + half];
    }
  }
  constexpr double sign = conjugates ? 1 : -1;
  sum[0] += straight[0] + sign * straight[1];
  sum[1] += crossed[0] - sign * crossed[1];
}

/// Adds the sums of all columns of pairs of rows to K complex numbers.
template <bool conjugates>
void add_dots(const HostVectors& x, const HostVectors& y, Index first, Index last, double* sums) {
  const Index k = x.columns();
  const double *mine = x.row(first), *theirs = y.row(first);
  if (k == 1) {
    return add_dot_of_numbers<conjugates>(mine, theirs, (last - first) / 2, sums);
  }
  constexpr double sign = conjugates ? 1 : -1;
  for (Index i = first; i < last; i += 2, mine += 2 * k, theirs += 2 * k) {
#pragma omp simd
    for (Index c = 0; c < k; ++c) {
      sums[2 * c] += mine[c] * theirs[c] + sign * (mine[k + c] * theirs[k + c]);
      sums[2 * c + 1] += mine[c] * theirs[k + c] - sign * (mine[k + c] * theirs[c]);
    }
  }
}

template <bool conjugates>
void sum_up(const HostVectors& x, const Vectors& y, std::span<Complex> sums) {
  over_blocks(
      x.height(), parts_of(sums),
      [&](Index first, Index last, double* block) {
        add_dots<conjugates>(x, on_host(y), first, last, block);
      },
      [](double a, double b) { return a + b; });
}

}  // namespace

void HostVectors::add_multiples(std::span<const Complex> factors, const Vectors& y) {
  double* const mine = row(0);
  const double* const theirs = on_host(y).row(0);
  over_pairs(height(), columns(), [=](Index first, Index last, auto k) {
    if constexpr (!std::is_same_v<decltype(k), Index>) {
      add_multiple_of_numbers(factors[0], theirs + 2 * first, mine + 2 * first, last - first);
    } else {
      for (Index j = first; j < last; ++j) {
        double* const to = mine + 2 * j * k;
        const double* const from = theirs + 2 * j * k;
        for (Index c = 0; c < k; ++c) {
          combine_one(1, factors[c], from[c], from[k + c], to[c], to[k + c]);
        }
      }
    }
  });
}

void HostVectors::add_multiples_of_each(std::span<const Complex> factors, List ys) {
  const auto k = static_cast<std::size_t>(columns());
  if (k != 1) {
    for (std::size_t j = 0; j < ys.size(); ++j) add_multiples(factors.subspan(j * k, k), *ys[j]);
    return;
  }
  // Block by block of rows, which stay in the caches meanwhile.
  over_pairs(height(), 1, [&, mine = row(0)](Index first, Index last, auto) {
    for (std::size_t j = 0; j < ys.size(); ++j) {
      add_multiple_of_numbers(factors[j], on_host(*ys[j]).row(0) + 2 * first, mine + 2 * first,
                              last - first);
    }
  });
}

void HostVectors::combine(std::span<const Complex> own, std::span<const Complex> factors,
                          const Vectors& y) {
  double* const mine = row(0);
  const double* const theirs = on_host(y).row(0);
  over_pairs(height(), columns(), [=](Index first, Index last, auto k) {
    for (Index j = first; j < last; ++j) {
      double* const to = mine + 2 * j * k;
      const double* const from = theirs + 2 * j * k;
      for (Index c = 0; c < k; ++c) {
        combine_one(own[c], factors[c], from[c], from[k + c], to[c], to[k + c]);
      }
    }
  });
}

void HostVectors::scale_columns(std::span<const Complex> factors) {
  double* const mine = row(0);
  over_pairs(height(), columns(), [=](Index first, Index last, auto k) {
    for (Index j = first; j < last; ++j) {
      double* const to = mine + 2 * j * k;
      for (Index c = 0; c < k; ++c) combine_one(factors[c], 0, 0, 0, to[c], to[k + c]);
    }
  });
}

void HostVectors::own_dots(const Vectors& y, std::span<Complex> sums) const {
  sum_up<true>(*this, y, sums);
}

void HostVectors::own_bilinear(const Vectors& y, std::span<Complex> sums) const {
  sum_up<false>(*this, y, sums);
}

void HostVectors::own_dots_with_each(List ys, std::span<Complex> sums) const {
  over_blocks(
      height(), parts_of(sums),
      [&](Index first, Index last, double* block) {
        for (const auto& y : ys) {
          add_dots<true>(*this, on_host(*y), first, last, block);
          block += 2 * columns();
        }
      },
      [](double a, double b) { return a + b; });
}

}  // namespace spsolve::vectors
