#pragma once

#include "matrix/dense.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline vectors {

class HaloCarrier;

/// The rows of x that this rank's columns name after its own ones, row-major: in host memory, or
/// where x lies. They may be under way still: wait() comes before they are read.
struct HaloView {
  HaloView(const Dense<double>& on_host)  // NOLINT: any halo in host memory is one
      : values(on_host.values.data()), rows(on_host.rows), columns(on_host.columns) {}
  HaloView(const double* where_x_lies, Index row_count, Index column_count)
      : values(where_x_lies), rows(row_count), columns(column_count), beside_x(true) {}

  void wait() const;

  const double* row(Index i) const { return values + i * columns; }
  Index size() const { return rows * columns; }

  const double* values;
  Index rows, columns;
  bool beside_x = false;           ///< in the memory of x
  HaloCarrier* carrier = nullptr;  ///< that brings them, where they are under way
};

/// Brings the rows of multivectors that a rank needs of its neighbours to where the multivectors
/// lie, by the plan of one matrix. Messages with neighbours only, one each way; nothing but what
/// leaves and what comes is copied.
class HaloCarrier {
 public:
  virtual ~HaloCarrier() = default;

  /// The halo of x, until release(); one at a time. Collective.
  virtual HaloView bring(const Vectors& x) = 0;

  /// Waits until the halo is there, where bring() did not.
  virtual void wait() {}

  /// All that reads the halo has been asked for by now.
  virtual void release() {}

  /// Many are to come: what makes them faster may be started. Collective.
  virtual void expect_many() {}
};

inline void HaloView::wait() const {
  if (carrier != nullptr) carrier->wait();
}

}  // namespace spsolve::vectors
