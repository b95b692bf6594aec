#include "mpi/mpi_team.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <numeric>
#include <thread>

#include "core/error.hpp"
#include "process/pulse.hpp"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#define MPI_CHECK(call) ::spsolve::check_mpi(call, #call)

namespace spsolve::inline mpi {

namespace {

/// Bytes in one MPI call: counts are int.
constexpr std::size_t piece = std::size_t{1} << 30;

constexpr int message_tag = 1;
constexpr int neighbour_tag = 2;

}  // namespace

static void check_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  const std::string_view name(call);
  fail(ExitCode::internal, "{} failed: {}", name.substr(0, name.find('(')), text);
}

namespace {

/// Calls `transfer(pointer, count)` for successive pieces of `data`.
template <typename Byte, typename Transfer>
void in_pieces(std::span<Byte> data, Transfer&& transfer) {
  for (std::size_t done = 0; done < data.size(); done += piece) {
    const std::size_t count = std::min(piece, data.size() - done);
    transfer(data.data() + done, static_cast<int>(count));
  }
}

class MpiMessages final : public Messages {
 public:
  MpiMessages(MPI_Comm ranks, std::span<const Outgoing> outgoing,
              std::span<const Incoming> incoming) {
    for (const Incoming& message : incoming) {
      in_pieces(message.data, [&](std::byte* bytes, int count) {
        MPI_CHECK(MPI_Recv_init(bytes, count, MPI_BYTE, message.from, neighbour_tag, ranks,
                                &new_request()));
      });
    }
    for (const Outgoing& message : outgoing) {
      in_pieces(message.data, [&](const std::byte* bytes, int count) {
        MPI_CHECK(MPI_Send_init(bytes, count, MPI_BYTE, message.to, neighbour_tag, ranks,
                                &new_request()));
      });
    }
  }
  ~MpiMessages() override {
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }
  MpiMessages(const MpiMessages&) = delete;
  MpiMessages& operator=(const MpiMessages&) = delete;

  void start() override {
    if (requests_.empty()) return;
    MPI_CHECK(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()));
  }
  void wait() override {
    const WaitingForRanks waiting;
    MPI_CHECK(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  }

 private:
  MPI_Request& new_request() { return requests_.emplace_back(MPI_REQUEST_NULL); }

  std::vector<MPI_Request> requests_;
};

/// Where mpirun started all ranks on this host, Open MPI need not look for networks before it takes
/// shared memory, for 0.2 s. The environment, or mpirun --mca, takes precedence.
void look_for_no_network() {
  const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all == nullptr || here == nullptr || std::strcmp(all, here) != 0) return;
  for (const char* key : {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl"}) {
    if (std::getenv(key) != nullptr) return;
  }
  ::setenv("OMPI_MCA_pml", "ob1", 1);
}

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  look_for_no_network();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided >= MPI_THREAD_FUNNELED) return;
  std::cerr << "this MPI was built without support of threads (MPI_THREAD_FUNNELED), which every "
               "rank uses; use another build of it"
            << std::endl;
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::resources));
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

std::string MpiSession::version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

bool MpiSession::is_open() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

MpiTeam::MpiTeam(MPI_Comm ranks) {
  MPI_CHECK(MPI_Comm_dup(ranks, &ranks_));
  MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
  MPI_CHECK(MPI_Comm_rank(ranks_, &rank_));
  MPI_CHECK(MPI_Comm_size(ranks_, &size_));
  MPI_CHECK(MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host_));
  MPI_CHECK(MPI_Comm_size(host_, &ranks_on_host_));
  MPI_CHECK(MPI_Comm_rank(host_, &rank_on_host_));
}

MpiTeam::~MpiTeam() {
  if (shared_ != MPI_WIN_NULL) MPI_Win_free(&shared_);
  MPI_Comm_free(&host_);
  MPI_Comm_free(&ranks_);
}

void MpiTeam::broadcast_bytes(std::span<std::byte> data, int root) {
  if (size_ == 1) return;
  const WaitingForRanks waiting;
  in_pieces(data, [&](std::byte* bytes, int count) {
    MPI_CHECK(MPI_Bcast(bytes, count, MPI_BYTE, root, ranks_));
  });
}

void MpiTeam::rest_until_called(int root) {
  if (size_ == 1) return;
  const WaitingForRanks waiting;
  std::byte nothing{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_CHECK(MPI_Ibcast(&nothing, 1, MPI_BYTE, root, ranks_, &request));
  std::chrono::microseconds nap{5};
  constexpr std::chrono::microseconds longest_nap{1000};
  for (int there = 0;;) {
    MPI_CHECK(MPI_Test(&request, &there, MPI_STATUS_IGNORE));
    if (there != 0) return;
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, longest_nap);
  }
}

void MpiTeam::all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) {
  if (mine.size() > piece) {
    fail(ExitCode::internal, "an all-gather of {} bytes a rank is more than one MPI call takes",
         mine.size());
  }
  const WaitingForRanks waiting;
  const int count = static_cast<int>(mine.size());
  MPI_CHECK(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, ranks_));
}

void MpiTeam::all_gather_parts(std::span<std::byte> all, std::span<const Index> sizes) {
  if (size_ == 1) return;
  // Beyond an MPI call's counts and displacements parts are broadcast, in pieces.
  if (all.size() > piece) return Team::all_gather_parts(all, sizes);
  const WaitingForRanks waiting;
  const std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  MPI_CHECK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), counts.data(),
                           starts.data(), MPI_BYTE, ranks_));
}

void MpiTeam::send_bytes(std::span<const std::byte> data, int to) {
  const WaitingForRanks waiting;
  in_pieces(data, [&](const std::byte* bytes, int count) {
    MPI_CHECK(MPI_Send(bytes, count, MPI_BYTE, to, message_tag, ranks_));
  });
}

void MpiTeam::receive_bytes(std::span<std::byte> data, int from) {
  const WaitingForRanks waiting;
  in_pieces(data, [&](std::byte* bytes, int count) {
    MPI_CHECK(MPI_Recv(bytes, count, MPI_BYTE, from, message_tag, ranks_, MPI_STATUS_IGNORE));
  });
}

void MpiTeam::exchange_bytes(std::span<std::byte> data, int partner) {
  const WaitingForRanks waiting;
  in_pieces(data, [&](std::byte* bytes, int count) {
    MPI_CHECK(MPI_Sendrecv_replace(bytes, count, MPI_BYTE, partner, message_tag, partner,
                                   message_tag, ranks_, MPI_STATUS_IGNORE));
  });
}

std::unique_ptr<Messages> MpiTeam::messages(std::span<const Outgoing> outgoing,
                                            std::span<const Incoming> incoming) {
  return std::make_unique<MpiMessages>(ranks_, outgoing, incoming);
}

std::unique_ptr<Team> MpiTeam::split(int group, int order) {
  MPI_Comm chosen = MPI_COMM_NULL;
  const WaitingForRanks waiting;
  MPI_CHECK(MPI_Comm_split(ranks_, group < 0 ? MPI_UNDEFINED : group, order, &chosen));
  if (chosen == MPI_COMM_NULL) return nullptr;
  auto team = std::make_unique<MpiTeam>(chosen);
  MPI_Comm_free(&chosen);
  return team;
}

bool MpiTeam::claims_gpu_memory() const {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

std::span<std::byte> MpiTeam::shared_on_host(std::size_t bytes) {
  if (ranks_on_host_ == 1 || shared_ != MPI_WIN_NULL) return {};
  const std::size_t size = bytes * static_cast<std::size_t>(ranks_on_host_);
  const MPI_Aint mine = rank_on_host_ == 0 ? static_cast<MPI_Aint>(size) : 0;
  void* start = nullptr;
  MPI_CHECK(MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, host_, &start, &shared_));
  MPI_Aint length = 0;
  int unit = 1;
  MPI_CHECK(MPI_Win_shared_query(shared_, 0, &length, &unit, &start));
  if (rank_on_host_ == 0) std::memset(start, 0, size);
  MPI_CHECK(MPI_Barrier(host_));
  return {static_cast<std::byte*>(start), size};
}

void MpiTeam::abort(ExitCode code) {
  // MPI_THREAD_FUNNELED leaves the calls to the thread that started MPI. A watchdog is another one,
  // and that thread may be inside a call: so its process ends by itself. One that ends with a code
  // and without MPI_Finalize is a failure to the launcher, which ends the others with that code, as
  // it does for MPI_Abort, and as fast (Open MPI 4.1, ranks that wait, compute or are stopped).
  // Where a launcher does not, the other ranks' watchdogs see that this one is gone.
  // MPI_THREAD_MULTIPLE would allow the call, for locks in every message of every run.
  int started_mpi = 0;
  MPI_Is_thread_main(&started_mpi);
  if (started_mpi != 0) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

}  // namespace spsolve::mpi
