#include "multiply/auto_product.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/timer.hpp"
#include "matrix/multivector.hpp"
#include "multiply/fast_groups.hpp"
#include "multiply/row_types.hpp"

namespace spsolve {

namespace {

template <typename T>
class AutoProduct final : public Product<T> {
 public:
  AutoProduct(std::unique_ptr<Product<T>> chosen, std::string detail)
      : chosen_(std::move(chosen)), detail_(std::move(detail)) {}

  void multiply(const T* x, T* y, Index columns) override { chosen_->multiply(x, y, columns); }
  std::int64_t bytes() const override { return chosen_->bytes(); }
  std::string detail() const override { return detail_; }

 private:
  std::unique_ptr<Product<T>> chosen_;
  std::string detail_;
};

/// A candidate in a trial, with its two shortest runs.
template <typename T>
struct Contender {
  std::string_view name;
  std::unique_ptr<Product<T>> product;
  double seconds = std::numeric_limits<double>::infinity();
  double second_best = std::numeric_limits<double>::infinity();

  /// A few products in a row, as in use: the first brings its own data back into the caches and
  /// does not count.
  void run(const T* x, T* y, Index columns) {
    constexpr int burst = 4;
    product->multiply(x, y, columns);
    for (int repeat = 1; repeat < burst; ++repeat) {
      const Timer timer;
      product->multiply(x, y, columns);
      const double taken = timer.seconds();
      second_best = std::clamp(taken, seconds, second_best);
      seconds = std::min(seconds, taken);
    }
  }

  /// Whether the shortest run was no exception.
  bool settled() const { return second_best < 1.05 * seconds; }
};

/// Where Y begins in a trial, by turns, in elements.
constexpr int places = 4;
template <typename T>
constexpr Index place_step = 1024 / sizeof(T);

/// Multiplies by both in turns, at least once in every place and then for some milliseconds, longer
/// where other programs disturb the times. Y moves by 0, 1, 2 and 3 KiB from turn to turn: where it
/// lies relative to X within a page is worth up to a fifth of the time, and the caller's is not
/// known. `y` has that much room.
template <typename T>
void compare(Contender<T>& a, Contender<T>& b, const std::vector<T>& x, std::vector<T>& y,
             Index columns) {
  constexpr int least = places, most = 100;
  constexpr double budget = 8e-3, disturbed_budget = 0.06;
  for (Contender<T>* contender : {&a, &b}) {
    contender->seconds = contender->second_best = std::numeric_limits<double>::infinity();
  }
  const Timer whole;
  for (int run = 0; run < most; ++run) {
    const double spent = whole.seconds();
    if (run >= least && spent > (a.settled() && b.settled() ? budget : disturbed_budget)) {
      break;
    }
    T* const place = y.data() + run % places * place_step<T>;
    a.run(x.data(), place, columns);
    b.run(x.data(), place, columns);
  }
}

}  // namespace

template <typename T>
bool is_symmetric(const Csr<T>& matrix) {
  if (matrix.rows != matrix.columns) return false;
  // next[j]: the first entry right of the diagonal in row j whose mirror image was not yet met.
  std::vector<Index> next(matrix.rows);
  for (Index i = 0; i < matrix.rows; ++i) {
    Index k = matrix.row_offsets[i];
    const Index end = matrix.row_offsets[i + 1];
    for (; k < end && matrix.column_indices[k] < i; ++k) {
      const LocalIndex j = matrix.column_indices[k];
      const Index mirror = next[j]++;
      if (mirror >= matrix.row_offsets[j + 1] || matrix.column_indices[mirror] != i ||
          matrix.values[mirror] != matrix.values[k]) {
        return false;
      }
    }
    next[i] = k < end && matrix.column_indices[k] == i ? k + 1 : k;
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    if (next[i] != matrix.row_offsets[i + 1]) return false;
  }
  return true;
}

template <typename T>
std::vector<std::string_view> likely_kernels(const Csr<T>& matrix, Index columns) {
  const double mean_row =
      static_cast<double>(matrix.nonzeros()) / static_cast<double>(std::max<Index>(1, matrix.rows));
  std::vector<std::string_view> names;
  // Hardly any bytes of the matrix where rows repeat, and no loads of indices in any case.
  if (count_row_types(matrix) <= most_row_types) names.push_back("row_types");
  // Half of the bytes.
  if (is_symmetric(matrix)) names.push_back("symmetric_halves");
  // One list of columns for several rows, and 16 bits a column where rows are not tiny.
  constexpr double worthwhile_grouping = 1.1, worthwhile_row = 8;
  if (columns > 1 || mean_row >= worthwhile_row || grouping_of(matrix) > worthwhile_grouping) {
    names.push_back("csr_grouped");
  }
  // No branches to guess at the ends of rows.
  constexpr double many = 48, few = 4;
  if (mean_row < (columns == 1 ? many : few)) names.push_back("sliced_rows");
  names.push_back("csr_balanced");
  return names;
}

template <typename T>
std::unique_ptr<Product<T>> prepare_auto(const Csr<T>& matrix, const KernelOptions& options) {
  const Index columns = std::max<Index>(1, options.columns);
  const std::vector<std::string_view> names = likely_kernels(matrix, columns);
  const auto contender = [&](std::string_view name) {
    return Contender<T>{name, prepare(find_kernel(host_kernels(), name), matrix, options)};
  };
  Contender<T> best = contender(names.front());
  if (names.size() == 1) {
    return std::make_unique<AutoProduct<T>>(std::move(best.product), std::string(best.name));
  }
  const Dense<double> random = random_multivector(matrix.columns, columns, 1);
  const std::vector<T> x(random.values.begin(), random.values.end());
  std::vector<T> y(static_cast<std::size_t>(matrix.rows * columns + places * place_step<T>));
  std::vector<std::pair<std::string_view, double>> others;
  for (std::size_t k = 1; k < names.size(); ++k) {
    Contender<T> next = contender(names[k]);
    compare(best, next, x, y, columns);
    if (next.seconds < best.seconds) std::swap(best, next);
    others.emplace_back(next.name, next.seconds);
  }
  std::string detail =
      fmt::format("{} ({:.3g} ms at K = {}", best.name, best.seconds * 1e3, columns);
  for (const auto& [name, seconds] : others) {
    detail += fmt::format(", {} {:.3g}", name, seconds * 1e3);
  }
  return std::make_unique<AutoProduct<T>>(std::move(best.product), detail + ")");
}

template bool is_symmetric(const Csr<float>&);
template bool is_symmetric(const Csr<double>&);
template std::vector<std::string_view> likely_kernels(const Csr<float>&, Index);
template std::vector<std::string_view> likely_kernels(const Csr<double>&, Index);
template std::unique_ptr<Product<float>> prepare_auto(const Csr<float>&, const KernelOptions&);
template std::unique_ptr<Product<double>> prepare_auto(const Csr<double>&, const KernelOptions&);

}  // namespace spsolve
