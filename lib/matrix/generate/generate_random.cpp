// Random matrices.

#include <cmath>
#include <vector>

#include "matrix/generate/generated_rows.hpp"
#include "matrix/generate/generator_keys.hpp"
#include "matrix/generate/random_order.hpp"

namespace spsolve::inline matrix::generated {

namespace {

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

}  // namespace

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

}  // namespace spsolve::matrix::generated
