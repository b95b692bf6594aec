#include "cuda/multiply/fast/groups/grouped_lanes.cuh"

namespace spsolve::cuda::inline multiply {

template void grouped_lanes(GroupedLanes<double>&, const double*, double*, Index);

}  // namespace spsolve::cuda::multiply
