#pragma once

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "checkpoint/checkpoints.hpp"
#include "dense/eliminated_problem.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "helpers/test_matrices.hpp"
#include "matrix/multivector.hpp"

/// Eliminations that stop at a checkpoint and go on, over any team and any bands.
namespace spsolve::test::checkpoints {

inline constexpr Index never = -1;

/// Wishes to stop after a certain step, whatever the time.
class StopsAt final : public Checkpoints {
 public:
  StopsAt(Team& team, const CheckpointOptions& wanted, const EliminatedProblem& problem,
          const Timer& run, Index step)
      : Checkpoints(team, wanted, problem, run), step_(step) {}
  CheckpointRequest request(Index step) override {
    return step_ != never && step >= step_ ? CheckpointRequest::stop : CheckpointRequest::none;
  }

 private:
  Index step_;
};

/// A folder of all ranks, empty, gone with the object.
class SharedFolder {
 public:
  explicit SharedFolder(Team& team) : team_(team) {
    if (team_.rank() == 0) folder_.emplace();
    path_ = broadcast_text(team_, folder_ ? (*folder_ / "checkpoints").string() : "", 0);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() { wait_for_all(team_); }
  const std::filesystem::path& path() const { return path_; }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) found.push_back(entry);
    std::ranges::sort(found);
    return found;
  }

 private:
  Team& team_;
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path path_;
};

struct System {
  Csr<double> matrix;
  Dense<double> b;
};

struct Ran {
  std::optional<Dense<double>> x;  // nothing where it stopped
  bool carried = false;            // it was made on the way
  PivotStatistics pivots;
  std::vector<std::string> notes;  // of the elimination
  CheckpointStatistics checkpoints;
};

/// The way of the application up to x, until the checkpoint after `stop`.
inline Ran run(Team& team, ComputeDevice& memory, const System& system,
               const EliminationChoice& choice, AutoSwitch equilibrate,
               const std::filesystem::path& folder, Index stop,
               ResumeChoice resume = ResumeChoice::automatic) {
  const Timer timer;
  EliminatedSystem eliminated(team, memory, system.matrix, choice, equilibrate);
  CheckpointOptions wanted;
  wanted.directory = folder;
  wanted.resume = resume;
  StopsAt checkpoints(team, wanted, problem_of(eliminated.matrix(), eliminated.scaling(), choice),
                      timer, stop);
  Ran ran;
  try {
    const bool carries = choice.method == Method::gauss_jordan;
    ran.x = eliminated.eliminate(carries ? system.b : Dense<double>{}, &checkpoints);
    ran.carried = ran.x.has_value();
    EXPECT_EQ(ran.carried, carries);
    if (!ran.carried) ran.x = eliminated.solve(system.b);
    ran.pivots = eliminated.facts().pivots;
    ran.notes = eliminated.facts().notes;
  } catch (const Error& error) {
    if (error.code() != ExitCode::interrupted) throw;
  }
  ran.checkpoints = checkpoints.statistics();
  if (ran.x) checkpoints.remove();
  wait_for_all(team);  // until the files are what they will be
  return ran;
}

struct Case {
  EliminationChoice choice;
  AutoSwitch equilibrate = AutoSwitch::off;
};

inline std::vector<Case> cases() {
  constexpr auto f32 = Precision::float32;
  constexpr auto f64 = Precision::float64;
  return {
      {{Method::lu, Pivoting::tournament, f64, 8}},
      {{Method::lu, Pivoting::tournament, f64, 13}, AutoSwitch::on},
      {{Method::lu, Pivoting::tournament, f32, 8}},
      {{Method::lu, Pivoting::partial, f64, 16}},
      {{Method::lu, Pivoting::none, f64, 8}},
      {{Method::gauss, Pivoting::partial, f64}},
      {{Method::gauss, Pivoting::partial, f32}, AutoSwitch::on},
      {{Method::gauss, Pivoting::complete, f64}},
      {{Method::gauss, Pivoting::none, f64}},
      {{Method::gauss_jordan, Pivoting::partial, f64}, AutoSwitch::on},
      {{Method::gauss_jordan, Pivoting::complete, f32}},
  };
}

/// Cases in complex numbers.
inline std::vector<Case> complex_cases() {
  return {
      {{Method::lu, Pivoting::tournament, Precision::float64, 8, false, true}, AutoSwitch::on},
      {{Method::gauss, Pivoting::complete, Precision::float32, 8, false, true}},
      {{Method::gauss_jordan, Pivoting::partial, Precision::float64, 8, false, true}},
  };
}

inline std::string print(const Case& c) {
  return fmt::format("{} {} {} by {}", name(c.choice.method), name(c.choice.pivoting),
                     name(c.choice.precision), c.choice.block) +
         (c.choice.complex ? ", complex" : "");
}

/// Rows of very different size, so that equilibration has something to do; a dominant diagonal
/// where nothing pivots.
inline System system_for(const Case& c, Index n) {
  Dense<double> dense = random_multivector(n, n, n + 3);
  for (Index i = 0; i < n; ++i) {
    if (c.choice.pivoting == Pivoting::none) dense(i, i) += static_cast<double>(n);
    if (c.equilibrate == AutoSwitch::off) continue;
    for (Index j = 0; j < n; ++j) dense(i, j) *= std::ldexp(1.0, static_cast<int>(i % 17));
  }
  if (!c.choice.complex) return {sparse(dense), random_multivector(n, 3, 5)};
  return {real_form(sparse(dense), sparse(random_multivector(n, n, n + 4))),
          random_multivector(complex_parts * n, 3, 5)};
}

/// The boundary at which an elimination stops that is asked to after `step`.
inline Index boundary(const Case& c, Index step, Index n) {
  if (c.choice.method != Method::lu) return step;
  return std::min((step + c.choice.block - 1) / c.choice.block * c.choice.block, n);
}

inline void expect_same(const Ran& ran, const Ran& undisturbed, const std::string& where) {
  ASSERT_TRUE(ran.x) << where;
  EXPECT_EQ(ran.x->values, undisturbed.x->values) << where;
  EXPECT_EQ(ran.pivots.growth, undisturbed.pivots.growth) << where;
  EXPECT_EQ(ran.pivots.largest_entry, undisturbed.pivots.largest_entry) << where;
  EXPECT_EQ(ran.pivots.smallest_pivot, undisturbed.pivots.smallest_pivot) << where;
  EXPECT_EQ(ran.pivots.largest_pivot, undisturbed.pivots.largest_pivot) << where;
  EXPECT_EQ(ran.notes, undisturbed.notes) << where;
}

/// Backward errors up to this are as they should be.
inline double bound(const System& system, const Case& c) {
  if (c.choice.precision == Precision::float32) return 1e-5;
  const double lapack =
      backward_error(system.matrix, system.b, lapack_solve(system.matrix, system.b));
  return (c.choice.method == Method::gauss_jordan ? 1e4 : 50) * std::max(lapack, unit_roundoff);
}

}  // namespace spsolve::test::checkpoints
