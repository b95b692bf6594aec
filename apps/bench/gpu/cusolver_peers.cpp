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

/// getrf + getrs in double, with 64-bit sizes.
bench::BenchRun run_getrf(const GpuSystem& system) {
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
  bench::BenchRun run;
  wait_for_device();
  const Timer timer;
  CUDA_CHECK(cusolverDnXgetrf(handle.get(), raw, n, n, CUDA_R_64F, a.data(), n, pivots.data(),
                              CUDA_R_64F, device_space.data(), device_bytes, host_space.data(),
                              host_bytes, info.data()));
  wait_for_device();
  run.eliminate = timer.seconds();
  CUDA_CHECK(cusolverDnXgetrs(handle.get(), raw, CUBLAS_OP_N, n, 1, CUDA_R_64F, a.data(), n,
                              pivots.data(), CUDA_R_64F, x.data(), n, info.data()));
  wait_for_device();
  run.total = timer.seconds();
  Dense<double> solution(n, 1);
  x.download(solution.values);
  SoloTeam alone;
  run.backward_error = system.backward_error(alone, solution);
  return run;
}

/// The mixed-precision solver: factors in `lowest`, refined by GMRES to double.
bench::BenchRun run_irs(const GpuSystem& system, cusolverPrecType_t lowest) {
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
  bench::BenchRun run;
  wait_for_device();
  const Timer timer;
  CUDA_CHECK(cusolverDnIRSXgesv(handle.get(), parameters, infos, static_cast<int>(n), 1, a.data(),
                                static_cast<int>(n), there_b.data(), static_cast<int>(n), x.data(),
                                static_cast<int>(n), space.data(), bytes, &iterations,
                                info.data()));
  wait_for_device();
  run.total = timer.seconds();
  run.steps = std::abs(iterations);
  run.factors = name(iterations < 0 ? Precision::float64 : Precision::float32);
  Dense<double> solution(n, 1);
  x.download(solution.values);
  SoloTeam alone;
  run.backward_error = system.backward_error(alone, solution);
  return run;
}

}  // namespace

bench::EliminationContender cusolver_peer(std::string method, std::string precision,
                                          std::function<bench::BenchRun(Index)> run) {
  bench::EliminationContender contender;
  contender.peer = true;
  contender.row.device = "cuda";
  contender.row.method = std::move(method);
  contender.row.pivoting = name(Pivoting::partial);
  contender.row.precision = std::move(precision);
  contender.run = std::move(run);
  return contender;
}

std::vector<bench::EliminationContender> cusolver_peers(Index order, double diagonal) {
  const auto system = [=](Index seed) { return GpuSystem{order, seed, diagonal}; };
  return {cusolver_peer("cusolver_getrf", "double",
                        [=](Index seed) { return run_getrf(system(seed)); }),
          cusolver_peer("cusolver_irs_tf32", "mixed",
                        [=](Index seed) { return run_irs(system(seed), CUSOLVER_R_TF32); }),
          cusolver_peer("cusolver_irs_half", "mixed",
                        [=](Index seed) { return run_irs(system(seed), CUSOLVER_R_16F); })};
}

}  // namespace spsolve::cuda
