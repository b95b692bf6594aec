#include "plan/reading_room.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "io/matrix_source.hpp"
#include "plan/memory_plan.hpp"
#include "process/system.hpp"

namespace spsolve::inline plan {

void require_room_to_read(const std::string& name, BytesBeside beside) {
  const MatrixShape shape = describe_matrix(name);
  MemoryPlan plan;
  plan_reading(plan, shape, 0, 1, shape.rows);
  // Sizes are at most 2^48 (see describe_matrix()): no product overflows.
  const std::int64_t used = csr_bytes(shape.rows, shape.nonzeros, sizeof(double)) +
                            beside.row * (shape.rows + shape.columns) +
                            beside.nonzero * shape.nonzeros;
  const std::int64_t needed = std::max(plan.peak(), used);
  const std::int64_t free = std::min(available_memory(), left_under_process_limit());
  if (needed <= free) return;
  fail(ExitCode::resources,
       "{}: {} x {} with {} entries, as it says, take {} here, and {} are free; correct its size, "
       "or "
       "use a machine with more memory",
       name, shape.rows, shape.columns, shape.entries > 0 ? shape.entries : shape.nonzeros,
       readable_bytes(needed), readable_bytes(free));
}

Csr<double> load_within_memory(const std::string& name, BytesBeside beside) {
  require_room_to_read(name, beside);
  return load_matrix(name);
}

}  // namespace spsolve::plan
