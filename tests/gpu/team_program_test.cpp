#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "cuda/sparse/ranks/team_lists.hpp"
#include "gpu/looped_gpu.hpp"
#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/ranks/tree_partition.hpp"

namespace spsolve::cuda {
namespace {

using What = TeamStep::What;

/// The fronts of an elimination over so many ranks, small ones shared as large ones would be.
struct Dealt {
  Dealt(const SparseAnalysis& analysis, Factorization kind, int ranks) {
    const SharingRule rule = test::sharing_small_fronts();
    const ProportionalMapping teams = deal_fronts(analysis, kind, rule, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      trees.push_back(part_of(analysis, kind, rule, teams, rank));
    }
  }
  std::vector<TreePartition> trees;
};

/// The lanes of a rank, the one that goes on as long as it can first.
using LaneOrder = std::array<StreamLane, TeamProgram::lanes>;

/// A rank of an elimination whose messages go through mailboxes.
class LoopedRank {
 public:
  using Mail = std::map<std::pair<int, int>, std::deque<std::vector<double>>>;  // from, to

  LoopedRank(const TreePartition& tree, const LaneOrder& order, const std::vector<double>& values,
             Mail& mail)
      : tree_(tree),
        program_(tree, tree.kind),
        gpu_(tree.kind, program_.layout, program_.launches, tree.own().in_parent),
        mail_(mail),
        order_(order) {
    gpu_.clear(0, program_.layout.factor_elements);
    gpu_.clear(program_.panel_elements.first, program_.panel_elements.last);
    FrontEntries all = tree.own_entries();
    const PanelEntries of_panels = entries_of(tree, program_);
    all.entries.insert(all.entries.end(), of_panels.entries.begin(), of_panels.entries.end());
    all.starts = of_panels.starts;
    gpu_.place_entries(all, values);
    std::map<Index, std::size_t> signals;  // of each event, the last one so far
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const TeamStep& step = program_.steps[i];
      lanes_[static_cast<int>(step.lane)].push_back(i);
      if (step.what == What::signal) signals[step.begin] = i;
      if (step.what == What::await) awaited_[i] = signals.at(step.begin);
    }
    is_taken_.resize(program_.steps.size());
  }

  /// Goes on as far as what has come allows; whether it went on at all.
  bool go_on() {
    bool went_on = false;
    while (step_of_some_lane()) went_on = true;
    return went_on;
  }
  bool is_done() const {
    return std::ranges::all_of(is_taken_, [](bool taken) { return taken; });
  }

  const TreePartition& tree() const { return tree_; }
  const TeamProgram& program() const { return program_; }
  LoopedGpu& gpu() { return gpu_; }

 private:
  /// The next step of the first lane that can go on; whether there is one.
  bool step_of_some_lane() {
    for (const StreamLane lane : order_) {
      std::deque<std::size_t>& left = lanes_[static_cast<int>(lane)];
      if (left.empty()) continue;
      const std::size_t i = left.front();
      if (const auto of = awaited_.find(i); of != awaited_.end() && !is_taken_[of->second])
        continue;
      if (!take(program_.steps[i])) continue;
      is_taken_[i] = true;
      left.pop_front();
      return true;
    }
    return false;
  }

  int first_of(int depth) const { return range_at(tree_.ranks, tree_.rank, depth).first; }

  void post(int to, Index begin, Index elements) {
    const double* from = gpu_.arena() + begin;
    mail_[{tree_.rank, to}].emplace_back(from, from + elements);
  }
  void post(int to, const ArenaPart& part) { post(to, part.begin, part.elements); }
  bool has_come(int from) { return !mail_[{from, tree_.rank}].empty(); }
  void receive(int from, Index begin, Index elements) {
    auto& box = mail_[{from, tree_.rank}];
    ASSERT_EQ(std::ssize(box.front()), elements);
    std::copy(box.front().begin(), box.front().end(), gpu_.arena() + begin);
    box.pop_front();
  }
  void receive(int from, const ArenaPart& part) { receive(from, part.begin, part.elements); }

  /// Whether the step is done.
  bool take(const TeamStep& step) {
    switch (step.what) {
      case What::launch:
        for (Index i = step.begin; i < step.end; ++i) gpu_.run(program_.launches.steps[i]);
        return true;
      case What::clear:
        gpu_.clear(step.begin, step.end);
        return true;
      case What::move:
        for (Index i = step.begin; i < step.end; ++i) {
          const ShareTile& tile = program_.tiles[i];
          gpu_.move(program_.moves[tile.move], tile, program_.places_in_parent);
        }
        return true;
      case What::exchange: {
        const ShareExchange& exchange = program_.exchanges[step.begin];
        const int first = first_of(exchange.depth);
        if (!posted_) {
          for (const ArenaPart& part : exchange.outgoing) post(first + part.rank, part);
        }
        posted_ = true;
        for (const ArenaPart& part : exchange.incoming) {
          if (!has_come(first + part.rank)) return false;
        }
        posted_ = false;
        for (const ArenaPart& part : exchange.incoming) receive(first + part.rank, part);
        return true;
      }
      case What::broadcast: {
        const PanelBroadcast& of = program_.broadcasts[step.begin];
        const RankRange range = range_at(tree_.ranks, tree_.rank, of.depth);
        const int root = range.first + of.rank;
        if (root != tree_.rank && !has_come(root)) return false;
        for (const Range& part : {of.lower, of.upper}) {
          if (part.size() == 0) continue;
          if (root != tree_.rank) receive(root, part.first, part.size());
          for (int rank = range.first; rank < range.first + range.count; ++rank) {
            if (root == tree_.rank && rank != root) post(rank, part.first, part.size());
          }
        }
        return true;
      }
      default:
        return true;
    }
  }

  const TreePartition& tree_;
  TeamProgram program_;
  LoopedGpu gpu_;
  Mail& mail_;
  LaneOrder order_;
  std::deque<std::size_t> lanes_[TeamProgram::lanes];  // steps that are left
  std::map<std::size_t, std::size_t> awaited_;         // by the step that waits, a signal
  std::vector<bool> is_taken_;
  bool posted_ = false;
};

/// A system that all ranks of a team eliminate, one after another in this process.
class LoopedTeam {
 public:
  LoopedTeam(const Csr<double>& matrix, Factorization kind, int ranks, const LaneOrder& order)
      : matrix_(matrix),
        kind_(kind),
        analysis_(test::analysis_of(matrix, kind, Ordering::nested_dissection, false)),
        dealt_(*analysis_, kind, ranks) {
    // Each rank's values, own before shared, as deal_values() hands them out.
    for (const TreePartition& tree : dealt_.trees) {
      ranks_.push_back(std::make_unique<LoopedRank>(tree, order, values_of(tree), mail_));
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (const auto& rank : ranks_) goes_on = rank->go_on() || goes_on;
    }
    for (const auto& rank : ranks_) EXPECT_TRUE(rank->is_done()) << "ranks wait for one another";
    for (const auto& [way, box] : mail_) EXPECT_TRUE(box.empty()) << way.first << way.second;
  }

  double error(bool transposed) {
    const Dense<double> b = test::right_hand_sides(matrix_.rows, 1);
    return test::backward_error(transposed ? transpose(matrix_) : matrix_, b, solve(transposed, b));
  }

  int shared_blocks() const {
    const TreePartition& tree = dealt_.trees[0];
    int count = 0;
    for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
      if (tree.blocks(s).shares()) count += static_cast<int>(tree.blocks(s).pivot_blocks());
    }
    return count;
  }

 private:
  std::vector<double> values_of(const TreePartition& tree) const {
    std::map<std::pair<Index, Index>, double> of;  // by row and column of A
    for (Index i = 0; i < matrix_.rows; ++i) {
      for (Index e = matrix_.row_offsets[i]; e < matrix_.row_offsets[i + 1]; ++e) {
        of[{i, matrix_.column_indices[e]}] = matrix_.values[e];
      }
    }
    std::vector<double> values(tree.values(), NAN);
    // Rows of A by own position, and by that among the shared rows.
    const auto set = [&](const FrontEntry& entry, Index row, Index column) {
      values[entry.source] = of.at({row, column});
    };
    const LocalIndex own = tree.own().order();
    const auto row_at = [&](LocalIndex k) { return k < own ? tree.rows[k] : shared_row(k - own); };
    const auto column_at = [&](LocalIndex k) {
      return k < own ? tree.columns[k] : shared_column(k - own);
    };
    const auto position = [&](const Fronts& fronts, LocalIndex s, LocalIndex in_front,
                              LocalIndex before) {
      const LocalIndex p = fronts.pivots(s);
      return in_front < p ? before + fronts.first[s] + in_front
                          : fronts.border_of(s)[in_front - p] + before;
    };
    for (LocalIndex s = 0; s < tree.own().size(); ++s) {
      const LocalIndex p = tree.own().pivots(s);
      for (const FrontEntry& entry : tree.own_entries().of(s)) {
        const bool upper = entry.column < 0;
        const LocalIndex row = upper ? ~entry.column : entry.row;
        const LocalIndex column = upper ? p + entry.row : entry.column;
        set(entry, row_at(position(tree.own(), s, row, 0)),
            column_at(position(tree.own(), s, column, 0)));
      }
    }
    for (LocalIndex s = 0; s < tree.shared.size(); ++s) {
      for (const FrontEntry& entry : tree.shared_entries.of(s)) {
        set(entry, row_at(position(tree.shared, s, entry.row, own)),
            column_at(position(tree.shared, s, entry.column, own)));
      }
    }
    return values;
  }

  Index shared_row(LocalIndex k) const { return shared_of(k, &TreePartition::rows); }
  Index shared_column(LocalIndex k) const { return shared_of(k, &TreePartition::columns); }
  Index shared_of(LocalIndex k, std::vector<Index> TreePartition::*list) const {
    for (const TreePartition& tree : dealt_.trees) {
      const auto found = std::ranges::find(tree.shared_rows, k);
      if (found == tree.shared_rows.end()) continue;
      return (tree.*list)[tree.own().order() + (found - tree.shared_rows.begin())];
    }
    ADD_FAILURE() << "row " << k << " is nobody's";
    return 0;
  }

  Dense<double> solve(bool transposed, const Dense<double>& b) {
    std::vector<std::vector<double>> own;
    std::vector<double> shared(dealt_.trees[0].shared.order());
    const auto each_row = [&](std::vector<Index> TreePartition::*list, const auto& visit) {
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const TreePartition& tree = dealt_.trees[r];
        const LocalIndex n = tree.own().order();
        for (std::size_t i = 0; i < tree.rows.size(); ++i) {
          double& value =
              static_cast<LocalIndex>(i) < n ? own[r][i] : shared[tree.shared_rows[i - n]];
          visit((tree.*list)[i], value);
        }
      }
    };
    for (const TreePartition& tree : dealt_.trees) own.emplace_back(tree.own().order());
    each_row(transposed ? &TreePartition::columns : &TreePartition::rows,
             [&](Index i, double& value) { value = b.values[i]; });
    const auto at = [&](std::size_t r, LocalIndex k) {
      const LocalIndex n = dealt_.trees[r].own().order();
      return k < n ? &own[r][k] : &shared[k - n];
    };
    const auto own_front = [&](std::size_t r, LocalIndex s, bool forward) {
      const Fronts& fronts = dealt_.trees[r].own();
      std::vector<double*> rows;
      for (LocalIndex k = fronts.first[s]; k < fronts.first[s + 1]; ++k) rows.push_back(at(r, k));
      for (const LocalIndex k : fronts.border_of(s)) rows.push_back(at(r, k));
      ranks_[r]->gpu().sweep(s, forward, transposed, rows);
    };
    /// Panels of all ranks, block by block.
    std::vector<std::tuple<LocalIndex, Index, std::size_t, int>> panels;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (const OwnPanel& panel : ranks_[r]->program().panels) {
        panels.emplace_back(panel.front, panel.block, r, panel.place);
      }
    }
    std::ranges::sort(panels);
    const auto panel_of = [&](const auto& named, bool forward) {
      const auto& [s, block, r, place] = named;
      const TreePartition& tree = dealt_.trees[r];
      const LocalIndex first = tree.own().order() + tree.shared.first[s];
      std::vector<double*> rows;
      for (Index k = tree.blocks(s).begin(block); k < tree.blocks(s).end(block); ++k) {
        rows.push_back(at(r, first + static_cast<LocalIndex>(k)));
      }
      for (const LocalIndex k : panel_border(tree, s, block)) rows.push_back(at(r, k));
      ranks_[r]->gpu().sweep(place, forward, transposed, rows);
    };
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (LocalIndex s = 0; s < dealt_.trees[r].own().size(); ++s) own_front(r, s, true);
    }
    for (const auto& panel : panels) panel_of(panel, true);
    for (std::size_t i = panels.size(); i-- > 0;) panel_of(panels[i], false);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (LocalIndex s = dealt_.trees[r].own().size(); s-- > 0;) own_front(r, s, false);
    }
    Dense<double> x(b.rows, 1);
    each_row(transposed ? &TreePartition::rows : &TreePartition::columns,
             [&](Index i, double& value) { x.values[i] = value; });
    return x;
  }

  const Csr<double>& matrix_;
  Factorization kind_;
  std::shared_ptr<const SparseAnalysis> analysis_;
  Dealt dealt_;
  LoopedRank::Mail mail_;
  std::vector<std::unique_ptr<LoopedRank>> ranks_;
};

// Needs no GPU: what each rank would launch and send is done in loops.
TEST(TeamProgram, EliminatesOverAnyNumberOfRanks) {
  for (const char* spec : {"grid2d:40", "convdiff3d:9", "grid3d27:5:3", "elastic3d:6", "hubs"}) {
    const Csr<double> matrix = spec == std::string("hubs") ? test::hubs() : generate_matrix(spec);
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(matrix).symmetric) continue;
      for (const int ranks : {1, 2, 3, 5}) {
        SCOPED_TRACE(std::string(spec) + ", kind " + std::to_string(static_cast<int>(kind)) +
                     ", ranks " + std::to_string(ranks));
        for (const LaneOrder& order :
             {LaneOrder{StreamLane::main, StreamLane::panel, StreamLane::travel},
              LaneOrder{StreamLane::travel, StreamLane::panel, StreamLane::main}}) {
          LoopedTeam team(matrix, kind, ranks, order);
          EXPECT_EQ(team.shared_blocks() > 0, ranks > 1);
          EXPECT_LT(team.error(false), 1e-12);
          EXPECT_LT(team.error(true), 1e-12);
        }
      }
    }
  }
}

TEST(TeamProgram, TakesTheMemoryThatIsPlanned) {
  for (const char* spec : {"grid3d:20", "grid2d:100"}) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const Factorization kind : {Factorization::cholesky, Factorization::lu}) {
      const auto analysis = test::analysis_of(matrix, kind, Ordering::nested_dissection, false);
      const Dealt dealt(*analysis, kind, 4);
      for (const TreePartition& tree : dealt.trees) {
        const GpuFactorMemory planned = gpu_memory_in_team(tree);
        const TeamProgram program(tree, kind);
        const auto bytes = static_cast<double>(program.layout.elements) * sizeof(double);
        const auto plan = static_cast<double>(planned.factors + planned.stack);
        EXPECT_GT(plan, 0.97 * bytes) << spec << ", rank " << tree.rank;
        EXPECT_LT(plan, 1.2 * bytes) << spec << ", rank " << tree.rank;
      }
    }
  }
}

}  // namespace
}  // namespace spsolve::cuda
