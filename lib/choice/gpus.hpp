#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dense/dense_plan.hpp"
#include "device/compute_device.hpp"
#include "distribute/layout/options.hpp"
#include "solve/operators/options.hpp"
#include "team/gpu_binding.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::inline choice {

/// Bytes of arrays in GPU memory, now and at most so far.
struct GpuArrays {
  std::int64_t now = 0, peak = 0;
};

/// The wants of an elimination from a GPU.
struct GpuStart {
  Transport transport = Transport::automatic;
  std::optional<Precision> products;  ///< whose kernels are to be loaded, as many products come
};

/// The findings of who looks for GPUs.
struct FoundGpus {
  std::string why_none = "this program was built without CUDA";  ///< "" where there are some
  std::vector<GpuName> visible;
};

/// The GPUs that this process can use. lib knows no CUDA: a program with a GPU part fills this in.
struct Gpus {
  /// Looks for them, which starts their driver: a tenth of a second, and another one as the process
  /// ends. Empty in a program without a GPU part.
  std::function<FoundGpus()> look;
  /// The GPUs that look() finds, which is asked once, when this is first called.
  const FoundGpus& found() const {
    if (!found_) found_ = look ? look() : FoundGpus{};
    return *found_;
  }
  /// Whether found() has looked.
  bool has_looked() const { return found_.has_value(); }

  std::function<void(int)> use;               ///< makes one of them the current one
  std::function<std::int64_t()> free_memory;  ///< bytes free on the current one
  /// Starts all that an elimination on one of them begins with, concurrently with other work, for
  /// as long as the object handed back lives; ranks share none. Collective.
  std::function<std::shared_ptr<void>(Team&, int, const GpuStart&)> start;
  std::function<GpuArrays()> arrays;  ///< what this process's arrays take on GPUs
  GpuDenseBytes dense_bytes;          ///< also where no GPU is visible
  std::span<const Kernel> kernels;
  /// The memory of the current one for products, whose halo travels by `transport`. Collective.
  std::function<std::unique_ptr<VectorMemory>(Team&, Transport transport)> products;
  /// Dense bands in the memory of the current one, whose rows travel likewise. Collective.
  std::function<std::unique_ptr<ComputeDevice>(Team&, Transport transport)> dense;
  /// Lets all that is on them be when a task is done, as the process ends; empty where it goes on.
  std::function<void()> leave;

 private:
  mutable std::optional<FoundGpus> found_;
};

}  // namespace spsolve::choice
