#include "cuda/sparse/device_elimination.hpp"

#include <optional>

#include "cuda/core/stream.hpp"
#include "cuda/sparse/sweeps/device_sweeps.hpp"
#include "cuda/sparse/values/device_scaled_values.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "solve/in_precision.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

/// All fronts, on the GPU of a rank alone.
template <typename T>
class DeviceElimination final : public TeamFronts<T> {
 public:
  explicit DeviceElimination(const TreePartition& tree) : tree_(tree) {}

  bool take_values(const ValueDealer& dealer, ScaledValues* values) override;
  PivotCounts factor(const std::vector<double>* values, const PivotRule& rule,
                     const Advance& advance) override;
  std::int64_t host_bytes() const override { return factors_ ? factors_->host_bytes() : 0; }
  std::optional<KernelStatistics> kernel_statistics() const override {
    return factors_ ? std::optional(factors_->kernel_statistics()) : std::nullopt;
  }
  std::vector<RaisedPivot> raised_pivots() const override {
    return factors_ ? factors_->raised_pivots() : std::vector<RaisedPivot>{};
  }
  Index most_columns() const override { return most_sweep_columns; }
  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override;
  bool solve_in_bands(bool transposed, const RowExchange& from, const RowExchange& to,
                      const Vectors& b, Vectors& x) override;

 private:
  void make_room() {
    if (!factors_) factors_.emplace(*tree_.whole, tree_.kind);
  }

  const TreePartition& tree_;
  std::optional<DeviceFactors<T>> factors_;
  std::optional<DeviceSweeps<T>> sweeps_;
};

template <typename T>
bool DeviceElimination<T>::take_values(const ValueDealer&, ScaledValues* values) {
  const auto* const here = dynamic_cast<const DeviceScaledValues*>(values);
  if (here == nullptr) return false;
  make_room();
  factors_->copy(here->data());
  return true;
}

template <typename T>
PivotCounts DeviceElimination<T>::factor(const std::vector<double>* values, const PivotRule& rule,
                                         const Advance&) {
  make_room();
  if (values != nullptr) factors_->upload(*values);
  const PivotCounts counts = factors_->factor(rule);
  if (!sweeps_ && counts.failed < 0) sweeps_.emplace(*tree_.whole, *factors_);
  return counts;
}

template <typename T>
void DeviceElimination<T>::solve(bool transposed, Index columns, std::vector<T>& b,
                                 std::vector<T>& x) {
  std::vector<double> rows(b.begin(), b.end());
  DeviceArray<double> on_device(rows);
  sweeps_->solve(transposed, columns, on_device.data(), on_device.data());
  wait_for(current_stream());
  on_device.download(rows);
  x.assign(rows.begin(), rows.end());
}

template <typename T>
bool DeviceElimination<T>::solve_in_bands(bool transposed, const RowExchange&, const RowExchange&,
                                          const Vectors& b, Vectors& x) {
  if (dynamic_cast<const DeviceVectors*>(&b) == nullptr) {
    solve_in<T>(b, x,
                [&](Dense<T>& rows) { solve(transposed, rows.columns, rows.values, rows.values); });
    return true;
  }
  solve_in_place_in<T>(b, x, [&](const Vectors& from, Vectors& to) {
    sweeps_->solve(transposed, from.columns(), on_device(from).data(), on_device(to).data());
  });
  return true;
}

template <typename T>
class DeviceEliminations final : public EliminationsOf<T> {
 public:
  explicit DeviceEliminations(const MakeGpuTeam& make) : make_(make) {}

  std::unique_ptr<TeamFronts<T>> make(Team& team, const TreePartition& tree) override {
    if (tree.whole != nullptr) return std::make_unique<DeviceElimination<T>>(tree);
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
  PerScalar per_scalar() override {
    const auto [in_float, in_double] = pointers_to(eliminations_);
    return {in_float, in_double, nullptr, nullptr};
  }

 private:
  Scalars::Tuple<DeviceEliminations> eliminations_;
};

}  // namespace

std::unique_ptr<SparseMemory> device_sparse_memory(MakeGpuTeam make) {
  return std::make_unique<DeviceSparseMemory>(make);
}

}  // namespace spsolve::cuda::sparse
