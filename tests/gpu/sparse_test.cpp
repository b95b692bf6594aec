#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cuda/core/device_memory.hpp"
#include "cuda/device/device_vector_memory.hpp"
#include "cuda/sparse/device_elimination.hpp"
#include "cuda/sparse/sweeps/device_sweeps.hpp"
#include "gpu/front_panels.hpp"
#include "gpu/vector_pairs.hpp"
#include "gpu_test.hpp"
#include "helpers/coo.hpp"
#include "helpers/matched_systems.hpp"
#include "helpers/reference.hpp"
#include "helpers/sparse_cases.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/random.hpp"
#include "matrix/structure.hpp"
#include "matrix/symmetry.hpp"
#include "team/team.hpp"

namespace spsolve::cuda {
namespace {

class GpuSparse : public GpuTest {};

template <typename T>
std::unique_ptr<test::WholeElimination<T>> on_gpu(std::shared_ptr<const SparseAnalysis> analysis) {
  return std::make_unique<test::WholeElimination<T>>(std::move(analysis), device_sparse_memory());
}

/// Small fronts, fronts of several blocks of pivots, products by the library, blocks of the block
/// triangular form.
constexpr const char* all_sizes[] = {"grid2d:90",    "grid3d:16", "convdiff3d:14", "grid3d:28",
                                     "circuit:3000", "kkt:1500",  "elastic3d:8"};

/// By L U, with the matrix and its transpose, for one column to many.
void expect_exact_solves(const Csr<double>& matrix) {
  const auto elimination = on_gpu<double>(test::analysis_of(matrix, Factorization::lu));
  ASSERT_EQ(elimination->factor(Factorization::lu, matrix.values).failed, -1);
  for (const Index columns : {1, 3, 7, 16}) {
    for (const bool transposed : {false, true}) {
      EXPECT_LT(test::error_of_solve(matrix, *elimination, transposed, columns), 1e-13) << columns;
    }
  }
}

TEST_F(GpuSparse, SolvesSmallMatricesAndTheirTransposes) {
  test::for_sparse_cases([](const Csr<double>& matrix, Factorization kind) {
    const auto elimination = on_gpu<double>(test::analysis_of(matrix, kind));
    const PivotCounts counts = elimination->factor(kind, matrix.values);
    ASSERT_EQ(counts.failed, -1);
    for (const Index columns : {1, 3, 6, 20}) {
      for (const bool transposed : {false, true}) {
        EXPECT_LT(test::error_of_solve(matrix, *elimination, transposed, columns),
                  counts.perturbed > 0 || counts.largest_multiplier > 1e3 ? 1e-4 : 1e-11)
            << columns << " columns, transposed " << transposed;
      }
    }
  });
}

TEST_F(GpuSparse, SolvesWithFrontsOfAllSizes) {
  for (const char* spec : all_sizes) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const Factorization kind : kinds_of(matrix)) {
      const auto elimination = on_gpu<double>(test::analysis_of(matrix, kind));
      const PivotCounts counts = elimination->factor(kind, matrix.values);
      ASSERT_EQ(counts.failed, -1) << spec;
      for (const Index columns : {1, 9}) {
        for (const bool transposed : {false, true}) {
          EXPECT_LT(test::error_of_solve(matrix, *elimination, transposed, columns),
                    counts.perturbed > 0 || counts.largest_multiplier > 1e3 ? 1e-4 : 1e-11)
              << spec << ", kind " << static_cast<int>(kind) << ", " << columns
              << " columns, transposed " << transposed << ", " << counts.perturbed
              << " perturbed, multipliers up to " << counts.largest_multiplier;
        }
      }
    }
  }
}

TEST_F(GpuSparse, SolvesWithAFrontOfThousandsOfChildren) {
  // A hub next to leaves.
  const Index hub = 3000;
  Coo entries{hub + 1, hub + 1, Symmetry::general, {}, {}, {}};
  for (Index i = 0; i < hub; ++i) {
    test::add(entries, i, i, 4.0 + static_cast<double>(i % 7));
    test::add(entries, i, hub, 1.0 + static_cast<double>(i % 3));
    test::add(entries, hub, i, 1.0 + static_cast<double>(i % 5));
  }
  test::add(entries, hub, hub, 9000.0);
  expect_exact_solves(csr_from_coo(entries));
}

TEST_F(GpuSparse, SolvesWithARowAndAColumnOfThousandsOfCouplings) {
  // Blocks of two unknowns; the last but one takes in all of them, and the last is taken in by all.
  const Index blocks = 1500, row = 2 * blocks, column = row + 1;
  Coo entries{column + 1, column + 1, Symmetry::general, {}, {}, {}};
  for (Index i = 0; i < row; ++i) {
    test::add(entries, i, i, 4.0 + static_cast<double>(i % 7));
    test::add(entries, i, i ^ 1, 1.0);
    test::add(entries, row, i, 1.0 + static_cast<double>(i % 3));
    test::add(entries, i, column, 1.0 + static_cast<double>(i % 5));
  }
  test::add(entries, row, row, 9000.0);
  test::add(entries, column, column, 9000.0);
  expect_exact_solves(csr_from_coo(entries));
}

TEST_F(GpuSparse, SolvesInFloat) {
  for (const char* spec : {"grid2d:30", "grid3d:16"}) {
    const Csr<double> matrix = generate_matrix(spec);
    for (const Factorization kind : kinds_of(matrix)) {
      const auto elimination = on_gpu<float>(test::analysis_of(matrix, kind));
      ASSERT_EQ(elimination->factor(kind, matrix.values).failed, -1);
      EXPECT_LT(test::error_of_solve(matrix, *elimination, false, 3), 1e-5) << spec;
    }
  }
}

TEST_F(GpuSparse, SolvesForVectorsOnTheGpuAlsoWithFactorsOfTheHost) {
  const Csr<double> matrix = generate_matrix("circuit:600");
  SoloTeam team;
  const VectorPair b(team, matrix.rows, 3, 5);
  const auto solved_by = [&](auto& elimination, bool transposed) {
    VectorPair x(team, matrix.rows, 3, 6);
    elimination.solve(transposed, b.device, x.device);
    return test::backward_error(transposed ? transpose(matrix) : matrix, own_rows(b.host),
                                own_rows(x.device));
  };
  const auto analysis = test::analysis_of(matrix, Factorization::lu);
  const auto in_double = on_gpu<double>(analysis);
  const auto in_float = on_gpu<float>(analysis);
  for (const bool transposed : {false, true}) {
    in_double->factor(Factorization::lu, matrix.values);  // with multipliers of 1e4
    EXPECT_LT(solved_by(*in_double, transposed), 1e-4);
    in_double->factor_with_threshold(Factorization::lu, matrix.values);
    EXPECT_LT(solved_by(*in_double, transposed), 1e-12);
    in_float->factor_with_threshold(Factorization::lu, matrix.values);
    EXPECT_LT(solved_by(*in_float, transposed), 1e-3);
  }
}

TEST_F(GpuSparse, GivesTheSameBitsAndNewValuesGiveWhatAFreshOneGives) {
  for (const char* spec : all_sizes) {
    const Csr<double> matrix = generate_matrix(spec);
    Csr<double> other = matrix;
    for (double& value : other.values) value *= 0.75;
    const Dense<double> b = test::right_hand_sides(matrix.rows, 2);
    for (const Factorization kind : kinds_of(matrix)) {
      const auto analysis = test::analysis_of(matrix, kind);
      const auto again = on_gpu<double>(analysis);
      const auto fresh = on_gpu<double>(analysis);
      again->factor(kind, other.values);
      const std::vector<double> first = test::solved(*again, false, b).values;
      const std::int64_t bytes = device_bytes().now;
      again->factor(kind, matrix.values);
      again->factor(kind, other.values);
      EXPECT_EQ(device_bytes().now, bytes) << "memory is kept";
      fresh->factor(kind, other.values);
      EXPECT_EQ(test::solved(*again, false, b).values, first) << spec;
      EXPECT_EQ(test::solved(*fresh, false, b).values, first) << spec;
    }
  }
}

TEST_F(GpuSparse, GivesTheSameBitsWithFactorsInHostMemory) {
  for (const char* spec : all_sizes) {
    const Csr<double> matrix = generate_matrix(spec);
    const double least = 1e-9;
    for (const Factorization kind : kinds_of(matrix)) {
      SCOPED_TRACE(testing::Message() << spec << ", kind " << static_cast<int>(kind));
      const auto analysis = test::analysis_of(matrix, kind);
      DeviceFactors<double> whole(*analysis, kind), streamed(*analysis, kind, 0);
      EXPECT_FALSE(whole.layout().streams());
      ASSERT_TRUE(streamed.layout().streams());
      EXPECT_EQ(streamed.host_bytes(),
                whole.layout().factor_elements * static_cast<std::int64_t>(sizeof(double)));
      DeviceSweeps<double> of_whole(*analysis, whole), of_streamed(*analysis, streamed);
      for (int round = 0; round < 2; ++round) {
        whole.upload(matrix.values);
        streamed.upload(matrix.values);
        const PivotCounts expected = whole.factor({least}), found = streamed.factor({least});
        EXPECT_EQ(found.failed, expected.failed);
        EXPECT_EQ(found.perturbed, expected.perturbed);
        EXPECT_EQ(found.smallest, expected.smallest);
        for (const Index columns : {1, 20}) {
          const Dense<double> b = test::right_hand_sides(matrix.rows, columns);
          const DeviceArray<double> right(b.values);
          for (const bool transposed : {false, true}) {
            std::vector<double> x[2];
            for (int i = 0; i < 2; ++i) {
              DeviceArray<double> on_device(right.size());
              (i == 0 ? of_whole : of_streamed)
                  .solve(transposed, columns, right.data(), on_device.data());
              wait_for(current_stream());
              x[i].resize(b.values.size());
              on_device.download(x[i]);
            }
            EXPECT_EQ(x[0], x[1]) << columns << " columns, transposed " << transposed;
          }
        }
      }
    }
  }
}

TEST_F(GpuSparse, CountsPivotsAsTheyAre) {
  // Eigenvalues of the 5-point grid: 4 - 2 cos(i t) - 2 cos(j t), t = pi / (m + 1).
  const int m = 37;
  const double shift = 2.31, pi = std::acos(-1.0);
  Index negative = 0;
  for (int i = 1; i <= m; ++i) {
    for (int j = 1; j <= m; ++j) {
      const double t = pi / (m + 1);
      if (4 - 2 * std::cos(i * t) - 2 * std::cos(j * t) - shift < 0) ++negative;
    }
  }
  const Csr<double> matrix = test::shifted(generate_matrix("grid2d:37"), -shift);
  const auto analysis = test::analysis_of(matrix, Factorization::ldlt);
  const auto elimination = on_gpu<double>(analysis);
  const PivotCounts counts = elimination->factor(Factorization::ldlt, matrix.values);
  EXPECT_EQ(counts.negative, negative);
  EXPECT_LT(test::error_of_solve(matrix, *elimination, false, 1), 1e-11);
  EXPECT_GE(elimination->factor(Factorization::cholesky, matrix.values).failed, 0);
  // And after a failure the same object goes on.
  EXPECT_EQ(elimination->factor(Factorization::ldlt, matrix.values).negative, negative);
  EXPECT_LT(test::error_of_solve(matrix, *elimination, true, 1), 1e-11);
}

TEST_F(GpuSparse, KeepsMatchedRowsTogether) {
  const std::unique_ptr<SparseMemory> memory = device_sparse_memory();
  test::expect_pairs_leave_no_small_pivots(*memory, device_vector_memory());
  test::expect_pairs_for_later_values(*memory, device_vector_memory(), 1800, 81);
}

TEST_F(GpuSparse, CorrectsForFewPivotsThatWereTooSmall) {
  const std::unique_ptr<SparseMemory> memory = device_sparse_memory();
  for (const AutoSwitch equilibrate : {AutoSwitch::automatic, AutoSwitch::off}) {
    test::EliminatedSequence sequence(*memory, device_vector_memory(), "ipm_tree:20000:82",
                                      AutoSwitch::on, equilibrate);
    Index corrected = 0;
    for (const int step : {82, 83, 30, 95}) {
      const SparseOutcome outcome = sequence.eliminate(fmt::format("ipm_tree:20000:{}", step));
      corrected += outcome.corrected_pivots;
      EXPECT_LT(sequence.error(), 1e-12) << step;
    }
    EXPECT_GT(corrected, 0);
  }
}

TEST_F(GpuSparse, TellsValuesThatAreNoNumbers) {
  Csr<double> matrix = generate_matrix("convdiff3d:9");
  const auto elimination = on_gpu<double>(test::analysis_of(matrix, Factorization::lu));
  matrix.values[matrix.values.size() / 2] = std::nan("");
  EXPECT_GE(elimination->factor(Factorization::lu, matrix.values).failed, 0);
}

}  // namespace
}  // namespace spsolve::cuda
