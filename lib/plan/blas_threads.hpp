#pragma once

namespace spsolve::inline plan {

/// Sets the threads of this process' BLAS and, where the process may not map what it likes (ulimit
/// -v), has them and the BLAS take their memory now: before anything else is planned, as it is then
/// no longer free. Throws Error(resources) where that does not fit, which the BLAS itself would
/// wait for without an end.
void set_blas_threads(int threads);

}  // namespace spsolve::plan
