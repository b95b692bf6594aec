#pragma once

#include "distribute/halo/halo_carrier.hpp"
#include "matrix/dense.hpp"

namespace spsolve::inline vectors {

/// The rows of x that this rank's columns name after its own ones, row-major: in host memory, or
/// where x lies. They may be under way still: wait() comes before they are read.
struct HaloView {
  HaloView(const Dense<double>& on_host)  // NOLINT: any halo in host memory is one
      : values(on_host.values.data()), rows(on_host.rows), columns(on_host.columns) {}

  /// What `of` brings to where x lies.
  HaloView(HaloCarrier& of, const double* x, Index column_count)
      : values(distribute::bring(of, x, column_count)),
        rows(of.rows()),
        columns(column_count),
        beside_x(true),
        carrier(&of) {}

  void wait() const {
    if (carrier != nullptr) carrier->wait();
  }

  const double* row(Index i) const { return values + i * columns; }
  Index size() const { return rows * columns; }

  const double* values;
  Index rows, columns;
  bool beside_x = false;           ///< in the memory of x
  HaloCarrier* carrier = nullptr;  ///< that brings them, if they are under way
};

}  // namespace spsolve::vectors
