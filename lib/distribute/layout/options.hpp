#pragma once

#include <string_view>

#include "core/words.hpp"

namespace spsolve::inline distribute {

/// How rows are dealt out in bands: of equal rows, of equal non-zeros, or the latter where it is
/// worth it.
enum class BandsChoice { automatic, rows, nonzeros };

inline constexpr std::string_view bands_words[] = {"auto", "rows", "nonzeros"};
constexpr Words words_of(BandsChoice) {
  return bands_words;
}

/// How rows travel between the GPUs of ranks.
enum class Transport {
  automatic,  ///< by the best of those that work
  peer,       ///< by the GPUs' copy engines, where all ranks are on one host; halos alone
  nccl,       ///< by NCCL, as work on a stream
  mpi,        ///< by the team's messages from GPU memory, as a CUDA-aware MPI takes them
  pinned,     ///< through page-locked host memory, and from there by the team's messages
};

inline constexpr std::string_view transport_words[] = {"auto", "peer", "nccl", "mpi", "pinned"};
constexpr Words words_of(Transport) {
  return transport_words;
}

}  // namespace spsolve::distribute
