#pragma once

#include <cstdint>
#include <vector>

#include "sparse/fronts/border_block.hpp"
#include "sparse/fronts/factorization.hpp"
#include "sparse/fronts/fronts.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

// The memory that a multifrontal factorisation takes: factors, and stacks of contribution blocks.

/// Bytes that a factorisation takes in addition to its matrix and its fronts.
struct FactorMemory {
  std::int64_t factors = 0;
  std::int64_t stack = 0;  ///< of contribution blocks, and scratch of threads
  std::int64_t rest = 0;   ///< rows of pivots
};

/// How a factorisation is spread over threads; see Schedule.
Schedule factor_schedule(const Fronts& fronts, Factorization kind, int threads);

/// Bytes of values in T by that schedule.
FactorMemory factor_memory(const Fronts& fronts, Factorization kind, const Schedule& schedule,
                           std::size_t value_bytes);

/// Entries of the factors of a front.
Index factor_entries(const Fronts& fronts, LocalIndex s, Factorization kind);

/// Whether the contribution block of a front is for others than these fronts.
bool contributes_outside(const Fronts& fronts, LocalIndex s);

/// Fronts whose blocks are on no stack: those of the schedule's subtrees, and those whose blocks
/// are handed over.
std::vector<bool> off_the_stacks(const Fronts& fronts, const Schedule& schedule);

/// Where the columns of the contribution block of a front lie: a triangle's, or those of LU's
/// square.
BorderBlock border_block(const Fronts& fronts, LocalIndex s, Factorization kind);

/// Columns of the border in a tile: a panel; of LU few enough tiles to be cheap, enough for all
/// threads.
Index border_piece(Index m, Factorization kind);

/// Entries of one thread's stack, of that for the fronts above, and of the contribution blocks of
/// subtrees; and scratch of a thread, and for the fronts above.
struct StackSizes {
  Index lane = 0, upper = 0, subtrees = 0, root_contributions = 0;
  Index lane_scratch = 0, upper_scratch = 0;
};

StackSizes stack_sizes(const Fronts& fronts, Factorization kind, const Schedule& schedule);

}  // namespace spsolve::sparse
