#include "cuda/bench/gpu_contest.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "cuda/bench/cusolver_peers.hpp"
#include "cuda/bench/gpu_system.hpp"
#include "cuda/bench/random_system.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/eliminate/band_kernels.hpp"
#include "cuda/eliminate/device_band.hpp"
#include "cuda/eliminate/device_blocked_band.hpp"
#include "eliminate/mixed.hpp"

namespace spsolve::cuda {

namespace {

/// The whole matrix of a system in double, row-major, in GPU memory.
struct StoredMatrix {
  StoredMatrix(BandStreams& streams, const GpuSystem& system)
      : order(system.order),
        stride(device_stride<double>(order)),
        values(order * stride),
        x(order),
        y(order) {
    std::vector<Index> numbers(static_cast<std::size_t>(order));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    const DeviceArray<Index> rows(numbers);
    fill_random(system.key(), system.diagonal, rows.data(), order, order, values.data(), stride,
                streams.updates.get());
    streams.updates.wait();
  }

  Index order;
  Index stride;
  DeviceArray<double> values;
  DeviceArray<double> x, y;  // of products
};

/// Bands with the whole matrix of a random system; sparse rows tell them no more than its order.
class RandomBands final : public BandFactory {
 public:
  /// Where `stored` is not null, bands in float are rounded from it.
  RandomBands(BandStreams& streams, const GpuSystem& system, const StoredMatrix* stored)
      : float_(streams, system, stored), double_(streams, system, nullptr) {}

  BandMemory memory() const override { return BandMemory::gpu; }
  std::string device() const override { return "GPU"; }
  std::string transport() const override { return "none"; }
  Team& rows() override { return team_; }
  BandsOf<float>& in_float() override { return float_; }
  BandsOf<double>& in_double() override { return double_; }

 private:
  template <typename T>
  class Maker final : public BandsOf<T> {
   public:
    Maker(BandStreams& streams, const GpuSystem& system, const StoredMatrix* stored)
        : streams_(streams), system_(system), stored_(stored) {}

    std::unique_ptr<Band<T>> columnwise(const Csr<double>&, Index) override {
      auto band = std::make_unique<DeviceBand<T>>(streams_, Range{0, system_.order}, system_.order);
      band->fill_random(system_.key(), system_.diagonal);
      return band;
    }
    std::unique_ptr<BlockedBand<T>> blocked(const Csr<double>&, Index max_width, bool alone,
                                            bool refined) override {
      const Index n = system_.order;
      auto band = std::make_unique<DeviceBlockedBand<T>>(streams_, n, n, max_width, alone, refined);
      if (stored_ != nullptr) {
        band->fill(stored_->values.data(), stored_->stride);
      } else {
        band->fill_random(system_.key(), system_.diagonal,
                          CyclicRows{n, 1, max_width}.global_rows(0));
      }
      return band;
    }

   private:
    BandStreams& streams_;
    GpuSystem system_;
    const StoredMatrix* stored_;
  };

  SoloTeam team_;
  Maker<float> float_;
  Maker<double> double_;
};

/// x <- A x or A^T x, x on the host, column by column.
void multiply(BandStreams& streams, StoredMatrix& a, bool transposed, Dense<double>& x) {
  const double one = 1, zero = 0;
  std::vector<double> column(static_cast<std::size_t>(x.rows));
  for (Index c = 0; c < x.columns; ++c) {
    for (Index i = 0; i < x.rows; ++i) column[i] = x(i, c);
    a.x.upload(column);
    // Row-major: cuBLAS sees the transpose.
    CUDA_CHECK(cublasDgemv_64(streams.update_blas.get(), transposed ? CUBLAS_OP_N : CUBLAS_OP_T,
                              a.order, a.order, &one, a.values.data(), a.stride, a.x.data(), 1,
                              &zero, a.y.data(), 1));
    streams.updates.wait();
    a.y.download(column);
    for (Index i = 0; i < x.rows; ++i) x(i, c) = column[i];
  }
}

double norm_of(BandStreams& streams, const StoredMatrix& a) {
  DeviceArray<double> norm(1);
  largest_row_sum(a.values.data(), a.stride, a.order, norm.data(), streams.updates.get());
  streams.updates.wait();
  double value = 0;
  norm.download(std::span(&value, 1));
  return value;
}

MatrixProducts products_with(BandStreams& streams, StoredMatrix& a) {
  MatrixProducts products;
  products.multiply = [&](Dense<double>& x) { multiply(streams, a, false, x); };
  products.multiply_transposed = [&](Dense<double>& x) { multiply(streams, a, true, x); };
  // The norm of A^T is of the same size, and decides only on when refinement ends.
  products.norm = products.norm_transposed = norm_of(streams, a);
  return products;
}

Csr<double> without_values(Index order) {
  Csr<double> rows;
  rows.rows = rows.columns = order;
  return rows;
}

/// Solves and measures; in mixed precision the time begins with the matrix in double, so that its
/// conversion and its norm count.
bench::EliminationRun run_ours(BandStreams& streams, const GpuSystem& system,
                               const EliminationChoice& choice, bool condition) {
  SoloTeam team;
  const bool mixed = choice.precision == Precision::mixed;
  std::optional<StoredMatrix> stored;
  if (mixed) stored.emplace(streams, system);
  RandomBands bands(streams, system, stored ? &*stored : nullptr);
  const Csr<double> rows = without_values(system.order);
  Dense<double> x = system.right_hand_side();
  PreparedElimination prepared;
  if (!mixed) prepared = prepare_elimination(team, bands, system.order, rows, choice);
  Progress progress("", 0, Progress::Show::off);
  bench::EliminationRun run;
  wait_for_gpu();
  const Timer timer;
  if (mixed) {
    prepared =
        prepare_mixed(team, bands, borrowed(rows), choice, products_with(streams, *stored), x);
  }
  const Eliminated eliminated = prepared(progress);
  run.eliminate = timer.seconds();
  eliminated.solve(x);
  run.total = timer.seconds();
  run.backward_error = system.backward_error(x);
  bench::describe_factors(run, eliminated);
  if (condition) {
    if (!stored) stored.emplace(streams, system);
    run.condition = bench::estimated_condition(eliminated, norm_of(streams, *stored), system.order);
  }
  return run;
}

class GpuContest final : public bench::EliminationContest {
 public:
  std::vector<bench::EliminationContender> contenders(const bench::EliminationPlan& plan,
                                                      Index order) override {
    const double diagonal = bench::shifted_diagonal(plan.shift, order);
    std::vector<EliminationChoice> choices;
    auto all = bench::own_contenders(plan, order, BandMemory::gpu, choices);
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k].run = [=, this, condition = plan.condition, choice = choices[k]](Index seed) {
        return run_ours(streams_, {order, seed, diagonal}, choice, condition && seed == 1);
      };
    }
    if (plan.peers) {
      for (auto& peer : cusolver_peers(order, diagonal)) all.push_back(std::move(peer));
    }
    return all;
  }

  double gemm_gflops() override {
    constexpr Index n = 8192;
    DeviceArray<double> a(n * n), b(n * n), c(n * n);
    for (auto* matrix : {&a, &b, &c}) fill_random_columns(1, 0, n, matrix->data(), n, nullptr);
    const double one = 1;
    double best = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {
      wait_for_gpu();
      const Timer timer;
      CUDA_CHECK(cublasDgemm_64(streams_.update_blas.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                                a.data(), n, b.data(), n, &one, c.data(), n));
      wait_for_gpu();
      best = std::max(best, 2.0 * n * n * n / timer.seconds() / 1e9);
    }
    return best;
  }

 private:
  BandStreams streams_;
};

}  // namespace

std::unique_ptr<bench::EliminationContest> gpu_contest() {
  if (const std::string reason = why_no_gpu(); !reason.empty()) {
    fail(ExitCode::resources, "no GPU here: {}", reason);
  }
  return std::make_unique<GpuContest>();
}

}  // namespace spsolve::cuda
