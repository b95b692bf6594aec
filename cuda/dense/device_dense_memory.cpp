#include "cuda/dense/device_dense_memory.hpp"

#include "cuda/core/device_info.hpp"
#include "cuda/dense/columnwise/device_dense_rows.hpp"
#include "cuda/dense/device_blocked_rows.hpp"
#include "cuda/dense/rank_streams.hpp"
#include "cuda/sparse/device_elimination.hpp"
#include "cuda/vectors/device_vector_memory.hpp"

namespace spsolve::cuda {

namespace {

template <typename T>
class Maker final : public DenseRowsOf<T> {
 public:
  explicit Maker(DenseStreams& streams) : streams_(streams) {}

  std::unique_ptr<DenseRows<T>> columnwise(const Csr<double>& rows, Index first_row) override {
    auto dense = std::make_unique<DeviceDenseRows<T>>(
        streams_, Range{first_row, first_row + rows.rows}, rows.columns);
    dense->fill(rows);
    return dense;
  }
  std::unique_ptr<BlockedRows<T>> blocked(const Csr<double>& rows, Index max_width, bool alone,
                                          bool refined) override {
    auto dense = std::make_unique<DeviceBlockedRows<T>>(streams_, rows.rows, rows.columns,
                                                        max_width, alone, refined);
    dense->fill(rows);
    return dense;
  }

 private:
  DenseStreams& streams_;
};

class DeviceDenseMemory final : public DenseMemory {
 public:
  DeviceDenseMemory(Team& team, Transport transport)
      : ranks_(team, transport),
        float_(ranks_.streams),
        double_(ranks_.streams),
        name_(current_device().name) {}

  MemoryKind memory() const override { return MemoryKind::gpu; }
  std::string device() const override { return name_; }
  std::string transport() const override {
    return ranks_.row_team->size() > 1 ? ranks_.row_team->transport() : "none";
  }
  Team& row_team() override { return *ranks_.row_team; }
  Team& pivot_team() override { return *ranks_.pivot_team; }
  Team& candidate_team() override { return *ranks_.candidate_team; }
  DenseRowsOf<float>& in_float() override { return float_; }
  DenseRowsOf<double>& in_double() override { return double_; }
  SparseMemory& sparse() override { return device_sparse_memory(); }
  const VectorMemory& vectors() const override { return device_vector_memory(); }

 private:
  RankStreams ranks_;
  Maker<float> float_;
  Maker<double> double_;
  std::string name_;
};

}  // namespace

std::unique_ptr<DenseMemory> device_dense_memory(Team& team, Transport transport) {
  return std::make_unique<DeviceDenseMemory>(team, transport);
}

std::int64_t device_dense_bytes(const EliminationChoice& choice, Index height, Index order,
                                int ranks, Index right_hand_sides) {
  const auto bytes = [&]<typename T>(T) {
    return choice.method == Method::lu
               ? DeviceBlockedRows<T>::bytes(height, order, choice.block, ranks, right_hand_sides,
                                             choice.refined)
               : DeviceDenseRows<T>::bytes(height, order, right_hand_sides);
  };
  return choice.precision == Precision::float32 ? bytes(float{}) : bytes(double{});
}

}  // namespace spsolve::cuda
