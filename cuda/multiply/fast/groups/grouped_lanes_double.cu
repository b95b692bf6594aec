#include "cuda/multiply/fast/groups/grouped_lanes.cuh"

namespace spsolve::cuda {

template void grouped_lanes(GroupedLanes<double>&, const double*, double*, Index);

}  // namespace spsolve::cuda
