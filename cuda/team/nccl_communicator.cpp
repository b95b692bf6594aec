#include "cuda/team/nccl_communicator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "cuda/core/cuda_check.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/vendor/vendor_library.hpp"
#include "cuda/team/shared_gpu.hpp"
#include "process/pulse.hpp"

#ifdef SPSOLVE_HAVE_NCCL
#include <nccl.h>
#endif

namespace spsolve::cuda::inline team {

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

std::string name_of_nccl() {
  int version = 0;  // 10000 major + 100 minor + patch
  ncclGetVersion(&version);
  return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// A communicator that several objects may send by.
using Handle = std::shared_ptr<ncclComm>;

Handle held(ncclComm_t communicator) {
  return Handle(communicator, [](ncclComm_t last) {
    if (!gpu_is_left()) ncclCommDestroy(last);
  });
}

/// Messages as one piece of work; each begins when its turn comes.
class Group {
 public:
  Group(const Handle& handle, cudaStream_t stream) : handle_(handle), stream_(stream) {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
  }
  void send(std::span<const std::byte> data, int to) const {
    check_nccl(ncclSend(data.data(), data.size(), ncclChar, to, handle_.get(), stream_),
               "ncclSend");
  }
  void receive(std::span<std::byte> data, int from) const {
    check_nccl(ncclRecv(data.data(), data.size(), ncclChar, from, handle_.get(), stream_),
               "ncclRecv");
  }
  void go() const {
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    expect_ranks(stream_);
  }

 private:
  const Handle& handle_;
  cudaStream_t stream_;
};

/// One or two ranks of a communicator, which need none of their own, as starting one takes a tenth
/// of a second or more.
class Pair final : public NcclCommunicator {
 public:
  /// `ranks`: of `handle`; `me`: the place of this one among them.
  Pair(Handle handle, std::vector<int> ranks, int me)
      : handle_(std::move(handle)), ranks_(std::move(ranks)), me_(me) {}

  void broadcast(std::span<std::byte> data, int root, cudaStream_t stream) override {
    const BroadcastPart part{root, data};
    broadcast(std::span(&part, 1), stream);
  }

  void broadcast(std::span<const BroadcastPart> parts, cudaStream_t stream) override {
    if (ranks_.size() < 2) return;
    const Group group(handle_, stream);
    for (const BroadcastPart& part : parts) {  // NCCL takes those for one peer in order
      if (part.data.empty()) continue;
      if (part.root == me_) {
        group.send(part.data, other());
      } else {
        group.receive(part.data, other());
      }
    }
    group.go();
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  cudaStream_t stream) override {
    if (mine.empty()) return;
    const auto place = [&](int rank) { return all.subspan(rank * mine.size(), mine.size()); };
    CUDA_CHECK(cudaMemcpyAsync(place(me_).data(), mine.data(), mine.size(),
                               cudaMemcpyDeviceToDevice, stream));
    if (ranks_.size() < 2) return;
    const Group group(handle_, stream);
    group.send(mine, other());
    group.receive(place(1 - me_), other());
    group.go();
  }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                cudaStream_t stream) override {
    if (outgoing.empty() && incoming.empty()) return;
    const Group group(handle_, stream);
    for (const Outgoing& message : outgoing) group.send(message.data, ranks_[message.to]);
    for (const Incoming& message : incoming) group.receive(message.data, ranks_[message.from]);
    group.go();
  }

  std::unique_ptr<NcclCommunicator> split(Team& team, int group, int order) override;

  std::string name() const override { return name_of_nccl(); }

 private:
  int other() const { return ranks_[1 - me_]; }

  Handle handle_;
  std::vector<int> ranks_;
  int me_;
};

/// The ranks of a team that are in the same part as this one, in the order of the part.
struct GroupMembers {
  std::vector<int> ranks;
  int me = 0;
  std::size_t largest = 0;  ///< ranks of the largest part of the team
};

/// The part of the ranks that name the same group. Collective.
GroupMembers part_of(Team& team, int group, int order) {
  struct GroupRequest {
    int group, order, rank;
  };
  std::vector<GroupRequest> requests = all_gather(team, GroupRequest{group, order, team.rank()});
  std::ranges::stable_sort(requests, {}, &GroupRequest::order);
  GroupMembers part;
  for (const GroupRequest& request : requests) {
    if (request.group < 0) continue;
    const auto size = static_cast<std::size_t>(std::ranges::count_if(
        requests, [&](const GroupRequest& of) { return of.group == request.group; }));
    part.largest = std::max(part.largest, size);
    if (request.group != group) continue;
    if (request.rank == team.rank()) part.me = static_cast<int>(part.ranks.size());
    part.ranks.push_back(request.rank);
  }
  return part;
}

std::unique_ptr<NcclCommunicator> Pair::split(Team& team, int group, int order) {
  GroupMembers part = part_of(team, group, order);
  if (group < 0) return nullptr;
  for (int& rank : part.ranks) rank = ranks_[rank];
  return std::make_unique<Pair>(handle_, std::move(part.ranks), part.me);
}

class Communicator final : public NcclCommunicator {
 public:
  explicit Communicator(ncclComm_t communicator) : handle_(held(communicator)) {}

  void broadcast(std::span<std::byte> data, int root, cudaStream_t stream) override {
    if (data.empty()) return;
    check_nccl(
        ncclBroadcast(data.data(), data.data(), data.size(), ncclChar, root, handle_.get(), stream),
        "ncclBroadcast");
    expect_ranks(stream);
  }

  void broadcast(std::span<const BroadcastPart> parts, cudaStream_t stream) override {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (const BroadcastPart& part : parts) broadcast(part.data, part.root, stream);
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  cudaStream_t stream) override {
    if (mine.empty()) return;
    check_nccl(ncclAllGather(mine.data(), all.data(), mine.size(), ncclChar, handle_.get(), stream),
               "ncclAllGather");
    expect_ranks(stream);
  }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                cudaStream_t stream) override {
    if (outgoing.empty() && incoming.empty()) return;
    const Group group(handle_, stream);
    for (const Outgoing& message : outgoing) group.send(message.data, message.to);
    for (const Incoming& message : incoming) group.receive(message.data, message.from);
    group.go();
  }

  std::unique_ptr<NcclCommunicator> split(Team& team, int group, int order) override {
    GroupMembers members = part_of(team, group, order);
    const bool is_pair = members.ranks.size() <= 2;
    ncclComm_t part = nullptr;
    ncclResult_t status = ncclSuccess;
    if (members.largest > 2) {
      const WaitingForRanks waiting;
      status =
          ncclCommSplit(handle_.get(), is_pair ? NCCL_SPLIT_NOCOLOR : group, order, &part, nullptr);
    }
    auto made = part == nullptr ? nullptr : std::make_unique<Communicator>(part);
    if (all_sum(team, status == ncclSuccess ? 0 : 1) > 0) {
      fail_everywhere(ExitCode::resources, "NCCL does not start between some of the GPUs");
    }
    if (group < 0 || !is_pair) return made;
    return std::make_unique<Pair>(handle_, std::move(members.ranks), members.me);
  }

  std::string name() const override { return name_of_nccl(); }

 private:
  Handle handle_;
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

/// Whether the stream comes to its end before patience does.
bool ends_soon(const Stream& stream) {
  constexpr double patience = 30;
  const Timer timer;
  while (cudaStreamQuery(stream.get()) == cudaErrorNotReady) {
    if (timer.seconds() > patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return cudaStreamQuery(stream.get()) == cudaSuccess;
}

/// NCCL connects two GPUs, or a ring of all, when they are first wanted, which takes half a second
/// for four of them: some bytes by each way that elimination takes. On every rank; where one
/// cannot, the others lose patience, too. The communicator is gone where that did not go well.
ncclResult_t connect(ncclComm_t communicator, int rank, int size) {
  constexpr int most_ranks = 16;  // of which each is connected with each
  constexpr std::size_t some = 256;
  const Stream stream(Stream::Order::alone);
  DeviceArray<std::byte> room(static_cast<Index>(some) * 2 * size);
  const auto place = [&](int i) { return room.data() + i * some; };
  ncclResult_t status =
      ncclBroadcast(place(0), place(0), some, ncclChar, 0, communicator, stream.get());
  if (size <= most_ranks) {
    ncclGroupStart();
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      ncclSend(place(other), some, ncclChar, other, communicator, stream.get());
      ncclRecv(place(size + other), some, ncclChar, other, communicator, stream.get());
    }
    const ncclResult_t sent = ncclGroupEnd();
    if (status == ncclSuccess) status = sent;
  }
  if (status == ncclSuccess && !ends_soon(stream)) status = ncclSystemError;
  // Before its room goes, which would wait for what is on its way.
  if (status != ncclSuccess) ncclCommAbort(communicator);
  return status;
}

/// The id that all ranks begin with; or why not.
std::optional<ncclUniqueId> agree_on_id(Team& team, std::string& reason) {
  // On one host GPUs share memory in CUDA's older way, unless the environment says otherwise: in
  // the newer one, to connect four takes 0.4 s longer.
  if (team.ranks_on_host() == team.size()) ::setenv("NCCL_CUMEM_ENABLE", "0", 0);
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
    if (started.status == ncclSuccess && !gpu_is_left()) ncclCommDestroy(started.communicator);
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  void run() override {
    runs_ = true;
    Started started{ncclSystemError, nullptr};
    try {
      started = start(id_, rank_, size_, most_blocks_);
      if (started.status == ncclSuccess) {
        started.status = ncclSystemError;  // unless it gets to the end
        started.status = connect(started.communicator, rank_, size_);
      }
    } catch (const Error&) {
      // A function that this NCCL lacks, or memory that is short: whoever takes it agrees with the
      // other ranks.
      if (started.communicator != nullptr) ncclCommAbort(started.communicator);
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

/// The communicator that was prepared last, while it lives.
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

}  // namespace spsolve::cuda::team
