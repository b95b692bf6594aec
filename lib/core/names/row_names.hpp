#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline core {

/// How sentences name rows and columns: by those of the matrix that is spoken of, `parts` rows of
/// the system that is solved to one of it (matrix/real_form.hpp). Holds in a scope, of
/// this thread.
class RowNames {
 public:
  explicit RowNames(Index parts) : before_(parts_) { parts_ = parts; }
  ~RowNames() { parts_ = before_; }
  RowNames(const RowNames&) = delete;
  RowNames& operator=(const RowNames&) = delete;

  /// Of a system of a complex matrix 2, else 1.
  static Index parts() { return parts_; }

  /// The word for a matrix whose rows are symmetric.
  static std::string_view symmetric() { return parts_ > 1 ? "Hermitian" : "symmetric"; }

  /// The row that row `row` of the system is told as, numbered from 1, and the order for so many.
  static Index told(Index row) { return row / parts_ + 1; }
  static Index count(Index rows) { return rows / parts_; }

  /// Those that ascending rows belong to, numbered from 0 and each once.
  template <typename Row>
  static std::vector<Row> told_once(std::vector<Row> rows) {
    for (Row& row : rows) row = static_cast<Row>(row / parts_);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  }

 private:
  inline static thread_local Index parts_ = 1;
  Index before_;
};

}  // namespace spsolve::core
