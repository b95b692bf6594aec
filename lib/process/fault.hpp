#pragma once

#include <cstdint>
#include <optional>

namespace spsolve::inline process {

// Failures on purpose, for tests of how the other ranks then act. Compiled in by the CMake option
// SPSOLVE_FAULTS only, which no release has; without it these functions are empty.
//
//   SPSOLVE_FAULT="rank=1:phase=eliminate:step=20:kill"
//
// names the rank (0 where left out, or all), the phase (any), how many steps into that phase (0: as
// it begins), and last what happens there. Several, with commas between them, happen one after the
// other on their rank.
//
//   kill       the process ends by SIGKILL, as by the kernel where memory runs out
//   bad_alloc  no memory is given
//   throw      an exception of no known kind
//   hang       the rank waits for ever, as on a file system that went away
//   stop       the whole process stands still (SIGSTOP), its watchdog with it
//   save, end  a signal comes, as from outside: SIGUSR1 or SIGUSR2
//   await      the rank says so, and waits until such a signal does come from outside
//   late       a day passes for the clock of checkpoints, which is rank 0's

//   unreadable what was written to disk for want of memory cannot be read from then on
//   gpu_gone   calls that wait for this rank's GPU fail from then on: it fell off the bus
//   gpu_trap   a kernel of this rank's GPU ends by a trap, after which CUDA refuses every call
//   gpu_hang   a kernel never ends
//
//   SPSOLVE_FAULT="rank=0:gpu_memory=200"   or without a rank, for all: from the beginning, so many
//                                           MiB are said to be free on its GPU, also where none is
//   SPSOLVE_FAULT="memory=200"              likewise in the memory of its host

/// Reads SPSOLVE_FAULT. Throws Error(input) where it is no fault.
void prepare_fault(int rank);

/// Where a fault may happen: a step of the present phase.
void fault_point();

/// Seconds that have passed for the clock of checkpoints in addition to those that did.
double injected_seconds();

/// The bytes that are said to be free in the memory of this rank's GPU, where that is injected.
std::optional<std::int64_t> injected_gpu_memory();

/// Whether reads of such files fail.
bool injected_read_error();

/// The bytes that are said to be free in the memory of this host, likewise.
std::optional<std::int64_t> injected_memory();

/// The fault that happened to this rank's GPU.
enum class GpuFault { none, gone, trap, hang };
GpuFault gpu_fault();

}  // namespace spsolve::process
