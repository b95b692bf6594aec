#include "vectors/products/host_band_products.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include <omp.h>

#include "core/over_blocks.hpp"
#include "core/tuning.hpp"
#include "distribute/halo/split_rows.hpp"
#include "matrix/structure.hpp"
#include "multiply/fast/chosen_rows.hpp"
#include "multiply/fast/fast_rows.hpp"
#include "vectors/multivector/host_vectors.hpp"
#include "vectors/products/host_residual.hpp"

namespace spsolve::inline vectors {

namespace {

class HostBandProducts final : public BandProducts {
 public:
  HostBandProducts(const Csr<double>& rows, Index own_columns)
      : rows_(rows), own_columns_(own_columns), blocks_(rows.row_offsets) {}

  const Csr<double>& rows() const override { return rows_; }
  Index nonzeros() const override { return rows_.nonzeros(); }

  void take_new_values() override {
    transposed_.reset();
    is_symmetric_.reset();
    if (chosen_ == nullptr) return;
    chosen_ = nullptr;
    expect_many();
  }

  void expect_many() override {
    if (chosen_ != nullptr || rows_.nonzeros() < host_tuning.least_nonzeros_of_format) return;
    cut_ = split_rows(rows_, own_columns_);
    chosen_ = choose_rows(cut_.boundary_rows.empty() ? rows_ : cut_.interior);
    cut_.interior = {};
    has_long_rows_ = chosen_ == nullptr;
    if (has_long_rows_) cut_ = {};
  }

  void multiply_rows(const double* x, const HaloView& halo, double* y) override {
    const LocalRows from{x, own_columns_, halo};
    start(halo);
    walk(halo.columns, [&](Index block) { sum_block(block, from, y); });
    add_boundary(halo, y, [](Index) { return 1.0; });
  }

  void multiply_and_dot(const Vectors& x, const HaloView& halo, Vectors& y,
                        const ToRow& sums) override {
    if (halo.rows > 0) return BandProducts::multiply_and_dot(x, halo, y, sums);
    const LocalRows from = local(x, halo);
    HostVectors& to = on_host(y);
    start(halo);
    const Index columns = y.columns();
    std::vector<double> of_blocks(static_cast<std::size_t>(blocks_.count() * columns));
    walk(columns, [&](Index block) {
      sum_block(block, from, to.data());
      on_host(x).add_own_dots(to, blocks_.rows(block), of_blocks.data() + block * columns);
    });
    std::vector<double> all(static_cast<std::size_t>(columns));
    for (std::size_t k = 0; k < of_blocks.size(); ++k) all[k % all.size()] += of_blocks[k];
    sums.all.write(sums.row, all);
  }

  void subtract(const Vectors& b, const Vectors& x, const HaloView& halo, Vectors& r) override {
    const double* const right = on_host(b).row(0);
    double* const to = on_host(r).row(0);
    sum_up(x, halo, r.columns(), [=](Range rows, const double* sums, auto k) {
      const double* const theirs = right + rows.first * k;
      double* const mine = to + rows.first * k;
#pragma omp simd
      for (Index at = 0; at < rows.size() * k; ++at) mine[at] = theirs[at] - sums[at];
    });
    add_boundary(halo, r.data(), [](Index) { return -1.0; });
  }

  void add(const Vectors& x, const HaloView& halo, Vectors& y) override {
    double* const to = on_host(y).row(0);
    sum_up(x, halo, y.columns(), [=](Range rows, const double* sums, auto k) {
      double* const mine = to + rows.first * k;
#pragma omp simd
      for (Index at = 0; at < rows.size() * k; ++at) mine[at] += sums[at];
    });
    add_boundary(halo, y.data(), [](Index) { return 1.0; });
  }

  void relax(const RelaxationStep& step, const Vectors& b, const Vectors& x, const HaloView& halo,
             Vectors& y) override {
    const double *const right = on_host(b).row(0), *const from = on_host(x).row(0);
    const double* const inverse = on_host(step.inverse).row(0);
    double* const to = on_host(y).row(0);
    const double of_x = step.of_x, of_y = step.of_y, factor = step.factor;
    sum_up(x, halo, y.columns(), [=](Range rows, const double* sums, auto k) {
      for (Index i = rows.first; i < rows.last; ++i) {
        for (Index c = 0; c < k; ++c) {
          const Index at = i * k + c;
          const double correction = factor * inverse[i] * (right[at] - sums[at - rows.first * k]);
          const double kept = of_y == 0 ? 0.0 : of_y * to[at];
          to[at] = of_x * from[at] + kept + correction;
        }
      }
    });
    add_boundary(halo, y.data(), [=](Index i) { return -factor * inverse[i]; });
  }

  void multiply_transposed(const Vectors& x, Vectors& y, Dense<double>& halo) override {
    add_up_transposed(x, y, halo, product);
  }

  std::int64_t transposed_bytes() const override {
    return transposed_ ? csr_bytes(transposed_->rows, transposed_->nonzeros(), sizeof(double)) : 0;
  }

  void multiply_magnitudes_transposed(const Vectors& x, Vectors& y, Dense<double>& halo) override {
    add_up_transposed(x, y, halo,
                      [](double value, double element) { return std::abs(value * element); });
  }

  void multiply_magnitudes(double h, const Vectors& x, const HaloView& halo, Vectors& y) override {
    halo.wait();
    const LocalRows from = local(x, halo);
    HostVectors& to = on_host(y);
    blocks_.for_each(threads(y.columns()), [&](Index block) {
      const Range rows = blocks_.rows(block);
      add_up(rows_, rows, from, to.row(rows.first), y.columns(),
             [h](double value, double element) { return std::abs(value * h * h * element); });
    });
  }

  ResidualNorms residual(const Vectors& b, const Vectors& x, const HaloView& halo, Vectors& r,
                         Vectors* magnitudes) override {
    halo.wait();
    return host_residual(rows_, on_host(b), on_host(x), halo, on_host(r),
                         magnitudes != nullptr ? &on_host(*magnitudes) : nullptr);
  }

  void row_maxima(std::span<double> largest) const override {
    spsolve::row_maxima(rows_, largest);
  }
  void column_maxima(std::span<const double> factors, std::span<double> largest) const override {
    spsolve::column_maxima(rows_, factors, largest);
  }

  void diagonal(Vectors& d, Vectors& inverse) const override {
    double *const magnitudes = on_host(d).row(0), *const inverses = on_host(inverse).row(0);
#pragma omp parallel for schedule(static) if (worth_threads(rows_.nonzeros()))
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
  static constexpr auto product = [](double value, double element) { return value * element; };

  LocalRows local(const Vectors& x, const HaloView& halo) const {
    return {x.data(), own_columns_, halo};
  }

  /// Threads that are worth waking for products of so many columns.
  int threads(Index columns) const {
    return worth_threads(rows_.nonzeros() * columns, worthwhile_nonzeros) ? omp_get_max_threads()
                                                                          : 1;
  }

  /// The interior in its format for products of so many columns; null where rows serve as they are.
  RowBlockProduct<double>* chosen_for(Index columns) const {
    return chosen_ != nullptr && columns <= chosen_->most_columns() ? chosen_.get() : nullptr;
  }

  /// Before sums: rows as they are want the halo at once, those cut by columns do not.
  void start(const HaloView& halo) const {
    if (chosen_for(halo.columns) == nullptr) halo.wait();
  }

  /// work(block) for all blocks of rows, in threads.
  template <typename Work>
  void walk(Index columns, const Work& work) {
    if (auto* const chosen = chosen_for(columns)) return chosen->walk(threads(columns), work);
    blocks_.for_each(threads(columns), work);
  }

  /// The sums over own rows of x, and the halo's where rows are not cut, for the rows of a block.
  void sum_block(Index block, const LocalRows& x, double* sums, Index columns) const {
    if (const auto* const chosen = chosen_for(columns)) {
      return chosen->multiply_block(block, x.own, sums, columns, false);
    }
    if (has_long_rows_ && columns == 1 && x.halo.rows == 0) {
      return dot_long_rows(blocks_.rows(block), x.own, sums);
    }
    add_up(rows_, blocks_.rows(block), x, sums, columns, product);
  }
  void sum_block(Index block, const LocalRows& x, double* y) const {
    const Index columns = x.halo.columns;
    sum_block(block, x, y + blocks_.rows(block).first * columns, columns);
  }

  /// finish(rows, their sums, K) for all blocks of rows, while the sums are in a core's first
  /// cache; K is a constant for the one column that most vectors have.
  template <typename Finish>
  void sum_up(const Vectors& x, const HaloView& halo, Index columns, const Finish& finish) {
    const LocalRows from = local(x, halo);
    start(halo);
    walk(columns, [&](Index block) {
      const Range rows = blocks_.rows(block);
      if (columns == 1) {
        alignas(64) double sums[rows_of_block];
        sum_block(block, from, sums, 1);
        finish(rows, sums, std::integral_constant<Index, 1>{});
      } else {
        std::vector<double> sums(static_cast<std::size_t>(rows.size() * columns));
        sum_block(block, from, sums.data(), columns);
        finish(rows, sums.data(), columns);
      }
    });
  }

  /// y_i <- y_i + weight(i) times the part of row i that meets the halo, where rows are cut.
  template <typename Weight>
  void add_boundary(const HaloView& halo, double* y, const Weight& weight) const {
    halo.wait();
    const Csr<double>& rows = cut_.boundary;
    const Index columns = halo.columns;
    if (chosen_for(columns) == nullptr) return;
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros() * columns))
    for (Index r = 0; r < rows.rows; ++r) {
      const Index i = cut_.boundary_rows[r];
      double* const sums = y + i * columns;
      for (Index k = rows.row_offsets[r]; k < rows.row_offsets[r + 1]; ++k) {
        const double value = weight(i) * rows.values[k];
        const double* const element = halo.row(rows.column_indices[k]);
        for (Index c = 0; c < columns; ++c) sums[c] += value * element[c];
      }
    }
  }

  /// A^T; of symmetric rows these themselves, whose sums have the same order.
  const Csr<double>& transposed_rows() {
    if (!is_symmetric_) is_symmetric_ = symmetry_of(rows_).symmetric;
    if (*is_symmetric_) return rows_;
    if (!transposed_) transposed_ = transpose(rows_);
    return *transposed_;
  }

  /// The sum over i of term(a_ij, x_i) for every column j, of own rows in y and of others' in halo.
  template <typename Term>
  void add_up_transposed(const Vectors& x, Vectors& y, Dense<double>& halo, const Term& term) {
    const Csr<double>& transposed = transposed_rows();
    const HostVectors& from = on_host(x);
    HostVectors& own = on_host(y);
    const Index columns = x.columns();
    halo = Dense<double>(transposed.rows - own_columns_, columns);
#pragma omp parallel for schedule(static) if (worth_threads(rows_.nonzeros() * columns))
    for (Index j = 0; j < transposed.rows; ++j) {
      double* const sum = j < own_columns_ ? own.row(j) : halo.row(j - own_columns_);
      std::fill_n(sum, columns, 0.0);
      const auto places = transposed.row_columns(j);
      const auto values = transposed.row_values(j);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const double* const element = from.row(places[k]);
        for (Index c = 0; c < columns; ++c) sum[c] += term(values[k], element[c]);
      }
    }
  }

  /// sums_ic <- sum over j of term(a_ij, x_jc) for some rows, of which `sums` begins with the first
  template <typename Term>
  static void add_up(const Csr<double>& rows, Range some, const LocalRows& x, double* sums,
                     Index columns, const Term& term) {
    if (columns == 1) {
      const double* const own = x.own;
      const auto height = static_cast<LocalIndex>(x.height);
      if (x.halo.rows == 0) {
        return add_up_one(
            rows, some, [=](LocalIndex j) { return own[j]; }, sums, term);
      }
      const double* const halo = x.halo.row(0) - height;
      return add_up_one(
          rows, some, [=](LocalIndex j) { return j < height ? own[j] : halo[j]; }, sums, term);
    }
    for (Index i = some.first; i < some.last; ++i, sums += columns) {
      Index first = 0;
      for (; first + 16 <= columns; first += 16) add_up_row<16>(rows, i, first, x, sums, term);
      for (; first + 4 <= columns; first += 4) add_up_row<4>(rows, i, first, x, sums, term);
      for (; first < columns; ++first) add_up_row<1>(rows, i, first, x, sums, term);
    }
  }

  template <typename Element, typename Term>
  static void add_up_one(const Csr<double>& rows, Range some, const Element& element, double* sums,
                         const Term& term) {
    for (Index i = some.first; i < some.last; ++i) {
      double sum = 0;
      for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
        sum += term(rows.values[k], element(rows.column_indices[k]));
      }
      *sums++ = sum;
    }
  }

  /// The sums of some rows by one column without a halo, a row's in several chains.
  void dot_long_rows(Range some, const double* x, double* sums) const {
    for (Index i = some.first; i < some.last; ++i) {
      const Index first = rows_.row_offsets[i];
      double sum[1];
      multiply::fast::dot_rows<1>(rows_.values.data() + first, 0,
                                  rows_.column_indices.data() + first,
                                  rows_.row_offsets[i + 1] - first, x, sum);
      *sums++ = sum[0];
    }
  }

  /// The sums of row i and so many columns from `first` on, which stay in registers.
  template <Index width, typename Term>
  static void add_up_row(const Csr<double>& rows, Index i, Index first, const LocalRows& x,
                         double* sums, const Term& term) {
    const LocalIndex* const places = rows.column_indices.data();
    const double* const values = rows.values.data();
    double sum[width] = {};
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      const double* const element = x.row(places[k]) + first;
      for (Index c = 0; c < width; ++c) sum[c] += term(values[k], element[c]);
    }
    for (Index c = 0; c < width; ++c) sums[first + c] = sum[c];
  }

  const Csr<double>& rows_;
  Index own_columns_;
  RowBlocks blocks_;
  SplitRows<double> cut_;                            // but for the interior, once many are expected
  std::unique_ptr<RowBlockProduct<double>> chosen_;  // the interior, likewise
  bool has_long_rows_ = false;                       // many are expected of rows as they are
  std::optional<bool> is_symmetric_;                 // found when A^T is first asked for
  std::optional<Csr<double>> transposed_;            // made then, unless A is its own transpose
};

}  // namespace

std::unique_ptr<BandProducts> host_band_products(const Csr<double>& rows, Index own_columns) {
  return std::make_unique<HostBandProducts>(rows, own_columns);
}

}  // namespace spsolve::vectors
