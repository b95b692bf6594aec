#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "apps/bench/contest.hpp"
#include "matrix/dense.hpp"
#include "multiply/kernel/kernel.hpp"
#include "process/system.hpp"

namespace spsolve::bench {

/// The result of the triad with one thread count.
struct Triad {
  int threads = 1;
  std::int64_t array_bytes = 0;  ///< of each of the three arrays
  double seconds = 0;            ///< median of one pass
  double bytes_per_second = 0;   ///< 24 bytes an element over `seconds`
};

/// The memory bandwidth that `threads` threads reach with the triad a_i = b_i + s c_i in double
/// (McCalpin, Memory bandwidth and machine balance in current high performance computers, 1995).
///
/// Counted are 24 bytes an element, as STREAM does: two reads and one write. Where a processor
/// reads the line of `a` before it writes it (write-allocate), a third more moves than is counted.
/// Each thread touches its own part of the arrays first. The first passes warm up; the median of
/// the next `passes` counts.
///
/// `array_bytes` is the size of each array, 0 for triad_array_bytes().
/// Throws Error(resources) where three such arrays do not fit into the free memory.
Triad measure_triad(int threads, std::int64_t array_bytes = 0, int passes = 7);

/// Size of each array of the triad: four times the last cache that the system reports, at least 64
/// MiB, at most 512 MiB and an eighth of the free memory.
std::int64_t triad_array_bytes();

/// Where products are timed. A device brings X to its own memory, times with its own clock, and
/// brings Y back.
class Device {
 public:
  virtual ~Device() = default;

  virtual KernelDevice kind() const = 0;

  /// "host", or the model of the accelerator.
  virtual std::string name() const = 0;

  /// Whether kernels are run with each of the thread counts asked for, or once.
  virtual bool has_threads() const = 0;

  /// Bytes that are free where matrices are converted to.
  virtual std::int64_t free_memory() const = 0;

  /// Bytes per second that the memory moves, measured at the first call: of the triad with
  /// `threads` threads, or of what the device has in its place; 0 where that was not wanted.
  virtual double bandwidth(int threads) = 0;

  /// Seconds of Y = A X; leaves Y in host memory. `x` and `y` are in host memory.
  virtual Sampled run(KernelProduct<float>& product, const Dense<float>& x, Dense<float>& y,
                      const SamplingOptions& options) = 0;
  virtual Sampled run(KernelProduct<double>& product, const Dense<double>& x, Dense<double>& y,
                      const SamplingOptions& options) = 0;
};

/// The word for a kernel's device in tables and files.
constexpr std::string_view name(KernelDevice device) {
  return device == KernelDevice::host ? "host" : "cuda";
}

/// The processors of this host, with OpenMP.
class HostDevice final : public Device {
 public:
  /// `triad_bytes` is the size of each array of the triad: 0 for its own choice, negative for no
  /// triad.
  explicit HostDevice(std::int64_t triad_bytes) : triad_bytes_(triad_bytes) {}

  KernelDevice kind() const override { return KernelDevice::host; }
  std::string name() const override { return "host"; }
  bool has_threads() const override { return true; }
  std::int64_t free_memory() const override { return available_memory(); }
  double bandwidth(int threads) override;
  Sampled run(KernelProduct<float>& product, const Dense<float>& x, Dense<float>& y,
              const SamplingOptions& options) override;
  Sampled run(KernelProduct<double>& product, const Dense<double>& x, Dense<double>& y,
              const SamplingOptions& options) override;

  /// The triads measured so far, by thread count.
  const std::map<int, Triad>& triads() const { return triads_; }

 private:
  std::int64_t triad_bytes_;
  std::map<int, Triad> triads_;
};

}  // namespace spsolve::bench
