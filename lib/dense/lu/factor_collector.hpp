#pragma once

#include <algorithm>
#include <future>
#include <span>
#include <utility>
#include <vector>

#include "dense/lu/lu.hpp"
#include "dense/state/fill_rows.hpp"

namespace spsolve::inline dense {

/// Finds the largest number in U among the factors of a team's panels, and takes them into host
/// memory where somebody wants them there. That is put off until the host would wait, and goes on
/// concurrently until end(): copies to new memory take longer than a narrow panel's elimination on
/// a GPU.
template <typename T>
class FactorCollector {
 public:
  /// For `panels`, which grow, of `rows`.
  FactorCollector(std::vector<typename LuFactors<T>::Panel>& panels, const BlockedRows<T>& rows)
      : panels_(panels), overlaps_(rows.overlaps()), copies_(!rows.solution().keeps_factors()) {}

  /// `factors`, which stay where they are until start() and end(), are those of the last panel.
  void put(std::span<const T> factors) {
    factors_ = factors;
    panel_ = panels_.size() - 1;
  }

  void start() {
    end();
    if (factors_.empty()) return;
    const auto collect = [from = std::exchange(factors_, {}), copies = copies_,
                          width = panels_[panel_].columns.size()] {
      const auto copied = copies ? from : from.first(0);
      return CollectedFactors{{copied.begin(), copied.end()}, largest_in_upper(from, width)};
    };
    // Deferred where the system gives no more threads.
    collected_ = std::async(
        overlaps_ ? std::launch::async | std::launch::deferred : std::launch::deferred, collect);
    collected_panel_ = panel_;
  }

  void end() {
    if (!collected_.valid()) return;
    CollectedFactors collected = collected_.get();
    largest_upper_ = std::max(largest_upper_, collected.largest_upper);
    panels_[collected_panel_].factors = std::move(collected.factors);
  }

  void collect() {
    start();
    end();
  }

  /// Takes note of factors that have come into their panel otherwise.
  void include(const typename LuFactors<T>::Panel& panel) {
    largest_upper_ =
        std::max(largest_upper_, largest_in_upper(panel.factors, panel.columns.size()));
  }

  /// max |u_ij| over all that were taken in, both in the panel.
  double largest_upper() const { return largest_upper_; }

 private:
  struct CollectedFactors {
    std::vector<T> factors;
    double largest_upper = 0;
  };

  static double largest_in_upper(std::span<const T> factors, Index width) {
    double largest = 0;
    for (Index i = 0; i < width && !factors.empty(); ++i) {
      largest = std::max(largest, largest_of(&factors[i * width + i], width - i));
    }
    return largest;
  }

  std::vector<typename LuFactors<T>::Panel>& panels_;
  bool overlaps_, copies_;
  std::span<const T> factors_;  // put, not started on yet
  std::size_t panel_ = 0;       // whose they are
  std::future<CollectedFactors> collected_;
  std::size_t collected_panel_ = 0;
  double largest_upper_ = 0;
};

}  // namespace spsolve::dense
