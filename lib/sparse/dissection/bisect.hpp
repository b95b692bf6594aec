#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sparse/dissection/arena.hpp"
#include "sparse/dissection/part.hpp"
#include "sparse/dissection/refine.hpp"

namespace spsolve::dissection {

/// What a thread needs to find separators; kept between them.
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
  std::unique_ptr<Workspace> take();
  void give(std::unique_ptr<Workspace> workspace);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

/// A separator of small weight between two parts of about the same weight: side[v] for each vertex.
/// A part may come out empty where the graph has no such separator. `seed`: of what is random here.
/// Of graphs of many vertices several are tried, as tasks of the team that calls.
/// Cost: O(size + edges) where the graph coarsens well.
void bisect(const Part& graph, std::uint64_t seed, Workspaces& workspaces,
            std::span<std::uint8_t> side);

}  // namespace spsolve::dissection
