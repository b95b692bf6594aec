#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "io/dense_source.hpp"
#include "vectors/multivector/vectors.hpp"
#include "vectors/vector_memory.hpp"

// Multivectors in bands from and to files (io/dense_source.hpp). Rank 0 alone opens files of Matrix
// Market; of files of numpy and PETSc each rank reads its own rows where it sees them: a
// multivector that is whole in the file is never whole in the memory of a rank.

namespace spsolve::inline vectors {

/// How much of a file is in rank 0's memory at a time, and how many rows stand for one of it.
struct VectorPieces {
  std::int64_t text_bytes = std::int64_t{1} << 22;  ///< of text, where a file is read
  Index values = Index{1} << 20;                    ///< of values, where one is written
  Index parts = 1;  ///< complex_parts: the multivector is the real form of complex numbers
};

/// Throws Error(input) where a file of what `what` says, right-hand sides if nothing else, has
/// another number of rows than the matrix, `rows`, or no column.
void require_shape(const std::filesystem::path& file, const DenseShape& has, Index rows,
                   std::string_view what = "right-hand side");

/// Refuses complex numbers in `file`, of what `what` says, for a real system.
void require_real(const std::filesystem::path& file, const DenseShape& has, std::string_view what);

/// The n x K multivector of `file`, n = layout.rows, in bands: whatever read_dense() reads, plain
/// or gzip; entries that a coordinate file names more than once add up in its order. Throws the
/// same Error on every rank: as read_dense(), and Error(input) where the file has not n rows.
/// Collective.
///
/// With `pieces.parts` = complex_parts the multivector is the real form of n / 2 x K complex
/// numbers (see matrix/real_form.hpp), n / 2 rows of the file, real or complex, in bands of whole
/// pairs of rows; else complex numbers are refused.
///
/// Memory: a band and a piece on every rank; twice the band while it goes to a memory that is no
/// host's. Rank 0 also holds the mapped file, or the inflated text of a gzip file, and 24 bytes for
/// each entry of a symmetric coordinate file that has entries in both triangles. Cost: the file
/// once through rank 0; for each piece an all-gather, a broadcast and a message to every owner.
std::unique_ptr<Vectors> read_vectors(Team& team, const RowLayout& layout,
                                      const VectorMemory& memory, const std::filesystem::path& file,
                                      const VectorPieces& pieces = {});

/// Writes X as write_matrix_market() writes a whole one, to the byte; with `pieces.parts` =
/// complex_parts
/// as the complex numbers that X is the real form of. Throws the same Error on
/// every rank, and then there is no new file. Collective.
///
/// Memory: a column of the band (none for K = 1) and a piece on every rank, two pieces and their
/// text on rank 0. Cost: for each piece an all-gather and a message from every owner.
void write_vectors(const std::filesystem::path& file, const Vectors& x,
                   std::string_view comment = {}, const VectorPieces& pieces = {});

}  // namespace spsolve::vectors
