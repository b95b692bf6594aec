#include "sparse/checkpoint/checkpointed_elimination.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <omp.h>

#include "helpers/checkpoint_runs.hpp"
#include "helpers/error_of.hpp"
#include "helpers/sparse_cases.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/symmetry.hpp"

namespace spsolve {
namespace {

using test::checkpoints::never;
using test::checkpoints::StopsAt;

/// Writes a checkpoint at every step it is asked at.
class SavesAlways final : public Checkpoints {
 public:
  using Checkpoints::Checkpoints;
  CheckpointRequest request(Index) override { return CheckpointRequest::save; }
};

template <typename T>
class CheckpointedSparse : public testing::Test {
 protected:
  void TearDown() override { omp_set_num_threads(threads_); }

  /// `bound`: of the stacks, by which fronts may update their ancestors directly.
  void take(const std::string& spec, Factorization kind, const StackBound& bound = {}) {
    matrix_ = generate_matrix(spec);
    kind_ = kind;
    auto analysis = std::make_shared<SparseAnalysis>(
        *test::analysis_of(matrix_, kind, Ordering::nested_dissection));
    analysis->stack_bound = bound;
    analysis_ = std::move(analysis);
    problem_.order = matrix_.rows;
    problem_.method = Method::sparse_lu;
    wanted_.directory = folder_ / "kept";
  }

  struct Ran {
    std::vector<double> x;  // nothing where it stopped
    PivotCounts counts;
    Index delayed = 0;
  };

  Ran eliminate(bool threshold, Checkpoints* checkpoints) {
    test::WholeElimination<T> elimination(analysis_);
    std::optional<CheckpointedElimination> checkpointed;
    if (checkpoints != nullptr) {
      const auto deal = [&](const EliminationStage& stage) -> const TreePartition& {
        return elimination.deal(stage.kind, stage.threshold).tree();
      };
      checkpointed.emplace(*checkpoints,
                           std::is_same_v<T, float> ? Precision::float32 : Precision::float64, 1e6,
                           deal);
      EliminationStage stage;
      stage.kind = kind_;
      stage.threshold = threshold;
      stage.failure = {"as it was", 7};
      if (checkpointed->found()) {
        EXPECT_EQ(checkpointed->found()->failure.words, stage.failure.words);
        EXPECT_EQ(checkpointed->found()->failure.gmres_steps, 7);
      }
      TeamElimination<T>& dealt = elimination.deal(kind_, threshold);
      checkpointed->begin_stage(stage, dealt.tree());
      dealt.made().checkpoint_by(&*checkpointed);
    }
    Ran ran;
    if (threshold) {
      const ThresholdOutcome& outcome = elimination.factor_with_threshold(kind_, matrix_.values);
      ran.counts = outcome.counts;
      ran.delayed = outcome.delayed;
    } else {
      ran.counts = elimination.factor(kind_, matrix_.values, {});
    }
    const Dense<double> b = test::right_hand_sides(matrix_.rows, 2);
    ran.x = test::solved(elimination, false, b).values;
    return ran;
  }

  /// Runs that stop at these steps, by more and fewer threads, until one ends.
  Ran with_breaks(bool threshold, const std::vector<Index>& steps) {
    int threads = 1;
    for (const Index step : steps) {
      omp_set_num_threads(threads = 5 - threads);
      StopsAt stops(team_, wanted_, problem_, timer_, step);
      const std::string words =
          test::error_of([&] { eliminate(threshold, &stops); }, ExitCode::interrupted);
      EXPECT_NE(words.find("the same command goes on"), std::string::npos) << words;
      EXPECT_EQ(stops.statistics().written, 1);
    }
    omp_set_num_threads(threads);
    StopsAt goes_on(team_, wanted_, problem_, timer_, never);
    Ran ran = eliminate(threshold, &goes_on);
    EXPECT_TRUE(goes_on.statistics().resumed_step);
    EXPECT_GE(goes_on.statistics().resumed_step.value_or(0), steps.back());
    goes_on.remove();
    return ran;
  }

  static void expect_same(const Ran& ran, const Ran& undisturbed, const std::string& where) {
    EXPECT_EQ(ran.x, undisturbed.x) << where;
    EXPECT_EQ(ran.delayed, undisturbed.delayed) << where;
    EXPECT_EQ(std::memcmp(&ran.counts, &undisturbed.counts, sizeof ran.counts), 0) << where;
  }

  int threads_ = omp_get_max_threads();
  SoloTeam team_;
  Timer timer_;
  test::TemporaryFolder folder_;
  CheckpointOptions wanted_;
  EliminatedProblem problem_;
  Csr<double> matrix_;
  Factorization kind_ = Factorization::lu;
  std::shared_ptr<const SparseAnalysis> analysis_;
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CheckpointedSparse, Precisions);

TYPED_TEST(CheckpointedSparse, GoesOnToTheSameBits) {
  for (const char* spec : {"grid3d:14", "convdiff3d:12", "circuit:2000"}) {
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(generate_matrix(spec)).symmetric) continue;
      this->take(spec, kind);
      for (const bool threshold : {false, true}) {
        if (threshold && kind == Factorization::cholesky) continue;
        const std::string where = fmt::format("{} {} {}", spec, static_cast<int>(kind), threshold);
        const auto undisturbed = this->eliminate(threshold, nullptr);
        const Index n = this->matrix_.rows;
        this->expect_same(this->with_breaks(threshold, {1, n / 3, n / 2, n - 1}), undisturbed,
                          where);
      }
    }
  }
}

TYPED_TEST(CheckpointedSparse, FrontsThatUpdateTheirAncestorsGoOn) {
  for (const char* spec : {"grid3d:12", "network:2000:150"}) {
    for (const Factorization kind : {Factorization::cholesky, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(generate_matrix(spec)).symmetric) continue;
      this->take(spec, kind, {1000, 300, 0, 0});
      const auto undisturbed = this->eliminate(false, nullptr);
      const Index n = this->matrix_.rows;
      this->expect_same(this->with_breaks(false, {1, n / 3, n / 2, n - 1}), undisturbed, spec);
    }
  }
}

TYPED_TEST(CheckpointedSparse, AllWasDone) {
  this->take("grid2d:40", Factorization::lu);
  const auto undisturbed = this->eliminate(false, nullptr);
  this->expect_same(this->with_breaks(false, {this->matrix_.rows}), undisturbed, "the last front");
}

TYPED_TEST(CheckpointedSparse, PausesAtEveryFrontChangeNothing) {
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    this->take("grid2d:30", Factorization::ldlt);
    const auto undisturbed = this->eliminate(false, nullptr);
    SavesAlways saves(this->team_, this->wanted_, this->problem_, this->timer_);
    this->expect_same(this->eliminate(false, &saves), undisturbed, "saved always");
    EXPECT_GT(saves.statistics().written, 1);
    // All stops are additions to one file.
    EXPECT_EQ(names_in(this->wanted_.directory).size(), 1u);
    saves.remove();
  }
}

TYPED_TEST(CheckpointedSparse, AnotherStageBeginsAnew) {
  this->take("grid2d:30", Factorization::lu);
  const auto undisturbed = this->eliminate(true, nullptr);
  StopsAt stops(this->team_, this->wanted_, this->problem_, this->timer_, 300);
  test::error_of([&] { this->eliminate(false, &stops); }, ExitCode::interrupted);
  this->expect_same(this->with_breaks(true, {300}), undisturbed, "threshold pivoting");
}

TYPED_TEST(CheckpointedSparse, AnotherOrderIsRefused) {
  this->take("grid2d:30", Factorization::lu);
  StopsAt stops(this->team_, this->wanted_, this->problem_, this->timer_, 300);
  test::error_of([&] { this->eliminate(false, &stops); }, ExitCode::interrupted);
  this->analysis_ = test::analysis_of(this->matrix_, Factorization::lu, Ordering::amd);
  StopsAt again(this->team_, this->wanted_, this->problem_, this->timer_, never);
  this->eliminate(false, &again);
  EXPECT_FALSE(again.statistics().resumed_step);
  ASSERT_EQ(again.statistics().notes.size(), 1u);
  EXPECT_NE(again.statistics().notes.front().find("belongs to an elimination in another order"),
            std::string::npos);
}

}  // namespace
}  // namespace spsolve
