#pragma once

#include <sched.h>

#include "team/team.hpp"

namespace spsolve::inline team {

/// The processors of all ranks of rank 0's host, lent to rank 0 for work that it does alone:
/// meanwhile the others sleep. Launchers bind ranks to processors of their own, which would else
/// lie idle. Nothing is lent where the process's address space is limited, as more threads take
/// more of it.
class LentProcessors {
 public:
  /// Nothing is lent yet. Collective: an all-gather of some hundred bytes a rank.
  explicit LentProcessors(Team& team);

  /// Threads that rank 0 works with, the same on every rank.
  int threads() const { return threads_; }

  /// Runs `work` on rank 0, with these threads where rank 0 says that it is `large`, as they take
  /// some time to start, and then agrees, as together() does. `work` must not talk to other ranks.
  /// Collective.
  template <typename Work>
  void on_first_rank(bool large, const Work& work) {
    std::optional<Failure> failure;
    if (team_.rank() == 0) {
      try {
        std::optional<Loan> loan;
        if (large) loan.emplace(*this);
        work();
      } catch (...) {
        failure = current_failure();
      }
    }
    team_.rest_until_called(0);
    agree(team_, failure);
  }

 private:
  /// While it lives, this process has the threads and processors that are lent.
  class Loan {
   public:
    explicit Loan(const LentProcessors& lent);
    ~Loan();
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

   private:
    const LentProcessors& lent_;
  };

  Team& team_;
  int own_threads_ = 1;
  int threads_ = 1;
  cpu_set_t own_ = {}, all_ = {};  // processors of rank 0, and of all ranks of its host
};

}  // namespace spsolve::team
