#include "cuda/sparse/values/device_scaled_values.hpp"

#include <algorithm>
#include <array>

#include "cuda/core/stream.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/device_band_products.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

std::vector<ScaledRowPiece> pieces_of_long_rows(std::span<const Index> row_offsets) {
  std::vector<ScaledRowPiece> pieces;
  const Index rows = std::ssize(row_offsets) - 1;
  if (rows == 0) return pieces;
  const Index most = long_row(lanes_of_row(row_offsets[rows] / rows));
  for (Index i = 0; i < rows; ++i) {
    const Index end = row_offsets[i + 1];
    if (end - row_offsets[i] <= most) continue;
    for (Index k = row_offsets[i]; k < end; k += most) {
      pieces.push_back({i, k, std::min(end, k + most)});
    }
  }
  return pieces;
}

}  // namespace

DeviceScaledValues::DeviceScaledValues(const Csr<double>& rows, SystemMatrix& matrix)
    : host_rows_(rows),
      matrix_(matrix),
      pieces_(pieces_of_long_rows(rows.row_offsets)),
      of_rows_(rows.rows),
      reduced_(6) {
  const auto there =
      &rows == &matrix.local_rows() ? rows_on_device(matrix.bands().products()) : std::nullopt;
  if (!there) uploaded_ = Uploaded{DeviceCsr<double>::from_csr(rows, {}), {}, true};
  a_ = there ? *there : uploaded_->rows.view();
}

void DeviceScaledValues::upload_new_values() {
  if (std::exchange(uploaded_->has_new, false)) return;
  uploaded_->upload.run(std::span<const double>(host_rows_.values), uploaded_->rows.values.data(),
                        current_stream());
}

double* DeviceScaledValues::room_for_new_values() {
  uploaded_->has_new = true;
  return uploaded_->rows.values.data();
}

std::unique_ptr<Vectors> DeviceScaledValues::vector() const {
  if (matrix_.team().size() == 1) return matrix_.vectors(1);
  return std::make_unique<DeviceVectors>(alone_, RowLayout{a_.rows, 1}, 1);
}

void DeviceScaledValues::set_factors(std::span<const double> given,
                                     std::shared_ptr<Vectors>& factors) {
  if (factors == nullptr) factors = vector();
  if (given.empty()) {
    factors->fill(1);
  } else {
    factors->write_rows({0, factors->height()}, given);
  }
}

void DeviceScaledValues::take_only(std::span<const Index> entries) {
  only_ = DeviceArray<Index>(entries);
}

void DeviceScaledValues::begin(std::span<const double> r, std::span<const double> c,
                               std::shared_ptr<const void> owner) {
  host_values_.clear();
  values_ = nullptr;
  found_ = {};
  if (uploaded_) upload_new_values();
  if (owner != nullptr && owner == owned_.owner) {
    symmetric_ = owned_.c == nullptr;
    copy(*owned_.r, *r_);
    if (!symmetric_) copy(*owned_.c, *c_);
    return;
  }
  symmetric_ = std::ranges::equal(r, c);
  set_factors(r, r_);
  if (!symmetric_) set_factors(c, c_);
  owned_ = {};
  if (owner == nullptr || r.empty()) return;
  owned_ = {std::move(owner), copy_of(*r_), symmetric_ ? nullptr : copy_of(*c_)};
}

template <typename Find>
double DeviceScaledValues::found_by(const Find& find) {
  const cudaStream_t stream = current_stream();
  double found = 0;
  CUDA_CHECK(cudaMemsetAsync(reduced_.data(), 0, sizeof(double), stream));
  find(reduced_.data(), stream);
  CUDA_CHECK(
      cudaMemcpyAsync(&found, reduced_.data(), sizeof(double), cudaMemcpyDeviceToHost, stream));
  wait_for(stream);
  return found;
}

Mirrors DeviceScaledValues::mirrors() {
  const auto all_match = [&](const double* largest) {
    return found_by([&](double* unmatched, cudaStream_t stream) {
             find_unmatched(rows(), largest, unmatched, stream);
           }) == 0;
  };
  if (found_.symmetric || all_match(nullptr)) return Mirrors::equal;
  DeviceArray<double> largest(a_.rows);
  find_scaled_maxima(rows(), nullptr, nullptr, largest.data(), nullptr, current_stream());
  return all_match(largest.data()) ? Mirrors::round : Mirrors::differ;
}

void DeviceScaledValues::find_maxima(bool symmetric) {
  const cudaStream_t stream = current_stream();
  if (symmetric_ && !symmetric) {  // c goes its own way from here
    if (c_ == nullptr) c_ = vector();
    copy(*r_, *c_);
    symmetric_ = false;
  }
  if (!symmetric) {
    of_columns_.grow(a_.rows);
    CUDA_CHECK(cudaMemsetAsync(of_columns_.data(), 0, static_cast<std::size_t>(of_columns_.bytes()),
                               stream));
  }
  find_scaled_maxima(rows(), r(), c(), of_rows_.data(), symmetric ? nullptr : of_columns_.data(),
                     stream);
}

ScaledValues::Spreads DeviceScaledValues::spreads() {
  const cudaStream_t stream = current_stream();
  const Spread none;
  std::array<double, 6> found{none.most, none.least, none.most, none.least, 0, 0};
  double* const room = reduced_.data();
  CUDA_CHECK(cudaMemcpyAsync(room, found.data(), sizeof(found), cudaMemcpyHostToDevice, stream));
  find_spread(of_rows_.data(), a_.rows, room, stream);
  if (!symmetric_) find_spread(of_columns_.data(), a_.rows, room + 2, stream);
  // Finds the answer to the next question as well: small matrices take no longer than one wait for
  // either.
  if (symmetric_) find_unmatched(rows(), nullptr, room + 4, stream);
  find_largest(a_.values, a_.nonzeros, room + 5, stream);
  CUDA_CHECK(cudaMemcpyAsync(found.data(), room, sizeof(found), cudaMemcpyDeviceToHost, stream));
  wait_for(stream);
  found_.symmetric = symmetric_ && found[4] == 0;
  found_.largest = found[5];
  return {{found[0], found[1]}, {found[2], found[3]}};
}

void DeviceScaledValues::scale_rows(bool root) {
  multiply_by_inverse_powers(of_rows_.data(), a_.rows, root, r(), current_stream());
}

void DeviceScaledValues::scale_columns() {
  multiply_by_inverse_powers(of_columns_.data(), a_.rows, false, c(), current_stream());
}

void DeviceScaledValues::scale_by_diagonal() {
  symmetric_ = true;
  inverse_powers_of_diagonal(a_, r(), current_stream());
}

void DeviceScaledValues::read_factors(Equilibration& scaling) const {
  scaling.rows = ScaleFactors(r_);
  scaling.columns = symmetric_ ? scaling.rows : ScaleFactors(c_);
}

void DeviceScaledValues::finish(bool scales) {
  host_values_.clear();
  largest_.reset();
  values_ = a_.values;
  count_ = a_.nonzeros;
  if (scales) {
    scaled_.grow(a_.nonzeros);
    scale_entries(rows(), r(), c(), scaled_.data(), current_stream());
    values_ = scaled_.data();
  }
  if (only_.size() == 0) {
    if (!scales) largest_ = found_.largest;
    return;
  }
  count_ = only_.size();
  taken_.grow(count_);
  take_entries(values_, only_.data(), count_, taken_.data(), current_stream());
  values_ = taken_.data();
}

double DeviceScaledValues::largest() {
  if (!largest_) {
    largest_ = found_by([&](double* largest, cudaStream_t stream) {
      find_largest(values_, count_, largest, stream);
    });
  }
  return *largest_;
}

const std::vector<double>& DeviceScaledValues::on_host() {
  if (host_values_.empty() && count_ > 0) {
    wait_for(current_stream());
    host_values_.resize(static_cast<std::size_t>(count_));
    CUDA_CHECK(cudaMemcpy(host_values_.data(), values_, host_values_.size() * sizeof(double),
                          cudaMemcpyDeviceToHost));
  }
  return host_values_;
}

}  // namespace spsolve::cuda::sparse
