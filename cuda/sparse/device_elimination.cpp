#include "cuda/sparse/device_elimination.hpp"

#include <optional>

#include "cuda/core/stream.hpp"
#include "cuda/sparse/sweeps/device_sweeps.hpp"
#include "cuda/sparse/values/device_scaled_values.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "solve/in_precision.hpp"
#include "sparse/host_elimination.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

template <typename T>
class DeviceElimination final : public SparseElimination<T> {
 public:
  explicit DeviceElimination(std::shared_ptr<const SparseAnalysis> analysis)
      : analysis_(std::move(analysis)) {}

  PivotCounts factor(Factorization kind, const std::vector<double>& values,
                     const Advance& advance) override;
  PivotCounts factor(Factorization kind, ScaledValues& values, const Advance& advance) override;
  const ThresholdOutcome& factor_with_threshold(Factorization kind,
                                                const std::vector<double>& values,
                                                const Advance& advance) override;
  std::int64_t host_bytes() const override { return factors_ ? factors_->host_bytes() : 0; }
  std::optional<KernelStatistics> kernel_statistics() const override {
    return factors_ ? std::optional(factors_->kernel_statistics()) : std::nullopt;
  }
  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override;
  void solve(bool transposed, const Vectors& b, Vectors& x) override;

 private:
  void make_room(Factorization kind);
  /// Factors with the values that the factors have got, up to `largest`.
  PivotCounts factor(double largest);

  std::shared_ptr<const SparseAnalysis> analysis_;
  std::optional<DeviceFactors<T>> factors_;
  std::optional<DeviceSweeps<T>> sweeps_;
  std::optional<HostSparseElimination<T>> host_;  // with threshold pivoting
};

template <typename T>
PivotCounts DeviceElimination<T>::factor(Factorization kind, const std::vector<double>& values,
                                         const Advance&) {
  make_room(kind);
  factors_->upload(values);
  return factor(largest_magnitude(values));
}

template <typename T>
PivotCounts DeviceElimination<T>::factor(Factorization kind, ScaledValues& values,
                                         const Advance& advance) {
  const auto* const here = dynamic_cast<const DeviceScaledValues*>(&values);
  if (here == nullptr) return factor(kind, values.on_host(), advance);
  make_room(kind);
  factors_->copy(here->data());
  return factor(values.largest());
}

template <typename T>
void DeviceElimination<T>::make_room(Factorization kind) {
  host_.reset();
  if (factors_ && factors_->kind() == kind) return;
  sweeps_.reset();
  factors_.reset();
  factors_.emplace(*analysis_, kind);
}

template <typename T>
PivotCounts DeviceElimination<T>::factor(double largest) {
  const PivotCounts counts = factors_->factor(perturbing_rule<T>(largest).least);
  if (!sweeps_ && counts.failed < 0) sweeps_.emplace(*analysis_, *factors_);
  return counts;
}

template <typename T>
const ThresholdOutcome& DeviceElimination<T>::factor_with_threshold(
    Factorization kind, const std::vector<double>& values, const Advance& advance) {
  sweeps_.reset();
  factors_.reset();
  host_.emplace(analysis_);
  return host_->factor_with_threshold(kind, values, advance);
}

template <typename T>
void DeviceElimination<T>::solve(bool transposed, Index columns, std::vector<T>& b,
                                 std::vector<T>& x) {
  if (host_) return host_->solve(transposed, columns, b, x);
  std::vector<double> rows(b.begin(), b.end());
  DeviceArray<double> on_device(rows);
  sweeps_->solve(transposed, columns, on_device.data(), on_device.data());
  wait_for(current_stream());
  on_device.download(rows);
  x.assign(rows.begin(), rows.end());
}

template <typename T>
void DeviceElimination<T>::solve(bool transposed, const Vectors& b, Vectors& x) {
  if (host_) {
    return solve_in<T>(b, x, [&](Dense<T>& rows) {
      host_->solve(transposed, rows.columns, rows.values, rows.values);
    });
  }
  solve_in_place_in<T>(b, x, [&](const Vectors& from, Vectors& to) {
    sweeps_->solve(transposed, from.columns(), on_device(from).data(), on_device(to).data());
  });
}

template <typename T>
class DeviceEliminations final : public EliminationsOf<T> {
 public:
  explicit DeviceEliminations(const MakeGpuTeam& make) : make_(make) {}

  std::unique_ptr<SparseElimination<T>> make(
      std::shared_ptr<const SparseAnalysis> analysis) override {
    return std::make_unique<DeviceElimination<T>>(std::move(analysis));
  }
  std::unique_ptr<TeamFronts<T>> make(Team& team, const TreePartition& tree) override {
    return device_team_fronts<T>(team, tree, make_);
  }

 private:
  MakeGpuTeam make_;
};

class DeviceSparseMemory final : public SparseMemory {
 public:
  explicit DeviceSparseMemory(const MakeGpuTeam& make)
      : eliminations_(Scalars::make<DeviceEliminations>(make)) {}

  MemoryKind memory() const override { return MemoryKind::gpu; }
  std::unique_ptr<ScaledValues> values_of(const Csr<double>& rows, SystemMatrix& matrix) override {
    return std::make_unique<DeviceScaledValues>(rows, matrix);
  }
  PerScalar per_scalar() override { return pointers_to(eliminations_); }

 private:
  Scalars::Tuple<DeviceEliminations> eliminations_;
};

}  // namespace

std::unique_ptr<SparseMemory> device_sparse_memory(MakeGpuTeam make) {
  return std::make_unique<DeviceSparseMemory>(make);
}

}  // namespace spsolve::cuda::sparse
