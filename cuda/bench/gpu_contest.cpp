#include "cuda/bench/gpu_contest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cusolverDn.h>

#include "config/config.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "cuda/bench/random_system.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/eliminate/device_blocked_band.hpp"
#include "eliminate/lu.hpp"
#include "matrix/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::cuda {

namespace {

void check(cusolverStatus_t status, const char* call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  cudaGetLastError();
  fail(ExitCode::resources, "{} failed on the GPU with cuSOLVER's status {}", call,
       static_cast<int>(status));
}

using CusolverHandle = Owned<cusolverDnHandle_t, cusolverDnDestroy>;
using CusolverParameters = Owned<cusolverDnParams_t, cusolverDnDestroyParams>;
using IrsParameters = Owned<cusolverDnIRSParams_t, cusolverDnIRSParamsDestroy>;
using IrsInfos = Owned<cusolverDnIRSInfos_t, cusolverDnIRSInfosDestroy>;

CusolverHandle make_cusolver() {
  cusolverDnHandle_t handle = nullptr;
  check(cusolverDnCreate(&handle), "cusolverDnCreate");
  return CusolverHandle(handle);
}

void wait_for_gpu() {
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// ||b - A x|| / (||A|| ||x|| + ||b||) in the infinity norm, A = random_dense:n:seed.
double backward_error(Index seed, const Dense<double>& b, const Dense<double>& x) {
  const Index n = b.rows;
  const DeviceArray<double> there_b(b.values), there_x(x.values);
  DeviceArray<double> norms(2);
  random_residual(random_dense_key(seed), n, there_x.data(), there_b.data(), norms.data(), nullptr);
  double values[2];
  norms.download(values);
  double of_x = 0, of_b = 0;
  for (Index i = 0; i < n; ++i) {
    of_x = std::max(of_x, std::abs(x.values[i]));
    of_b = std::max(of_b, std::abs(b.values[i]));
    if (!std::isfinite(x.values[i])) return std::numeric_limits<double>::infinity();
  }
  return values[0] / (values[1] * of_x + of_b);
}

template <typename T>
bench::EliminationRun run_lu(BandStreams& streams, Index n, const EliminationChoice& choice,
                             Index seed) {
  SoloTeam team;
  const CyclicRows layout{n, 1, choice.block};
  DeviceBlockedBand<T> band(streams, n, n, choice.block, true);
  band.fill_random(random_dense_key(seed), layout.global_rows(0));
  const Dense<double> b = random_multivector(n, 1, seed);
  Dense<T> x(n, 1);
  std::copy(b.values.begin(), b.values.end(), x.values.begin());
  Progress progress("", 0, Progress::Show::off);
  bench::EliminationRun run;
  wait_for_gpu();
  const Timer timer;
  const LuFactors<T> factors = factor_lu<T>(team, team, layout, band, choice.pivoting, progress);
  run.eliminate = timer.seconds();
  solve_lu<T>(team, band, factors, x);
  run.total = timer.seconds();
  Dense<double> solution(n, 1);
  std::copy(x.values.begin(), x.values.end(), solution.values.begin());
  run.backward_error = backward_error(seed, b, solution);
  return run;
}

/// getrf + getrs in double, with 64-bit sizes.
bench::EliminationRun run_getrf(Index n, Index seed) {
  const CusolverHandle handle = make_cusolver();
  cusolverDnParams_t raw = nullptr;
  check(cusolverDnCreateParams(&raw), "cusolverDnCreateParams");
  const CusolverParameters parameters(raw);
  DeviceArray<double> a(n * n);
  const Dense<double> b = random_multivector(n, 1, seed);
  DeviceArray<double> x(b.values);
  fill_random_columns(random_dense_key(seed), n, a.data(), n, nullptr);
  DeviceArray<std::int64_t> pivots(n);
  DeviceArray<int> info(1);
  std::size_t device_bytes = 0, host_bytes = 0;
  check(cusolverDnXgetrf_bufferSize(handle.get(), raw, n, n, CUDA_R_64F, a.data(), n, CUDA_R_64F,
                                    &device_bytes, &host_bytes),
        "cusolverDnXgetrf_bufferSize");
  DeviceArray<char> device_space(static_cast<Index>(device_bytes));
  std::vector<char> host_space(host_bytes);
  bench::EliminationRun run;
  wait_for_gpu();
  const Timer timer;
  check(cusolverDnXgetrf(handle.get(), raw, n, n, CUDA_R_64F, a.data(), n, pivots.data(),
                         CUDA_R_64F, device_space.data(), device_bytes, host_space.data(),
                         host_bytes, info.data()),
        "cusolverDnXgetrf");
  wait_for_gpu();
  run.eliminate = timer.seconds();
  check(cusolverDnXgetrs(handle.get(), raw, CUBLAS_OP_N, n, 1, CUDA_R_64F, a.data(), n,
                         pivots.data(), CUDA_R_64F, x.data(), n, info.data()),
        "cusolverDnXgetrs");
  wait_for_gpu();
  run.total = timer.seconds();
  Dense<double> solution(n, 1);
  x.download(solution.values);
  run.backward_error = backward_error(seed, b, solution);
  return run;
}

/// The mixed-precision solver: factors in `lowest`, refined by GMRES to double.
bench::EliminationRun run_irs(Index n, Index seed, cusolverPrecType_t lowest) {
  const CusolverHandle handle = make_cusolver();
  cusolverDnIRSParams_t parameters = nullptr;
  check(cusolverDnIRSParamsCreate(&parameters), "cusolverDnIRSParamsCreate");
  const IrsParameters owner(parameters);
  check(cusolverDnIRSParamsSetSolverPrecisions(parameters, CUSOLVER_R_64F, lowest),
        "cusolverDnIRSParamsSetSolverPrecisions");
  check(cusolverDnIRSParamsSetRefinementSolver(parameters, CUSOLVER_IRS_REFINE_GMRES),
        "cusolverDnIRSParamsSetRefinementSolver");
  cusolverDnIRSInfos_t infos = nullptr;
  check(cusolverDnIRSInfosCreate(&infos), "cusolverDnIRSInfosCreate");
  const IrsInfos infos_owner(infos);
  DeviceArray<double> a(n * n);
  const Dense<double> b = random_multivector(n, 1, seed);
  DeviceArray<double> there_b(b.values), x(n);
  fill_random_columns(random_dense_key(seed), n, a.data(), n, nullptr);
  std::size_t bytes = 0;
  check(cusolverDnIRSXgesv_bufferSize(handle.get(), parameters, static_cast<int>(n), 1, &bytes),
        "cusolverDnIRSXgesv_bufferSize");
  DeviceArray<char> space(static_cast<Index>(bytes));
  DeviceArray<int> info(1);
  int iterations = 0;
  bench::EliminationRun run;
  wait_for_gpu();
  const Timer timer;
  check(cusolverDnIRSXgesv(handle.get(), parameters, infos, static_cast<int>(n), 1, a.data(),
                           static_cast<int>(n), there_b.data(), static_cast<int>(n), x.data(),
                           static_cast<int>(n), space.data(), bytes, &iterations, info.data()),
        "cusolverDnIRSXgesv");
  wait_for_gpu();
  run.total = timer.seconds();
  Dense<double> solution(n, 1);
  x.download(solution.values);
  run.backward_error = backward_error(seed, b, solution);
  return run;
}

bench::EliminationContender peer(std::string method, std::string precision,
                                 std::function<bench::EliminationRun(Index)> run) {
  bench::EliminationContender contender;
  contender.peer = true;
  contender.row.device = "cuda";
  contender.row.method = std::move(method);
  contender.row.pivoting = name(Pivoting::partial);
  contender.row.precision = std::move(precision);
  contender.run = std::move(run);
  return contender;
}

class GpuContest final : public bench::EliminationContest {
 public:
  std::vector<bench::EliminationContender> contenders(const bench::EliminationPlan& plan,
                                                      Index order) override {
    std::vector<EliminationChoice> choices;
    auto all = bench::own_contenders(plan, order, BandMemory::gpu, choices);
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k].run = [this, order, choice = choices[k]](Index seed) {
        return choice.precision == Precision::float32
                   ? run_lu<float>(streams_, order, choice, seed)
                   : run_lu<double>(streams_, order, choice, seed);
      };
    }
    if (plan.peers) {
      all.push_back(
          peer("cusolver_getrf", "double", [order](Index seed) { return run_getrf(order, seed); }));
      all.push_back(peer("cusolver_irs_tf32", "mixed",
                         [order](Index seed) { return run_irs(order, seed, CUSOLVER_R_TF32); }));
    }
    return all;
  }

  double gemm_gflops() override {
    constexpr Index n = 8192;
    DeviceArray<double> a(n * n), b(n * n), c(n * n);
    for (auto* matrix : {&a, &b, &c}) fill_random_columns(1, n, matrix->data(), n, nullptr);
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
