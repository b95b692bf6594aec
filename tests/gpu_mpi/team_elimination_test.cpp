// Sparse elimination by the GPUs of a team.

#include "sparse/team_elimination.hpp"

#include "cuda/device/device_vector_memory.hpp"
#include "cuda/sparse/device_elimination.hpp"
#include "cuda/team/transports.hpp"
#include "distribute/reading/scatter.hpp"
#include "gpu_mpi/gpu_team_test.hpp"
#include "helpers/sparse_cases.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/symmetry.hpp"
#include "solve/operators/equilibrate.hpp"
#include "sparse/sparse_inverse.hpp"

namespace spsolve::cuda {
namespace {

class GpuTeamElimination : public GpuTeamTest {
 protected:
  /// The facts that all ranks know of an elimination by all of their GPUs.
  template <typename T>
  struct InTeam {
    InTeam(GpuTeamElimination& test, const Csr<double>& whole, Factorization kind,
           const SharingRule& rule)
        : team(test.team),
          matrix(whole),
          analysis(test::analysis_of(whole, kind, Ordering::nested_dissection, false)),
          memory(device_sparse_memory([&test](const Stream& stream) {
            return Transports(test.team, Transport::automatic).make_team(stream);
          })),
          elimination(team, *memory, first(), kind, RowLayout{whole.rows, team.size()}, rule) {}

    std::shared_ptr<const SparseAnalysis> first() const {
      return team.rank() == 0 ? analysis : nullptr;
    }

    PivotCounts factor() {
      return elimination.factor(team.rank() == 0 ? matrix.values : std::vector<double>{},
                                perturbing_rule<T>(largest_magnitude(matrix.values)));
    }
    /// Factors with values that rank 0 has on its GPU.
    PivotCounts factor_on_gpu() {
      SystemMatrix in_bands = test::matrix_in_bands(team, matrix, device_vector_memory());
      std::unique_ptr<ScaledValues> values;
      if (team.rank() == 0) {
        values = memory->values_of(matrix, in_bands);
        values->begin({}, {});
        values->finish(false);
      }
      const PivotRule rule = perturbing_rule<T>(largest_magnitude(matrix.values));
      return elimination.factor(values.get(), rule, {});
    }
    Dense<double> solve(bool transposed, const Dense<double>& b) {
      const auto right = test::vectors_of(team, b), x = right->similar(b.columns);
      elimination.solve(transposed, *right, *x);
      return test::whole(*x);
    }
    /// Solves with vectors on the GPUs, and x in the place of b.
    Dense<double> solve_in_place(bool transposed, const Dense<double>& b) {
      const RowLayout bands{matrix.rows, team.size()};
      const auto x = device_vector_memory().vectors(team, bands, b.columns);
      set_own_rows(*x, scatter_rows(team, bands, team.rank() == 0 ? b : Dense<double>()));
      elimination.solve(transposed, *x, *x);
      return test::whole(*x);
    }
    double error(bool transposed, Index columns) {
      const Dense<double> b = test::right_hand_sides(matrix.rows, columns);
      const Csr<double> of = transposed ? transpose(matrix) : matrix;
      return std::max(test::backward_error(of, b, solve(transposed, b)),
                      test::backward_error(of, b, solve_in_place(transposed, b)));
    }

    Team& team;
    Csr<double> matrix;
    std::shared_ptr<const SparseAnalysis> analysis;
    std::unique_ptr<SparseMemory> memory;
    TeamElimination<T> elimination;
  };

  template <typename Work>
  static void for_kinds(const Csr<double>& matrix, const Work& work) {
    for (const Factorization kind :
         {Factorization::cholesky, Factorization::ldlt, Factorization::lu}) {
      if (kind != Factorization::lu && !symmetry_of(matrix).symmetric) continue;
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      work(kind);
    }
  }
};

TEST_F(GpuTeamElimination, SharesFronts) {
  for (const char* spec : {"grid2d:40", "grid3d:14", "convdiff3d:13", "elastic3d:8"}) {
    SCOPED_TRACE(spec);
    const Csr<double> matrix = generate_matrix(spec);
    for_kinds(matrix, [&](Factorization kind) {
      InTeam<double> system(*this, matrix, kind, test::sharing_small_fronts());
      for (double& value : system.matrix.values) value *= 3;
      for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(system.factor().failed, -1);
        for (const Index columns : {1, 3, 20}) {
          EXPECT_LT(system.error(false, columns), 1e-12) << columns;
          EXPECT_LT(system.error(true, columns), 1e-12) << columns;
        }
      }
    });
  }
}

TEST_F(GpuTeamElimination, SolvesWithSmallMatricesOfAllSorts) {
  test::for_sparse_cases([&](const Csr<double>& matrix, Factorization kind) {
    InTeam<double> system(*this, matrix, kind, test::sharing_small_fronts());
    const PivotCounts counts = system.factor();
    ASSERT_EQ(counts.failed, -1);
    for (const bool transposed : {false, true}) {
      EXPECT_LT(system.error(transposed, 2), counts.perturbed > 0 ? 1e-4 : 1e-11) << transposed;
    }
  });
}

TEST_F(GpuTeamElimination, SharesLargeFrontsInFloatToo) {
  const Csr<double> matrix = generate_matrix("grid3d:44");
  for_kinds(matrix, [&](Factorization kind) {
    const SharingRule rule = SharingRule::of(kind, MemoryKind::gpu);
    InTeam<double> system(*this, matrix, kind, rule);
    ASSERT_EQ(system.factor().failed, -1);
    EXPECT_LT(system.error(false, 2), 1e-12);
    InTeam<float> in_float(*this, matrix, kind, rule);
    ASSERT_EQ(in_float.factor().failed, -1);
    EXPECT_LT(in_float.error(false, 2), 1e-4);
  });
}

TEST_F(GpuTeamElimination, HasTheSameBitsTwice) {
  const Csr<double> matrix = generate_matrix("convdiff3d:13");
  const Dense<double> b = test::right_hand_sides(matrix.rows, 2);
  std::vector<double> first;
  for (const bool on_gpu : {false, false, true, true}) {
    InTeam<double> system(*this, matrix, Factorization::lu, test::sharing_small_fronts());
    on_gpu ? system.factor_on_gpu() : system.factor();
    const std::vector<double> x = system.solve(false, b).values;
    if (first.empty()) first = x;
    EXPECT_EQ(x, first);
  }
}

/// Whose bands lie on the GPUs: no host has all of them again.
TEST_F(GpuTeamElimination, TakesNewValuesOfAPattern) {
  Csr<double> matrix = generate_matrix("convdiff3d:30");
  SystemMatrix in_bands = test::matrix_in_bands(team, matrix, device_vector_memory());
  const auto memory = device_sparse_memory([this](const Stream& stream) {
    return Transports(team, Transport::automatic).make_team(stream);
  });
  SparseChoice choice;
  choice.kind = Factorization::lu;
  choice.over_ranks = true;
  SparseInverse<double> inverse(team, *memory, choice, nullptr);
  const Dense<double> b = test::right_hand_sides(matrix.rows, 2);
  Progress silent("eliminating", 1, Progress::Show::off);
  for (const double factor : {1.0, -3.0, 1e-9, 7.0}) {
    SCOPED_TRACE(factor);
    // The second time rows are of very different sizes.
    for (Index k = 0; k < matrix.nonzeros(); k += 1 + k % 5) matrix.values[k] *= factor;
    for (const AutoSwitch scales : {AutoSwitch::automatic, AutoSwitch::off}) {
      in_bands.set_values(test::matrix_in_bands(team, matrix).local_rows().values);
      Equilibration scaling;
      inverse.find_scaling(in_bands, scales, Precision::float64, scaling);
      inverse.prepare(in_bands, scaling);
      inverse.eliminate({silent, nullptr, nullptr});
      const auto right = test::vectors_of(in_bands, b), x = in_bands.vectors(2);
      ScaledOperator::unscaled(inverse, in_bands, scaling).apply(*right, *x);
      EXPECT_LT(test::backward_error(matrix, b, test::whole(*x)), 1e-10);
    }
  }
}

TEST_F(GpuTeamElimination, NamesAPivotThatFails) {
  Csr<double> matrix = generate_matrix("grid3d:14");
  for (double& value : matrix.values) value = -value;
  InTeam<double> system(*this, matrix, Factorization::cholesky, test::sharing_small_fronts());
  EXPECT_GE(system.factor().failed, 0);
}

}  // namespace
}  // namespace spsolve::cuda
