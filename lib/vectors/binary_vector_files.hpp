#pragma once

#include <filesystem>
#include <memory>

#include "vectors/multivector/vectors.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::inline vectors {

struct VectorPieces;

/// read_vectors() of a file of numpy or PETSc (io/binary/dense_file.hpp). Where all ranks see the
/// file, each reads its own rows; else rank 0 reads them and sends them out, in pieces of
/// `pieces.values`. Collective.
std::unique_ptr<Vectors> read_binary_vectors(Team& team, const RowLayout& layout,
                                             const VectorMemory& memory,
                                             const std::filesystem::path& file,
                                             const VectorPieces& pieces);

}  // namespace spsolve::vectors
