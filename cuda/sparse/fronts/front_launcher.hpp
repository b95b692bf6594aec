#pragma once

#include <map>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/staged_upload.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vendor/vendor.hpp"
#include "cuda/sparse/fronts/elimination_program.hpp"

namespace spsolve::cuda::inline sparse {

/// The arena of an elimination on the current GPU, with the lists that its launches read: runs the
/// steps of a program.
template <typename T>
class FrontLauncher {
 public:
  /// Takes the program's lists to the GPU, and what they are of: the places, and where rows of
  /// borders stand in the parent. The arena is as large as the places have it. Throws
  /// Error(resources) where memory is short.
  FrontLauncher(Factorization kind, const DeviceLayout& layout, EliminationProgram program,
                const std::vector<LocalIndex>& in_parent);

  /// Begins a new factorisation, which the following steps on the stream belong to.
  void begin(const PivotRule& rule, cudaStream_t stream);

  /// Steps begin ... end - 1 of the program; products that may run concurrently take turns on two
  /// streams where that is wanted: where the last tiles of one leave multiprocessors idle, the next
  /// one's first begin.
  void run(Index begin, Index end, cudaStream_t stream, bool in_turns = true);

  /// The tally of the steps since begin(); waits for nothing but the copy.
  PivotTally tally() const;

  const EliminationProgram& program() const { return program_; }
  const DeviceFronts<T>& fronts() const { return fronts_on_gpu_; }
  const FrontLayout* layouts() const { return layouts_.data(); }
  const int* in_parent() const { return in_parent_.data(); }
  T* arena() { return arena_.data(); }
  const T* arena() const { return arena_.data(); }

  /// A vector on the GPU, through page-locked memory.
  template <typename List>
  DeviceArray<typename List::value_type> staged(const List& list) {
    DeviceArray<typename List::value_type> result(static_cast<Index>(list.size()));
    upload(list, result.data());
    return result;
  }
  template <typename List>
  void upload(const List& list, typename List::value_type* to) {
    upload_.copy(std::span(list), to, current_stream());
  }

 private:
  void run(const EliminationStep& step, cudaStream_t stream);
  void multiply_by_library(const FrontProduct& product, cudaStream_t stream);

  Factorization kind_;
  StagedUpload upload_;
  EliminationProgram program_;  // its lists are on the GPU alone, but for products
  DeviceArray<FrontLayout> layouts_;
  DeviceArray<int> children_, in_parent_, listed_;
  DeviceArray<AssembledElement> elementwise_;
  DeviceArray<Index> sources_;
  DeviceArray<AssemblyPiece> pieces_;
  DeviceArray<FrontProduct> products_;
  DeviceArray<ProductTile> tiles_;
  DeviceArray<PivotTally> tally_;
  DeviceArray<T> arena_;
  Stream beside_{Stream::Order::alone};
  std::map<cudaStream_t, CublasHandle> cublas_;  // where products of the program want them
  Event forked_, joined_;
  DeviceFronts<T> fronts_on_gpu_;
};

SPSOLVE_INSTANTIATED(class FrontLauncher)

}  // namespace spsolve::cuda::sparse
