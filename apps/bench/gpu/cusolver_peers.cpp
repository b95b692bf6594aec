#include "apps/bench/gpu/cusolver_peers.hpp"

#include <cstdlib>

#include <cusolverDn.h>

#include "apps/bench/gpu/gpu_system.hpp"
#include "apps/bench/gpu/random_system.hpp"
#include "config/config.hpp"
#include "core/timer.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"

namespace spsolve::cuda {

namespace {

using CusolverHandle = Owned<cusolverDnHandle_t, cusolverDnDestroy>;
using CusolverParameters = Owned<cusolverDnParams_t, cusolverDnDestroyParams>;
using IrsParameters = Owned<cusolverDnIRSParams_t, cusolverDnIRSParamsDestroy>;
using IrsInfos = Owned<cusolverDnIRSInfos_t, cusolverDnIRSInfosDestroy>;

CusolverHandle make_cusolver() {
  cusolverDnHandle_t handle = nullptr;
  CUDA_CHECK(cusolverDnCreate(&handle));
  return CusolverHandle(handle);
}

void judge(bench::Turn& turn, const GpuSystem& system, const DeviceArray<double>& x) {
  Dense<double> solution(system.order, 1);
  x.download(solution.values);
  turn.row.keep_most("backward_error", system.backward_error(turn.team, solution));
}

/// getrf + getrs in double, with 64-bit sizes.
void run_getrf(bench::Turn& turn, const GpuSystem& system) {
  const Index n = system.order;
  const CusolverHandle handle = make_cusolver();
  cusolverDnParams_t raw = nullptr;
  CUDA_CHECK(cusolverDnCreateParams(&raw));
  const CusolverParameters parameters(raw);
  DeviceArray<double> a(n * n);
  const Dense<double> b = system.right_hand_side();
  DeviceArray<double> x(b.values);
  fill_random_columns(system.key(), system.diagonal, n, 0, n, a.data(), n, nullptr);
  DeviceArray<std::int64_t> pivots(n);
  DeviceArray<int> info(1);
  std::size_t device_bytes = 0, host_bytes = 0;
  CUDA_CHECK(cusolverDnXgetrf_bufferSize(handle.get(), raw, n, n, CUDA_R_64F, a.data(), n,
                                         CUDA_R_64F, &device_bytes, &host_bytes));
  DeviceArray<char> device_space(static_cast<Index>(device_bytes));
  std::vector<char> host_space(host_bytes);
  wait_for_device();
  const Timer timer;
  CUDA_CHECK(cusolverDnXgetrf(handle.get(), raw, n, n, CUDA_R_64F, a.data(), n, pivots.data(),
                              CUDA_R_64F, device_space.data(), device_bytes, host_space.data(),
                              host_bytes, info.data()));
  wait_for_device();
  turn.add("eliminate_s", timer.seconds());
  CUDA_CHECK(cusolverDnXgetrs(handle.get(), raw, CUBLAS_OP_N, n, 1, CUDA_R_64F, a.data(), n,
                              pivots.data(), CUDA_R_64F, x.data(), n, info.data()));
  wait_for_device();
  turn.add("total_s", timer.seconds());
  judge(turn, system, x);
}

/// The mixed-precision solver: factors in `lowest`, refined by GMRES to double.
void run_irs(bench::Turn& turn, const GpuSystem& system, cusolverPrecType_t lowest) {
  const Index n = system.order;
  const CusolverHandle handle = make_cusolver();
  cusolverDnIRSParams_t parameters = nullptr;
  CUDA_CHECK(cusolverDnIRSParamsCreate(&parameters));
  const IrsParameters owner(parameters);
  CUDA_CHECK(cusolverDnIRSParamsSetSolverPrecisions(parameters, CUSOLVER_R_64F, lowest));
  CUDA_CHECK(cusolverDnIRSParamsSetRefinementSolver(parameters, CUSOLVER_IRS_REFINE_GMRES));
  cusolverDnIRSInfos_t infos = nullptr;
  CUDA_CHECK(cusolverDnIRSInfosCreate(&infos));
  const IrsInfos infos_owner(infos);
  DeviceArray<double> a(n * n);
  const Dense<double> b = system.right_hand_side();
  DeviceArray<double> there_b(b.values), x(n);
  fill_random_columns(system.key(), system.diagonal, n, 0, n, a.data(), n, nullptr);
  std::size_t bytes = 0;
  CUDA_CHECK(
      cusolverDnIRSXgesv_bufferSize(handle.get(), parameters, static_cast<int>(n), 1, &bytes));
  DeviceArray<char> space(static_cast<Index>(bytes));
  DeviceArray<int> info(1);
  int iterations = 0;  // negative where it went back to double
  wait_for_device();
  const Timer timer;
  CUDA_CHECK(cusolverDnIRSXgesv(handle.get(), parameters, infos, static_cast<int>(n), 1, a.data(),
                                static_cast<int>(n), there_b.data(), static_cast<int>(n), x.data(),
                                static_cast<int>(n), space.data(), bytes, &iterations,
                                info.data()));
  wait_for_device();
  turn.add("total_s", timer.seconds());
  bench::set_mixed(turn.row, std::abs(iterations), iterations < 0);
  judge(turn, system, x);
}

}  // namespace

std::vector<bench::Contender> cusolver_peers(Index order, double diagonal) {
  const auto system = [=](const bench::Turn& turn) {
    return GpuSystem{order, turn.round, diagonal};
  };
  const auto mixed = [&](const char* method, cusolverPrecType_t lowest) {
    return bench::dense_peer("cuda", method, Precision::mixed,
                             [=](bench::Turn& turn) { run_irs(turn, system(turn), lowest); });
  };
  return {bench::dense_peer("cuda", "cusolver_getrf", Precision::float64,
                            [=](bench::Turn& turn) { run_getrf(turn, system(turn)); }),
          mixed("cusolver_irs_tf32", CUSOLVER_R_TF32), mixed("cusolver_irs_half", CUSOLVER_R_16F)};
}

}  // namespace spsolve::cuda
