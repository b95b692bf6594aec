#pragma once

#include <span>

#include "team/team.hpp"

namespace spsolve::inline team {

/// How the values of all ranks at one position become one. Always in the order of the ranks, so
/// that the bits depend on the values and their ranks alone, neither on the transport nor on the
/// length:
/// ((v_0 + v_1) + v_2) + ..., and the largest, where a nan of any rank stays a nan.
enum class Reduction { sum, maximum };

/// Replaces each of the n values, the same number on every rank, by that of all ranks at its
/// position, on every rank. Few values go by one all-gather: log2 P messages, P n values. More go
/// by reduce_scatter() to parts of n / P and an all-gather of the parts: each rank sends and gets 2
/// n (P - 1) / P values, in some 3 P messages and 2 P more for every further 2 MiB of a part times
/// P; it holds no more than 2 MiB (8 KiB P where that is more) in addition to its values.
/// Collective, in host memory.
void reduce(Team& team, std::span<double> values, Reduction how);

/// Cuts the n `values` of every rank into parts of `sizes`, by rank and the same on all, and puts
/// into `own` the part of this rank's number of all ranks' values together. Each rank sends and
/// gets n values less its own part, in slices: P - 1 messages each way for 2^18 / P values of a
/// part; it holds a slice of every other rank, 2 MiB (8 KiB P where that is more). `own` may be
/// this rank's part of `values` itself. Collective, in host memory.
void reduce_scatter(Team& team, std::span<const double> values, std::span<const Index> sizes,
                    std::span<double> own, Reduction how);

}  // namespace spsolve::team
