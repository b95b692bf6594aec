#pragma once

#include <mpi.h>

#include "team/team.hpp"

namespace spsolve::inline mpi {

/// MPI_Init and MPI_Finalize as the life of an object. Argument handling is MPI's own.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Library and version as MPI names itself, in one line.
  static std::string version();

  /// Whether there is one in this process.
  static bool is_open();
};

/// The ranks of a communicator. Messages of any length: what is too long for one MPI call goes in
/// pieces. An MPI error is an Error(internal) on the rank that meets it; whoever catches it last
/// calls abort().
class MpiTeam final : public Team {
 public:
  /// Works on a copy of `ranks`, so that its messages meet nobody else's. Collective over them.
  explicit MpiTeam(MPI_Comm ranks = MPI_COMM_WORLD);
  ~MpiTeam() override;
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int ranks_on_host() const override { return ranks_on_host_; }
  int rank_on_host() const override { return rank_on_host_; }
  void broadcast_bytes(std::span<std::byte> data, int root) override;
  void all_gather_bytes(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void all_gather_parts(std::span<std::byte> all, std::span<const Index> sizes) override;
  void send_bytes(std::span<const std::byte> data, int to) override;
  void receive_bytes(std::span<std::byte> data, int from) override;
  void exchange_bytes(std::span<std::byte> data, int partner) override;

  /// Messages as persistent requests.
  std::unique_ptr<Messages> messages(std::span<const Outgoing> outgoing,
                                     std::span<const Incoming> incoming) override;

  /// Splits by MPI_Comm_split.
  std::unique_ptr<Team> split(int group, int order) override;

  void rest_until_called(int root) override;

  /// Where the MPI library says at run time that it is CUDA-aware.
  bool claims_gpu_memory() const override;

  /// A window of shared memory (MPI 3.1, 11.2.3); at most one of a team's life.
  std::span<std::byte> shared_on_host(std::size_t bytes) override;

  /// Ends all ranks by MPI_Abort from the thread that started MPI; from another one by the end of
  /// this process.
  [[noreturn]] void abort(ExitCode code) override;

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
  MPI_Comm host_ = MPI_COMM_NULL;
  MPI_Win shared_ = MPI_WIN_NULL;
  int rank_ = 0;
  int size_ = 1;
  int ranks_on_host_ = 1;
  int rank_on_host_ = 0;
};

}  // namespace spsolve::mpi
