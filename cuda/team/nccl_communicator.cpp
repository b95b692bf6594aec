#include "cuda/team/nccl_communicator.hpp"

#include <atomic>
#include <future>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "cuda/core/cuda_check.hpp"
#include "cuda/core/vendor/vendor_library.hpp"
#include "cuda/team/shared_gpu.hpp"
#include "process/pulse.hpp"

#ifdef SPSOLVE_HAVE_NCCL
#include <nccl.h>
#endif

namespace spsolve::cuda {

#ifdef SPSOLVE_HAVE_NCCL

namespace {

// Functions of NCCL's header by their own names, which hide those of the header here.

template <typename Signature>
struct NcclFunction : VendorFunction<Signature> {
  explicit constexpr NcclFunction(const char* name)
      : VendorFunction<Signature>(nccl_library, name) {}
};

constinit const NcclFunction<decltype(::ncclGetErrorString)> ncclGetErrorString(
    "ncclGetErrorString");
constinit const NcclFunction<decltype(::ncclGetVersion)> ncclGetVersion("ncclGetVersion");
constinit const NcclFunction<decltype(::ncclGetUniqueId)> ncclGetUniqueId("ncclGetUniqueId");
constinit const NcclFunction<decltype(::ncclCommInitRankConfig)> ncclCommInitRankConfig(
    "ncclCommInitRankConfig");
constinit const NcclFunction<decltype(::ncclCommSplit)> ncclCommSplit("ncclCommSplit");
constinit const NcclFunction<decltype(::ncclCommDestroy)> ncclCommDestroy("ncclCommDestroy");
constinit const NcclFunction<decltype(::ncclCommAbort)> ncclCommAbort("ncclCommAbort");
constinit const NcclFunction<decltype(::ncclBroadcast)> ncclBroadcast("ncclBroadcast");
constinit const NcclFunction<decltype(::ncclAllGather)> ncclAllGather("ncclAllGather");
constinit const NcclFunction<decltype(::ncclGroupStart)> ncclGroupStart("ncclGroupStart");
constinit const NcclFunction<decltype(::ncclGroupEnd)> ncclGroupEnd("ncclGroupEnd");
constinit const NcclFunction<decltype(::ncclSend)> ncclSend("ncclSend");
constinit const NcclFunction<decltype(::ncclRecv)> ncclRecv("ncclRecv");

void check_nccl(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  fail(ExitCode::internal, "{} failed: {}{}", call, ncclGetErrorString(status), note_failure());
}

class Communicator final : public NcclCommunicator {
 public:
  explicit Communicator(ncclComm_t communicator) : communicator_(communicator) {}
  ~Communicator() override {
    if (!gpu_is_lost()) ncclCommDestroy(communicator_);
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  void broadcast(std::span<std::byte> data, int root, const Stream& stream) override {
    if (data.empty()) return;
    check_nccl(ncclBroadcast(data.data(), data.data(), data.size(), ncclChar, root, communicator_,
                             stream.get()),
               "ncclBroadcast");
    expect_ranks(stream.get());
  }

  void broadcast(std::span<const BroadcastPart> parts, const Stream& stream) override {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (const BroadcastPart& part : parts) broadcast(part.data, part.root, stream);
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  const Stream& stream) override {
    if (mine.empty()) return;
    check_nccl(
        ncclAllGather(mine.data(), all.data(), mine.size(), ncclChar, communicator_, stream.get()),
        "ncclAllGather");
    expect_ranks(stream.get());
  }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                const Stream& stream) override {
    if (outgoing.empty() && incoming.empty()) return;
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (const Outgoing& message : outgoing) {
      check_nccl(ncclSend(message.data.data(), message.data.size(), ncclChar, message.to,
                          communicator_, stream.get()),
                 "ncclSend");
    }
    for (const Incoming& message : incoming) {
      check_nccl(ncclRecv(message.data.data(), message.data.size(), ncclChar, message.from,
                          communicator_, stream.get()),
                 "ncclRecv");
    }
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    expect_ranks(stream.get());
  }

  std::unique_ptr<NcclCommunicator> split(Team& team, int group, int order) override {
    ncclComm_t part = nullptr;
    ncclResult_t status = ncclSuccess;
    {
      const WaitingForRanks waiting;
      status = ncclCommSplit(communicator_, group < 0 ? NCCL_SPLIT_NOCOLOR : group, order, &part,
                             nullptr);
    }
    auto made = part == nullptr ? nullptr : std::make_unique<Communicator>(part);
    if (all_sum(team, status == ncclSuccess ? 0 : 1) > 0) {
      fail_everywhere(ExitCode::resources, "NCCL does not start between some of the GPUs");
    }
    return made;
  }

  std::string name() const override {
    int version = 0;  // 10000 major + 100 minor + patch
    ncclGetVersion(&version);
    return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }

 private:
  ncclComm_t communicator_;
};

struct Started {
  ncclResult_t status = ncclSuccess;
  ncclComm_t communicator = nullptr;
};

Started start(const ncclUniqueId& id, int rank, int size, int most_blocks) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (most_blocks > 0) config.maxCTAs = most_blocks;
  Started started;
  started.status = ncclCommInitRankConfig(&started.communicator, size, id, rank, &config);
  return started;
}

/// What all ranks begin with; or why not.
std::optional<ncclUniqueId> agree_on_id(Team& team, std::string& reason) {
  const std::string problem = nccl_library.problem();
  if (all_sum(team, problem.empty() ? 0 : 1) > 0) {
    reason = broadcast_text(team, fmt::format("NCCL is not on every rank: {}", problem), 0);
    return {};
  }
  ncclUniqueId id{};
  const ncclResult_t status = team.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  if (broadcast_value(team, static_cast<int>(status), 0) != ncclSuccess) {
    reason = "NCCL does not start";
    return {};
  }
  return broadcast_value(team, id, 0);
}

class Ahead final : public NcclAhead {
 public:
  Ahead(Team& team, int most_blocks, const ncclUniqueId& id)
      : team_(&team), rank_(team.rank()), size_(team.size()), most_blocks_(most_blocks), id_(id) {}
  ~Ahead() override {
    if (!runs_ || !started_.valid()) return;
    const Started started = started_.get();
    if (started.status == ncclSuccess && !gpu_is_lost()) ncclCommDestroy(started.communicator);
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  void run() override {
    runs_ = true;
    Started started{ncclSystemError, nullptr};
    try {
      started = start(id_, rank_, size_, most_blocks_);
    } catch (const Error&) {
      // A function that this NCCL lacks: whoever takes it agrees with the other ranks.
    }
    result_.set_value(started);
  }

  bool serves(const Team& team, int most_blocks) const {
    return &team == team_ && most_blocks == most_blocks_ && started_.valid();
  }
  Started take() { return started_.get(); }

 private:
  const Team* team_;
  int rank_, size_, most_blocks_;
  ncclUniqueId id_;
  std::atomic<bool> runs_ = false;
  std::promise<Started> result_;
  std::future<Started> started_ = result_.get_future();
};

/// The one that was prepared last, while it lives.
std::weak_ptr<Ahead> prepared;

}  // namespace

std::shared_ptr<NcclAhead> prepare_nccl_ahead(Team& team, int most_blocks) {
  std::string reason;
  const auto id = agree_on_id(team, reason);
  if (!id) return nullptr;
  auto ahead = std::make_shared<Ahead>(team, most_blocks, *id);
  prepared = ahead;
  return ahead;
}

std::unique_ptr<NcclCommunicator> make_nccl_communicator(Team& team, int most_blocks,
                                                         std::string& reason) {
  if (some_share_a_gpu(team)) {
    reason = "NCCL wants a GPU for each rank, and some share one";
    return nullptr;
  }
  Started started;
  if (const auto ahead = prepared.lock(); ahead && ahead->serves(team, most_blocks)) {
    const WaitingForRanks waiting;
    started = ahead->take();
  } else {
    const auto id = agree_on_id(team, reason);
    if (!id) return nullptr;
    const WaitingForRanks waiting;
    started = start(*id, team.rank(), team.size(), most_blocks);
  }
  if (all_sum(team, started.status == ncclSuccess ? 0 : 1) > 0) {
    if (started.status == ncclSuccess) ncclCommAbort(started.communicator);
    reason = broadcast_text(
        team,
        fmt::format("NCCL does not start on every rank: {}", ncclGetErrorString(started.status)),
        0);
    return nullptr;
  }
  return std::make_unique<Communicator>(started.communicator);
}

#else

std::shared_ptr<NcclAhead> prepare_nccl_ahead(Team&, int) {
  return nullptr;
}

std::unique_ptr<NcclCommunicator> make_nccl_communicator(Team&, int, std::string& reason) {
  reason = "this program was built without NCCL";
  return nullptr;
}

#endif

}  // namespace spsolve::cuda
