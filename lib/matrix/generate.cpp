#include "matrix/generate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <unistd.h>

#include "core/error.hpp"
#include "matrix/random.hpp"

namespace spsolve {

namespace {

constexpr Index most_columns = std::numeric_limits<LocalIndex>::max();

// What a seed's random numbers are used for; each use has its own key.
enum Use : std::uint64_t { for_values = 1, for_lengths, for_columns, for_order };

std::uint64_t key_of(Index seed, Use use) {
  return random_bits(mix_bits(static_cast<std::uint64_t>(seed)), use);
}

void check_memory(Index rows, Index columns, double average) {
  const double bytes =
      static_cast<double>(rows) * (sizeof(Index) + average * (sizeof(LocalIndex) + sizeof(double)));
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (memory > 0 && bytes > memory) {
    fail(ExitCode::resources,
         "the generated {} x {} matrix needs {:.1f} GB, and this machine has {:.1f} GB", rows,
         columns, bytes * 1e-9, memory * 1e-9);
  }
}

/// Where the non-zeros of one row go: either put() one after another, ascending, or written
/// directly.
struct Row {
  LocalIndex* columns;
  double* values;
  Index length;
  Index written = 0;

  void put(Index column, double value) {
    columns[written] = static_cast<LocalIndex>(column);
    values[written++] = value;
  }
};

/// Builds the rows of a matrix that are asked for, row by row: length(i) says how many non-zeros
/// row i has, fill(i, row) writes them. Both run in parallel. `average` is the expected length of a
/// row: what does not fit the memory is refused before anything is allocated.
template <typename Length, typename Fill>
Csr<double> build(const GeneratorArguments& wanted, Index rows, Index columns, double average,
                  const Length& length, const Fill& fill) {
  const Index first = std::min(wanted.first_row, rows), last = std::min(wanted.last_row, rows);
  const Index count = last - first;
  check_memory(count, columns, average);
  Csr<double> matrix;
  matrix.rows = count;
  matrix.columns = columns;
  matrix.row_offsets.assign(count + 1, 0);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < count; ++i) matrix.row_offsets[i + 1] = length(first + i);
  for (Index i = 0; i < count; ++i) matrix.row_offsets[i + 1] += matrix.row_offsets[i];
  const Index nonzeros = matrix.nonzeros();
  matrix.column_indices.resize(nonzeros);
  matrix.values.resize(nonzeros);
#pragma omp parallel for schedule(dynamic, 64)
  for (Index i = 0; i < count; ++i) {
    const Index place = matrix.row_offsets[i];
    fill(first + i, Row{matrix.column_indices.data() + place, matrix.values.data() + place,
                        matrix.row_offsets[i + 1] - place});
  }
  return matrix;
}

/// Every element (i, j) of a rows x columns matrix is value(i, j), stored.
template <typename Value>
Csr<double> build_full(const GeneratorArguments& wanted, Index rows, Index columns,
                       const Value& value) {
  return build(
      wanted, rows, columns, static_cast<double>(columns), [&](Index) { return columns; },
      [&](Index i, Row row) {
        for (Index j = 0; j < columns; ++j) row.put(j, value(i, j));
      });
}

// --- grids and bands

Csr<double> grid2d(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  const auto length = [n](Index i) {
    const Index x = i % n, y = i / n;
    return 1 + (y > 0) + (x > 0) + (x + 1 < n) + (y + 1 < n);
  };
  return build(arguments, n * n, n * n, 5, length, [n](Index i, Row row) {
    const Index x = i % n, y = i / n;
    if (y > 0) row.put(i - n, -1.0);
    if (x > 0) row.put(i - 1, -1.0);
    row.put(i, 4.0);
    if (x + 1 < n) row.put(i + 1, -1.0);
    if (y + 1 < n) row.put(i + n, -1.0);
  });
}

Csr<double> grid3d27(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0], unknowns = arguments.sizes[1];
  const std::uint64_t key = key_of(arguments.seed, for_values);
  const auto neighbours = [n](Index x) { return 1 + (x > 0) + (x + 1 < n); };
  const auto length = [=](Index i) {
    const Index node = i / unknowns;
    return neighbours(node % n) * neighbours(node / n % n) * neighbours(node / n / n) * unknowns;
  };
  const Index rows = n * n * n * unknowns;
  return build(
      arguments, rows, rows, 27.0 * static_cast<double>(unknowns), length, [=](Index i, Row row) {
        const Index node = i / unknowns;
        const Index x = node % n, y = node / n % n, z = node / n / n;
        Index diagonal = 0;
        double sum = 1.0;
        for (Index zz = std::max<Index>(z - 1, 0); zz <= std::min(z + 1, n - 1); ++zz) {
          for (Index yy = std::max<Index>(y - 1, 0); yy <= std::min(y + 1, n - 1); ++yy) {
            const Index line = (zz * n + yy) * n;
            const Index first = (line + std::max<Index>(x - 1, 0)) * unknowns;
            const Index last = (line + std::min(x + 1, n - 1) + 1) * unknowns;
            for (Index j = first; j < last; ++j) {
              if (j == i) {
                diagonal = row.written;
                row.put(i, 0.0);
                continue;
              }
              // The pair (smaller, larger) as one number: both fit 31 bits.
              const auto pair = static_cast<std::uint64_t>(std::min(i, j) << 32 | std::max(i, j));
              const double value = unit_interval(random_bits(key, pair)) - 1.0;
              row.put(j, value);
              sum -= value;
            }
          }
        }
        row.values[diagonal] = sum;
      });
}

Csr<double> tridiagonal(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  return build(
      arguments, n, n, 3, [n](Index i) { return 1 + (i > 0) + (i + 1 < n); },
      [n](Index i, Row row) {
        for (Index j = std::max<Index>(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
          row.put(j, i == j ? 2.0 : -1.0);
        }
      });
}

// --- random matrices

/// `count` distinct numbers of 0 .. range - 1 that are pseudo-random and spread: one in
/// each of `count` equal parts of the range, the whole turned by a random step. Cost O(count).
class SpreadNumbers {
 public:
  SpreadNumbers(std::uint64_t key, Index count, Index range)
      : key_(key), count_(count), range_(range) {}

  /// Number k before turning, ascending in k.
  Index operator[](Index k) const {
    const Index first = k * range_ / count_;
    const Index next = (k + 1) * range_ / count_;
    return first + random_below(random_bits(key_, static_cast<std::uint64_t>(k)), next - first);
  }

 private:
  std::uint64_t key_;
  Index count_;
  Index range_;
};

/// Makes (number(k) + turn) mod range, 0 <= k < length, ascending, the columns of the row.
template <typename Numbers>
void write_turned(const Numbers& number, Index turn, Index range, Row row) {
  for (Index k = 0; k < row.length; ++k) {
    row.columns[k] = static_cast<LocalIndex>((number(k) + turn) % range);
  }
  // The numbers ascend, so the turned ones are two ascending runs.
  LocalIndex* const end = row.columns + row.length;
  std::rotate(row.columns, std::is_sorted_until(row.columns, end), end);
}

void write_random_values(std::uint64_t key, Index i, Row row) {
  const std::uint64_t row_key = random_bits(key, static_cast<std::uint64_t>(i));
  for (Index k = 0; k < row.length; ++k) {
    row.values[k] =
        symmetric_interval(random_bits(row_key, static_cast<std::uint64_t>(row.columns[k])));
  }
}

Csr<double> random_dense(const GeneratorArguments& arguments) {
  const std::uint64_t key = random_dense_key(arguments.seed);
  return build_full(arguments, arguments.sizes[0], arguments.sizes[0], [key](Index i, Index j) {
    return symmetric_interval(random_bits(key, static_cast<std::uint64_t>(i << 32 | j)));
  });
}

Csr<double> random_sparse(const GeneratorArguments& arguments) {
  const Index rows = arguments.sizes[0], columns = arguments.sizes[1];
  const Index average = arguments.sizes[2];
  const Index trials = std::min(2 * average, columns);
  const double chance = static_cast<double>(average) / static_cast<double>(trials);
  const std::uint64_t length_key = key_of(arguments.seed, for_lengths);
  const std::uint64_t column_key = key_of(arguments.seed, for_columns);
  const std::uint64_t value_key = key_of(arguments.seed, for_values);
  const auto length = [=](Index i) {
    const std::uint64_t key = random_bits(length_key, static_cast<std::uint64_t>(i));
    Index count = 0;
    for (Index trial = 0; trial < trials; ++trial) {
      count += unit_interval(random_bits(key, static_cast<std::uint64_t>(trial))) < chance;
    }
    return count;
  };
  return build(arguments, rows, columns, static_cast<double>(average), length,
               [=](Index i, Row row) {
                 if (row.length == 0) return;
                 const std::uint64_t key = random_bits(column_key, static_cast<std::uint64_t>(i));
                 const SpreadNumbers numbers(key, row.length, columns);
                 const Index turn = random_below(mix_bits(key), columns);
                 write_turned([&](Index k) { return numbers[k]; }, turn, columns, row);
                 write_random_values(value_key, i, row);
               });
}

/// Row lengths by rank: the row of rank k has max(1, round(longest (k + 1)^-exponent)) non-zeros
/// (a rank-size power law, Zipf's), with the exponent that gives the wanted average.
class PowerLawLengths {
 public:
  PowerLawLengths(Index rows, Index average)
      : longest_(std::max(rows / 20, std::min(rows, 8 * average))) {
    double low = 0.0, high = 30.0;
    const double wanted = static_cast<double>(rows) * static_cast<double>(average);
    for (int step = 0; step < 60; ++step) {
      exponent_ = 0.5 * (low + high);
      (total(rows) > wanted ? low : high) = exponent_;
    }
  }

  Index operator()(Index rank) const {
    return std::max<Index>(1, std::llround(static_cast<double>(longest_) *
                                           std::pow(static_cast<double>(rank + 1), -exponent_)));
  }

 private:
  /// Sum over all ranks; beyond the first 1000 by the trapezoidal rule on geometric intervals.
  double total(Index rows) const {
    double sum = 0.0;
    Index rank = 0;
    for (; rank < std::min<Index>(rows, 1000); ++rank) sum += static_cast<double>((*this)(rank));
    while (rank < rows) {
      const Index next = std::min(rows, rank + rank / 100);
      sum += 0.5 * static_cast<double>((*this)(rank) + (*this)(next - 1)) *
             static_cast<double>(next - rank);
      rank = next;
    }
    return sum;
  }

  Index longest_;
  double exponent_ = 0.0;
};

/// A pseudo-random permutation of 0 .. size - 1, evaluated without storing it: four rounds of a
/// Feistel network on the next power of four, walked until it lands inside (Black, Rogaway 2002).
/// Expected cost: at most four walks.
class RandomOrder {
 public:
  RandomOrder(std::uint64_t key, Index size) : key_(key), size_(size) {
    while ((Index{1} << (2 * half_bits_)) < size) ++half_bits_;
  }

  Index operator()(Index index) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    auto x = static_cast<std::uint64_t>(index);
    do {
      std::uint64_t left = x >> half_bits_, right = x & mask;
      for (std::uint64_t round = 0; round < 4; ++round) {
        const std::uint64_t mixed = left ^ (random_bits(key_ + round, right) & mask);
        left = right;
        right = mixed;
      }
      x = left << half_bits_ | right;
    } while (x >= static_cast<std::uint64_t>(size_));
    return static_cast<Index>(x);
  }

 private:
  std::uint64_t key_;
  Index size_;
  int half_bits_ = 1;
};

Csr<double> power_law(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  const PowerLawLengths length_of_rank(n, arguments.sizes[1]);
  const RandomOrder rank(key_of(arguments.seed, for_order), n);
  const std::uint64_t column_key = key_of(arguments.seed, for_columns);
  const std::uint64_t value_key = key_of(arguments.seed, for_values);
  const auto length = [&](Index i) { return length_of_rank(rank(i)); };
  return build(arguments, n, n, static_cast<double>(arguments.sizes[1]), length,
               [&](Index i, Row row) {
                 // The diagonal, and the others as numbers of 1 .. n - 1 turned by i: none of them
                 // is the diagonal.
                 const std::uint64_t key = random_bits(column_key, static_cast<std::uint64_t>(i));
                 const SpreadNumbers others(key, std::max<Index>(row.length - 1, 1), n - 1);
                 write_turned([&](Index k) { return k == 0 ? 0 : 1 + others[k - 1]; }, i, n, row);
                 write_random_values(value_key, i, row);
               });
}

// --- dense test matrices

Csr<double> hilbert(const GeneratorArguments& arguments) {
  return build_full(arguments, arguments.sizes[0], arguments.sizes[0],
                    [](Index i, Index j) { return 1.0 / static_cast<double>(i + j + 1); });
}

Csr<double> gfpp(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  return build(
      arguments, n, n, 0.5 * static_cast<double>(n), [n](Index i) { return std::min(i + 2, n); },
      [n](Index i, Row row) {
        for (Index j = 0; j <= i; ++j) {
          row.put(j, i == j ? 1.0 : -1.0);
        }
        if (i + 1 < n) row.put(n - 1, 1.0);
      });
}

// --- what the sizes have to obey

/// "" if factors' product is at most the largest dimension, else a sentence.
std::string too_large(std::initializer_list<Index> factors) {
  double product = 1.0;
  for (const Index factor : factors) product *= static_cast<double>(factor);
  if (product <= static_cast<double>(most_columns)) return "";
  return fmt::format("the matrix would have {:.3g} columns, and spsolve handles at most {}",
                     product, most_columns);
}

std::string check_square(std::span<const Index> sizes) {
  return too_large({sizes[0]});
}

std::string check_grid2d(std::span<const Index> sizes) {
  return too_large({sizes[0], sizes[0]});
}

std::string check_grid3d27(std::span<const Index> sizes) {
  return too_large({sizes[0], sizes[0], sizes[0], sizes[1]});
}

std::string check_power_law(std::span<const Index> sizes) {
  if (sizes[1] > sizes[0]) return "AVERAGE is larger than N";
  return too_large({sizes[0]});
}

std::string check_random_sparse(std::span<const Index> sizes) {
  if (sizes[2] > sizes[1]) return "AVERAGE is larger than COLUMNS";
  const std::string rows = too_large({sizes[0]});
  return rows.empty() ? too_large({sizes[1]}) : rows;
}

// --- how large the matrices are

MatrixShape square_shape(Index n, Index nonzeros) {
  return {n, n, 0, nonzeros};
}

MatrixShape shape_grid2d(std::span<const Index> sizes) {
  const Index n = sizes[0] * sizes[0];
  return square_shape(n, 5 * n);
}

MatrixShape shape_grid3d27(std::span<const Index> sizes) {
  const Index n = sizes[0] * sizes[0] * sizes[0] * sizes[1];
  return square_shape(n, 27 * sizes[1] * n);
}

MatrixShape shape_power_law(std::span<const Index> sizes) {
  return square_shape(sizes[0], sizes[0] * sizes[1]);
}

MatrixShape shape_tridiagonal(std::span<const Index> sizes) {
  return square_shape(sizes[0], 3 * sizes[0]);
}

MatrixShape shape_full(std::span<const Index> sizes) {
  return square_shape(sizes[0], sizes[0] * sizes[0]);
}

MatrixShape shape_random_sparse(std::span<const Index> sizes) {
  return {sizes[0], sizes[1], 0, sizes[0] * sizes[2]};
}

MatrixShape shape_gfpp(std::span<const Index> sizes) {
  return square_shape(sizes[0], sizes[0] * (sizes[0] + 3) / 2);
}

constexpr Generator table[] = {
    {"grid2d", "grid2d:N", false,
     "5-point Laplacian on an N x N grid: n = N^2, diagonal 4, neighbours -1; symmetric positive "
     "definite.",
     check_grid2d, shape_grid2d, grid2d},
    {"grid3d27", "grid3d27:N:UNKNOWNS", true,
     "27-point stencil on N^3 nodes, UNKNOWNS per node, each coupled with all of its neighbours: "
     "off-diagonals random in [-1, 0), diagonal 1 + the sum of their absolute values; symmetric "
     "positive definite.",
     check_grid3d27, shape_grid3d27, grid3d27},
    {"power_law", "power_law:N:AVERAGE", true,
     "N x N, lengths of rows by a power law with the given average, the longest max(N / 20, "
     "min(N, 8 AVERAGE)), in random order; the diagonal and random columns, values random in "
     "[-1, 1).",
     check_power_law, shape_power_law, power_law},
    {"tridiagonal", "tridiagonal:N", false,
     "N x N with 2 on the diagonal and -1 beside it; symmetric positive definite.", check_square,
     shape_tridiagonal, tridiagonal},
    {"random_dense", "random_dense:N", true, "N x N, every element random in [-1, 1).",
     check_square, shape_full, random_dense},
    {"random_sparse", "random_sparse:ROWS:COLUMNS:AVERAGE", true,
     "ROWS x COLUMNS, lengths of rows binomial around AVERAGE (0 included), columns random, values "
     "random in [-1, 1).",
     check_random_sparse, shape_random_sparse, random_sparse},
    {"hilbert", "hilbert:N", false,
     "N x N with a_ij = 1 / (i + j + 1), i and j from 0; symmetric positive definite, and singular "
     "to working precision from N = 13 on.",
     check_square, shape_full, hilbert},
    {"gfpp", "gfpp:N", false,
     "N x N with 1 on the diagonal and in the last column, -1 below the diagonal: partial pivoting "
     "grows its elements to 2^(N - 1), the worst case (Wilkinson).",
     check_square, shape_gfpp, gfpp},
};

}  // namespace

std::uint64_t random_dense_key(Index seed) {
  return key_of(seed, for_values);
}

std::span<const Generator> generators() {
  return table;
}

}  // namespace spsolve
