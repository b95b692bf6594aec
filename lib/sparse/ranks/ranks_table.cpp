#include "sparse/ranks/ranks_table.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/tuning.hpp"
#include "sparse/fronts/schedule.hpp"
#include "sparse/ranks/tree_partition.hpp"

namespace spsolve::inline sparse {

namespace {

constexpr auto value_bytes = static_cast<double>(sizeof(double));

/// The clocks of ranks, and what each of them holds.
class Clocks {
 public:
  Clocks(const SparseAnalysis& analysis, Factorization kind, int ranks, const RankSpeed& speed)
      : fronts_(analysis.fronts),
        kind_(kind),
        speed_(speed),
        teams_(assign_fronts(analysis.fronts, speed.work, SharingRule::of(kind, speed.memory).costs,
                             ranks)),
        seconds_(ranks, 0),
        waits_(ranks, 0),
        factors_(ranks, 0),
        contribution_bytes_(ranks, 0) {}

  SimulatedElimination run() {
    for (LocalIndex s = 0; s < fronts_.size(); ++s) {
      if (!teams_.shared(s)) own_front(s);
    }
    SimulatedElimination result;
    result.own_seconds = *std::ranges::max_element(seconds_);
    LocalIndex number = 0;
    for (const LocalIndex s : teams_.shared_order()) {
      result.shared_flops += front_flops(fronts_, s, symmetric());
      shared_front(s, number++);
    }
    const auto last = std::ranges::max_element(seconds_);
    result.seconds = *last;
    result.message_seconds = waits_[last - seconds_.begin()];
    result.factor_bytes = static_cast<std::int64_t>(*std::ranges::max_element(factors_));
    result.contribution_bytes =
        static_cast<std::int64_t>(*std::ranges::max_element(contribution_bytes_));
    return result;
  }

 private:
  bool symmetric() const { return kind_ != Factorization::lu; }
  double entries(LocalIndex s) const {
    const double p = fronts_.pivots(s), m = fronts_.border_size(s);
    return (p + m) * p + (symmetric() ? 0 : m * p);
  }
  double contribution_entries(LocalIndex s) const {
    const double m = fronts_.border_size(s);
    return symmetric() ? m * m / 2 : m * m;
  }
  double work(LocalIndex s) const { return 1e-9 * speed_.work[s]; }

  void own_front(LocalIndex s) {
    const int rank = teams_.of[s].first;
    seconds_[rank] += work(s);
    factors_[rank] += value_bytes * entries(s);
    const LocalIndex up = fronts_.parent[s];
    if (up != -1 && teams_.shared(up))
      contribution_bytes_[rank] += value_bytes * contribution_entries(s);
  }

  void shared_front(LocalIndex s, LocalIndex number) {
    const RankRange range = teams_.of[s];
    const ColumnBlocks blocks(SharingRule::of(kind_, speed_.memory), fronts_.pivots(s),
                              fronts_.border_size(s), range.count, number);
    const int sharing = blocks.shares() ? range.count : 1;
    double begin = 0;
    for (int r = range.first; r < range.first + range.count; ++r) {
      begin = std::max(begin, seconds_[r]);
    }
    // The contribution blocks of children are spread over the ranks, and come to each of them; then
    // every rank gets all panels but its own.
    double coming = 0;
    for (const LocalIndex child : fronts_.children_of(s)) coming += contribution_entries(child);
    const double share = 1.0 - 1.0 / range.count;
    double bytes = share * coming / range.count, messages = 2.0 * range.count;
    if (sharing > 1) {
      const double p = fronts_.pivots(s), m = fronts_.border_size(s);
      bytes += share * (symmetric() ? p * p / 2 + p * m : p * p / 2 + p * m);
      messages += static_cast<double>(blocks.pivot_blocks());
    }
    const double travel =
        value_bytes * bytes / speed_.bytes_per_second + messages * speed_.seconds_of_message;
    for (int r = range.first; r < range.first + range.count; ++r) {
      seconds_[r] = begin + travel + work(s) / sharing;
      waits_[r] += travel;
      if (sharing > 1 || blocks.owner(0) == r - range.first) {
        factors_[r] += value_bytes * entries(s) / sharing;
        contribution_bytes_[r] = std::max(
            contribution_bytes_[r], value_bytes * (contribution_entries(s) + coming) / sharing);
      }
    }
  }

  const Fronts& fronts_;
  Factorization kind_;
  const RankSpeed& speed_;
  ProportionalMapping teams_;
  std::vector<double> seconds_, waits_, factors_, contribution_bytes_;
};

}  // namespace

RankSpeed speed_of_hosts(const Fronts& fronts, Factorization kind, int threads) {
  RankSpeed speed{front_work(fronts, kind != Factorization::lu), MemoryKind::host,
                  host_tuning.bytes_between_ranks, host_tuning.seconds_of_message};
  for (double& nanoseconds : speed.work) nanoseconds /= threads;
  return speed;
}

RankSpeed speed_of_gpus(const Fronts& fronts, Factorization kind) {
  return {front_work_of_gpu(fronts, kind != Factorization::lu), MemoryKind::gpu,
          gpu_tuning.bytes_between_ranks, gpu_tuning.seconds_of_message};
}

SimulatedElimination simulate(const SparseAnalysis& analysis, Factorization kind, int ranks,
                              const RankSpeed& speed) {
  return Clocks(analysis, kind, ranks, speed).run();
}

std::string ranks_table(const SparseAnalysis& analysis, Factorization kind, int most,
                        const RankSpeed& speed) {
  std::string text =
      "By ranks, as simulated; bytes are those of the rank that has most:\n"
      "  ranks       factors     passed up   shared flops     seconds   of one rank   limited by\n";
  double alone = 0;
  const auto gibibytes = [](std::int64_t bytes) {
    return fmt::format("{:.3f} GiB", static_cast<double>(bytes) / (1 << 30));
  };
  for (int ranks = 1;; ranks = std::min(most, 2 * ranks)) {
    const SimulatedElimination of = simulate(analysis, kind, ranks, speed);
    if (ranks == 1) alone = of.seconds;
    const double shared = of.seconds - of.own_seconds - of.message_seconds;
    const char* limit = of.own_seconds >= std::max(shared, of.message_seconds) ? "own subtrees"
                        : shared >= of.message_seconds                         ? "shared fronts"
                                                                               : "messages";
    text += fmt::format("  {:>5}  {:>12}  {:>12}  {:>11.1f} %  {:>10.3g}  {:>11.2f}   {}\n", ranks,
                        gibibytes(of.factor_bytes), gibibytes(of.contribution_bytes),
                        analysis.flops > 0 ? 100 * of.shared_flops / analysis.flops : 0.0,
                        of.seconds, of.seconds > 0 ? alone / of.seconds : 1.0, limit);
    if (ranks >= most) break;
  }
  return text +
         fmt::format("  and on rank 0 the analysis, which took {:.3g} s here\n", analysis.seconds);
}

}  // namespace spsolve::sparse
