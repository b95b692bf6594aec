#include "cuda/vectors/products/device_band_products.hpp"

#include <algorithm>
#include <optional>

#include "core/extremes.hpp"
#include "cuda/core/page_lock.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/multiply/storage/device_csr.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/band_product_kernels.hpp"
#include "cuda/vectors/products/forms/shared_rows.hpp"
#include "cuda/vectors/products/full_columns.hpp"
#include "cuda/vectors/products/residual_kernels.hpp"
#include "cuda/vectors/products/row_facts.hpp"
#include "cuda/vectors/products/transposed_rows.hpp"
#include "cuda/vectors/reduction_memory.hpp"
#include "matrix/structure.hpp"

namespace spsolve::cuda::inline vectors {

namespace {

/// Elements from which on a block of threads is worth having for a few rows.
constexpr Index least_full_row = 512;

/// Whether all rows have all columns, none of which is in the halo: they stand as 0, 1, 2, ...
/// then.
bool are_full(const Csr<double>& rows, Index own_columns) {
  return rows.rows > 0 && rows.columns == own_columns && own_columns >= least_full_row &&
         rows.nonzeros() == rows.rows * own_columns;
}

class DeviceBandProducts final : public BandProducts {
 public:
  DeviceBandProducts(const Csr<double>& rows, Index own_columns)
      : host_rows_(&rows),
        own_columns_(own_columns),
        full_(are_full(rows, own_columns)),
        rows_(DeviceCsr<double>::from_csr(rows, {})),
        long_rows_(full_ ? CutRows<double>{} : shared_rows(rows.row_offsets)) {}

  DeviceBandProducts(DeviceCsr<double> rows, Index own_columns, Index together)
      : own_columns_(own_columns),
        full_(false),
        together_(static_cast<int>(together)),
        rows_(std::move(rows)) {
    if (longest_row(rows_.view(), current_stream()) > most_of_shared_row) {
      long_rows_ = shared_rows(offsets_of(rows_));
    }
  }

  CsrView<double> rows_on_device() const { return rows_.view(); }

  const Csr<double>& rows() const override {
    if (host_rows_ != nullptr) return *host_rows_;
    if (!brought_) brought_ = rows_.brought();
    return *brought_;
  }
  Index nonzeros() const override { return rows_.values.size(); }

  void take_new_values() override {
    const cudaStream_t stream = current_stream();
    upload_.run(std::span<const double>(rows().values), rows_.values.data(), stream);
    wait_for(stream);
    transposed_.reset();
    if (!expects_many_) return;
    expects_many_ = false;
    expect_many();
  }

  void expect_many() override {
    if (expects_many_ || full_) return;
    sliced_.reset();
    paired_.reset();
    // Products of matrices, whose rows were made here, have no few types of rows.
    if (host_rows_ != nullptr) typed_ = TypedRows<double>::of(*host_rows_);
    if (typed_) {
      typed_view_ = typed_->view();
    } else if (take_pairs()) {
      paired_view_ = paired_->view();
    } else {
      sliced_ = BandSlicedRows::of(rows_.view(), current_stream());
      if (sliced_) sliced_view_ = sliced_->view();
    }
    expects_many_ = true;
  }

  void row_maxima(std::span<double> largest) const override {
    if (host_does_maxima()) return spsolve::row_maxima(*host_rows_, largest);
    DeviceArray<double> there(rows_.rows);
    write_row_maxima(rows_.view(), there.data(), current_stream());
    wait_for(current_stream());
    there.download(largest);
  }

  void column_maxima(std::span<const double> factors, std::span<double> largest) const override {
    if (host_does_maxima()) return spsolve::column_maxima(*host_rows_, factors, largest);
    const DeviceArray<double> of_rows(factors);
    DeviceArray<double> there(rows_.columns);
    write_column_maxima(rows_.view(), of_rows.data(), there.data(), current_stream());
    wait_for(current_stream());
    there.download(largest);
  }

  void diagonal(Vectors& d, Vectors& inverse) const override {
    write_diagonal(rows_.view(), on_device(d).data(), on_device(inverse).data(), current_stream());
  }

  void multiply_rows(const double* x, const HaloView& halo, double* y) override {
    vectors::multiply_rows(rows(halo.columns), with_halo(x, halo), {y, nullptr, rows_.rows},
                           halo.columns, current_stream());
  }

  void multiply_and_dot(const Vectors& x, const HaloView& halo, Vectors& y,
                        const ToRow& sums) override {
    const bool square = own_columns_ == rows_.rows;
    const Index columns = x.columns();
    const RowsView view = rows(columns);
    if (rows_.rows == 0 || !square || !finds_dots(view, columns)) {
      return BandProducts::multiply_and_dot(x, halo, y, sums);
    }
    dots_.make_room_for(dot_partials(view, columns), columns);
    multiply_and_dots(view, with_halo(x.data(), halo), on_device(y).data(), columns, dots_.room(),
                      row_on_device(sums), current_stream());
  }

  void subtract(const Vectors& b, const Vectors& x, const HaloView& halo, Vectors& r) override {
    subtract_rows(rows(x.columns()), with_halo(x.data(), halo), on_device(b).data(),
                  on_device(r).data(), x.columns(), current_stream());
  }

  void add(const Vectors& x, const HaloView& halo, Vectors& y) override {
    add_rows(rows(x.columns()), with_halo(x.data(), halo), on_device(y).data(), x.columns(),
             current_stream());
  }

  void relax(const RelaxationStep& step, const Vectors& b, const Vectors& x, const HaloView& halo,
             Vectors& y) override {
    const Relaxation to{step.of_x, step.of_y, step.factor, on_device(step.inverse).data(),
                        on_device(b).data()};
    relax_rows(rows(x.columns()), to, with_halo(x.data(), halo), on_device(y).data(), x.columns(),
               current_stream());
  }

  void multiply_transposed(const Vectors& x, Vectors& y, Dense<double>& halo) override {
    if (full_) return multiply_full_columns(Terms::values, x, y, halo);
    with_transposed(x, y, halo, vectors::multiply_rows);
  }

  void multiply_magnitudes_transposed(const Vectors& x, Vectors& y, Dense<double>& halo) override {
    if (full_) return multiply_full_columns(Terms::magnitudes, x, y, halo);
    with_transposed(x, y, halo,
                    [](const RowsView& a, const LocalRowsView<const double>& from,
                       const LocalRowsView<double>& to, Index columns, cudaStream_t stream) {
                      multiply_row_magnitudes(a, 1, from, to, columns, stream);
                    });
  }

  void multiply_magnitudes(double h, const Vectors& x, const HaloView& halo, Vectors& y) override {
    multiply_row_magnitudes(rows(x.columns()), h, with_halo(x.data(), halo), all_own(y),
                            x.columns(), current_stream());
  }

  ResidualNorms residual(const Vectors& b, const Vectors& x, const HaloView& halo, Vectors& r,
                         Vectors* magnitudes) override {
    const Index columns = b.columns();
    const auto zeros = std::vector<double>(static_cast<std::size_t>(columns));
    ResidualNorms norms{zeros, zeros, zeros, 0, 0, 0};
    if (rows_.rows == 0 || columns == 0) return norms;
    const RowsView rows{
        .csr = rows_.view(), .full = full_, .long_rows = view_of(long_rows_, columns)};
    const Index blocks = residual_blocks(rows, columns), width = residual_width(columns);
    maxima_.grow(blocks * width);
    reductions_.make_room(blocks, width);
    const ResidualRows results{on_device(r).data(),
                               magnitudes != nullptr ? on_device(*magnitudes).data() : nullptr};
    subtract_product(rows, with_halo(x.data(), halo), on_device(b).data(), results, columns,
                     maxima_.data(), current_stream());
    cuda::column_maxima(maxima_.data(), blocks, width, reductions_.room(), reductions_.results(),
                        current_stream());
    auto next = reductions_.fetch(width, current_stream()).begin();
    for (auto* norm : {&norms.residual, &norms.right_hand_side, &norms.solution}) {
      std::copy_n(next, columns, norm->begin());
      next += columns;
    }
    for (Index c = 0; c < columns; ++c) {
      norms.componentwise = larger(norms.componentwise, *next++);
    }
    norms.matrix = *next++;
    norms.inverse_row = *next;
    return norms;
  }

 private:
  /// In the forms that a product with so many columns may take.
  RowsView rows(Index columns) {
    if (expects_many_ && !typed_ && !paired_ && columns > 1) look_for_groups();
    return {rows_.view(),
            full_,
            typed_ ? &typed_view_ : nullptr,
            paired_ ? &paired_view_ : nullptr,
            sliced_ ? &sliced_view_ : nullptr,
            groups_ ? &groups_view_ : nullptr,
            view_of(long_rows_, columns)};
  }

  /// Whether the rows are of complex numbers, in slices with little padding, and stored so now.
  bool take_pairs() {
    if (host_rows_ != nullptr) paired_ = PairedRows<double>::of(*host_rows_);
    return paired_.has_value();
  }

  /// Few lanes share a row, however long it is, where all are not.
  bool host_does_maxima() const { return host_rows_ != nullptr && long_rows_.count > 0; }

  /// When several columns first come: it reads all columns of the matrix on the host, unless slices
  /// or who made the rows here know already.
  void look_for_groups() {
    if (looked_for_groups_) return;
    looked_for_groups_ = true;
    const int together = sliced_ ? sliced_->together() : together_;
    if (together > 1) {
      groups_ = GroupedRows::of_equal(rows_.rows, together);
    } else if (host_rows_ != nullptr) {
      groups_ = GroupedRows::of(*host_rows_);
    }
    if (groups_) groups_view_ = groups_->view();
  }

  static std::vector<Index> offsets_of(const DeviceCsr<double>& rows) {
    std::vector<Index> offsets(static_cast<std::size_t>(rows.rows) + 1);
    rows.row_offsets.download(offsets);
    return offsets;
  }

  static CutRowsView<double> view_of(CutRows<double>& rows, Index columns) {
    return rows.view(columns * numbers_of_column);
  }

  void multiply_full_columns(Terms terms, const Vectors& x, Vectors& y, Dense<double>& halo) {
    halo = Dense<double>(0, x.columns());
    cuda::multiply_full_columns(rows_.view(), terms, on_device(x).data(), on_device(y).data(),
                                x.columns(), column_parts_, current_stream());
  }

  /// multiply(A^T, x, y and the halo, columns, stream), with what the halo gets brought to the
  /// host.
  template <typename Multiply>
  void with_transposed(const Vectors& x, Vectors& y, Dense<double>& halo,
                       const Multiply& multiply) {
    const cudaStream_t stream = current_stream();
    if (!transposed_) {
      transposed_ = transposed_rows(rows_.view(), stream);
      long_columns_ = shared_rows(offsets_of(*transposed_));
    }
    const Index columns = x.columns();
    halo = Dense<double>(transposed_->rows - own_columns_, columns);
    halo_.grow(halo.rows * columns);
    const DeviceVectors& from = on_device(x);
    const RowsView view{.csr = transposed_->view(), .long_rows = view_of(long_columns_, columns)};
    multiply(view, {from.data(), nullptr, from.height()},
             {on_device(y).data(), halo_.data(), own_columns_}, columns, stream);
    if (halo.values.empty()) return;
    CUDA_CHECK(cudaMemcpyAsync(halo.values.data(), halo_.data(),
                               halo.values.size() * sizeof(double), cudaMemcpyDeviceToHost,
                               stream));
    wait_for(stream);
  }

  /// x by the local numbers of its rows; a halo in host memory is brought to the GPU.
  LocalRowsView<const double> with_halo(const double* x, const HaloView& halo) {
    const double* others = halo.values;
    if (!halo.beside_x && halo.size() > 0) {
      halo_.grow(halo.size());
      CUDA_CHECK(cudaMemcpyAsync(halo_.data(), halo.values,
                                 static_cast<std::size_t>(halo.size()) * sizeof(double),
                                 cudaMemcpyHostToDevice, current_stream()));
      others = halo_.data();
    }
    return {x, others, own_columns_};
  }

  static LocalRowsView<double> all_own(Vectors& y) {
    return {on_device(y).data(), nullptr, y.height()};
  }

  const Csr<double>* host_rows_ = nullptr;      // none where the rows were made here
  mutable std::optional<Csr<double>> brought_;  // these, once they were asked for
  RepeatedUpload upload_;                       // of values
  Index own_columns_;
  bool full_;
  int together_ = 1;  // rows made here that are known to have the same columns
  DeviceCsr<double> rows_;
  CutRows<double> long_rows_;
  bool expects_many_ = false;  // and has one more form, where the rows suit one
  std::optional<TypedRows<double>> typed_;
  TypedView<double> typed_view_ = {};
  std::optional<PairedRows<double>> paired_;
  PairedView<double> paired_view_ = {};
  std::optional<BandSlicedRows> sliced_;
  BandSlicedView sliced_view_ = {};
  bool looked_for_groups_ = false;  // once: new values leave the pattern as it is
  std::optional<GroupedRows> groups_;
  GroupedView groups_view_ = {};
  std::optional<DeviceCsr<double>> transposed_;  // made when first asked for
  CutRows<double> long_columns_;                 // its long rows
  DeviceArray<double> halo_;                     // of x, or of a product with the transposed rows
  DeviceArray<double> column_parts_;             // of products with full rows transposed
  DeviceArray<double> maxima_;                   // of a residual, by thread blocks
  ReductionMemory reductions_, dots_;
};

}  // namespace

std::unique_ptr<BandProducts> device_band_products(const Csr<double>& rows, Index own_columns) {
  return std::make_unique<DeviceBandProducts>(rows, own_columns);
}

std::unique_ptr<BandProducts> device_band_products(DeviceCsr<double> rows, Index own_columns,
                                                   Index together) {
  return std::make_unique<DeviceBandProducts>(std::move(rows), own_columns, together);
}

std::optional<CsrView<double>> rows_on_device(const BandProducts& products) {
  const auto* const here = dynamic_cast<const DeviceBandProducts*>(&products);
  if (here == nullptr) return std::nullopt;
  return here->rows_on_device();
}

}  // namespace spsolve::cuda::vectors
