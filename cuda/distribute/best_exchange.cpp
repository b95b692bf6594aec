#include "cuda/distribute/best_exchange.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/timer.hpp"
#include "core/tuning.hpp"

namespace spsolve::cuda::inline distribute {

BestExchange::BestExchange(Transports& transports, const HaloPlan& plan)
    : transports_(transports), plan_(plan) {}

void BestExchange::prepare(const std::byte* x, Index row_bytes) {
  auto found = choices_.find(row_bytes);
  if (found == choices_.end()) {
    found = choices_.emplace(row_bytes, choose(x, row_bytes)).first;
    std::erase_if(made_, [&](const auto& one) {
      return std::ranges::none_of(
          choices_, [&](const auto& choice) { return choice.second.transport == one.first; });
    });
  }
  name_ = found->second.name;
  chosen_ = &exchange_of(found->second.transport);
  chosen_->prepare(x, row_bytes);
}

DeviceExchange& BestExchange::exchange_of(Transport transport) {
  auto& exchange = made_[transport];
  if (exchange == nullptr) exchange = make_exchange(transports_, transport, plan_);
  return *exchange;
}

BestExchange::Choice BestExchange::choose(const std::byte* x, Index row_bytes) {
  const bool any_halo = all_sum(transports_.team(), plan_.halo_rows()) > 0;
  const std::vector<Transport> usable = transports_.for_halos(any_halo);
  Choice best{usable.front(), transports_.name_of(usable.front())};
  if (usable.size() == 1) return best;
  // Only an exchange that takes less from the concurrent product may be slower.
  double shortest = std::numeric_limits<double>::infinity();
  std::string tried;
  for (const Transport transport : usable) {
    DeviceExchange& exchange = exchange_of(transport);
    exchange.prepare(x, row_bytes);
    const double seconds = seconds_of(exchange, x);
    tried += fmt::format("{}{} {:.3g} ms", tried.empty() ? "" : ", ",
                         transports_.name_of(transport), seconds * 1e3);
    if (seconds < gpu_tuning.clearly_faster * shortest) {
      shortest = seconds;
      best = {transport, transports_.name_of(transport)};
    }
  }
  best.name += fmt::format(" (tried: {})", tried);
  return best;
}

double BestExchange::seconds_of(DeviceExchange& exchange, const std::byte* x) {
  const auto mean_of = [&](int repeats) {
    wait_for_all(transports_.team());
    const Timer timer;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      exchange.start(x, stream_.get());
      exchange.finish(stream_.get());
      exchange.release(stream_.get());
    }
    stream_.wait();
    return all_maximum(transports_.team(), timer.seconds()) / repeats;
  };
  constexpr int batches = 3, repeats = 10;
  mean_of(2);  // links are made when they are first used
  double best = mean_of(repeats);
  for (int batch = 1; batch < batches; ++batch) best = std::min(best, mean_of(repeats));
  return best;
}

}  // namespace spsolve::cuda::distribute
