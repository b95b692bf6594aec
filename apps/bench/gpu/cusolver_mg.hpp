#pragma once

#include <memory>

#include "apps/bench/eliminate_bench.hpp"
#include "team/team.hpp"

namespace spsolve::cuda {

/// cuSOLVER's elimination over several GPUs, cusolverMgGetrf + cusolverMgGetrs in double: one
/// process, rank 0 here, drives the GPUs of all ranks, which wait meanwhile. Columns are dealt out
/// in blocks of 256.
class CusolverMg {
 public:
  /// The library with the current GPUs of the team's ranks. Null on every rank where rank 0 doesn't
  /// see each of them, or one serves two ranks. Throws Error(resources) on every rank where the
  /// library can't use them. Collective.
  static std::shared_ptr<CusolverMg> find(Team& team);

  ~CusolverMg();

  /// The peer for systems of that order; `diagonal` is that of GpuSystem. Its runs are collective.
  static bench::Contender contender(const std::shared_ptr<CusolverMg>& solver, Index order,
                                    double diagonal);

 private:
  struct Handles;

  CusolverMg(Team& team, std::vector<int> gpus);

  void run(bench::Turn& turn, Index order, double diagonal);

  Team& team_;
  std::vector<int> gpus_;             // their numbers on rank 0
  std::unique_ptr<Handles> handles_;  // on rank 0
};

}  // namespace spsolve::cuda
