#include "apps/bench/spbench_devices.hpp"

#include "api/gpus.hpp"
#include "choice/gpus.hpp"
#include "core/error.hpp"

#ifdef SPSOLVE_HAVE_CUDA
#include "apps/bench/gpu/cuda_device.hpp"
#include "apps/bench/gpu/gpu_contest.hpp"
#endif

namespace spsolve {

bench::OwnDevice own_gpu(bool share_gpus, Team& team) {
  const Gpus gpus = find_gpus();
  const int mine = bind_gpu(team, gpus.found().visible, gpus.found().why_none, share_gpus);
  together(team, [&] { gpus.use(mine); });
  const auto memory = [gpus](Team& of) { return gpus.dense(of, Transport::automatic); };
  return {gpus.dense_bytes, memory, gpus.free_memory};
}

#ifdef SPSOLVE_HAVE_CUDA

OpenGpu open_gpu(bool measures_copy) {
  auto device = std::make_unique<cuda::CudaDevice>(measures_copy);
  const cuda::DeviceInfo& info = device->info();
  OpenGpu gpu;
  gpu.facts = {{"name", info.name},
               {"uuid", info.uuid},
               {"compute_capability", fmt::format("{}.{}", info.major, info.minor)},
               {"multiprocessors", info.multiprocessors},
               {"memory_bytes", info.memory_bytes},
               {"l2_bytes", info.l2_bytes}};
  gpu.text = fmt::format("GPU: {}, {} multiprocessors, {} GiB\n", info.name, info.multiprocessors,
                         info.memory_bytes >> 30);
  if (measures_copy) {
    const double bandwidth = device->bandwidth(0);
    gpu.facts["copy_bytes"] = device->copy_bytes();
    gpu.facts["copy_gbs"] = bandwidth / 1e9;
    gpu.text += fmt::format("copy within the GPU: {:.0f} GB/s (bytes read and written; {} MiB)\n",
                            bandwidth / 1e9, device->copy_bytes() >> 20);
  }
  gpu.device = std::move(device);
  return gpu;
}

std::unique_ptr<bench::EliminationContest> gpu_contest(Team& team, Transport transport) {
  return cuda::gpu_contest(team, transport);
}

#else

OpenGpu open_gpu(bool) {
  fail(ExitCode::resources, "no GPU here: {}", FoundGpus{}.why_none);
}

std::unique_ptr<bench::EliminationContest> gpu_contest(Team&, Transport) {
  fail_everywhere(ExitCode::resources, "no GPU here: {}", FoundGpus{}.why_none);
}

#endif

}  // namespace spsolve
