#pragma once

#include <span>

#include "core/types.hpp"
#include "matrix/dense.hpp"
#include "team/reduce.hpp"

namespace spsolve::inline vectors {

/// A row of coefficients, of which all ranks have one, and how theirs become one.
struct SharedRow {
  int row;
  Reduction how;
};

/// Rows of K numbers, one for each column of multivectors, in the memory of these: what one
/// operation of a method hands to the next one, and the host learns of when it is there. Vectors
/// have the operations. Members are this rank's own affair.
class Coefficients {
 public:
  Coefficients(int rows, Index columns) : rows_(rows), columns_(columns) {}
  virtual ~Coefficients() = default;
  Coefficients(const Coefficients&) = delete;
  Coefficients& operator=(const Coefficients&) = delete;

  int rows() const { return rows_; }
  Index columns() const { return columns_; }

  /// Steps of a method that the host may ask for before it takes what the first one of them sent:
  /// 0 where it is there at once. At most that many and one may be under way.
  virtual int lead() const = 0;

  /// The rows as they are now are what a later take() hands back.
  virtual void send() = 0;

  /// The rows that were sent first of those not taken yet: rows x K; waits for them.
  virtual Dense<double> take() = 0;

  /// One row in host memory, and back.
  virtual void read(int row, std::span<double> values) const = 0;
  virtual void write(int row, std::span<const double> values) = 0;

  /// Every rank's numbers in these rows become one, as reduce() has it, by one message: through
  /// host memory, which waits for them, where the memory has no way of its own. Collective.
  virtual void reduce_over_ranks(Team& team, std::span<const SharedRow> rows);

 private:
  int rows_;
  Index columns_;
};

/// A quotient of two rows of coefficients, column by column; 0 where the divisor is.
struct Quotient {
  int over, under;
};

/// Which row of coefficients a result goes to.
struct ToRow {
  Coefficients& all;
  int row;
};

}  // namespace spsolve::vectors
