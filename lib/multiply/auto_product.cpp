#include "multiply/auto_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/statistics.hpp"
#include "core/timer.hpp"
#include "core/untouched_array.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "matrix/symmetry.hpp"
#include "multiply/fast/fast_csr.hpp"
#include "multiply/kernel/row_groups.hpp"
#include "multiply/kernel/row_types.hpp"

namespace spsolve::inline multiply {

namespace {

/// The kernel that takes any matrix, with nothing to convert.
constexpr std::string_view plain_kernel = "csr_balanced";

/// The one of real forms, which has less to convert and to multiply.
constexpr std::string_view complex_kernel = "complex_rows";

/// Its twin for short rows of changing length, and the columns of X for which it is the quicker one
/// without a trial.
constexpr std::string_view sorted_kernel = "csr_sorted";
constexpr Index most_sorted_columns = 8;

/// How much quicker the other one must look than it, or than the one of real forms, all the same:
/// while others take their share of the processor's caches both look alike.
constexpr double clearly_quicker = 1.05;

template <typename T>
class AutoProduct final : public KernelProduct<T> {
 public:
  AutoProduct(std::unique_ptr<KernelProduct<T>> chosen, std::string detail)
      : chosen_(std::move(chosen)), detail_(std::move(detail)) {}

  void multiply(const T* x, T* y, Index columns) override { chosen_->multiply(x, y, columns); }
  std::int64_t bytes() const override { return chosen_->bytes(); }
  std::string detail() const override { return detail_; }

 private:
  std::unique_ptr<KernelProduct<T>> chosen_;
  std::string detail_;
};

/// A candidate in a trial.
template <typename T>
struct Contender {
  std::string_view name;
  std::unique_ptr<KernelProduct<T>> product;

  /// The shortest of a few products in a row, as in use: the first brings its own data back into
  /// the caches and does not count. Seconds.
  double run(const T* x, T* y, Index columns) {
    constexpr int burst = 4;
    product->multiply(x, y, columns);
    double shortest = std::numeric_limits<double>::infinity();
    for (int repeat = 1; repeat < burst; ++repeat) {
      const Timer timer;
      product->multiply(x, y, columns);
      shortest = std::min(shortest, timer.seconds());
    }
    return shortest;
  }
};

/// Medians over the turns of a comparison.
struct Verdict {
  double first_seconds = 0, second_seconds = 0;
  double ratio = 0;  ///< of the first to the second, turn by turn
};

/// Whether more turns would hardly change who wins, by the ratios of the turns so far: all agree by
/// a wide margin, or nearly all by a smaller one, or it is known well enough to make no difference.
bool decided(std::span<const double> ratios) {
  constexpr double wide = 1.2, small = 1.05, little = 0.01;
  const auto share_beyond = [&](double limit) {
    const auto slower =
        std::count_if(ratios.begin(), ratios.end(), [&](double r) { return r > limit; });
    const auto faster =
        std::count_if(ratios.begin(), ratios.end(), [&](double r) { return r * limit < 1; });
    return static_cast<double>(std::max(slower, faster)) / static_cast<double>(ratios.size());
  };
  if (ratios.size() >= 5 && share_beyond(wide) == 1) return true;
  if (ratios.size() < 15) return false;
  const Statistics statistics = statistics_of(ratios);
  return share_beyond(small) > 0.8 ||
         std::sqrt(statistics.variance / static_cast<double>(ratios.size())) < little;
}

/// Multiplies by both in turns until it is decided. A machine whose speed drifts does so for both.
template <typename T>
Verdict compare(Contender<T>& first, Contender<T>& second, const T* x, T* y, Index columns) {
  constexpr std::size_t most = 400;
  constexpr double most_seconds = 0.1;
  std::vector<double> a, b, ratios;
  const Timer whole;
  do {
    a.push_back(first.run(x, y, columns));
    b.push_back(second.run(x, y, columns));
    ratios.push_back(a.back() / b.back());
  } while (!decided(ratios) && ratios.size() < most && whole.seconds() < most_seconds);
  return {statistics_of(a).median, statistics_of(b).median, statistics_of(ratios).median};
}

}  // namespace

template <typename T>
std::vector<std::string_view> likely_kernels(const Csr<T>& matrix, Index columns) {
  const double mean_row =
      static_cast<double>(matrix.nonzeros()) / static_cast<double>(std::max<Index>(1, matrix.rows));
  std::vector<std::string_view> names;
  // Hardly any bytes of the matrix where rows repeat, and no loads of indices in any case.
  if (rows_repeat(matrix.rows, count_row_types(matrix))) names.push_back("row_types");
  // The numbers of a complex matrix once, which is hardly worth anything where X and Y are most of
  // what moves.
  if (real_form_kind(matrix) != RealFormKind::none) {
    constexpr Index wide = 12;
    names.push_back(complex_kernel);
    if (columns >= wide) names.insert(names.end(), {"csr_grouped", plain_kernel});
    return names;
  }
  // Half of the bytes.
  if (symmetry_of(matrix).symmetric) names.push_back("symmetric_halves");
  // One list of columns for several rows, and 16 bits a column where rows are not tiny.
  constexpr double worthwhile_grouping = 1.1, worthwhile_row = 8;
  if (columns > 1 || mean_row >= worthwhile_row || grouping_of(matrix) > worthwhile_grouping) {
    names.push_back("csr_grouped");
  }
  // No branches to guess at the ends of rows.
  constexpr double many = 48, few = 4;
  if (mean_row < (columns == 1 ? many : few)) names.push_back("sliced_rows");
  // Slices element by element, where so few columns leave vectors half empty.
  constexpr Index narrow = 8;
  if (columns > 1 && columns < narrow && mean_row < few) names.push_back("sliced_ellpack");
  if (columns > 1 && lengths_are_irregular(matrix)) names.push_back(sorted_kernel);
  names.push_back(plain_kernel);
  return names;
}

template <typename T>
std::unique_ptr<KernelProduct<T>> prepare_auto(const Csr<T>& matrix, const KernelOptions& options) {
  const Index columns = std::max<Index>(1, options.columns);
  if (!has_trial(options.products)) {
    const bool sorted = columns <= most_sorted_columns && lengths_are_irregular(matrix);
    const bool complex = real_form_kind(matrix) != RealFormKind::none;
    const std::string_view name = complex ? complex_kernel : sorted ? sorted_kernel : plain_kernel;
    return std::make_unique<AutoProduct<T>>(
        prepare(find_kernel(host_kernels(), name), matrix, options), std::string(name));
  }
  const std::vector<std::string_view> names = likely_kernels(matrix, columns);
  const auto contender = [&](std::string_view name) {
    return Contender<T>{name, prepare(find_kernel(host_kernels(), name), matrix, options)};
  };
  Contender<T> best = contender(names.front());
  if (names.size() == 1) {
    return std::make_unique<AutoProduct<T>>(std::move(best.product), std::string(best.name));
  }
  const Dense<double> random = random_multivector(matrix.columns, columns, 1);
  // At whole pages, as in use (see allocate_untouched()).
  UntouchedArray<T> x(matrix.columns * columns), y(matrix.rows * columns);
  std::copy(random.values.begin(), random.values.end(), x.data());
  std::vector<std::pair<std::string_view, double>> others;
  double best_seconds = 0;
  for (std::size_t k = 1; k < names.size(); ++k) {
    Contender<T> next = contender(names[k]);
    Verdict verdict = compare(best, next, x.data(), y.data(), columns);
    const bool foreseen =
        best.name == complex_kernel ||
        (best.name == sorted_kernel && next.name == plain_kernel && columns <= most_sorted_columns);
    if (verdict.ratio > (foreseen ? clearly_quicker : 1.0)) {
      std::swap(best, next);
      std::swap(verdict.first_seconds, verdict.second_seconds);
    }
    best_seconds = verdict.first_seconds;
    others.emplace_back(next.name, verdict.second_seconds);
  }
  std::string detail =
      fmt::format("{} ({:.3g} ms at K = {}", best.name, best_seconds * 1e3, columns);
  for (const auto& [name, seconds] : others) {
    detail += fmt::format(", {} {:.3g}", name, seconds * 1e3);
  }
  return std::make_unique<AutoProduct<T>>(std::move(best.product), detail + ")");
}

SPSOLVE_INSTANTIATE_FUNCTION(likely_kernels)
SPSOLVE_INSTANTIATE_FUNCTION(prepare_auto)

}  // namespace spsolve::multiply
