#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "matrix/csr.hpp"
#include "matrix/symmetry.hpp"

namespace spsolve::inline multiply {

/// Where a kernel runs, and so where X and Y must lie.
enum class KernelDevice { host, cuda };

/// A matrix that has been converted to one kernel's format, ready to be multiplied any number of
/// times. X and Y are row-major multivectors without padding: element (i, c) at i * K + c.
template <typename T>
class KernelProduct {
 public:
  virtual ~KernelProduct() = default;

  /// Y = A X for X of A.columns x K and Y of A.rows x K, in the memory of the kernel's device.
  /// K >= 1 may change from call to call.
  virtual void multiply(const T* x, T* y, Index columns) = 0;

  /// Bytes of the converted matrix.
  virtual std::int64_t bytes() const = 0;

  /// The choice that was made, where the kernel had one ("csr_balanced"); "" otherwise.
  virtual std::string detail() const { return {}; }
};

/// The facts that a kernel needs to know of a matrix before it converts it.
struct MatrixFacts {
  Index rows = 0;
  Index columns = 0;
  Index nonzeros = 0;
  Index longest_row = 0;
  Mirrors mirrors = Mirrors::differ;  ///< how a_ij and a_ji compare
  /// Types of rows, as count_row_types() counts them; more than enough where they were not counted.
  Index row_types = std::numeric_limits<Index>::max();
  bool real_form = false;  ///< of a complex matrix, see real_form_kind()
  MirrorPair furthest;     ///< where mirrors differ most, if that was looked for

  /// Symmetric kernels take it, those of rounding by their lower triangle.
  bool symmetric() const { return mirrors != Mirrors::differ; }
};

MatrixFacts facts_of(const Csr<double>& matrix);

struct Kernel;

/// The facts that `kernel` asks of a matrix before it refuses it or not. Whether it is symmetric,
/// or where it is furthest from that, a real form, and of how many types its rows are is found out
/// only if it matters.
template <typename T>
MatrixFacts facts_for(const Kernel& kernel, const Csr<T>& matrix, Index columns);

/// How a kernel is set up.
struct KernelOptions {
  Index columns = 1;         ///< the K that the caller means to use most
  int threads = 0;           ///< host: threads; 0: as many as OpenMP gives
  int width = 0;             ///< the kernel's parameter (sub-warp width, tile); 0: its default
  Index products = 0;        ///< that are expected, for what auto may try and convert; 0: many
  bool room_behind = false;  ///< there is room for an element after Y, which may be written
  /// Of libraries' kernels: A is a real form, multiplied as the complex matrix, and rows of X and Y
  /// are of complex numbers one after another, K of them for 2 K columns.
  bool in_pairs = false;
};

/// Converts a matrix to a kernel's format.
template <typename T>
using PrepareKernel = std::unique_ptr<KernelProduct<T>> (*)(const Csr<T>& matrix,
                                                            const KernelOptions& options);

/// One row of the table of kernels. The configuration's allowed values, --list-kernels, the
/// benchmark and the parameterised tests all read the table.
struct Kernel {
  std::string_view name;    ///< unique together with `device`
  std::string_view format;  ///< storage format: csr, ellpack, ...
  KernelDevice device;
  bool reproducible;          ///< the same input gives the same bits in every run
  std::string_view sentence;  ///< what it does and where it comes from
  /// One sentence of why the kernel can't multiply such a matrix by such X, or "".
  std::string (*refuse)(const MatrixFacts& facts, Index columns, std::size_t value_bytes);
  Scalars::Tuple<PrepareKernel> prepare;

  /// It has the diagonal and the lower triangle alone, which serves for the upper one too.
  bool reads_lower_triangle() const { return format.starts_with("symmetric"); }
};

/// What such a kernel made of a matrix whose mirrors round, in words.
inline constexpr std::string_view lower_for_both = "a_ij, i > j, for a_ji, apart by rounding";

/// The kernels of the host, in the order in which they are listed.
std::span<const Kernel> host_kernels();

/// The kernels of GPUs that this program was built with, for the names that a configuration may
/// use; none until main() offers them, once and before it reads one.
void offer_gpu_kernels(std::span<const Kernel> table);
std::span<const Kernel> offered_gpu_kernels();

/// The row of that name in `table`; throws Error(input) with a "did you mean" where there is none.
const Kernel& find_kernel(std::span<const Kernel> table, std::string_view name);

/// The matrix in the kernel's format.
template <typename T>
std::unique_ptr<KernelProduct<T>> prepare(const Kernel& kernel, const Csr<T>& matrix,
                                          const KernelOptions& options) {
  return std::get<PrepareKernel<T>>(kernel.prepare)(matrix, options);
}

}  // namespace spsolve::multiply
