#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/page_lock.hpp"
#include "cuda/multiply/storage/device_csr.hpp"
#include "cuda/sparse/values/value_kernels.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "sparse/values/scaled_values.hpp"

namespace spsolve::cuda::inline sparse {

/// ScaledValues in the memory of the current GPU: the same factors, bit for bit, as on a host. Work
/// runs on current_stream(), and is waited for where something comes back.
class DeviceScaledValues final : public ScaledValues {
 public:
  /// `rows`: all those of `matrix`, with or without its stored zeros. Where they are the matrix'
  /// own ones, and on this GPU, they are taken from there, else uploaded whenever it begins.
  /// Factors that read_factors() hands out are there until begin(), and those of a matrix that
  /// several ranks share as long as the object.
  DeviceScaledValues(const Csr<double>& rows, SystemMatrix& matrix);

  bool by_threads() const override { return false; }
  void take_only(std::span<const Index> entries) override;
  void begin(std::span<const double> r, std::span<const double> c,
             std::shared_ptr<const void> owner = nullptr) override;
  Mirrors mirrors() override;
  void find_maxima(bool symmetric) override;
  Spreads spreads() override;
  void scale_rows(bool root) override;
  void scale_columns() override;
  void scale_by_diagonal() override;
  void read_factors(Equilibration& scaling) const override;
  void finish(bool scales) override;
  double largest() override;
  const std::vector<double>& on_host() override;

  /// Whether the rows are nowhere else on the GPU.
  bool has_own_rows() const { return uploaded_.has_value(); }

  /// Room for new values of these rows, which the caller fills before the next begin(), in order
  /// with current_stream().
  double* room_for_new_values();

  /// The values after finish(), in GPU memory.
  const double* data() const { return values_; }

 private:
  /// Rows that are nowhere else on the GPU.
  struct Uploaded {
    DeviceCsr<double> rows;
    RepeatedUpload upload;
    bool has_new = true;  // values that came otherwise
  };

  /// The facts about A that spreads() found on its way, since begin().
  struct Found {
    bool symmetric = false;  // for certain
    std::optional<double> largest;
  };

  void upload_new_values();
  /// The number that find(number, stream) makes of a 0 in GPU memory.
  template <typename Find>
  double found_by(const Find& find);
  std::unique_ptr<Vectors> vector() const;
  void set_factors(std::span<const double> given, std::shared_ptr<Vectors>& factors);
  double* r() { return on_device(*r_).data(); }
  double* c() { return on_device(symmetric_ ? *r_ : *c_).data(); }
  RowsInPieces rows() const { return {a_, pieces_.data(), pieces_.size()}; }

  const Csr<double>& host_rows_;
  const SystemMatrix& matrix_;
  mutable SoloTeam alone_;  // of vectors of all rows, where the matrix' are not
  std::optional<Uploaded> uploaded_;
  CsrView<double> a_;
  DeviceArray<ScaledRowPiece> pieces_;
  bool symmetric_ = false;          // c is r
  std::shared_ptr<Vectors> r_, c_;  // which solves come to share
  /// Factors that stay as they are.
  struct Owned {
    std::shared_ptr<const void> owner;
    std::unique_ptr<Vectors> r, c;  // c: null where it is r
  };
  Owned owned_;
  DeviceArray<Index> only_;
  DeviceArray<double> of_rows_, of_columns_, scaled_, taken_;
  DeviceArray<double> reduced_;
  Found found_;
  const double* values_ = nullptr;
  Index count_ = 0;  // of values
  std::optional<double> largest_;
  std::vector<double> host_values_;
};

}  // namespace spsolve::cuda::sparse
