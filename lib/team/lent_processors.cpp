#include "team/lent_processors.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <omp.h>

#include "core/blas/blas.hpp"
#include "process/system.hpp"

namespace spsolve::inline team {

namespace {

/// The processors and threads that a rank could lend.
struct Offer {
  char host[64];
  cpu_set_t processors;
  int threads;
  bool limited;
};

/// Every thread of a team of so many may run on these processors. New threads get what the thread
/// has that makes them, and those that are there already keep what they have unless they are told.
void run_on(const cpu_set_t& processors, int threads) {
  sched_setaffinity(0, sizeof processors, &processors);
#pragma omp parallel num_threads(threads)
  sched_setaffinity(0, sizeof processors, &processors);
}

}  // namespace

LentProcessors::LentProcessors(Team& team)
    : team_(team), own_threads_(omp_get_max_threads()), threads_(own_threads_) {
  if (team.size() == 1) return;
  Offer mine = {};
  std::strncpy(mine.host, host_name().c_str(), sizeof mine.host - 1);
  CPU_ZERO(&mine.processors);
  const bool known = sched_getaffinity(0, sizeof mine.processors, &mine.processors) == 0;
  mine.threads = own_threads_;
  mine.limited = !known || left_under_process_limit() != std::numeric_limits<std::int64_t>::max();
  const std::vector<Offer> offers = all_gather(team, mine);
  const Offer& first = offers.front();
  own_ = all_ = first.processors;
  own_threads_ = threads_ = first.threads;
  if (first.limited) return;
  int threads = 0, left = 0;
  for (const Offer& offer : offers) {
    if (std::strncmp(offer.host, first.host, sizeof first.host) != 0) continue;
    CPU_OR(&all_, &all_, &offer.processors);
    threads += offer.threads;
    if (offer.threads + left_for_messages >= processors_with_some_for_messages) {
      left += left_for_messages;
    }
  }
  // The others rest, and there are no messages.
  const int processors = CPU_COUNT(&all_);
  if (threads + left >= processors) threads = processors;
  threads_ = std::max(own_threads_, threads);
}

LentProcessors::Loan::Loan(const LentProcessors& lent) : lent_(lent) {
  if (lent.threads_ == lent.own_threads_) return;
  omp_set_num_threads(lent.threads_);
  blas::set_threads(lent.threads_);
  run_on(lent.all_, lent.threads_);
}

LentProcessors::Loan::~Loan() {
  if (lent_.threads_ == lent_.own_threads_) return;
  omp_set_num_threads(lent_.own_threads_);
  blas::set_threads(lent_.own_threads_);
  run_on(lent_.own_, lent_.own_threads_);
}

}  // namespace spsolve::team
