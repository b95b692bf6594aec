#include "cuda/multiply/fast/groups/grouped_lanes.cuh"

namespace spsolve::cuda::inline multiply {

template void grouped_lanes(GroupedLanes<float>&, const float*, float*, Index);

}  // namespace spsolve::cuda::multiply
