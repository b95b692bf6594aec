#pragma once

#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/distribute/gpu_links.hpp"
#include "cuda/vectors/quotient_view.hpp"
#include "vectors/multivector/coefficients.hpp"

namespace spsolve::cuda::inline vectors {

/// Coefficients in GPU memory. The host runs a step ahead, but where sums over ranks bring them to
/// the host anyway: they stay on the GPUs of several ranks where `links` have NCCL.
class DeviceCoefficients final : public Coefficients {
 public:
  DeviceCoefficients(int rows, Index columns, Team& team, GpuLinks* links);

  double* row(int number) { return values_.data() + number * columns(); }
  const double* row(int number) const { return values_.data() + number * columns(); }
  QuotientView view(Quotient t) const { return {row(t.over), row(t.under)}; }

  int lead() const override { return alone_ || stays_there() ? slots - 1 : 0; }
  void send() override;
  Dense<double> take() override;
  void read(int number, std::span<double> values) const override;
  void write(int number, std::span<const double> values) override;
  void reduce_over_ranks(Team& team, std::span<const SharedRow> rows) override;

 private:
  static constexpr int slots = 2;

  Index size() const { return rows() * columns(); }
  bool stays_there() const { return links_ != nullptr && links_->nccl() != nullptr; }
  void copy_and_wait(double* to, const double* from, cudaMemcpyKind kind) const;

  bool alone_;
  GpuLinks* links_;
  DeviceArray<double> values_, of_ranks_;
  PinnedArray<double> host_;
  Event there_[slots];
  Index sent_ = 0, taken_ = 0;
};

}  // namespace spsolve::cuda::vectors
