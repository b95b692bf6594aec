#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace spsolve::inline process {

/// The name of this host.
std::string host_name();

/// Bytes that the processes of this host, or of this process's control group, could still allocate
/// without swapping: the smaller of what the kernel reports as available and what is left under the
/// limits of this control group and those above it (both versions of control groups; memory that
/// only caches files counts as free). The largest number where the kernel does not tell.
std::int64_t available_memory();

/// Bytes that this process alone could still map under its limit of address space (RLIMIT_AS,
/// ulimit -v); the largest number without a limit.
std::int64_t left_under_process_limit();

/// Largest resident size of this process so far, in bytes.
std::int64_t peak_memory();

/// Resident size of this process now, in bytes; 0 where the system does not tell.
std::int64_t resident_memory();

/// The most by which this process's resident memory grows while the object lives. peak_memory()
/// forgets the peaks before.
class MemoryGrowth {
 public:
  MemoryGrowth();

  /// In bytes, until now; nothing where the system does not tell.
  std::optional<std::int64_t> peak() const;

 private:
  std::int64_t start_ = 0;
};

/// Hands memory that was freed back to the system, as far as the C library keeps it for later: once
/// between parts of a run, the first of which took much that the second has no use for.
void hand_back_freed_memory();

/// Processors that this process may run on (its affinity mask).
int usable_processors();

/// The NUMA node of all processors that this process may run on; -1 where there are several, or the
/// system does not tell.
int numa_node();

/// Processors of this host.
int host_processors();

/// Threads that ranks with GPUs and at least so many processors each leave to messages.
constexpr int processors_with_some_for_messages = 8, left_for_messages = 2;

/// Threads for one rank: `wanted` where positive, else OMP_NUM_THREADS where set, else an equal
/// share of the host's processors among its ranks, within the affinity mask; of a large share,
/// where ranks have GPUs to talk to and through, all but those that drivers and messages want: a
/// team of threads waits for the last one. Of such a share `most` at most.
int choose_threads(int wanted, int ranks_on_host, bool with_gpus = false,
                   int most = std::numeric_limits<int>::max());

/// Throws Error(resources) where this process, or threads of OpenMP, have less stack than they take
/// (ulimit -s, OMP_STACKSIZE): they would end without a word, or compute with numbers that others
/// wrote over theirs.
void require_stack();

/// Starts so many threads for a moment, the calling one among them, and throws std::system_error
/// where the system gives no more: OpenMP would end the process, with an exit code of its own. As
/// require_stack().
void require_threads(int threads);

}  // namespace spsolve::process
