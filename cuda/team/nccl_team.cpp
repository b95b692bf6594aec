#include "cuda/team/nccl_team.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/pulse.hpp"
#include "cuda/core/device_array.hpp"

#ifdef SPSOLVE_HAVE_NCCL
#include <nccl.h>
#endif

namespace spsolve::cuda {

#ifdef SPSOLVE_HAVE_NCCL

namespace {

void check_nccl(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  fail(ExitCode::internal, "{} failed: {}", call, ncclGetErrorString(status));
}

/// Broadcasts and exchanges by NCCL, on the stream; what is rare goes through host memory.
class NcclTeam final : public GpuTeam {
 public:
  NcclTeam(Team& team, const Stream& stream, ncclComm_t communicator)
      : GpuTeam(team, stream), communicator_(communicator) {}
  ~NcclTeam() override { ncclCommDestroy(communicator_); }

  void broadcast_bytes(std::span<std::byte> data, int root) override {
    if (data.empty()) return;
    check_nccl(ncclBroadcast(data.data(), data.data(), data.size(), ncclChar, root, communicator_,
                             stream_.get()),
               "ncclBroadcast");
    expect_ranks(stream_.get());
  }

  void exchange_bytes(std::span<std::byte> data, int partner) override {
    if (data.empty()) return;
    if (received_.size() < static_cast<Index>(data.size())) stream_.wait();
    received_.grow(static_cast<Index>(data.size()));
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    check_nccl(ncclSend(data.data(), data.size(), ncclChar, partner, communicator_, stream_.get()),
               "ncclSend");
    check_nccl(
        ncclRecv(received_.data(), data.size(), ncclChar, partner, communicator_, stream_.get()),
        "ncclRecv");
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    expect_ranks(stream_.get());
    CUDA_CHECK(cudaMemcpyAsync(data.data(), received_.data(), data.size(), cudaMemcpyDeviceToDevice,
                               stream_.get()));
  }

  std::string transport() const override {
    int version = 0;  // 10000 major + 100 minor + patch
    ncclGetVersion(&version);
    return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }

 private:
  ncclComm_t communicator_;
  DeviceArray<std::byte> received_;
};

bool some_share_a_gpu(Team& team) {
  int device = 0;
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  std::vector<std::string> all;
  for (const cudaUUID_t& uuid : all_gather(team, properties.uuid)) {
    all.emplace_back(uuid.bytes, sizeof(uuid.bytes));
  }
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

}  // namespace

std::unique_ptr<GpuTeam> make_nccl_team(Team& team, const Stream& stream, std::string& reason) {
  if (some_share_a_gpu(team)) {
    reason = "NCCL wants a GPU for each rank, and some share one";
    return nullptr;
  }
  ncclUniqueId id{};
  ncclResult_t status = team.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  if (broadcast_value(team, static_cast<int>(status), 0) != ncclSuccess) {
    reason = "NCCL does not start";
    return nullptr;
  }
  id = broadcast_value(team, id, 0);
  ncclComm_t communicator = nullptr;
  {
    const WaitingForRanks waiting;
    status = ncclCommInitRank(&communicator, team.size(), id, team.rank());
  }
  if (all_sum(team, status == ncclSuccess ? 0 : 1) > 0) {
    if (status == ncclSuccess) ncclCommAbort(communicator);
    reason = broadcast_text(
        team, fmt::format("NCCL does not start on every rank: {}", ncclGetErrorString(status)), 0);
    return nullptr;
  }
  return std::make_unique<NcclTeam>(team, stream, communicator);
}

#else

std::unique_ptr<GpuTeam> make_nccl_team(Team&, const Stream&, std::string& reason) {
  reason = "this program was built without NCCL";
  return nullptr;
}

#endif

}  // namespace spsolve::cuda
