#pragma once

#include <string_view>

#include "core/types.hpp"
#include "core/words.hpp"
#include "spsolve/options.hpp"

namespace spsolve::inline solve {

inline constexpr std::string_view method_words[] = {
    "auto",   "gauss", "gauss_jordan", "lu",  "sparse_cholesky", "sparse_ldlt", "sparse_lu", "cg",
    "minres", "gmres", "bicgstab",     "idr", "block_cg",        "cocr"};
inline constexpr std::string_view preconditioner_words[] = {
    "auto", "none", "jacobi",      "block_jacobi", "chebyshev",
    "ilu0", "ic0",  "elimination", "multigrid",    "shifted_laplacian"};
inline constexpr std::string_view pivoting_words[] = {"auto", "none", "partial", "complete",
                                                      "tournament"};
inline constexpr std::string_view ordering_words[] = {"auto", "nested_dissection", "amd",
                                                      "rcm",  "natural",           "file"};
inline constexpr std::string_view null_space_words[] = {"none", "constants", "file"};
/// The words of null spaces that need no file.
inline constexpr Words named_null_space_words = Words(null_space_words).first(2);
/// The words of orders that the program finds by itself.
inline constexpr Words found_ordering_words = Words(ordering_words).first(5);
constexpr Words words_of(Ordering) {
  return ordering_words;
}
constexpr Words words_of(Method) {
  return method_words;
}
constexpr Words words_of(Preconditioner) {
  return preconditioner_words;
}
constexpr Words words_of(Pivoting) {
  return pivoting_words;
}

constexpr Words words_of(NullSpaceKind) {
  return null_space_words;
}

/// Whether a method keeps A sparse.
constexpr bool is_sparse(Method method) {
  return method == Method::sparse_cholesky || method == Method::sparse_ldlt ||
         method == Method::sparse_lu;
}

/// Whether a method takes products with A and a preconditioner alone.
constexpr bool is_krylov(Method method) {
  return method >= Method::cg;
}

/// Why the two don't go together, and what to do, in a sentence without a full stop; or "".
constexpr std::string_view why_not(Method method, Pivoting pivoting) {
  if (method == Method::lu && pivoting == Pivoting::complete) {
    return "solve.pivoting=complete does not go with solve.method=lu; use solve.method=gauss, or "
           "solve.pivoting=tournament or partial";
  }
  const bool by_columns = method == Method::gauss || method == Method::gauss_jordan;
  if (by_columns && pivoting == Pivoting::tournament) {
    return "solve.pivoting=tournament goes with solve.method=lu only; use "
           "solve.pivoting=partial or solve.method=lu";
  }
  if (is_krylov(method) && pivoting != Pivoting::automatic) {
    return "solve.pivoting goes with dense methods, and Krylov methods have no pivots; use "
           "solve.pivoting=auto, or solve.method=lu";
  }
  if (is_sparse(method) && pivoting != Pivoting::automatic) {
    return "solve.pivoting goes with dense methods, as sparse ones look for pivots by rules of "
           "their own; use solve.pivoting=auto, or solve.method=lu";
  }
  return "";
}

/// Why a method and a null space don't go together, likewise.
constexpr std::string_view why_not(Method method, NullSpaceKind null_space) {
  return null_space == NullSpaceKind::none || method == Method::automatic || is_krylov(method)
             ? ""
             : "solve.null_space goes with Krylov methods; use solve.method=auto, cg, minres or "
               "gmres";
}

/// Where a rank's dense rows lie: in host memory, or in that of a GPU of its own.
enum class MemoryKind { host, gpu };

/// Why a sparse elimination by all ranks, or by rank 0 alone, is not kept in checkpoints, without a
/// full stop; or "".
constexpr std::string_view why_no_sparse_checkpoints(int ranks, bool over_ranks,
                                                     MemoryKind memory) {
  if (memory == MemoryKind::gpu) return "sparse methods keep none on GPUs";
  return ranks > 1 && !over_ranks ? "rank 0 eliminates alone, without checkpoints" : "";
}

/// Why any elimination, or iteration, is not kept in checkpoints, likewise.
constexpr std::string_view why_no_checkpoints(Method method, int ranks, bool over_ranks,
                                              MemoryKind memory) {
  return is_sparse(method) ? why_no_sparse_checkpoints(ranks, over_ranks, memory) : "";
}

inline constexpr std::string_view solving_ranks_words[] = {"auto", "all"};
inline constexpr std::string_view factor_place_words[] = {"auto", "memory", "disk"};
inline constexpr std::string_view acceptance_words[] = {"digits", "residual"};
inline constexpr std::string_view auto_switch_words[] = {"auto", "on", "off"};
constexpr Words words_of(SolvingRanks) {
  return solving_ranks_words;
}
constexpr Words words_of(FactorPlace) {
  return factor_place_words;
}
constexpr Words words_of(Acceptance) {
  return acceptance_words;
}
constexpr Words words_of(AutoSwitch) {
  return auto_switch_words;
}

}  // namespace spsolve::solve
