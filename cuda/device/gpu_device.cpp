#include "cuda/device/gpu_device.hpp"

#include <optional>

#include "cuda/core/device_info.hpp"
#include "cuda/dense/columnwise/device_dense_rows.hpp"
#include "cuda/dense/device_blocked_rows.hpp"
#include "cuda/dense/rank_streams.hpp"
#include "cuda/device/device_vector_memory.hpp"
#include "cuda/sparse/device_elimination.hpp"
#include "cuda/vectors/products/device_band_products.hpp"

namespace spsolve::cuda::inline device {

namespace {

/// Fills dense rows from what is in GPU memory, or else from what is in the host's.
template <typename Dense>
void fill(Dense& dense, const ScaledRows& rows, const BandProducts* there) {
  if (rows.scales()) return dense.fill(rows.copy());
  const auto here = there != nullptr ? rows_on_device(*there) : std::nullopt;
  here ? dense.fill(*here) : dense.fill(rows.rows);
}

template <typename T>
class Maker final : public DenseRowsOf<T> {
 public:
  explicit Maker(RankStreams& ranks) : streams_(ranks.streams), row_team_(*ranks.row_team) {}

  std::unique_ptr<DenseRows<T>> columnwise(const ScaledRows& rows, const BandProducts* there,
                                           Index first_row) override {
    auto dense = std::make_unique<DeviceDenseRows<T>>(
        streams_, Range{first_row, first_row + rows.rows.rows}, rows.rows.columns);
    fill(*dense, rows, there);
    return dense;
  }
  std::unique_ptr<BlockedRows<T>> blocked(const ScaledRows& rows, const BandProducts* there,
                                          Index max_width, bool alone, bool refined) override {
    auto dense = std::make_unique<DeviceBlockedRows<T>>(streams_, rows.rows.rows, rows.rows.columns,
                                                        max_width, alone, refined);
    fill(*dense, rows, there);
    return dense;
  }
  std::unique_ptr<BlockedRows<T>> dealt(SystemMatrix& matrix, const RowLayout& layout,
                                        bool refined) override {
    const auto here = rows_on_device(matrix.bands().products());
    if (!here) return nullptr;
    Team& team = matrix.team();
    std::unique_ptr<DeviceBlockedRows<T>> dense;
    std::vector<LocalIndex> columns;
    together(team, [&] {
      dense = std::make_unique<DeviceBlockedRows<T>>(streams_, layout.height(team.rank()),
                                                     layout.rows, layout.block, false, refined);
      for (Index j = 0; j < here->columns; ++j) {
        columns.push_back(
            static_cast<LocalIndex>(matrix.global_column(static_cast<LocalIndex>(j))));
      }
    });
    dense->take(row_team_, matrix.layout(), *here, columns, layout);
    return dense;
  }

 private:
  DenseStreams& streams_;
  Team& row_team_;
};

/// Streams and handles of dense rows are made with the first of the rows: a sparse elimination does
/// without.
class GpuDevice final : public ComputeDevice {
 public:
  GpuDevice(Team& team, Transport transport)
      : team_(team),
        transport_(transport),
        links_(team, transport),
        vectors_(linked_vector_memory(links_)),
        sparse_(device_sparse_memory([this](const Stream& stream) {
          auto gpus = Transports(team_, transport_).make_team(stream);
          name_of_transport_ = gpus->transport();
          return gpus;
        })),
        name_(current_device().name) {
    if (transport != Transport::automatic) ranks();  // it is refused where it can't be had
  }

  MemoryKind memory() const override { return MemoryKind::gpu; }
  std::string device() const override { return name_; }
  std::string transport() const override {
    if (team_.size() == 1) return "none";
    if (name_of_transport_) return *name_of_transport_;
    return links_.expects_many() ? links_.name() : "MPI";
  }
  Team& row_team() override { return *ranks().row_team; }
  Team& pivot_team() override { return *ranks().pivot_team; }
  Team& candidate_team() override { return *ranks().candidate_team; }
  PerScalar per_scalar() override {
    if (!makers_) makers_.emplace(Scalars::make<Maker>(ranks()));
    return pointers_to(*makers_);
  }
  SparseMemory& sparse() override { return *sparse_; }
  const VectorMemory& vectors() const override { return *vectors_; }

 private:
  /// Collective when it is called first.
  RankStreams& ranks() {
    if (!ranks_) {
      ranks_.emplace(team_, transport_);
      name_of_transport_ = ranks_->row_team->transport();
    }
    return *ranks_;
  }

  Team& team_;
  Transport transport_;
  GpuLinks links_;
  std::unique_ptr<VectorMemory> vectors_;
  std::optional<std::string> name_of_transport_;  // of the GPUs' team, where there is one
  std::optional<RankStreams> ranks_;
  std::optional<Scalars::Tuple<Maker>> makers_;
  std::unique_ptr<SparseMemory> sparse_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ComputeDevice> gpu_device(Team& team, Transport transport) {
  return std::make_unique<GpuDevice>(team, transport);
}

std::int64_t device_dense_bytes(const EliminationChoice& choice, Index height, Index order,
                                int ranks, Index right_hand_sides) {
  return with_scalar(choice.precision, [&]<typename T>(T) {
    return choice.method == Method::lu
               ? DeviceBlockedRows<T>::bytes(height, order, choice.block, ranks, right_hand_sides,
                                             choice.refined)
               : DeviceDenseRows<T>::bytes(height, order, right_hand_sides);
  });
}

}  // namespace spsolve::cuda::device
