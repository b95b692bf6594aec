#include "cuda/multiply/fast/groups/grouped_lanes.cuh"

namespace spsolve::cuda {

template void grouped_lanes(GroupedLanes<float>&, const float*, float*, Index);

}  // namespace spsolve::cuda
