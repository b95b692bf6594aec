#include "distribute/halo/halo_plan.hpp"

#include <gtest/gtest.h>

#include "distribute/halo/split_rows.hpp"
#include "distribute/reading/scatter.hpp"
#include "helpers/reference.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "mpi/mpi_team.hpp"
#include "process/system.hpp"

namespace spsolve::test {
namespace {

TEST(HaloPlan, NeighboursAgreeOnWhatTravels) {
  MpiTeam team;
  const RowLayout bands{40, team.size()};
  // Every rank needs every third row, its own among them.
  std::vector<Index> needed;
  for (Index row = team.rank() % 3; row < 40; row += 3) needed.push_back(row);
  const HaloPlan plan = make_halo_plan(team, bands, needed);
  EXPECT_EQ(plan.own, bands.band(team.rank()));
  Index halo = 0;
  for (const HaloPlan::NeighbourRows& part : plan.receives) {
    EXPECT_EQ(part.first, halo);
    EXPECT_GT(part.count, 0);
    EXPECT_NE(part.rank, team.rank());
    for (Index i = 0; i < part.count; ++i) EXPECT_EQ(bands.owner(plan.halo[halo + i]), part.rank);
    halo += part.count;
  }
  EXPECT_EQ(halo, plan.halo_rows());
  for (const HaloPlan::NeighbourRows& part : plan.sends) {
    for (Index i = part.first; i < part.first + part.count; ++i) {
      // The rows that that rank needs, as it was built above.
      EXPECT_EQ((plan.own.first + plan.rows_to_send[i]) % 3, part.rank % 3);
    }
  }
  EXPECT_EQ(all_sum(team, plan.halo_rows()), all_sum(team, plan.sent_rows()));
}

TEST(HaloPlan, ColumnsBeyondThirtyTwoBits) {
  MpiTeam team;
  constexpr Index columns = Index{1} << 32;  // over 2^31 rows of X a rank would be too many
  if (columns / team.size() >= Index{1} << 31) {
    EXPECT_THROW(make_halo_plan(team, {columns, team.size()}, {}), Error);
    return;
  }
  const RowLayout bands{columns, team.size()};
  // Each rank needs the first row of each band.
  std::vector<Index> firsts;
  for (int rank = 0; rank < team.size(); ++rank) firsts.push_back(bands.band(rank).first);
  CompressedRows rows;
  rows.columns = columns;
  rows.global_columns = firsts;
  rows.rows.rows = 1;
  rows.rows.columns = team.size();
  for (int rank = 0; rank < team.size(); ++rank) {
    rows.rows.column_indices.push_back(rank);
    rows.rows.values.push_back(1.0 + rank);
  }
  rows.rows.row_offsets = {0, team.size()};
  const HaloPlan plan = make_halo_plan(team, bands, firsts);
  EXPECT_EQ(plan.halo_rows(), team.size() - 1);
  EXPECT_EQ(plan.rows_to_send, std::vector<LocalIndex>(plan.sends.size(), 0));
  const SplitRows<double> split = split_rows<double>(std::move(rows), plan);
  EXPECT_EQ(split.interior.values, std::vector<double>{1.0 + team.rank()});
  EXPECT_EQ(split.interior.column_indices, std::vector<LocalIndex>{0});
  EXPECT_EQ(split.interior.columns, plan.own.size());
  EXPECT_EQ(split.boundary.columns, team.size() - 1);
  for (Index k = 0; k < split.boundary.nonzeros(); ++k) {
    EXPECT_EQ(split.boundary.column_indices[k], k);
    EXPECT_EQ(split.boundary.values[k],
              1.0 + bands.owner(plan.halo[split.boundary.column_indices[k]]));
  }
}

TEST(HaloPlan, KnowsWhetherRowsNeedPacking) {
  MpiTeam team;
  const Index rows = 12 * team.size();
  const RowLayout bands{rows, team.size()};
  // Rows of each band: all, the two in the middle, or the first and the third.
  const std::pair<std::vector<Index>, bool> cases[] = {
      {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, true}, {{5, 6}, true}, {{0, 2}, team.size() == 1}};
  for (const auto& [of_band, ranges_only] : cases) {
    std::vector<Index> needed;
    for (int rank = 0; rank < team.size(); ++rank) {
      for (const Index row : of_band) needed.push_back(12 * rank + row);
    }
    EXPECT_EQ(sends_ranges_only(make_halo_plan(team, bands, needed)), ranges_only);
  }
}

TEST(SplitRows, PartsAreTheMatrixAgain) {
  MpiTeam team;
  const Csr<double> matrix = generate_matrix("random_sparse:70:70:6");
  const RowLayout bands{70, team.size()};
  const Range own = bands.band(team.rank());
  const Csr<double> band = slice_rows(matrix, own.first, own.last);
  CompressedRows rows = compress_columns(Csr<double>(band));
  const HaloPlan plan = make_halo_plan(team, bands, rows.global_columns);
  const SplitRows<double> split = split_rows<double>(std::move(rows), plan);
  Dense<double> sum(band.rows, matrix.columns);
  for (Index i = 0; i < band.rows; ++i) {
    for (Index k = split.interior.row_offsets[i]; k < split.interior.row_offsets[i + 1]; ++k) {
      sum(i, own.first + split.interior.column_indices[k]) += split.interior.values[k];
    }
  }
  for (Index r = 0; r < split.boundary.rows; ++r) {
    const Index length = split.boundary.row_offsets[r + 1] - split.boundary.row_offsets[r];
    EXPECT_GT(length, 0);
    for (Index k = split.boundary.row_offsets[r]; k < split.boundary.row_offsets[r + 1]; ++k) {
      sum(split.boundary_rows[r], plan.halo[split.boundary.column_indices[k]]) +=
          split.boundary.values[k];
    }
  }
  expect_equal(sparse(sum), band);
}

TEST(Scatter, BandsByNonzeros) {
  MpiTeam team;
  const Csr<double> matrix = generate_matrix("power_law:500:6");
  const NonzeroProfile profile =
      team.rank() == 0 ? profile_of(matrix.row_offsets) : NonzeroProfile{};
  const RowLayout bands = choose_bands(team, BandsChoice::nonzeros, profile);
  EXPECT_EQ(bands, bands_by_nonzeros(profile_of(matrix.row_offsets), team.size()));
  const Range own = bands.band(team.rank());
  expect_equal(scatter_rows(team, bands, team.rank() == 0 ? matrix : Csr<double>{}),
               slice_rows(matrix, own.first, own.last));
  expect_equal(scatter_rows(team, bands, team.rank() == 0 ? Csr<double>(matrix) : Csr<double>{}),
               slice_rows(matrix, own.first, own.last));
}

TEST(Scatter, MultivectorsGoThereAndBack) {
  MpiTeam team;
  const RowLayout bands{23, team.size()};
  const Dense<double> x = random_multivector(23, 3, 5);
  const Range own = bands.band(team.rank());
  const Dense<double> band = scatter_rows(team, bands, team.rank() == 0 ? x : Dense<double>{});
  EXPECT_EQ(band.values, random_multivector(own.size(), 3, 5, own.first).values);
  const Dense<double> back = gather_rows(team, bands, band);
  EXPECT_EQ(back.values, team.rank() == 0 ? x.values : std::vector<double>{});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Scatter, RankZeroHoldsAtMostHalfOfTheMatrixAgain) {
  MpiTeam team;
  Csr<double> matrix;
  if (team.rank() == 0) matrix = generate_matrix("grid3d27:30:2");
  const RowLayout bands{54000, team.size()};
  const double bytes = static_cast<double>(csr_bytes(matrix.rows, matrix.nonzeros(), 8));
  wait_for_all(team);
  const MemoryGrowth growth;
  const Csr<double> band = scatter_rows(team, bands, std::move(matrix));
  const auto peak = growth.peak();
  EXPECT_EQ(band.rows, bands.band(team.rank()).size());
  if (!peak) GTEST_SKIP() << "this system does not tell how much memory was used";
  if (team.rank() == 0) {
    EXPECT_LE(static_cast<double>(*peak), 0.5 * bytes) << bytes << " bytes in all";
  }
}
#endif

}  // namespace
}  // namespace spsolve::test
