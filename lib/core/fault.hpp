#pragma once

namespace spsolve {

// Failures on purpose, for tests of what the other ranks then do. Compiled in by the CMake option
// SPSOLVE_FAULTS only, which no release has; without it these functions are empty.
//
//   SPSOLVE_FAULT="rank=1:phase=eliminate:step=20:kill"
//
// names the rank (0 where left out), the phase (any), how many steps into that phase (0: as it
// begins), and last what happens there:
//
//   kill       the process ends by SIGKILL, as by the kernel where memory runs out
//   bad_alloc  no memory is given
//   throw      an exception of no known kind
//   hang       the rank waits for ever, as on a file system that went away
//   stop       the whole process stands still (SIGSTOP), its watchdog with it

/// Reads SPSOLVE_FAULT. Throws Error(input) where it is no fault.
void prepare_fault(int rank);

/// Where a fault may happen: a step of the present phase.
void fault_point();

}  // namespace spsolve
