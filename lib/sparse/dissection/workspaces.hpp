#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "sparse/dissection/arena.hpp"
#include "sparse/dissection/refine.hpp"

namespace spsolve::inline sparse::dissection {

/// The memory in which a thread finds separators; kept from one to the next.
struct Workspace {
  Arena arena;
  Refiner refiner;
};

/// Workspaces that tasks borrow.
class Workspaces {
 public:
  class Loan {
   public:
    explicit Loan(Workspaces& owner) : owner_(owner), workspace_(owner.take()) {}
    ~Loan() { owner_.give(std::move(workspace_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Workspace& operator*() { return *workspace_; }

   private:
    Workspaces& owner_;
    std::unique_ptr<Workspace> workspace_;
  };

 private:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    auto workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace spsolve::sparse::dissection
