#include "sparse/matched_order.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "process/system.hpp"
#include "sparse/fronts/factor_memory.hpp"
#include "sparse/fronts/schedule.hpp"
#include "sparse/layout/device_layout.hpp"
#include "sparse/ordering/ordering.hpp"

namespace spsolve::inline sparse {

bool MatchedOrderLimit::allows(const SparseAnalysis& matched, const SparseAnalysis& before) const {
  const auto entries_before = static_cast<double>(before.factor_entries);
  const auto seconds = [&](const SparseAnalysis& analysis) {
    // Real numbers and flops, as those of the factors that are made are.
    const double flops = plain.flops * (analysis.flops / before.flops);
    const auto numbers =
        static_cast<Index>(static_cast<double>(plain.numbers) *
                           (static_cast<double>(analysis.factor_entries) / entries_before));
    return plain.memory == MemoryKind::gpu
               ? predicted_gpu_seconds(flops, numbers, longest_path_on_gpu(analysis.fronts))
               : predicted_seconds(flops, numbers, 1);
  };
  const bool on_gpu = plain.memory == MemoryKind::gpu;
  const double sure = on_gpu ? 1 : 0.25;  // part of what is spared, as hosts vary
  const double limit =
      gmres_steps > 0 ? seconds(before) + sure * plain.of_gmres(gmres_steps) : plain.of_threshold();
  if (seconds(matched) >= limit) return false;
  if (on_gpu || plain.over_ranks) return true;
  const Factorization kind = matched.kind;
  const FactorMemory memory = factor_memory(
      matched.fronts, kind, factor_schedule(matched.fronts, kind, threads), value_bytes);
  return memory.factors + memory.stack <= available_memory();
}

bool MatchedOrder::is_open(Index perturbed) const {
  if (choice_.matching == AutoSwitch::off || choice_.kind == Factorization::lu ||
      choice_.ordering == Ordering::file || choice_.refined || refused_) {
    return false;
  }
  return !taken_ || (systems_ > wait_ && perturbed_ && perturbed > 2 * *perturbed_);
}

void MatchedOrder::hear(Index perturbed) {
  if (taken_ && !perturbed_) perturbed_ = perturbed;
}

bool MatchedOrder::find(SystemMatrix& matrix, const MatchedOrderLimit& limit) {
  next_.reset();
  const bool taken = gathered_.match(matrix, [&](const auto& matched, const auto& before) {
    return limit.allows(matched, before);
  });
  refused_ = !taken;
  if (!taken) return false;
  if (taken_) wait_ *= 2;
  taken_ = true;
  systems_ = 1;
  perturbed_.reset();
  return true;
}

bool MatchedOrder::find_if_asked(SystemMatrix& matrix) {
  ++systems_;
  if (!next_) return false;
  const MatchedOrderLimit limit = *next_;
  return is_news_ = find(matrix, limit);
}

std::optional<ScaleFactors> MatchedOrder::prepare(SystemMatrix& matrix,
                                                  const Equilibration& scaling,
                                                  Precision precision) {
  Equilibration whole;
  if (choice_.equilibrate != AutoSwitch::off) {
    gathered_.find_scaling(matrix, choice_.equilibrate, precision, whole);
  }
  std::vector<double> ratio;
  if (whole.scales) ratio = whole.rows.on_host();
  if (scaling.scales) {
    const std::vector<double>& known = scaling.rows.on_host();
    for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] /= known[i];
  }
  const bool in_range =
      std::ranges::all_of(ratio, [](double s) { return s >= 0x1p-1000 && s <= 0x1p1000; });
  if (!whole.scales || all_sum(matrix.team(), in_range ? 0 : 1) > 0) {
    gathered_.prepare(matrix, scaling);
    return std::nullopt;
  }
  gathered_.prepare(matrix, whole);
  return ScaleFactors(std::move(ratio));
}

}  // namespace spsolve::sparse
