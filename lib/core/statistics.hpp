#pragma once

#include <cstdint>
#include <span>

namespace spsolve::inline core {

/// Mean and variance in one pass, without the cancellation of sum(x^2) - n mean^2: with the k-th
/// value x, d = x - m, m += d / k, s += d (x - m) (Welford, Note on a method for calculating
/// corrected sums of squares and products, Technometrics 4, 1962).
class Welford {
 public:
  void add(double value) {
    ++count_;
    const double distance = value - mean_;
    mean_ += distance / static_cast<double>(count_);
    squares_ += distance * (value - mean_);
  }

  std::int64_t count() const { return count_; }

  /// 0 of no values.
  double mean() const { return mean_; }

  /// s / (n - 1), the unbiased estimate, in squared units of the values; 0 of fewer than two.
  double variance() const { return count_ < 2 ? 0.0 : squares_ / static_cast<double>(count_ - 1); }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

/// The statistics of a set of samples, in the units of the samples (variance: squared).
struct Statistics {
  std::int64_t count = 0;
  double mean = 0;
  double variance = 0;  ///< of the samples, divisor count - 1
  double median = 0;    ///< of an even count: the mean of the two in the middle
  double min = 0;
  double max = 0;
};

/// All zero for no samples. A nan among the samples makes every figure a nan.
Statistics statistics_of(std::span<const double> samples);

}  // namespace spsolve::core
