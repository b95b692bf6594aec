#include "cuda/core/programmatic_launch.cuh"
#include "cuda/dense/panel/leaf_block.cuh"

namespace spsolve::cuda::inline dense {

namespace {

/// Which rows a cluster takes: `count` of the rows in `list`, or without one the rows themselves;
/// `share` to a cluster and `block_share` to a block.
struct LeafRows {
  const int* list;
  int count;
  int share;
  int block_share;
};

/// Shared memory of a block.
template <typename T>
constexpr std::size_t block_bytes(int threads) {
  return sizeof(Board<T>) + sizeof(T) * thread_rows * threads * tile_pitch<T>;
}

/// The elimination of a leaf's rows, `rows.share` to each cluster. With several clusters, each
/// leaves the numbers of its pivots among the `winners`, `width` to a cluster; a single cluster
/// leaves the leaf and, where it had all rows, the eliminated rows in place. `aligned`: the rows
/// lie at multiples of 16 bytes, and so does what follows them.
template <typename T>
__global__ void __launch_bounds__(most_threads)
    eliminate_leaf(T* a, Index stride, LeafRows rows, int width, int column, bool aligned,
                   int* winners, Leaf<T>* leaf, int* swaps, PanelReport* report) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& board = *reinterpret_cast<Board<T>*>(memory);
  LeafBlock<T> block(board, reinterpret_cast<T*>(memory + sizeof(Board<T>)));
  wait_for_previous_launch();
  const int cluster = static_cast<int>(blockIdx.x) / cluster_size();
  const int cluster_first = cluster * rows.share;
  const int cluster_rows = min(rows.share, rows.count - cluster_first);
  const int first = cluster_rank() * rows.block_share;
  const int own = max(0, min(rows.block_share, cluster_rows - first));
  int numbers[thread_rows];
#pragma unroll
  for (int r = 0; r < thread_rows; ++r) {
    const int within = LeafTiles<T>::place_in_block(r);
    const int place = cluster_first + first + within;
    numbers[r] = within >= own ? -1 : rows.list == nullptr ? place : rows.list[place];
  }
  block.load(a, stride, numbers, width, aligned);
  const int steps = min(width, cluster_rows);
  const unsigned largest = block.eliminate(steps, width);
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  if (winners != nullptr) {
    __syncthreads();  // the board's places
    if (cluster_rank() == 0 && static_cast<int>(threadIdx.x) < steps) {
      winners[cluster * width + static_cast<int>(threadIdx.x)] = board.places[threadIdx.x];
    }
    return;
  }

  if (cluster_rank() == 0 && threadIdx.x < warp_size) {
    __syncwarp();  // thread 0 wrote the places
    write_moves(lane < width ? board.places[lane] : -1, width, leaf, swaps);
  }
  if (rows.list == nullptr) block.store(a, stride, width, aligned);
  block.store_pivots(leaf);
  block.report_pivots(column, report);
  const unsigned word = __reduce_max_sync(whole_warp, largest);
  if (lane == 0 && word > 0) {
    atomicMax(&report->largest_multiplier, (static_cast<unsigned long long>(word) << 32) + 1);
  }
}

/// A cluster gets more blocks, as long as there are more, before its blocks get more rows than
/// this: a step takes longer with more warps in a block, but not with more blocks.
constexpr Index spread_rows = 256;

/// How rows spread over clusters.
struct Formation {
  int clusters;
  int blocks;  // of each
  int threads;
  LeafRows rows;
};

Formation formation_of(const int* list, Index rows, int largest_cluster) {
  const auto ceil_of = [](Index a, Index b) { return (a + b - 1) / b; };
  Formation shape;
  shape.clusters =
      static_cast<int>(std::max<Index>(1, ceil_of(rows, largest_cluster * block_rows)));
  const Index share = std::max<Index>(ceil_of(rows, shape.clusters), 1);
  shape.blocks = 1;
  while (shape.blocks < largest_cluster && shape.blocks * spread_rows < share) shape.blocks *= 2;
  const Index block_share = ceil_of(share, shape.blocks);
  // Two rows a thread, and 16 bytes of the offers to all blocks.
  constexpr Index candidate_chunks = sizeof(StepCandidate<double>) / 16;
  const Index needed =
      std::max<Index>(ceil_of(block_share, thread_rows), shape.blocks * candidate_chunks);
  shape.threads = static_cast<int>(ceil_of(needed, warp_size)) * warp_size;
  shape.rows = {list, static_cast<int>(rows), static_cast<int>(share),
                static_cast<int>(block_share)};
  return shape;
}

cudaLaunchAttribute cluster_of(int blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(blocks);
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  return attribute;
}

/// The most blocks that clusters of this kernel may have on this GPU.
template <typename T>
int largest_cluster() {
  static const int largest = [] {
    const void* const kernel = reinterpret_cast<const void*>(&eliminate_leaf<T>);
    const std::size_t bytes = block_bytes<T>(most_threads);
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
    int device = 0, major = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (major < 9) return 1;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (int blocks = most_blocks; blocks > 1; blocks /= 2) {
      cudaLaunchAttribute attribute = cluster_of(blocks);
      cudaLaunchConfig_t launch{};
      launch.gridDim = dim3(static_cast<unsigned>(blocks));
      launch.blockDim = dim3(most_threads);
      launch.dynamicSmemBytes = bytes;
      launch.attrs = &attribute;
      launch.numAttrs = 1;
      int clusters = 0;
      if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch) == cudaSuccess &&
          clusters > 0) {
        return blocks;
      }
      cudaGetLastError();
    }
    return 1;
  }();
  return largest;
}

}  // namespace

Index leaf_candidate_count(Index rows) {
  // At least 512 rows to a cluster, leaf_width of them a round, and the round after.
  return rows / 8 + 16 * leaf_width;
}

template <typename T>
bool pivots_by_tournament(T* a, Index stride, Index rows, int width, int column, int* candidates,
                          Leaf<T>* leaf, int* swaps, PanelReport* report, cudaStream_t stream) {
  const auto multiple = [](auto bytes) { return static_cast<std::size_t>(bytes) % 16 == 0; };
  const bool aligned = largest_cluster<T>() > 1 && multiple(reinterpret_cast<std::uintptr_t>(a)) &&
                       multiple(stride * sizeof(T)) && multiple(width * sizeof(T));
  const int* list = nullptr;
  Index count = rows;
  while (true) {
    const Formation shape = formation_of(list, count, largest_cluster<T>());
    // A single block needs no cluster, which compute capability 9.0 brought.
    cudaLaunchAttribute attributes[] = {cluster_of(shape.blocks), programmatic_attribute()};
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(static_cast<unsigned>(shape.clusters * shape.blocks));
    launch.blockDim = dim3(static_cast<unsigned>(shape.threads));
    launch.dynamicSmemBytes = block_bytes<T>(shape.threads);
    launch.stream = stream;
    launch.attrs = attributes;
    launch.numAttrs = shape.blocks > 1 ? 2 : 0;
    int* const winners = shape.clusters > 1 ? candidates : nullptr;
    CUDA_CHECK(cudaLaunchKernelEx(&launch, &eliminate_leaf<T>, a, stride, shape.rows, width, column,
                                  aligned, winners, leaf, swaps, report));
    if (shape.clusters == 1) return list == nullptr;
    const Index of_others = static_cast<Index>(shape.clusters - 1);
    count = of_others * width + std::min<Index>(width, count - of_others * shape.rows.share);
    list = candidates;
    candidates += shape.clusters * width;
  }
}

SPSOLVE_INSTANTIATE_FUNCTION(pivots_by_tournament)

}  // namespace spsolve::cuda::dense
