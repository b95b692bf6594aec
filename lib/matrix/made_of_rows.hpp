#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "matrix/csr.hpp"

namespace spsolve::inline matrix {

/// Rows that one thread makes at a time, one after the other. There may be no values.
struct RowChunk {
  std::vector<LocalIndex> columns;
  std::vector<double> values;
};

/// What appends rows first to last - 1 to a chunk, and tells how many entries each has.
struct ChunkMaker {
  virtual ~ChunkMaker() = default;
  virtual void make(Index first, Index last, RowChunk& made, Index* entries) = 0;
};

/// The same as made_of_rows() of makers, one for each thread.
Csr<double> made_of_chunks(Index rows, Index columns,
                           const std::function<std::unique_ptr<ChunkMaker>()>& maker);

/// A matrix whose rows are made one by one, in threads: `make_worker()` makes the worker of a
/// thread, and worker(i, chunk) appends row i to the chunk. Row i must not depend on the worker, so
/// that the matrix doesn't depend on the number of threads. Where workers leave values out the
/// matrix has none.
template <typename MakeWorker>
Csr<double> made_of_rows(Index rows, Index columns, const MakeWorker& make_worker) {
  struct Maker final : ChunkMaker {
    explicit Maker(const MakeWorker& make_worker) : worker(make_worker()) {}
    void make(Index first, Index last, RowChunk& made, Index* entries) override {
      for (Index i = first; i < last; ++i) {
        const std::size_t before = made.columns.size();
        worker(i, made);
        *entries++ = static_cast<Index>(made.columns.size() - before);
      }
    }
    decltype(make_worker()) worker;
  };
  return made_of_chunks(rows, columns, [&] { return std::make_unique<Maker>(make_worker); });
}

}  // namespace spsolve::matrix
