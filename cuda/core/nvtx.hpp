#pragma once

#include <nvtx3/nvToolsExt.h>

namespace spsolve::cuda::inline core {

/// A named range of this thread in the time line of a profiler (NVTX), as long as the object lives.
/// Costs next to nothing where no profiler listens.
class NvtxRange {
 public:
  explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
  ~NvtxRange() { nvtxRangePop(); }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace spsolve::cuda::core
