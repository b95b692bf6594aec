#include "apps/bench/gpu/cusolver_mg.hpp"

#include <algorithm>
#include <array>

// CUDA 13 announces a successor, cuSOLVERMp, that is no part of the toolkit.
#define DISABLE_CUSOLVERMG_DEPRECATED
#include <cusolverMg.h>

#include "apps/bench/gpu/gpu_system.hpp"
#include "apps/bench/gpu/random_system.hpp"
#include "config/config.hpp"
#include "core/timer.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "process/log.hpp"

namespace spsolve::cuda {

namespace {

constexpr Index block = 256;

using MgHandle = Owned<cusolverMgHandle_t, cusolverMgDestroy>;

// Grids and descriptors are void pointers, which unique_ptr can hold by their deleters only.
template <auto destroy>
struct Destroy {
  using pointer = void*;
  void operator()(void* object) const noexcept {
    if (!gpu_is_left()) destroy(object);
  }
};
using MgGrid = std::unique_ptr<void, Destroy<cusolverMgDestroyGrid>>;
using MgMatrix = std::unique_ptr<void, Destroy<cusolverMgDestroyMatrixDesc>>;

/// Makes another GPU the current one for a while.
class Visit {
 public:
  Visit() { CUDA_CHECK(cudaGetDevice(&home_)); }
  ~Visit() {
    if (!gpu_is_left()) cudaSetDevice(home_);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  void go_to(int gpu) const { CUDA_CHECK(cudaSetDevice(gpu)); }

 private:
  int home_ = 0;
};

/// An array of the same size on each GPU, as cusolverMg takes them.
template <typename T>
class OnEach {
 public:
  OnEach(const std::vector<int>& gpus, Index size) {
    const Visit visit;
    for (const int gpu : gpus) {
      visit.go_to(gpu);
      arrays_.emplace_back(size);
      pointers_.push_back(arrays_.back().data());
    }
  }

  T* on(std::size_t gpu) { return arrays_[gpu].data(); }
  T** typed() { return pointers_.data(); }
  void** untyped() { return reinterpret_cast<void**>(pointers_.data()); }

 private:
  std::vector<DeviceArray<T>> arrays_;
  std::vector<T*> pointers_;
};

void wait_for_each(const std::vector<int>& gpus) {
  const Visit visit;
  for (const int gpu : gpus) {
    visit.go_to(gpu);
    wait_for_device();
  }
}

/// Lets the GPUs read and write each other's memory, where their links can.
void introduce(const std::vector<int>& gpus) {
  const Visit visit;
  for (const int gpu : gpus) {
    visit.go_to(gpu);
    for (const int other : gpus) {
      int can = 0;
      if (other == gpu) continue;
      CUDA_CHECK(cudaDeviceCanAccessPeer(&can, gpu, other));
      if (can == 0) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
      if (status != cudaErrorPeerAccessAlreadyEnabled) CUDA_CHECK(status);
      cudaGetLastError();
    }
  }
}

MgMatrix describe(void* grid, Index rows, Index columns, Index width) {
  cudaLibMgMatrixDesc_t matrix = nullptr;
  CUDA_CHECK(cusolverMgCreateMatrixDesc(&matrix, rows, columns, rows, width, CUDA_R_64F, grid));
  return MgMatrix(matrix);
}

}  // namespace

struct CusolverMg::Handles {
  explicit Handles(std::vector<int>& gpus) {
    const auto count = static_cast<int>(gpus.size());
    cusolverMgHandle_t raw = nullptr;
    CUDA_CHECK(cusolverMgCreate(&raw));
    library.reset(raw);
    CUDA_CHECK(cusolverMgDeviceSelect(raw, count, gpus.data()));
    introduce(gpus);
    cudaLibMgGrid_t raw_grid = nullptr;
    CUDA_CHECK(cusolverMgCreateDeviceGrid(&raw_grid, 1, count, gpus.data(),
                                          CUDALIBMG_GRID_MAPPING_COL_MAJOR));
    grid.reset(raw_grid);
  }

  MgHandle library;
  MgGrid grid;
};

std::shared_ptr<CusolverMg> CusolverMg::find(Team& team) {
  std::array<char, 64> mine{};
  const std::string uuid = current_device().uuid;
  std::copy_n(uuid.begin(), std::min(uuid.size(), mine.size() - 1), mine.begin());
  const auto all = all_gather(team, mine);
  std::vector<int> gpus;
  if (team.rank() == 0) {
    const std::vector<DeviceInfo> seen = devices();
    for (const auto& name : all) {
      const auto gpu = std::ranges::find(seen, std::string(name.data()), &DeviceInfo::uuid);
      const auto number = static_cast<int>(gpu - seen.begin());
      if (gpu != seen.end() && std::ranges::count(gpus, number) == 0) gpus.push_back(number);
    }
  }
  const bool usable = broadcast_value(team, gpus.size() == all.size(), 0);
  if (!usable) {
    if (team.rank() == 0) {
      log_line(
          "cusolver_mg is left out: it drives all GPUs from rank 0, which must see each of them");
    }
    return nullptr;
  }
  return together(
      team, [&] { return std::shared_ptr<CusolverMg>(new CusolverMg(team, std::move(gpus))); });
}

CusolverMg::CusolverMg(Team& team, std::vector<int> gpus) : team_(team), gpus_(std::move(gpus)) {
  if (team.rank() == 0) handles_ = std::make_unique<Handles>(gpus_);
}

CusolverMg::~CusolverMg() = default;

void CusolverMg::run(bench::Turn& turn, Index order, double diagonal) {
  const GpuSystem system{order, turn.round, diagonal};
  double eliminated = 0, total = 0;  // on rank 0
  Dense<double> x = system.right_hand_side();
  wait_for_device();
  wait_for_all(team_);
  together(team_, [&] {
    if (team_.rank() != 0) return;
    const auto n = static_cast<int>(order);
    const auto count = static_cast<Index>(gpus_.size());
    const Index blocks = (order + block * count - 1) / (block * count);  // a GPU's, at most
    OnEach<double> a(gpus_, order * blocks * block);
    OnEach<int> pivots(gpus_, blocks * block);
    OnEach<double> b(gpus_, order);  // one column: on the first GPU
    {
      const Visit visit;
      for (Index k = 0; k * block < order; ++k) {
        const auto gpu = static_cast<std::size_t>(k % count);
        visit.go_to(gpus_[gpu]);
        fill_random_columns(system.key(), diagonal, order, k * block,
                            std::min(block, order - k * block),
                            a.on(gpu) + k / count * block * order, order, nullptr);
      }
      visit.go_to(gpus_.front());
      CUDA_CHECK(cudaMemcpy(b.on(0), x.values.data(), x.values.size() * sizeof(double),
                            cudaMemcpyHostToDevice));
    }
    const MgMatrix of_a = describe(handles_->grid.get(), order, order, block);
    const MgMatrix of_b = describe(handles_->grid.get(), order, 1, block);
    const cusolverMgHandle_t library = handles_->library.get();
    std::int64_t to_factor = 0, to_solve = 0;
    CUDA_CHECK(cusolverMgGetrf_bufferSize(library, n, n, a.untyped(), 1, 1, of_a.get(),
                                          pivots.typed(), CUDA_R_64F, &to_factor));
    CUDA_CHECK(cusolverMgGetrs_bufferSize(library, CUBLAS_OP_N, n, 1, a.untyped(), 1, 1, of_a.get(),
                                          pivots.typed(), b.untyped(), 1, 1, of_b.get(), CUDA_R_64F,
                                          &to_solve));
    const Index work = std::max(to_factor, to_solve);
    OnEach<double> space(gpus_, work);
    wait_for_each(gpus_);
    int info = 0;
    const Timer timer;
    CUDA_CHECK(cusolverMgGetrf(library, n, n, a.untyped(), 1, 1, of_a.get(), pivots.typed(),
                               CUDA_R_64F, space.untyped(), work, &info));
    wait_for_each(gpus_);
    eliminated = timer.seconds();
    CUDA_CHECK(cusolverMgGetrs(library, CUBLAS_OP_N, n, 1, a.untyped(), 1, 1, of_a.get(),
                               pivots.typed(), b.untyped(), 1, 1, of_b.get(), CUDA_R_64F,
                               space.untyped(), work, &info));
    wait_for_each(gpus_);
    total = timer.seconds();
    CUDA_CHECK(cudaMemcpy(x.values.data(), b.on(0), x.values.size() * sizeof(double),
                          cudaMemcpyDeviceToHost));
  });
  broadcast(team_, std::span(x.values), 0);
  turn.add("eliminate_s", eliminated);
  turn.add("total_s", total);
  turn.row.keep_most("backward_error", system.backward_error(team_, x));
}

bench::Contender CusolverMg::contender(const std::shared_ptr<CusolverMg>& solver, Index order,
                                       double diagonal) {
  bench::Contender peer =
      bench::dense_peer("cuda", "cusolver_mg", Precision::float64,
                        [=](bench::Turn& turn) { solver->run(turn, order, diagonal); });
  peer.row["ranks"] = solver->team_.size();
  return peer;
}

}  // namespace spsolve::cuda
