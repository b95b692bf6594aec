#include "cuda/multiply/auto_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "cuda/core/nvtx.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/multiply/cuda_kernels.hpp"
#include "matrix/real_form.hpp"
#include "matrix/symmetry.hpp"
#include "multiply/kernel/row_types.hpp"

namespace spsolve::cuda::inline multiply {

namespace {

/// A pattern by its size and a hash, the bytes of an element, and K.
using PatternKey = std::tuple<Index, Index, Index, std::uint64_t, std::size_t, Index>;

/// The winners so far in this process.
class Winners {
 public:
  std::string_view find(const PatternKey& key) {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(key);
    return found == names_.end() ? std::string_view() : found->second;
  }
  void remember(const PatternKey& key, std::string_view name) {
    const std::lock_guard lock(mutex_);
    names_[key] = name;
  }

 private:
  std::mutex mutex_;
  std::map<PatternKey, std::string_view> names_;
};

Winners& winners() {
  static Winners all;
  return all;
}

template <typename T>
std::uint64_t pattern_hash(const Csr<T>& matrix) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t word) {
    // The multiplier of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9U;
    hash ^= hash >> 29;
  };
  for (const Index offset : matrix.row_offsets) mix(static_cast<std::uint64_t>(offset));
  for (const LocalIndex column : matrix.column_indices) mix(static_cast<std::uint64_t>(column));
  return hash;
}

/// Products of a trial at most: of seconds_of().
constexpr int batches = 4, most_repeats = 20, trial_products = batches * most_repeats + 2;

/// Seconds of one product: the shortest mean of a few batches, each long enough for the events.
template <typename T>
double seconds_of(KernelProduct<T>& product, const T* x, T* y, Index columns) {
  constexpr double batch_seconds = 1e-4;
  Event start, stop;
  const auto batch = [&](int repeats) {
    start.record(current_stream());
    for (int run = 0; run < repeats; ++run) product.multiply(x, y, columns);
    stop.record(current_stream());
    return stop.seconds_since(start) / repeats;
  };
  batch(1);  // fills the caches and grows what has to grow
  double best = batch(1);
  const int repeats = static_cast<int>(std::clamp(batch_seconds / best, 1.0, 1.0 * most_repeats));
  for (int run = 0; run < batches; ++run) best = std::min(best, batch(repeats));
  return best;
}

template <typename T>
class AutoProduct final : public KernelProduct<T> {
 public:
  AutoProduct(const Csr<T>& matrix, const KernelOptions& options)
      : matrix_(matrix),
        options_(options),
        hash_(pattern_hash(matrix)),
        // Without the longest row, which no likely kernel asks for.
        facts_{.rows = matrix.rows,
               .columns = matrix.columns,
               .nonzeros = matrix.nonzeros(),
               .mirrors = symmetry_of(matrix).mirrors(),
               .row_types = count_row_types(matrix),
               .real_form = real_form_kind(matrix) != RealFormKind::none,
               .furthest = {}} {
    // Not with the first product, which would seem to take as long.
    if (tries_nothing()) converted(plain_kernel);
  }

  void multiply(const T* x, T* y, Index columns) override {
    const auto found = choices_.find(columns);
    Choice& choice = found != choices_.end() ? found->second : choose(x, y, columns);
    choice.product->multiply(x, y, columns);
  }

  std::int64_t bytes() const override {
    std::int64_t sum = 0;
    for (const auto& [name, converted] : converted_) sum += converted.product->bytes();
    return sum;
  }

  std::string detail() const override {
    std::string text;
    for (const auto& [columns, choice] : choices_) {
      text += (text.empty() ? "" : "; ") + choice.text;
    }
    return text;
  }

 private:
  struct Converted {
    std::shared_ptr<KernelProduct<T>> product;
    double seconds = 0;  ///< of the conversion
  };
  struct Choice {
    std::string_view name;
    std::shared_ptr<KernelProduct<T>> product;
    std::string text;
  };
  struct Trial {
    std::string_view name;
    double seconds;          ///< of a product
    double convert_seconds;  ///< of the conversion
  };

  Converted& converted(std::string_view name) {
    const auto found = converted_.find(name);
    if (found != converted_.end()) return found->second;
    const Timer timer;
    std::shared_ptr<KernelProduct<T>> product =
        prepare(find_kernel(cuda_kernels(), name), matrix_, options_);
    return converted_[name] = {std::move(product), timer.seconds()};
  }

  Choice& choose(const T* x, T* y, Index columns) {
    const NvtxRange range("auto chooses");
    const auto likely =
        likely_kernels(columns, {.row_types = rows_repeat(facts_.rows, facts_.row_types),
                                 .symmetric = facts_.mirrors == Mirrors::equal,
                                 .real_form = facts_.real_form});
    const PatternKey key{matrix_.rows, matrix_.columns, matrix_.nonzeros(),
                         hash_,        sizeof(T),       columns};
    // The values may differ from the remembered matrix's, and so what takes them.
    const std::string_view before = winners().find(key);
    const bool many = options_.products == 0;
    if (many && std::find(likely.begin(), likely.end(), before) != likely.end()) {
      return keep(columns, before,
                  fmt::format("{} at K = {} (as before with this pattern)", before, columns));
    }
    const std::vector<Trial> trials = try_all(likely, x, y, columns);
    if (trials.empty()) {
      return keep(
          columns, plain_kernel,
          fmt::format("{} at K = {} (too few products for a trial)", plain_kernel, columns));
    }
    const Trial best = trials.front();
    const Trial plain = *std::find_if(trials.begin(), trials.end(), [](const Trial& trial) {
      return trial.name == plain_kernel;
    });
    std::string text =
        fmt::format("{} at K = {} ({:.3g} ms", best.name, columns, best.seconds * 1e3);
    for (std::size_t t = 1; t < trials.size(); ++t) {
      text += fmt::format(", {} {:.3g}", trials[t].name, trials[t].seconds * 1e3);
    }
    if (best.seconds < plain.seconds) {
      const double more = std::max(0.0, best.convert_seconds - plain.convert_seconds);
      text += fmt::format("; converted in {:.2g} s, pays after {:.0f} products",
                          best.convert_seconds, std::ceil(more / (plain.seconds - best.seconds)));
    }
    if (many) winners().remember(key, best.name);
    return keep(columns, best.name, text + ")");
  }

  /// Whether the products that are expected are fewer than a trial of one kernel takes.
  bool tries_nothing() const {
    return options_.products > 0 && options_.products <= trial_products / 2;
  }

  /// Whether a kernel could win back what its conversion and trial cost in the products that are
  /// expected, by the fastest trial so far; of the first one it is taken that it could.
  bool may_pay(std::string_view name, const std::vector<Trial>& trials) const {
    // Seconds that conversions took on matrices of 3.6 to 59 million non-zeros and 16 cores, at
    // most; the share that was won, likewise.
    constexpr double plain_seconds = 3e-9, other_seconds = 16e-9, most_won = 0.6;
    if (tries_nothing()) return false;
    if (options_.products == 0 || trials.empty() || converted_.contains(name)) return true;
    const bool plain = find_kernel(cuda_kernels(), name).format.starts_with("csr");
    const double conversion =
        (plain ? plain_seconds : other_seconds) * static_cast<double>(matrix_.nonzeros());
    const double product = trials.front().seconds;
    return static_cast<double>(options_.products) * product * most_won >
           conversion + trial_products * product;
  }

  /// Trials of all these kernels that may pay, the fastest first. Only its format is kept, and
  /// those of other K. A format that does not fit into the GPU's memory is left out, unless it is
  /// the plain one.
  std::vector<Trial> try_all(const std::vector<std::string_view>& names, const T* x, T* y,
                             Index columns) {
    std::vector<Trial> trials;
    for (const std::string_view name : names) {
      if (!may_pay(name, trials)) continue;
      if (!find_kernel(cuda_kernels(), name).refuse(facts_, columns, sizeof(T)).empty()) continue;
      try {
        Converted& candidate = converted(name);
        trials.push_back({name, seconds_of(*candidate.product, x, y, columns), candidate.seconds});
      } catch (const Error& error) {
        if (error.code() != ExitCode::resources || name == plain_kernel) throw;
        continue;
      }
      std::stable_sort(trials.begin(), trials.end(),
                       [](const Trial& a, const Trial& b) { return a.seconds < b.seconds; });
      free_all_but(trials.front().name);
    }
    return trials;
  }

  /// Makes `name` the choice for K and frees what no K needs.
  Choice& keep(Index columns, std::string_view name, std::string text) {
    Choice& choice = choices_[columns] = {name, converted(name).product, std::move(text)};
    free_all_but(name);
    return choice;
  }

  /// Frees the formats that neither `name` nor a K that was met needs.
  void free_all_but(std::string_view name) {
    std::erase_if(converted_, [&](const auto& one) {
      return one.first != name &&
             std::none_of(choices_.begin(), choices_.end(),
                          [&](const auto& kept) { return kept.second.name == one.first; });
    });
  }

  Csr<T> matrix_;
  KernelOptions options_;
  std::uint64_t hash_;
  MatrixFacts facts_;
  std::map<std::string_view, Converted> converted_;
  std::map<Index, Choice> choices_;
};

}  // namespace

std::vector<std::string_view> likely_kernels(Index columns, const LikelyStorages& may_pay) {
  // Beyond these K a kernel has never been near the fastest: a thread can't hold more sums, atomics
  // are paid for every column.
  constexpr Index most_sliced = 4, most_tiled = 8, most_symmetric = 1, least_lanes = 3;
  std::vector<std::string_view> names{plain_kernel};
  if (may_pay.row_types) names.push_back("row_types");
  // Every number once, with which no other storage of a real form competes.
  if (may_pay.real_form) {
    names.push_back("complex_rows");
    return names;
  }
  if (columns <= most_tiled) names.push_back("csr_tiles");
  if (columns == 1) {
    names.push_back("cusparse_csr_spmv_2");  // 1 costs a copy of Y
  } else {
    names.insert(names.end(), {"cusparse_csr_spmm_3", "cusparse_csr_spmm_2"});
  }
  if (may_pay.symmetric && columns <= most_symmetric) names.push_back("symmetric_groups");
  if (columns <= most_sliced) names.push_back("grouped_slices");
  if (columns >= least_lanes) names.push_back("grouped_lanes");
  return names;
}

template <typename T>
std::unique_ptr<KernelProduct<T>> prepare_auto(const Csr<T>& matrix, const KernelOptions& options) {
  return std::make_unique<AutoProduct<T>>(matrix, options);
}

SPSOLVE_INSTANTIATE_FUNCTION(prepare_auto)

}  // namespace spsolve::cuda::multiply
