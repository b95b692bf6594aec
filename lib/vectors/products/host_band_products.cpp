// The error terms below rely on every product and sum being rounded by itself: this file is
// compiled with -ffp-contract=off (see CMakeLists.txt).

#include "vectors/products/host_band_products.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "matrix/structure.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::inline vectors {

namespace {

/// A sum in two pieces, high + low.
struct TwofoldSum {
  double high = 0, low = 0;

  /// Adds -a b: the product's rounding error by a fused multiply-add, the sum's after Knuth.
  void subtract_product(double a, double b) {
    const double product = -a * b;
    const double product_error = std::fma(-a, b, -product);
    const double sum = high + product;
    const double part = sum - high;
    const double sum_error = (high - (sum - part)) + (product - part);
    high = sum;
    low += sum_error + product_error;
  }

  double value() const { return high + low; }
};

/// The largest of numbers >= 0, or nan where one is; by eight, which compilers make vectors of.
class LargestOf {
 public:
  template <typename Number>
  void include(Index count, const Number& number) {
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
#pragma omp simd
      for (Index lane = 0; lane < lanes; ++lane) {
        largest_[lane] = larger(largest_[lane], number(i + lane));
      }
    }
    for (; i < count; ++i) largest_[0] = larger(largest_[0], number(i));
  }

  double value() const {
    double all = 0;
    for (const double value : largest_) all = larger(all, value);
    return all;
  }

 private:
  static constexpr Index lanes = 8;
  double largest_[lanes] = {};
};

ResidualNorms empty_norms(Index columns) {
  const std::vector<double> zeros(static_cast<std::size_t>(columns));
  return {zeros, zeros, zeros, 0, 0, 0};
}

void include(ResidualNorms& norms, const ResidualNorms& others) {
  for (std::size_t c = 0; c < norms.residual.size(); ++c) {
    norms.residual[c] = larger(norms.residual[c], others.residual[c]);
    norms.right_hand_side[c] = larger(norms.right_hand_side[c], others.right_hand_side[c]);
    norms.solution[c] = larger(norms.solution[c], others.solution[c]);
  }
  norms.matrix = larger(norms.matrix, others.matrix);
  norms.inverse_row = larger(norms.inverse_row, others.inverse_row);
  norms.componentwise = larger(norms.componentwise, others.componentwise);
}

/// x by the local numbers of its rows: own ones first, then the halo.
struct LocalRows {
  const HostVectors& own;
  const HaloView& halo;

  const double* row(Index j) const {
    return j < own.height() ? own.row(j) : halo.row(j - own.height());
  }
};

class HostBandProducts final : public BandProducts {
 public:
  HostBandProducts(const Csr<double>& rows, Index own_columns)
      : rows_(rows), own_columns_(own_columns) {}

  const Csr<double>& rows() const override { return rows_; }
  Index nonzeros() const override { return rows_.nonzeros(); }

  void take_new_values() override { transposed_.reset(); }

  void multiply(const Vectors& x, const HaloView& halo, Vectors& y) override {
    add_up(
        rows_, LocalRows{on_host(x), halo}, on_host(y),
        [](double value, double element) { return value * element; }, unchanged);
  }

  void subtract(const Vectors& b, const Vectors& x, const HaloView& halo, Vectors& r) override {
    const HostVectors& right = on_host(b);
    add_up(
        rows_, LocalRows{on_host(x), halo}, on_host(r),
        [](double value, double element) { return value * element; },
        [&](Index i, Index c, double sum) { return right.row(i)[c] - sum; });
  }

  void add(const Vectors& x, const HaloView& halo, Vectors& y) override {
    HostVectors& own = on_host(y);
    add_up(
        rows_, LocalRows{on_host(x), halo}, own,
        [](double value, double element) { return value * element; },
        [&](Index i, Index c, double sum) { return own.row(i)[c] + sum; });
  }

  void relax(const RelaxationStep& step, const Vectors& b, const Vectors& x, const HaloView& halo,
             Vectors& y) override {
    const HostVectors &right = on_host(b), &from = on_host(x), &inverse = on_host(step.inverse);
    HostVectors& to = on_host(y);
    add_up(
        rows_, LocalRows{from, halo}, to,
        [](double value, double element) { return value * element; },
        [&](Index i, Index c, double sum) {
          const double correction = step.factor * *inverse.row(i) * (right.row(i)[c] - sum);
          const double kept = step.of_y == 0 ? 0.0 : step.of_y * to.row(i)[c];
          return step.of_x * from.row(i)[c] + kept + correction;
        });
  }

  void multiply_transposed(const Vectors& x, Vectors& y, Dense<double>& halo) override {
    add_up_transposed(x, y, halo, [](double value, double element) { return value * element; });
  }

  void multiply_magnitudes_transposed(const Vectors& x, Vectors& y, Dense<double>& halo) override {
    add_up_transposed(x, y, halo,
                      [](double value, double element) { return std::abs(value * element); });
  }

  void multiply_magnitudes(double h, const Vectors& x, const HaloView& halo, Vectors& y) override {
    add_up(
        rows_, LocalRows{on_host(x), halo}, on_host(y),
        [h](double value, double element) { return std::abs(value * h * h * element); }, unchanged);
  }

  ResidualNorms residual(const Vectors& b, const Vectors& x, const HaloView& halo, Vectors& r,
                         Vectors* magnitudes) override {
    const HostVectors& right = on_host(b);
    const HostVectors& own = on_host(x);
    const LocalRows solution{own, halo};
    HostVectors& result = on_host(r);
    HostVectors* const scales = magnitudes != nullptr ? &on_host(*magnitudes) : nullptr;
    const Index columns = b.columns();
    if (columns == 1 && halo.rows == 0) {
      return residual_of_one(right.row(0), own.row(0), result.row(0),
                             scales != nullptr ? scales->row(0) : nullptr);
    }
    ResidualNorms norms = empty_norms(columns);
#pragma omp parallel if (rows_.nonzeros() * columns > worthwhile_elements)
    {
      ResidualNorms of_thread = empty_norms(columns);
      std::vector<TwofoldSum> sums(static_cast<std::size_t>(columns));
      std::vector<double> scale(static_cast<std::size_t>(columns));
#pragma omp for schedule(static) nowait
      for (Index i = 0; i < rows_.rows; ++i) {
        const auto places = rows_.row_columns(i);
        const auto values = rows_.row_values(i);
        for (Index c = 0; c < columns; ++c) {
          sums[c] = {right.row(i)[c], 0};
          scale[c] = std::abs(right.row(i)[c]);
        }
        double row_sum = 0;
        for (std::size_t k = 0; k < places.size(); ++k) {
          const double a = values[k];
          const double* const element = solution.row(places[k]);
          row_sum += std::abs(a);
          for (Index c = 0; c < columns; ++c) {
            sums[c].subtract_product(a, element[c]);
            scale[c] += std::abs(a * element[c]);
          }
        }
        of_thread.matrix = larger(of_thread.matrix, row_sum);
        of_thread.inverse_row = larger(of_thread.inverse_row, 1 / row_sum);
        for (Index c = 0; c < columns; ++c) {
          const double value = sums[c].value();
          result.row(i)[c] = value;
          if (scales != nullptr) scales->row(i)[c] = scale[c];
          of_thread.residual[c] = larger(of_thread.residual[c], std::abs(value));
          of_thread.right_hand_side[c] =
              larger(of_thread.right_hand_side[c], std::abs(right.row(i)[c]));
          of_thread.solution[c] = larger(of_thread.solution[c], std::abs(own.row(i)[c]));
          of_thread.componentwise =
              larger(of_thread.componentwise, relative_error(std::abs(value), scale[c]));
        }
      }
      // Maxima: the same in whatever order the threads come.
#pragma omp critical(spsolve_residual_norms)
      include(norms, of_thread);
    }
    return norms;
  }

  void row_maxima(std::span<double> largest) const override {
    spsolve::row_maxima(rows_, largest);
  }
  void column_maxima(std::span<const double> factors, std::span<double> largest) const override {
    spsolve::column_maxima(rows_, factors, largest);
  }

  void diagonal(Vectors& d, Vectors& inverse) const override {
    double *const magnitudes = on_host(d).row(0), *const inverses = on_host(inverse).row(0);
#pragma omp parallel for schedule(static) if (rows_.nonzeros() > worthwhile_elements)
    for (Index i = 0; i < rows_.rows; ++i) {
      const auto places = rows_.row_columns(i);
      double magnitude = 0;
      for (std::size_t k = 0; k < places.size(); ++k) {
        if (places[k] == i) magnitude = std::abs(rows_.row_values(i)[k]);
      }
      magnitudes[i] = magnitude == 0 ? 1.0 : magnitude;
      inverses[i] = 1 / magnitudes[i];
    }
  }

 private:
  /// The sum over i of term(a_ij, x_i) for every column j, of own rows in y and of others' in halo.
  template <typename Term>
  void add_up_transposed(const Vectors& x, Vectors& y, Dense<double>& halo, const Term& term) {
    if (!transposed_) transposed_ = transpose(rows_);
    const HostVectors& from = on_host(x);
    HostVectors& own = on_host(y);
    const Index columns = x.columns();
    halo = Dense<double>(transposed_->rows - own_columns_, columns);
#pragma omp parallel for schedule(static) if (rows_.nonzeros() * columns > worthwhile_elements)
    for (Index j = 0; j < transposed_->rows; ++j) {
      double* const sum = j < own_columns_ ? own.row(j) : halo.row(j - own_columns_);
      std::fill_n(sum, columns, 0.0);
      const auto places = transposed_->row_columns(j);
      const auto values = transposed_->row_values(j);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const double* const element = from.row(places[k]);
        for (Index c = 0; c < columns; ++c) sum[c] += term(values[k], element[c]);
      }
    }
  }

  /// y_ic <- result(i, c, sum over j of term(a_ij, x_jc))
  template <typename Term, typename Result>
  static void add_up(const Csr<double>& rows, const LocalRows& x, HostVectors& y, const Term& term,
                     const Result& result) {
    const Index columns = y.columns();
    if (columns == 1) {
      const double* const own = x.own.row(0);
      if (x.halo.rows == 0) {
        return add_up_one(
            rows, [own](LocalIndex j) { return own[j]; }, y, term, result);
      }
      const double* const halo = x.halo.row(0);
      const auto height = static_cast<LocalIndex>(x.own.height());
      return add_up_one(
          rows,
          [=](LocalIndex j) {
            const double* const place = j < height ? own + j : halo + (j - height);
            return *place;
          },
          y, term, result);
    }
#pragma omp parallel for schedule(static) if (rows.nonzeros() * columns > worthwhile_elements)
    for (Index i = 0; i < rows.rows; ++i) {
      Index first = 0;
      for (; first + 16 <= columns; first += 16) add_up_row<16>(rows, i, first, x, y, term, result);
      for (; first + 4 <= columns; first += 4) add_up_row<4>(rows, i, first, x, y, term, result);
      for (; first < columns; ++first) add_up_row<1>(rows, i, first, x, y, term, result);
    }
  }

  /// y_ic for row i and so many columns from `first` on, whose sums stay in registers.
  template <Index width, typename Term, typename Result>
  static void add_up_row(const Csr<double>& rows, Index i, Index first, const LocalRows& x,
                         HostVectors& y, const Term& term, const Result& result) {
    const LocalIndex* const places = rows.column_indices.data();
    const double* const values = rows.values.data();
    double sum[width] = {};
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      const double* const element = x.row(places[k]) + first;
      for (Index c = 0; c < width; ++c) sum[c] += term(values[k], element[c]);
    }
    for (Index c = 0; c < width; ++c) y.row(i)[first + c] = result(i, first + c, sum[c]);
  }

  /// y_i for row i and one column, as Krylov methods and multigrid have it most; element(j) is x_j.
  template <typename Element, typename Term, typename Result>
  static void add_up_one(const Csr<double>& rows, const Element& element, HostVectors& y,
                         const Term& term, const Result& result) {
    double* const sums = y.row(0);
    const LocalIndex* const places = rows.column_indices.data();
    const double* const values = rows.values.data();
#pragma omp parallel for schedule(static) if (rows.nonzeros() > worthwhile_elements)
    for (Index i = 0; i < rows.rows; ++i) {
      double sum = 0;
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        sum += term(values[k], element(places[k]));
      }
      sums[i] = result(i, Index{0}, sum);
    }
  }

  static constexpr auto unchanged = [](Index, Index, double sum) { return sum; };

  /// The residual of one column without a halo, with the same bits: row by row, and the maxima of
  /// some rows after them, in vectors.
  ResidualNorms residual_of_one(const double* b, const double* x, double* r,
                                double* magnitudes) const {
    constexpr Index at_once = 64;
    ResidualNorms norms = empty_norms(1);
    const LocalIndex* const places = rows_.column_indices.data();
    const double* const values = rows_.values.data();
#pragma omp parallel if (rows_.nonzeros() > worthwhile_elements)
    {
      LargestOf residual, right_hand_side, solution, matrix, inverse_row, componentwise;
#pragma omp for schedule(static) nowait
      for (Index first = 0; first < rows_.rows; first += at_once) {
        const Index count = std::min(at_once, rows_.rows - first);
        double scales[at_once], row_sums[at_once];
        for (Index i = 0; i < count; ++i) {
          const Index row = first + i;
          TwofoldSum sum{b[row], 0};
          double scale = std::abs(b[row]), row_sum = 0;
          for (Index k = rows_.row_offsets[row]; k < rows_.row_offsets[row + 1]; ++k) {
            const double a = values[k], element = x[places[k]];
            row_sum += std::abs(a);
            sum.subtract_product(a, element);
            scale += std::abs(a * element);
          }
          r[row] = sum.value();
          scales[i] = scale;
          row_sums[i] = row_sum;
        }
        matrix.include(count, [&](Index i) { return row_sums[i]; });
        inverse_row.include(count, [&](Index i) { return 1 / row_sums[i]; });
        residual.include(count, [&](Index i) { return std::abs(r[first + i]); });
        right_hand_side.include(count, [&](Index i) { return std::abs(b[first + i]); });
        solution.include(count, [&](Index i) { return std::abs(x[first + i]); });
        if (magnitudes != nullptr) std::copy_n(scales, count, magnitudes + first);
        componentwise.include(
            count, [&](Index i) { return relative_error(std::abs(r[first + i]), scales[i]); });
      }
#pragma omp critical(spsolve_residual_norms)
      include(norms, {{residual.value()},
                      {right_hand_side.value()},
                      {solution.value()},
                      matrix.value(),
                      inverse_row.value(),
                      componentwise.value()});
    }
    return norms;
  }

  const Csr<double>& rows_;
  Index own_columns_;
  std::optional<Csr<double>> transposed_;  // made when first asked for
};

}  // namespace

std::unique_ptr<BandProducts> host_band_products(const Csr<double>& rows, Index own_columns) {
  return std::make_unique<HostBandProducts>(rows, own_columns);
}

}  // namespace spsolve::vectors
