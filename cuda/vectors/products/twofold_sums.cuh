#pragma once

// Sums of products in twice the precision of double.

namespace spsolve::cuda::inline vectors {

/// A sum in two pieces, high + low. Every operation is rounded by itself, never contracted.
struct TwofoldSum {
  double high = 0, low = 0;

  /// Adds `value` + `error`, the error of the sum after Knuth.
  __device__ void add(double value, double error) {
    const double sum = __dadd_rn(high, value);
    const double part = __dsub_rn(sum, high);
    const double sum_error =
        __dadd_rn(__dsub_rn(high, __dsub_rn(sum, part)), __dsub_rn(value, part));
    high = sum;
    low = __dadd_rn(low, __dadd_rn(sum_error, error));
  }
  __device__ void subtract_product(double a, double b) {
    const double product = __dmul_rn(-a, b);
    add(product, __fma_rn(-a, b, -product));
  }
  __device__ double value() const { return __dadd_rn(high, low); }
};

/// A TwofoldSum of long rows by 4 operations a product instead of 10. In addition to the sum a
/// thread has 1.5 s, a power of two s above the sum of all magnitudes so far: a multiply-add to
/// that loses nothing but bits below a fixed place, which another one finds (after Rump, Ogita and
/// Oishi, "Accurate floating-point summation part I", SIAM J. Sci. Comput. 31, 2008). They are
/// right but for 2^-53 of that place: the sum of n products but for some n 2^-100 of their
/// magnitudes.
class BesidePower {
 public:
  /// Begins with a sum whose magnitudes add up to `scale`.
  __device__ BesidePower(const TwofoldSum& sum, double scale) : low_(sum.low) {
    move_to(above(scale), sum.high);
  }

  /// Whether s is above 4 times `scale`; what is not a number is neither.
  __device__ bool has_room(double scale) const {
    return high_word(scale) + 2 * exponent_step < high_word(beside_);
  }
  __device__ void make_room(double scale) { move_to(above(scale), __dsub_rn(beside_, power())); }
  __device__ void subtract_product(double a, double b) {
    const double sum = __fma_rn(-a, b, beside_);
    low_ = __dadd_rn(low_, __fma_rn(-a, b, -__dsub_rn(sum, beside_)));
    beside_ = sum;
  }
  __device__ TwofoldSum sum() const { return {__dsub_rn(beside_, power()), low_}; }

 private:
  static constexpr unsigned exponent_step = 1U << 20;  // in the upper half of a double
  static constexpr unsigned half = exponent_step / 2;

  __device__ static unsigned high_word(double value) {
    return static_cast<unsigned>(__double2hiint(value));
  }
  __device__ static double with_high_word(unsigned word) {
    return __hiloint2double(static_cast<int>(word), 0);
  }
  /// 1.5 s for an s 2^4 to 2^5 times `scale`, or the largest one.
  __device__ static double above(double scale) {
    constexpr unsigned exponent = 0x7ff00000U, largest = 0x7fe00000U;
    return with_high_word(min((high_word(scale) & exponent) + 5 * exponent_step, largest) | half);
  }
  /// 1.5 s, which beside_ is near.
  __device__ double power() const {
    constexpr unsigned exponent = 0x7ff00000U;
    return with_high_word((high_word(beside_) & exponent) | half);
  }
  __device__ void move_to(double power, double sum) {
    beside_ = __dadd_rn(power, sum);
    low_ = __dadd_rn(low_, __dsub_rn(sum, __dsub_rn(beside_, power)));
  }

  double beside_;
  double low_;
};

}  // namespace spsolve::cuda::vectors
