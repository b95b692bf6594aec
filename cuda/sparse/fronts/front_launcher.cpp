#include "cuda/sparse/fronts/front_launcher.hpp"

#include "cuda/core/stream.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

cublasStatus_t gemm(cublasHandle_t handle, const FrontProduct& p, float* arena) {
  const float minus = -1, one = 1;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, p.m, p.n, p.k, &minus, arena + p.a, p.lda,
                     arena + p.b, p.ldb, &one, arena + p.c, p.ldc);
}

cublasStatus_t gemm(cublasHandle_t handle, const FrontProduct& p, double* arena) {
  const double minus = -1, one = 1;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, p.m, p.n, p.k, &minus, arena + p.a, p.lda,
                     arena + p.b, p.ldb, &one, arena + p.c, p.ldc);
}

/// Uploads a list and gives its host memory back.
template <typename U>
DeviceArray<U> moved_up(std::vector<U>& list) {
  DeviceArray<U> result(list);
  std::vector<U>().swap(list);
  return result;
}

}  // namespace

template <typename T>
FrontLauncher<T>::FrontLauncher(Factorization kind, const DeviceLayout& layout,
                                EliminationProgram program,
                                const std::vector<LocalIndex>& in_parent)
    : kind_(kind),
      program_(std::move(program)),
      layouts_(layout.fronts),
      children_(layout.elementwise.children),
      in_parent_(staged(in_parent)),
      listed_(moved_up(program_.fronts)),
      elementwise_(layout.elementwise.elements),
      sources_(layout.elementwise.sources),
      pieces_(moved_up(program_.pieces)),
      products_(program_.products),
      tiles_(moved_up(program_.tiles)),
      tally_(1),
      arena_(layout.elements),
      fronts_on_gpu_{layouts_.data(),
                     children_.data(),
                     in_parent_.data(),
                     elementwise_.data(),
                     sources_.data(),
                     arena_.data(),
                     tally_.data(),
                     T(0),
                     T(0)} {}

template <typename T>
void FrontLauncher<T>::begin(const PivotRule& rule, cudaStream_t stream) {
  static constexpr PivotTally none;  // from memory that stays: the copy is not waited for
  CUDA_CHECK(cudaMemcpyAsync(tally_.data(), &none, sizeof(none), cudaMemcpyHostToDevice, stream));
  fronts_on_gpu_.least = static_cast<T>(rule.least);
  fronts_on_gpu_.raised = static_cast<T>(rule.made());
}

template <typename T>
PivotTally FrontLauncher<T>::tally() const {
  PivotTally tally;
  tally_.download({&tally, 1});
  return tally;
}

template <typename T>
void FrontLauncher<T>::multiply_by_library(const FrontProduct& product, cudaStream_t stream) {
  auto found = cublas_.find(stream);
  if (found == cublas_.end()) {
    found = cublas_.emplace(stream, make_cublas()).first;
    CUDA_CHECK(cublasSetStream(found->second.get(), stream));
  }
  CUDA_CHECK(gemm(found->second.get(), product, arena_.data()));
}

template <typename T>
void FrontLauncher<T>::run(Index begin, Index end, cudaStream_t stream, bool in_turns) {
  const auto is_beside = [&](Index i) { return in_turns && program_.steps[i].beside; };
  bool turn = false;
  for (Index i = begin; i < end; ++i) {
    const bool more = i + 1 < end && is_beside(i + 1);
    turn = is_beside(i) && !turn;
    if (more && !is_beside(i)) {
      forked_.record(stream);
      forked_.hold(beside_);
    }
    run(program_.steps[i], turn ? beside_.get() : stream);
    if (is_beside(i) && !more) {
      joined_.record(beside_);
      joined_.hold(stream);
    }
  }
}

template <typename T>
void FrontLauncher<T>::run(const EliminationStep& step, cudaStream_t stream) {
  using What = EliminationStep::What;
  switch (step.what) {
    case What::small:
      return eliminate_small(kind_, fronts_on_gpu_, listed_.data() + step.begin, step.count,
                             step.rows, step.side, step.follows, stream);
    case What::assemble:
      return assemble(kind_, fronts_on_gpu_, pieces_.data() + step.begin, step.count, stream);
    case What::gather:
      return gather(fronts_on_gpu_, step.begin, step.count, stream);
    case What::invert:
      return invert_blocks(kind_, fronts_on_gpu_, listed_.data() + step.begin, step.count,
                           step.side, stream);
    case What::multiply:
      return multiply_tiles(tiles_.data() + step.begin, step.count, products_.data(), arena_.data(),
                            &tally_.data()->largest_multiplier, stream);
    case What::library:
      return multiply_by_library(program_.products[step.begin], stream);
  }
}

SPSOLVE_INSTANTIATE(class FrontLauncher)

}  // namespace spsolve::cuda::sparse
