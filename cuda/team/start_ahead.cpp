#include "cuda/team/start_ahead.hpp"

#include <thread>

#include "core/error.hpp"
#include "core/tuning.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/team/nccl_communicator.hpp"

namespace spsolve::cuda::inline team {

namespace {

/// Work that a thread does; who destroys it waits.
class Beside {
 public:
  Beside(int device, std::shared_ptr<NcclAhead> nccl, std::function<void()> more)
      : nccl_(std::move(nccl)), thread_([device, ahead = nccl_, then = std::move(more)] {
          // Where something fails, whoever needs it comes upon the same, and says so.
          try {
            set_current_device(device);
            CUDA_CHECK(cudaFree(nullptr));  // which makes the context
          } catch (const Error&) {
          }
          if (ahead != nullptr) ahead->run();
          try {
            make_cublas();
            then();
          } catch (const Error&) {
          }
        }) {}
  ~Beside() { thread_.join(); }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

 private:
  std::shared_ptr<NcclAhead> nccl_;
  std::thread thread_;
};

}  // namespace

std::shared_ptr<void> start_ahead(Team& team, int device, Transport transport,
                                  std::function<void()> more) {
  std::shared_ptr<NcclAhead> nccl;
  if (team.size() > 1 && (transport == Transport::automatic || transport == Transport::nccl)) {
    nccl = prepare_nccl_ahead(team, gpu_tuning.nccl_blocks_beside_work);
  }
  return std::make_shared<Beside>(device, std::move(nccl), std::move(more));
}

}  // namespace spsolve::cuda::team
