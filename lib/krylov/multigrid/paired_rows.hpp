#pragma once

#include <utility>

#include "matrix/made_of_rows.hpp"
#include "matrix/real_form.hpp"

namespace spsolve::inline krylov {

/// Appends rows of a real form one after the other, for made_of_rows(): those of real parts as the
/// worker makes them, of whole pairs of columns, and those of imaginary parts as these tell. Half
/// the work, and the block of every number is exactly one.
template <typename Worker>
class PairedRows {
 public:
  explicit PairedRows(Worker worker) : worker_(std::move(worker)) {}

  void operator()(Index i, RowChunk& chunk) {
    if (i % complex_parts == 0) {
      first_ = chunk.columns.size();
      return worker_(i, chunk);
    }
    const std::size_t last = chunk.columns.size();
    for (std::size_t k = first_; k < last; k += complex_parts) {
      const LocalIndex column = chunk.columns[k];
      const double re = chunk.values[k], im = 0 - chunk.values[k + 1];
      chunk.columns.insert(chunk.columns.end(), {column, column + 1});
      chunk.values.insert(chunk.values.end(), {im, re});
    }
  }

 private:
  Worker worker_;
  std::size_t first_ = 0;  // where the row of real parts begins in its chunk
};

/// made_of_rows() of workers that make all rows, or in `pairs` those of real parts.
template <typename MakeWorker>
Csr<double> made_of_numbers(Index rows, Index columns, bool pairs, const MakeWorker& make_worker) {
  if (!pairs) return made_of_rows(rows, columns, make_worker);
  return made_of_rows(rows, columns, [&] { return PairedRows(make_worker()); });
}

}  // namespace spsolve::krylov
