#include <algorithm>
#include <cmath>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "matrix/complex_numbers.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/values/inverse_power.hpp"
#include "sparse/values/scaled_values.hpp"

namespace spsolve::inline sparse {

namespace {

void begin_factors(std::span<const double> given, Index count, std::vector<double>& factors) {
  if (given.empty()) {
    factors.assign(static_cast<std::size_t>(count), 1);
  } else {
    factors.assign(given.begin(), given.end());
  }
}

ScaledValues::Spread spread_of(const std::vector<double>& maxima) {
  double most = 0, least = std::numeric_limits<double>::infinity();
  const bool many = worth_threads(std::ssize(maxima));
#pragma omp parallel for schedule(static) reduction(max : most) reduction(min : least) if (many)
  for (std::size_t i = 0; i < maxima.size(); ++i) {
    if (maxima[i] == 0) continue;
    most = std::max(most, maxima[i]);
    least = std::min(least, maxima[i]);
  }
  return {most, least};
}

/// factors_i <- factors_i times the inverse power of two of maxima_i.
void multiply_by_inverses(const std::vector<double>& maxima, bool root,
                          std::vector<double>& factors) {
#pragma omp parallel for schedule(static) if (worth_threads(std::ssize(factors)))
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= inverse_power(maxima[i], root);
}

/// Of a complex matrix `rows` are its moduli, and a value is two numbers.
template <Index numbers>
class HostScaledValues final : public ScaledValues {
 public:
  HostScaledValues(const Csr<double>& rows, const std::vector<double>& values)
      : rows_(rows), given_(values) {}

  bool by_threads() const override { return true; }
  void take_only(std::span<const Index> entries) override { only_ = entries; }

  void begin(std::span<const double> r, std::span<const double> c,
             std::shared_ptr<const void> /*owner*/ = nullptr) override {
    begin_factors(r, rows_.rows, r_);
    begin_factors(c, rows_.rows, c_);
  }

  Mirrors mirrors() override { return symmetry_of(rows_).mirrors(); }

  void find_maxima(bool symmetric) override {
    of_rows_.assign(static_cast<std::size_t>(rows_.rows), 0);
    of_columns_.assign(static_cast<std::size_t>(symmetric ? 0 : rows_.rows), 0);
#pragma omp parallel for schedule(static) if (worth_threads(rows_.nonzeros()))
    for (Index i = 0; i < rows_.rows; ++i) {
      double most = 0;
      for (Index k = rows_.row_offsets[i]; k < rows_.row_offsets[i + 1]; ++k) {
        const LocalIndex j = rows_.column_indices[k];
        const double magnitude = std::abs(rows_.values[k]) * r_[i] * c_[j];
        most = std::max(most, magnitude);
        if (!symmetric) raise_to(of_columns_[j], magnitude);
      }
      of_rows_[i] = most;
    }
  }

  Spreads spreads() override {
    return {spread_of(of_rows_), spread_of(of_columns_)};
  }

  void scale_rows(bool root) override {
    multiply_by_inverses(of_rows_, root, r_);
    if (of_columns_.empty()) c_ = r_;
  }

  void scale_columns() override {
    multiply_by_inverses(of_columns_, false, c_);
  }

  void scale_by_diagonal() override {
#pragma omp parallel for schedule(static) if (worth_threads(rows_.rows))
    for (Index i = 0; i < rows_.rows; ++i) {
      const auto columns = rows_.row_columns(i);
      const auto found =
          std::lower_bound(columns.begin(), columns.end(), static_cast<LocalIndex>(i));
      // New values of a pattern may have left a zero there, which is not stored.
      const bool is_there = found != columns.end() && *found == i;
      r_[i] = is_there ? inverse_power(rows_.row_values(i)[found - columns.begin()], true) : 1;
    }
    c_ = r_;
  }

  void read_factors(Equilibration& scaling) const override {
    scaling.rows = r_;
    scaling.columns = c_;
  }

  void finish(bool scales) override {
    if (!only_.empty()) {
      take(scales);
    } else if (scales) {
      scale();
    }
    // Whoever wants the factors has them.
    for (std::vector<double>* done : {&r_, &c_, &of_rows_, &of_columns_}) {
      *done = std::vector<double>();
    }
    values_ = scales || !only_.empty() ? &made_ : &given_;
  }

  double largest() override {
    if constexpr (numbers == 1) return largest_magnitude(*values_);
    return largest_modulus();
  }
  const std::vector<double>& on_host() override {
    return *values_;
  }

 private:
  void scale() {
    made_.resize(given_.size());
#pragma omp parallel for schedule(static) if (worth_threads(rows_.nonzeros()))
    for (Index i = 0; i < rows_.rows; ++i) {
      for (Index k = rows_.row_offsets[i]; k < rows_.row_offsets[i + 1]; ++k) {
        put(true, i, k, k);
      }
    }
  }

  /// The values of the entries that are wanted.
  void take(bool scales) {
    made_.resize(numbers * only_.size());
#pragma omp parallel for schedule(static) if (worth_threads(rows_.nonzeros()))
    for (Index i = 0; i < rows_.rows; ++i) {
      const Index end = rows_.row_offsets[i + 1];
      const auto first = std::lower_bound(only_.begin(), only_.end(), rows_.row_offsets[i]);
      for (auto entry = first; entry != only_.end() && *entry < end; ++entry) {
        put(scales, i, *entry, entry - only_.begin());
      }
    }
  }

  /// Makes value `to` of entry k, in row i.
  void put(bool scales, Index i, Index k, Index to) {
    for (Index part = 0; part < numbers; ++part) {
      const double value = given_[numbers * k + part];
      // One after the other: their product may overflow where the entry does not.
      made_[numbers * to + part] = scales ? value * r_[i] * c_[rows_.column_indices[k]] : value;
    }
  }

  /// As largest_magnitude(), of pairs.
  double largest_modulus() const {
    const auto count = static_cast<Index>(values_->size()) / 2;
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (worth_threads(count))
    for (Index k = 0; k < count; ++k) {
      const double size = modulus((*values_)[2 * k], (*values_)[2 * k + 1]);
      largest = size <= std::numeric_limits<double>::max()
                    ? std::max(largest, size)
                    : std::numeric_limits<double>::infinity();
    }
    return largest;
  }

  const Csr<double>& rows_;
  const std::vector<double>& given_;
  std::span<const Index> only_;
  std::vector<double> r_, c_, of_rows_, of_columns_;
  std::vector<double> made_;  // scaled, or those of only_
  const std::vector<double>* values_ = nullptr;
};

}  // namespace

std::unique_ptr<ScaledValues> host_scaled_values(const Csr<double>& rows) {
  return std::make_unique<HostScaledValues<1>>(rows, rows.values);
}

std::unique_ptr<ScaledValues> host_scaled_values(const ComplexMatrix& matrix) {
  return std::make_unique<HostScaledValues<2>>(matrix.moduli, matrix.values);
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  const bool many = worth_threads(std::ssize(values));
#pragma omp parallel for schedule(static) reduction(max : largest) if (many)
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double magnitude = std::abs(values[k]);
    largest = magnitude <= std::numeric_limits<double>::max()
                  ? std::max(largest, magnitude)
                  : std::numeric_limits<double>::infinity();
  }
  return largest;
}

}  // namespace spsolve::sparse
