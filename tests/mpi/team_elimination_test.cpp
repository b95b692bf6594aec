#include "sparse/team_elimination.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "helpers/sparse_cases.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/symmetry.hpp"
#include "solve_in_team.hpp"
#include "sparse/sparse_factorization.hpp"

namespace spsolve {
namespace {

using test::backward_error;

/// The facts that all ranks know of an elimination by all of them.
template <typename T>
struct InTeam : test::HostRanks {
  InTeam(const Csr<double>& whole, Factorization kind, int threads = 1)
      : matrix(whole),
        analysis(test::analysis_of(whole, kind, Ordering::nested_dissection, false)),
        threads_before(omp_get_max_threads()) {
    omp_set_num_threads(threads);
    elimination.emplace(team, host_sparse_memory(), first(), kind,
                        RowLayout{whole.rows, team.size()});
  }
  ~InTeam() { omp_set_num_threads(threads_before); }

  std::shared_ptr<const SparseAnalysis> first() const {
    return team.rank() == 0 ? analysis : nullptr;
  }

  PivotCounts factor(const std::vector<double>& values,
                     const std::function<void(double)>& advance = {}) {
    return elimination->factor(team.rank() == 0 ? values : std::vector<double>{},
                               perturbing_rule<T>(largest_magnitude(matrix.values)), advance);
  }

  Dense<double> solve(bool transposed, const Dense<double>& b) {
    const auto right = test::vectors_of(team, b), x = right->similar(b.columns);
    elimination->solve(transposed, *right, *x);
    return test::whole(*x);
  }

  double error(bool transposed, Index columns) {
    const Dense<double> b = test::right_hand_sides(matrix.rows, columns);
    return backward_error(transposed ? transpose(matrix) : matrix, b, solve(transposed, b));
  }

  Csr<double> matrix;
  std::shared_ptr<const SparseAnalysis> analysis;
  int threads_before;
  std::optional<TeamElimination<T>> elimination;
};

TEST(TeamElimination, SolvesWithTheMatrixAndItsTranspose) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    InTeam<double> system(matrix, kind);
    const PivotCounts counts = system.factor(matrix.values);
    ASSERT_EQ(counts.failed, -1);
    for (const Index columns : {1, 3, 20}) {
      for (const bool transposed : {false, true}) {
        EXPECT_LT(system.error(transposed, columns), counts.perturbed > 0 ? 1e-4 : 1e-11)
            << columns << " columns, transposed " << transposed;
      }
    }
  });
}

/// Fronts that are large enough to be shared column by column.
constexpr const char* large[] = {"grid3d:16", "elastic3d:9", "convdiff3d:15"};

TEST(TeamElimination, SharesLargeFronts) {
  for (const char* spec : large) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(matrix).symmetric) continue;
      SCOPED_TRACE(std::string(spec) + ", kind " + std::to_string(static_cast<int>(kind)));
      for (const int threads : {1, 2}) {
        InTeam<double> system(matrix, kind, threads);
        ASSERT_EQ(system.factor(matrix.values).failed, -1);
        const TreePartition part =
            part_of(*system.analysis, kind, SharingRule::of(kind, MemoryKind::host),
                    deal_fronts(*system.analysis, kind, SharingRule::of(kind, MemoryKind::host),
                                system.team.size()),
                    0);
        int shared = 0;
        for (LocalIndex s = 0; s < part.shared.size(); ++s) shared += part.blocks(s).shares();
        EXPECT_EQ(shared > 0, system.team.size() > 1);
        for (const Index columns : {1, 5}) {
          EXPECT_LT(system.error(false, columns), 1e-12);
          EXPECT_LT(system.error(true, columns), 1e-12);
        }
      }
    }
  }
}

TEST(TeamElimination, TakesNewValuesAndFloat) {
  const Csr<double> matrix = generate_matrix("convdiff3d:12");
  InTeam<double> system(matrix, Factorization::lu);
  InTeam<float> in_float(matrix, Factorization::lu);
  for (const double factor : {1.0, 3.0}) {
    for (double& value : system.matrix.values) value *= factor;
    ASSERT_EQ(system.factor(system.matrix.values).failed, -1);
    EXPECT_LT(system.error(false, 2), 1e-12);
  }
  ASSERT_EQ(in_float.factor(matrix.values).failed, -1);
  EXPECT_LT(in_float.error(false, 2), 1e-5);
  EXPECT_LT(in_float.error(true, 2), 1e-5);
}

TEST(TeamElimination, HasTheSameBitsTwiceAndWithAnyThreads) {
  for (const char* spec : large) {
    const Csr<double> matrix = generate_matrix(spec);
    const Dense<double> b = test::right_hand_sides(matrix.rows, 2);
    std::vector<double> first;
    for (const int threads : {1, 2, 1}) {
      InTeam<double> system(matrix, Factorization::lu, threads);
      system.factor(matrix.values);
      const std::vector<double> x = system.solve(false, b).values;
      if (first.empty()) first = x;
      EXPECT_EQ(x, first) << spec << ", " << threads << " threads";
    }
  }
}

TEST(TeamElimination, GivesWayToThresholdsOnRank0AndBack) {
  const Csr<double> matrix = generate_matrix("convdiff3d:12");
  test::HostRanks ranks;
  Team& team = ranks.team;
  const bool first = team.rank() == 0;
  std::shared_ptr<const SparseAnalysis> analysis;
  if (first) {
    analysis = test::analysis_of(matrix, Factorization::lu, Ordering::nested_dissection, false);
  }
  LentProcessors lent(team);
  SparseFactorization<double> factors(team, host_sparse_memory(), lent, true);
  const RowLayout bands{matrix.rows, team.size()};
  const std::unique_ptr<ScaledValues> of_first = first ? host_scaled_values(matrix) : nullptr;
  ScaledValues* const values = of_first.get();
  if (first) values->finish(false);
  Progress silent("test", 0, Progress::Show::off);
  const EliminationRun run{silent};
  const Dense<double> b = test::right_hand_sides(matrix.rows, 2);
  const auto right = test::vectors_of(team, b), x = right->similar(b.columns);
  const auto solves = [&](int held_by) {
    EXPECT_EQ(factors.ranks(), held_by);
    factors.solve(false, *right, *x);
    EXPECT_LT(backward_error(matrix, b, test::whole(*x)), 1e-12);
    factors.solve(true, *right, *x);
    EXPECT_LT(backward_error(transpose(matrix), b, test::whole(*x)), 1e-12);
  };
  for (int i = 0; i < 2; ++i) {
    factors.begin(analysis, bands, run);
    EXPECT_EQ(factors.factor(Factorization::lu, values, run).failed, -1);
    solves(team.size());
    const ThresholdTold told = factors.factor_with_threshold(Factorization::lu, values, run, {});
    EXPECT_EQ(told.missing, 0);
    solves(1);
  }
}

TEST(TeamElimination, CountsPivotsAsOneRankDoes) {
  for (const char* spec : {"helmholtz2d:40", "kkt:2000", "grid3d:14"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    InTeam<double> system(matrix, Factorization::ldlt);
    const PivotCounts counts = system.factor(matrix.values);
    test::WholeElimination<double> alone(system.analysis);
    const PivotCounts expected = alone.factor(Factorization::ldlt, matrix.values);
    EXPECT_EQ(counts.negative, expected.negative);
    EXPECT_EQ(counts.failed, -1);
  }
}

TEST(TeamElimination, TellsEveryRankOfAPivotThatFails) {
  for (const char* spec : {"grid2d:30", "grid3d:16"}) {
    const Csr<double> matrix = generate_matrix(spec);
    InTeam<double> system(matrix, Factorization::cholesky);
    // Each unknown's diagonal in turn: of some rank's own front, or of a shared one.
    const Index n = matrix.rows;
    for (const Index k : {Index{0}, n / 2, n - 1}) {
      Csr<double> broken = matrix;
      const Index row = system.analysis->order[k];
      for (Index i = broken.row_offsets[row]; i < broken.row_offsets[row + 1]; ++i) {
        if (broken.column_indices[i] == row) broken.values[i] = -1;
      }
      EXPECT_GE(system.factor(broken.values).failed, 0);
    }
    // Earlier eliminations leave no trace.
    EXPECT_EQ(system.factor(matrix.values).failed, -1);
    EXPECT_LT(system.error(false, 1), 1e-12);
  }
}

TEST(TeamElimination, TellsEveryRankOfOneWithoutMemory) {
  const Csr<double> matrix = generate_matrix("grid3d:16");
  InTeam<double> system(matrix, Factorization::lu);
  for (int rank = 0; rank < system.team.size(); ++rank) {
    // In its first front, and in its last one, which is shared by all.
    for (const LocalIndex step : {1, system.elimination->fronts()}) {
      LocalIndex done = 0;
      const auto fail_there = [&](double) {
        if (++done == step && system.team.rank() == rank) throw std::bad_alloc();
      };
      const std::string text = test::error_on_every_rank(
          [&] { system.factor(matrix.values, fail_there); }, ExitCode::resources);
      EXPECT_NE(text.find("refused to give more memory"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(system.factor(matrix.values).failed, -1);
  EXPECT_LT(system.error(false, 1), 1e-12);
}

TEST(TeamElimination, DealsOutEveryFrontAndEntryOnce) {
  for (const char* spec : {"grid3d:12", "tridiagonal:5000", "circuit:3000", "grid2d:70"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    const auto analysis =
        test::analysis_of(matrix, Factorization::lu, Ordering::nested_dissection, false);
    for (const int ranks : {1, 2, 3, 5, 8, 13}) {
      const ProportionalMapping teams =
          deal_fronts(*analysis, Factorization::lu, SharingRule{}, ranks);
      std::vector<int> rows(matrix.rows, 0), columns(matrix.rows, 0);
      Index values = 0;
      LocalIndex fronts = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const TreePartition part =
            part_of(*analysis, Factorization::lu, SharingRule{}, teams, rank);
        for (const Index row : part.rows) ++rows[row];
        for (const Index column : part.columns) ++columns[column];
        values += part.values();
        fronts += part.own().size() + (rank == 0 ? part.shared.size() : 0);
        for (LocalIndex s = 0; s < part.shared.size(); ++s) {
          EXPECT_EQ(part.teams[s], range_at(ranks, part.teams[s].first, part.depth[s]));
        }
      }
      EXPECT_EQ(rows, std::vector<int>(matrix.rows, 1));
      EXPECT_EQ(columns, std::vector<int>(matrix.rows, 1));
      EXPECT_EQ(values, matrix.nonzeros());
      EXPECT_EQ(fronts, analysis->fronts.size());
    }
  }
}

}  // namespace
}  // namespace spsolve
