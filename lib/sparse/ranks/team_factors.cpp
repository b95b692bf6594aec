#include "sparse/ranks/team_factors.hpp"

#include <algorithm>
#include <utility>

#include "sparse/fronts/border_block.hpp"
#include "sparse/ranks/team_fronts.hpp"

namespace spsolve::inline sparse {

NestedTeams::NestedTeams(Team& team, const TreePartition& tree) : teams_{&team} {
  for (const int group : tree.halves()) {
    halves_.push_back(teams_.back()->split(group, 0));
    teams_.push_back(halves_.back().get());
  }
}

template <typename T>
TeamFactors<T>::TeamFactors(Team& team, const TreePartition& tree, const NestedTeams& teams,
                            int threads)
    : team_(team),
      tree_(tree),
      teams_(teams),
      threads_(threads),
      own_(tree.own(), tree.kind, threads, tree.stack_bound()) {
  for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
    std::optional<ParallelFront<T>>& front = shared_.emplace_back();
    if (!tree.teams[s].holds(tree.rank)) continue;
    front.emplace(tree.kind, tree.blocks(s), tree.rank - tree.teams[s].first);
  }
}

/// The column, of this rank: from its diagonal on, or whole, of L U.
template <typename T>
const T* TeamFactors<T>::contribution_values(const ContributingChild& child, Index column) const {
  if (child.shared >= 0) {
    const ParallelFront<T>& front = *shared_[child.shared];
    return front.contribution(front.blocks().pivots() + column);
  }
  const bool lu = tree_.kind == Factorization::lu;
  const BorderBlock block(std::ssize(child.positions), !lu);
  return own_.root_contribution(tree_.subtree_root[child.subtree]) + block.column_start(column) +
         (lu ? 0 : column);
}

template <typename T>
void TeamFactors<T>::release(const ContributingChild& child) {
  if (child.shared >= 0) {
    if (shared_[child.shared]) shared_[child.shared]->release();
  } else if (tree_.subtree_rank[child.subtree] == tree_.rank) {
    own_.release(tree_.subtree_root[child.subtree]);
  }
}

/// Does what may want more memory than there is, where this rank is ready for it; whether all ranks
/// of a front have done so. None may wait for one that has not.
template <typename T>
template <typename Work>
bool TeamFactors<T>::all_can(LocalIndex s, bool ready, std::optional<Failure>& failure,
                             const Work& work) {
  if (ready) {
    try {
      work();
    } catch (...) {
      failure = current_failure();
      ready = false;
    }
  }
  const std::vector<char> all = all_gather(teams_.at(tree_.depth[s]), static_cast<char>(ready));
  return std::ranges::all_of(all, [](char ok) { return ok != 0; });
}

/// Columns of these children travel from who has them to who has the columns of the front that
/// they are added to.
template <typename T>
bool TeamFactors<T>::extend_add(LocalIndex s, std::span<const ContributingChild> children,
                                std::optional<Failure>& failure) {
  const RankRange range = tree_.teams[s];
  Team& team = teams_.at(tree_.depth[s]);
  ParallelFront<T>& front = *shared_[s];
  const ColumnBlocks& blocks = front.blocks();
  const bool lu = tree_.kind == Factorization::lu;
  /// Calls visit(child, column, from, to) for each column, ranks of this front's team.
  const auto each_column = [&](const auto& visit) {
    for (const ContributingChild& child : children) {
      for (Index j = 0; j < std::ssize(child.positions); ++j) {
        visit(child, j, tree_.owner_of_contribution(child, j) - range.first,
              blocks.owner(blocks.block_of(child.positions[j])));
      }
    }
  };
  const auto rows = [&](const ContributingChild& child, Index j) {
    return child.positions.subspan(lu ? 0 : j);
  };
  const int me = team.rank();
  std::vector<std::vector<T>> out(team.size()), in(team.size());
  const bool fits = all_can(s, true, failure, [&] {
    std::vector<Index> leaving(team.size(), 0), coming(team.size(), 0);
    each_column([&](const ContributingChild& child, Index j, int from, int to) {
      if (from == to) return;
      if (from == me) leaving[to] += std::ssize(rows(child, j));
      if (to == me) coming[from] += std::ssize(rows(child, j));
    });
    for (int rank = 0; rank < team.size(); ++rank) {
      out[rank].reserve(leaving[rank]);
      in[rank].resize(coming[rank]);
    }
  });
  if (!fits) return false;
  each_column([&](const ContributingChild& child, Index j, int from, int to) {
    if (from != me || to == me) return;
    const T* values = contribution_values(child, j);
    out[to].insert(out[to].end(), values, values + rows(child, j).size());
  });
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int rank = 0; rank < team.size(); ++rank) {
    if (!out[rank].empty()) outgoing.push_back({rank, std::as_bytes(std::span(out[rank]))});
    if (!in[rank].empty()) incoming.push_back({rank, std::as_writable_bytes(std::span(in[rank]))});
  }
  const std::unique_ptr<Messages> messages = team.messages(outgoing, incoming);
  messages->start();
  messages->wait();
  std::vector<const T*> next;
  for (const std::vector<T>& part : in) next.push_back(part.data());
  each_column([&](const ContributingChild& child, Index j, int from, int to) {
    if (to != me) return;
    const auto where = rows(child, j);
    const T* values = from == me ? contribution_values(child, j) : next[from];
    if (from != me) next[from] += where.size();
    front.add(child.positions[j], where, values);
  });
  for (const ContributingChild& child : children) release(child);
  return true;
}

template <typename T>
bool TeamFactors<T>::assemble(LocalIndex s, const std::vector<double>& values,
                              std::optional<Failure>& failure) {
  for (const FrontEntry& entry : tree_.shared_entries.of(s)) {
    shared_[s]->add(entry.row, entry.column, value_at<T>(values, entry.source));
  }
  const std::vector<ContributingChild> children = tree_.contributing_children(s);
  for (const std::span<const ContributingChild> batch : TreePartition::batches(children)) {
    if (!extend_add(s, batch, failure)) return false;
  }
  return true;
}

/// Eliminates a shared front that all is assembled in, or goes on with it; whether that went well.
template <typename T>
bool TeamFactors<T>::eliminate(LocalIndex s, const Run& run, PivotCounts& counts) {
  const UnderWay before = std::exchange(under_way_, {});
  const bool goes_on = before.front == s;
  PivotCounts own = goes_on ? before.counts : PivotCounts{};
  std::function<void(Index)> between;
  if (run.checkpointer != nullptr) {
    between = [&](Index panel) {
      if (!run.checkpointer->wants_within(s, panel)) return;
      under_way_ = {s, panel, own};
      run.checkpointer->within(s, panel);
    };
  }
  shared_[s]->eliminate(teams_.at(tree_.depth[s]), run.rule, Tiles(threads_), own, between,
                        goes_on ? before.panel : 0);
  under_way_ = {};
  if (own.failed >= 0) {
    counts.failed = own.failed + tree_.shared.first[s];
    return false;
  }
  counts.add(own);
  of_shared_.add(own);
  done_[s] = 1;
  if (run.checkpointer != nullptr) run.checkpointer->shared_done(s);
  return true;
}

template <typename T>
void TeamFactors<T>::eliminate_shared(const Run& run, PivotCounts& counts,
                                      std::optional<Failure>& failure) {
  for (LocalIndex s = 0; s < tree_.shared.size(); ++s) {
    if (!shared_[s] || done_[s] != 0) continue;
    const bool ready = !failure && counts.failed < 0;
    if (run.checkpointer != nullptr) run.checkpointer->before(s, !ready);
    const bool goes_on = under_way_.front == s;
    const auto begin = [&] {
      if (!goes_on) shared_[s]->begin();
    };
    if (!all_can(s, ready, failure, begin) || (!goes_on && !assemble(s, run.values, failure))) {
      // Something failed below, here or on another rank: fronts above are to learn of it.
      if (!failure && counts.failed < 0) counts.failed = tree_.shared.order();
      continue;
    }
    if (!eliminate(s, run, counts)) continue;
    try {
      const bool symmetric = tree_.kind != Factorization::lu;
      run.advance(front_flops(tree_.shared, s, symmetric) / tree_.teams[s].count);
    } catch (...) {
      failure = current_failure();
    }
  }
  if (run.checkpointer != nullptr) run.checkpointer->finish_in_team(failure || counts.failed >= 0);
}

template <typename T>
PivotCounts TeamFactors<T>::factor(const std::vector<double>& values, const PivotRule& rule,
                                   const Advance& advance, TeamCheckpointer* checkpointer) {
  PivotCounts counts;
  std::optional<Failure> failure;
  done_.assign(shared_.size(), 0);
  of_shared_ = {};
  under_way_ = {};
  if (checkpointer != nullptr) checkpointer->begin_in_team(*this);
  try {
    counts = own_.factor(tree_.own_entries(), values, rule, advance, checkpointer);
  } catch (...) {
    failure = current_failure();
    if (failure->scope == Scope::every_rank) throw;  // none waits for another
    if (checkpointer != nullptr) checkpointer->own_failed(*failure);
  }
  counts.add(of_shared_);
  eliminate_shared({values, rule, advance, checkpointer}, counts, failure);
  agree(team_, failure);
  return counts_of_all(team_, counts);
}

// --- to be kept

template <typename T>
bool TeamFactors<T>::name(LocalIndex s, bool waits, SectionBytes& bytes) {
  if (bytes.reads()) done_[s] = 1;
  return shared_[s]->name(waits, bytes);
}

template <typename T>
bool TeamFactors<T>::name_under_way(LocalIndex s, Index panel, SectionBytes& bytes) {
  bytes.value(under_way_.counts);
  if (bytes.reads()) {
    under_way_.front = s;
    under_way_.panel = panel;
  }
  return shared_[s]->name_under_way(panel, bytes) && under_way_.counts.failed < 0;
}

template <typename T>
bool TeamFactors<T>::name_totals(SectionBytes& bytes) {
  bytes.value(of_shared_);
  return of_shared_.failed < 0;
}

template <typename T>
std::int64_t TeamFactors<T>::bytes_of(LocalIndex s) const {
  return shared_[s]->bytes();
}

template <typename T>
std::int64_t TeamFactors<T>::contribution_bytes(LocalIndex s) const {
  return shared_[s]->contribution_bytes();
}

FactorMemory team_factor_memory(const TreePartition& part, int threads, std::size_t value_bytes) {
  const auto bytes = static_cast<std::int64_t>(value_bytes);
  FactorMemory memory = factor_memory(part.own(), part.kind,
                                      factor_schedule(part.own(), part.kind, threads), value_bytes);
  // Blocks of shared fronts live until the parent has taken them in; what travels is as large
  // again.
  std::int64_t most = 0;
  for (LocalIndex s = 0; s < part.shared.size(); ++s) {
    if (!part.teams[s].holds(part.rank)) continue;
    const ColumnBlocks blocks = part.blocks(s);
    const ParallelFrontSize size =
        parallel_front_size(part.kind, blocks, part.rank - part.teams[s].first);
    memory.factors += size.factors * bytes;
    most = std::max(most, (2 * size.contribution + 2 * blocks.height() * blocks.width()) * bytes);
  }
  memory.stack += most;
  memory.rest += part.bytes() + part.values() * static_cast<std::int64_t>(sizeof(double));
  return memory;
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class TeamFactors)

}  // namespace spsolve::sparse
