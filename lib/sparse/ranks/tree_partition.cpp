#include "sparse/ranks/tree_partition.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <numeric>

#include "core/checksum.hpp"
#include "sparse/analysis/analysis_file.hpp"
#include "sparse/fronts/schedule.hpp"
#include "sparse/ranks/assembled_entries.hpp"

namespace spsolve::inline sparse {

namespace {

/// Which number every front has on the ranks that eliminate it, and the new number of every row:
/// on its rank, or among the rows of the shared fronts.
struct Numbers {
  explicit Numbers(const Fronts& fronts, const ProportionalMapping& teams)
      : front(fronts.size()), row(fronts.order()) {
    std::vector<LocalIndex> next_front(teams.ranks, 0), next_row(teams.ranks, 0);
    const auto count = [&](LocalIndex s, LocalIndex& of_fronts, LocalIndex& of_rows) {
      front[s] = of_fronts++;
      for (LocalIndex k = fronts.first[s]; k < fronts.first[s + 1]; ++k) row[k] = of_rows++;
    };
    for (LocalIndex s = 0; s < fronts.size(); ++s) {
      const int rank = teams.of[s].first;
      if (!teams.shared(s)) count(s, next_front[rank], next_row[rank]);
    }
    LocalIndex shared_fronts = 0, shared_rows = 0;
    for (const LocalIndex s : teams.shared_order()) count(s, shared_fronts, shared_rows);
  }

  std::vector<LocalIndex> front, row;
};

/// Some fronts of a forest as one of their own. `row`: the new number of a row of a border.
template <typename Row>
Fronts chosen_fronts(const Fronts& all, const std::vector<LocalIndex>& chosen,
                     const std::vector<LocalIndex>& number, const std::vector<bool>& is_chosen,
                     const Row& row) {
  Fronts fronts;
  Index borders = 0;
  for (const LocalIndex s : chosen) borders += all.border_size(s);
  fronts.border.reserve(borders);
  fronts.in_parent.reserve(borders);
  for (const LocalIndex s : chosen) {
    const LocalIndex up = all.parent[s];
    fronts.first.push_back(fronts.first.back() + all.pivots(s));
    fronts.parent.push_back(up != -1 && is_chosen[up] ? number[up] : -1);
    for (const LocalIndex k : all.border_of(s)) fronts.border.push_back(row(k));
    fronts.border_starts.push_back(static_cast<Index>(fronts.border.size()));
    const auto places = all.in_parent_of(s);
    fronts.in_parent.insert(fronts.in_parent.end(), places.begin(), places.end());
    LocalIndex first = number[s];
    for (const LocalIndex child : all.children_of(s)) {
      if (!is_chosen[child]) continue;
      fronts.children.push_back(number[child]);
      first = std::min(first, fronts.first_of_subtree[number[child]]);
    }
    fronts.child_starts.push_back(static_cast<Index>(fronts.children.size()));
    fronts.first_of_subtree.push_back(first);
  }
  return fronts;
}

/// Every list of a part, one after another: what travels from rank 0.
template <typename Tree, typename Visit>
void each_list(Tree& tree, const Visit& visit) {
  for (auto* fronts : {&tree.dealt, &tree.shared}) {
    visit(fronts->first);
    visit(fronts->parent);
    visit(fronts->border_starts);
    visit(fronts->border);
    visit(fronts->in_parent);
    visit(fronts->child_starts);
    visit(fronts->children);
    visit(fronts->first_of_subtree);
  }
  for (auto* entries : {&tree.dealt_entries, &tree.shared_entries}) {
    visit(entries->starts);
    visit(entries->entries);
  }
  visit(tree.teams);
  visit(tree.depth);
  visit(tree.subtree_starts);
  visit(tree.subtree_rank);
  visit(tree.subtree_root);
  visit(tree.root_position_starts);
  visit(tree.root_positions);
  visit(tree.rows);
  visit(tree.columns);
  visit(tree.shared_rows);
}

constexpr std::size_t lists = 30;  // that each_list() visits
using Sizes = std::array<Index, lists>;

/// Sends a part, unless the other rank has no room for it.
void send_part(Team& team, const TreePartition& part, int to) {
  Sizes sizes{};
  std::size_t i = 0;
  each_list(part, [&](const auto& list) { sizes[i++] = std::ssize(list); });
  send(team, std::span(sizes), to);
  char has_room = 0;
  receive(team, std::span(&has_room, 1), to);
  if (has_room == 0) return;
  each_list(part, [&](const auto& list) {
    if (!list.empty()) send(team, std::span(list), to);
  });
}

/// Sends this instead of a part, where rank 0 cannot make it.
void send_nothing(Team& team, int to) {
  Sizes sizes;
  sizes.fill(-1);
  send(team, std::span(sizes), to);
}

/// Receives the part that rank 0 sends; hands back a failure of this rank.
std::optional<Failure> receive_part(Team& team, TreePartition& part) {
  Sizes sizes{};
  receive(team, std::span(sizes), 0);
  if (sizes.front() < 0) return std::nullopt;
  std::optional<Failure> failure;
  try {
    std::size_t i = 0;
    each_list(part, [&](auto& list) { list.resize(static_cast<std::size_t>(sizes[i++])); });
  } catch (...) {
    failure = current_failure();
  }
  const char has_room = failure ? 0 : 1;
  send(team, std::span(&has_room, 1), 0);
  if (failure) return failure;
  each_list(part, [&](auto& list) {
    if (!list.empty()) receive(team, std::span(list), 0);
  });
  return std::nullopt;
}

/// Shared fronts, and what hangs below them.
void list_shared(const Fronts& fronts, const ProportionalMapping& teams, const Numbers& numbers,
                 TreePartition& part) {
  const std::vector<LocalIndex> chosen = teams.shared_order();
  std::vector<bool> is_shared(fronts.size());
  for (const LocalIndex s : chosen) is_shared[s] = true;
  part.shared = chosen_fronts(fronts, chosen, numbers.front, is_shared,
                              [&](LocalIndex k) { return numbers.row[k]; });
  for (const LocalIndex s : chosen) {
    part.teams.push_back(teams.of[s]);
    part.depth.push_back(teams.depth[s]);
    for (const LocalIndex child : fronts.children_of(s)) {
      if (is_shared[child]) continue;
      part.subtree_rank.push_back(teams.of[child].first);
      part.subtree_root.push_back(numbers.front[child]);
      const auto places = fronts.in_parent_of(child);
      part.root_positions.insert(part.root_positions.end(), places.begin(), places.end());
      part.root_position_starts.push_back(static_cast<Index>(part.root_positions.size()));
    }
    part.subtree_starts.push_back(static_cast<Index>(part.subtree_rank.size()));
  }
}

void list_entries(const SparseAnalysis& analysis, const ProportionalMapping& teams,
                  const Numbers& numbers, TreePartition& part) {
  part.dealt_entries.starts.assign(part.dealt.size() + 1, 0);
  part.shared_entries.starts.assign(part.shared.size() + 1, 0);
  const auto fronts = assembled_fronts(analysis, part.rule, teams, part.rank);
  Index own = 0, shared = 0;
  for (const AssembledFront& of : fronts) {
    FrontEntries& list = of.blocks ? part.shared_entries : part.dealt_entries;
    list.starts[numbers.front[of.front] + 1] = of.count;
    (of.blocks ? shared : own) += of.count;
  }
  for (FrontEntries* list : {&part.dealt_entries, &part.shared_entries}) {
    std::partial_sum(list->starts.begin(), list->starts.end(), list->starts.begin());
  }
  part.dealt_entries.entries.resize(own);
  part.shared_entries.entries.resize(shared);
  visit_entries(
      analysis, fronts, part.rank,
      [&](const AssembledFront& of, Index place, LocalIndex row, LocalIndex column, Index) {
        if (of.blocks) {
          part.shared_entries.entries[place - own] = {place, row, column};
        } else {
          part.dealt_entries.entries[place] = {place, row, column};
        }
      });
}

TreePartition part_of(const SparseAnalysis& analysis, Factorization kind, const SharingRule& rule,
                      const ProportionalMapping& teams, const Numbers& numbers, int rank) {
  const Fronts& fronts = analysis.fronts;
  TreePartition part;
  part.kind = kind;
  part.rule = rule;
  part.rank = rank;
  part.ranks = teams.ranks;
  list_shared(fronts, teams, numbers, part);
  std::vector<LocalIndex> chosen;
  std::vector<bool> is_own(fronts.size());
  const auto name_row = [&](LocalIndex k) {
    part.rows.push_back(analysis.row(k));
    part.columns.push_back(analysis.order[k]);
  };
  LocalIndex own_rows = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    is_own[s] = teams.of[s] == RankRange{rank, 1};
    if (!is_own[s]) continue;
    chosen.push_back(s);
    own_rows += fronts.pivots(s);
    for (LocalIndex k = fronts.first[s]; k < fronts.first[s + 1]; ++k) name_row(k);
  }
  std::vector<bool> is_shared_row(fronts.order(), false);
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    if (!teams.shared(s)) continue;
    for (LocalIndex k = fronts.first[s]; k < fronts.first[s + 1]; ++k) {
      is_shared_row[k] = true;
      if (teams.of[s].first != rank) continue;
      name_row(k);
      part.shared_rows.push_back(numbers.row[k]);
    }
  }
  part.dealt = chosen_fronts(fronts, chosen, numbers.front, is_own, [&](LocalIndex k) {
    return is_shared_row[k] ? own_rows + numbers.row[k] : numbers.row[k];
  });
  list_entries(analysis, teams, numbers, part);
  return part;
}

}  // namespace

const OffDiagonalBlocks& TreePartition::off_diagonal_blocks() const {
  static const OffDiagonalBlocks none;
  return whole != nullptr ? whole->off_diagonal_blocks : none;
}

std::int64_t TreePartition::bytes() const {
  std::int64_t sum = 0;
  each_list(*this, [&](const auto& list) {
    sum += static_cast<std::int64_t>(list.size() * sizeof(list[0]));
  });
  return sum;
}

std::uint64_t TreePartition::checksum() const {
  if (whole != nullptr) return checksum_of(*whole);
  Checksum sum;
  const auto add = [&](Index number) { sum.add(std::as_bytes(std::span(&number, 1))); };
  for (const Index number : {static_cast<Index>(kind), Index{rank}, Index{ranks}}) add(number);
  for (LocalIndex s = 0; s < shared.size(); ++s) {
    add(blocks(s).shares() ? 1 : 0);
    add(blocks(s).width());
  }
  each_list(*this, [&](const auto& list) {
    add(std::ssize(list));
    sum.add(std::as_bytes(std::span(list)));
  });
  return sum.value();
}

std::vector<int> TreePartition::halves() const {
  LocalIndex deepest = 0;
  for (const LocalIndex of : depth) deepest = std::max(deepest, of);
  std::vector<int> halves;
  for (int at = 1; at <= deepest; ++at) {
    const RankRange before = range_at(ranks, rank, at - 1);
    if (before.count == 1) break;
    halves.push_back(range_at(ranks, rank, at).first == before.first ? 0 : 1);
  }
  return halves;
}

std::vector<TreePartition::ContributingChild> TreePartition::contributing_children(
    LocalIndex s) const {
  std::vector<ContributingChild> children;
  for (const LocalIndex child : shared.children_of(s)) {
    children.push_back({-1, child, shared.in_parent_of(child)});
  }
  for (Index i = subtree_starts[s]; i < subtree_starts[s + 1]; ++i) {
    children.push_back({i, -1, root_positions_of(i)});
  }
  return children;
}

std::vector<std::span<const TreePartition::ContributingChild>> TreePartition::batches(
    std::span<const ContributingChild> children) {
  constexpr Index few = Index{1} << 25;
  std::vector<std::span<const ContributingChild>> all;
  std::size_t first = 0;
  Index size = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    size += std::ssize(children[i].positions) * std::ssize(children[i].positions);
    if (size < few && i + 1 < children.size()) continue;
    all.push_back(children.subspan(first, i + 1 - first));
    first = i + 1;
    size = 0;
  }
  return all;
}

int TreePartition::owner_of_contribution(const ContributingChild& child, Index column) const {
  if (child.shared < 0) return subtree_rank[child.subtree];
  const ColumnBlocks of = blocks(child.shared);
  return teams[child.shared].first + of.owner(of.block_of(of.pivots() + column));
}

ProportionalMapping deal_fronts(const SparseAnalysis& analysis, Factorization kind,
                                const SharingRule& rule, int ranks) {
  const bool symmetric = kind != Factorization::lu;
  const std::vector<double> work = rule.on_gpus ? front_work_of_gpu(analysis.fronts, symmetric)
                                                : front_work(analysis.fronts, symmetric);
  return assign_fronts(analysis.fronts, work, rule.costs, ranks);
}

TreePartition part_of(const SparseAnalysis& analysis, Factorization kind, const SharingRule& rule,
                      const ProportionalMapping& teams, int rank) {
  return part_of(analysis, kind, rule, teams, Numbers(analysis.fronts, teams), rank);
}

TreePartition deal_analysis(Team& team, const std::shared_ptr<const SparseAnalysis>& analysis,
                            Factorization kind, const SharingRule& rule) {
  TreePartition mine;
  std::optional<Failure> failure;
  if (team.size() == 1) {
    mine.whole = analysis;
  } else if (team.rank() > 0) {
    failure = receive_part(team, mine);
  } else {
    int served = 0;  // ranks that were sent a part
    try {
      const ProportionalMapping teams = deal_fronts(*analysis, kind, rule, team.size());
      const Numbers numbers(analysis->fronts, teams);
      const auto making = [&](int rank) {
        return std::async(std::launch::async, [&, rank] {
          return part_of(*analysis, kind, rule, teams, numbers, rank);
        });
      };
      std::future<TreePartition> own = making(0), next = making(1);
      while (served + 1 < team.size()) {
        const TreePartition part = next.get();
        if (served + 2 < team.size()) next = making(served + 2);
        send_part(team, part, ++served);
      }
      mine = own.get();
    } catch (...) {
      failure = current_failure();
      while (served + 1 < team.size()) send_nothing(team, ++served);
    }
  }
  agree(team, failure);
  mine.kind = kind;
  mine.rule = rule;
  mine.rank = team.rank();
  mine.ranks = team.size();
  return mine;
}

}  // namespace spsolve::sparse
