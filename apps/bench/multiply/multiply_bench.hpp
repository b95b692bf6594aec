#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bench/contest.hpp"
#include "apps/bench/device.hpp"
#include "config/config.hpp"
#include "core/types.hpp"
#include "core/words.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "matrix/csr.hpp"
#include "matrix/real_form.hpp"
#include "multiply/compare.hpp"
#include "multiply/kernel/kernel.hpp"
#include "vectors/vector_memory.hpp"

namespace spsolve::bench {

/// The columns of `spbench multiply`.
Columns multiply_columns();

/// What A, X and Y hold.
enum class ProductNumbers { float32, float64, complex_float32, complex_float64 };
inline constexpr std::string_view product_number_words[] = {"float", "double", "complex_float",
                                                            "complex_double"};
constexpr Words words_of(ProductNumbers) {
  return product_number_words;
}
constexpr Precision precision_of(ProductNumbers numbers) {
  const bool narrow =
      numbers == ProductNumbers::float32 || numbers == ProductNumbers::complex_float32;
  return narrow ? Precision::float32 : Precision::float64;
}
/// Numbers of that precision to one of A.
constexpr Index parts_of(ProductNumbers numbers) {
  return numbers < ProductNumbers::complex_float32 ? 1 : complex_parts;
}

/// The measurements to make.
struct MultiplyPlan {
  std::vector<const Kernel*> kernels;
  std::vector<Index> columns{1, 3, 4, 8, 12, 16, 32, 64};
  std::vector<int> threads{1};
  std::vector<ProductNumbers> precisions{ProductNumbers::float64};
  SamplingOptions sampling;
  /// How often the kernels take turns, with sampling.samples each time; 0: as often as there are
  /// samples, with one each time.
  int rounds = 0;
  int width = 0;  ///< KernelOptions.width; 0: the kernels' defaults
  Index seed = 1;
  bool check = true;  ///< whether results are compared with the serial product
  BandsChoice bands = BandsChoice::automatic;  ///< of products over several ranks
  std::string baseline = "csr_openmp";         ///< the kernel that speed-ups refer to
};

/// The product of a case by one kernel, which is sampled in the turns of a contender. Collective
/// where the case is in bands.
class SampledProduct {
 public:
  virtual ~SampledProduct() = default;

  /// Brings matrix and X to where they are multiplied, and notes in the row what that took. An
  /// error is a refusal.
  virtual void prepare(Row& row) = 0;

  /// Bytes that are held from then on, of several ranks the most.
  virtual std::int64_t bytes() const = 0;

  virtual Sampled run(const SamplingOptions& options) = 0;

  /// Notes what is to be said of the last run; where `checks`, how far Y is from the serial
  /// product, with nans in the place of elements that were left out.
  virtual void note(Row& row, bool checks) = 0;
};

/// Somebody who multiplies: labels, threads (0: not those of a host), and the product.
struct ProductContender {
  Row row;
  int threads = 0;
  KernelDevice device = KernelDevice::host;
  std::unique_ptr<SampledProduct> product;
};

/// A matrix with which products are sampled.
struct ProductCase {
  Row labels;
  /// Every kernel of the plan with K columns, as often as it has numbers of threads. Collective.
  std::function<std::vector<ProductContender>(ProductNumbers numbers, Index k)> contenders;
  /// Bytes that are free where kernels of that device have their formats, the least of the ranks.
  /// Collective.
  std::function<std::int64_t(KernelDevice device)> free_bytes;
};

/// A matrix in one process. `devices` are searched for each kernel's; kernels without one are
/// refused, as are those that refuse the matrix, or for which memory does not suffice. The case
/// refers to all that it is made of. Complex numbers are multiplied by their real form, which the
/// matrix is where it has two `parts`, and by MKL as they are; a real A becomes (1 + i / 2) A.
ProductCase whole_case(const std::string& name, const Csr<double>& matrix, const MultiplyPlan& plan,
                       std::span<Device* const> devices, Index parts = 1);

/// A matrix in bands over the ranks of a team, and its products in `memory`, of which
/// `free_memory` says how much is left. Each rank compares its rows with the serial product of
/// them. The case refers to all that it is made of.
ProductCase banded_case(Team& team, const std::string& name, const BandedMatrix& matrix,
                        const MultiplyPlan& plan, const VectorMemory& memory,
                        std::function<std::int64_t()> free_memory);

/// Measures every kernel of the plan on one matrix, for every precision, K and thread count, X
/// uniform in [-1, 1), in turns. Formats are kept from turn to turn; one that has no room beside
/// the others has all its samples in one turn. Rows are the same on every rank. Collective.
std::vector<Row> sample_products(Team& team, const ProductCase& matrix, const MultiplyPlan& plan);

/// The row of a kernel for K columns of such numbers, on the case of these labels.
Row label_product(const Row& labels, const Kernel& kernel, ProductNumbers numbers, Index k);

/// Sets the cells of the largest, mean and scaled error, and what bounds it.
void set_errors(Row& row, const ProductErrors& errors);

/// Sets baseline, speedup and of_fastest. Rows compare within one matrix, precision and K; the
/// baseline is the row of the kernel `baseline` with as many threads, for other devices than the
/// host the fastest of its rows with the most threads.
void compare_rows(std::span<Row> rows, std::string_view baseline);

}  // namespace spsolve::bench
