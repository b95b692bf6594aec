#include "cuda/multiply/auto_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "cuda/core/stream.hpp"
#include "cuda/multiply/fast_rows.hpp"

namespace spsolve::cuda {

namespace {

constexpr Index most_sliced = 4, least_lanes = 16;
constexpr Index large_matrix = 1'000'000;  ///< non-zeros that are worth a trial

template <typename T>
class AutoRows final : public Product<T> {
 public:
  AutoRows(const Csr<T>& matrix, const KernelOptions& options)
      : large_(matrix.nonzeros() >= large_matrix),
        sliced_(SlicedRows<T>::from_csr(matrix, options)),
        lanes_(LaneCsr<T>::from_csr(matrix, options)) {}

  void multiply(const T* x, T* y, Index columns) override {
    if (uses_sliced(x, y, columns)) {
      sliced_rows(sliced_, x, y, columns);
    } else {
      csr_lanes(lanes_, x, y, columns);
    }
  }

  std::int64_t bytes() const override { return sliced_.bytes() + lanes_.bytes(); }

  std::string detail() const override {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (met_sliced_) add(fmt::format("sliced_rows at K <= {}", most_sliced));
    for (const Choice& choice : choices_) {
      if (!choice.text.empty()) add(choice.text);
    }
    if (met_lanes_) add(fmt::format("csr_lanes at K >= {}", least_lanes));
    return text;
  }

 private:
  struct Choice {
    bool sliced = false;
    std::string text;  ///< empty: not yet made
  };

  bool uses_sliced(const T* x, T* y, Index columns) {
    if (columns <= most_sliced) return met_sliced_ = true;
    if (columns >= least_lanes) {
      met_lanes_ = true;
      return false;
    }
    Choice& choice = choices_[static_cast<std::size_t>(columns - most_sliced - 1)];
    if (choice.text.empty()) choose(choice, x, y, columns);
    return choice.sliced;
  }

  void choose(Choice& choice, const T* x, T* y, Index columns) {
    if (!large_) {
      choice.text = fmt::format("csr_lanes at K = {} (not timed)", columns);
      return;
    }
    const double sliced = shortest([&] { sliced_rows(sliced_, x, y, columns); });
    const double lanes = shortest([&] { csr_lanes(lanes_, x, y, columns); });
    choice.sliced = sliced < lanes;
    choice.text = fmt::format("{} at K = {} (sliced_rows {:.3g} ms, csr_lanes {:.3g})",
                              choice.sliced ? "sliced_rows" : "csr_lanes", columns, sliced * 1e3,
                              lanes * 1e3);
  }

  /// Seconds of the shortest of a few products; the first, which fills the caches, does not count.
  template <typename Multiply>
  static double shortest(Multiply multiply) {
    constexpr int repeats = 3;
    multiply();
    double best = std::numeric_limits<double>::infinity();
    Event start, stop;
    for (int run = 0; run < repeats; ++run) {
      start.record(current_stream());
      multiply();
      stop.record(current_stream());
      best = std::min(best, stop.seconds_since(start));
    }
    return best;
  }

  bool large_;
  SlicedRows<T> sliced_;
  LaneCsr<T> lanes_;
  std::array<Choice, least_lanes - most_sliced - 1> choices_;
  bool met_sliced_ = false, met_lanes_ = false;
};

}  // namespace

template <typename T>
std::unique_ptr<Product<T>> prepare_auto_rows(const Csr<T>& matrix, const KernelOptions& options) {
  return std::make_unique<AutoRows<T>>(matrix, options);
}

template std::unique_ptr<Product<float>> prepare_auto_rows(const Csr<float>&, const KernelOptions&);
template std::unique_ptr<Product<double>> prepare_auto_rows(const Csr<double>&,
                                                            const KernelOptions&);

}  // namespace spsolve::cuda
