// Coefficients of all ranks become one: sums and maxima in the order of the ranks, of rows side by
// side or apart.

#include "vectors/multivector/coefficients.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "helpers/systems_in_bands.hpp"
#include "mpi/mpi_team.hpp"

namespace spsolve {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The number that a rank has at this place: sums of these depend on their order.
double number_of(int rank, int row, Index c) {
  return std::ldexp(1.0 + 0.1 * rank, (7 * rank + 5 * row) % 60) * (c % 2 == 0 ? 1 : -1);
}

TEST(CoefficientsOfRanks, BecomeOneByOneMessage) {
  MpiTeam team;
  constexpr int rows = 4;
  for (const Index columns : {1, 3, 70}) {
    const auto x = test::vectors_of(team, Dense<double>(5, columns));
    const std::unique_ptr<Coefficients> numbers = x->coefficients(rows);
    for (int row = 0; row < rows; ++row) {
      std::vector<double> mine;
      for (Index c = 0; c < columns; ++c) mine.push_back(number_of(team.rank(), row, c));
      if (row == 1 && team.rank() == team.size() - 1) mine.front() = nan;
      numbers->write(row, mine);
    }
    const SharedRow shared[] = {{1, Reduction::maximum}, {3, Reduction::sum}};
    numbers->reduce_over_ranks(team, shared);
    std::vector<double> largest(static_cast<std::size_t>(columns)), sums = largest, other = largest;
    numbers->read(1, largest);
    numbers->read(3, sums);
    numbers->read(2, other);
    EXPECT_TRUE(std::isnan(largest.front()));
    for (Index c = 0; c < columns; ++c) {
      double sum = number_of(0, 3, c), most = number_of(0, 1, c);
      for (int rank = 1; rank < team.size(); ++rank) {
        sum += number_of(rank, 3, c);
        most = std::max(most, number_of(rank, 1, c));
      }
      EXPECT_EQ(sums[c], sum);
      if (c > 0) {
        EXPECT_EQ(largest[c], most);
      }
      EXPECT_EQ(other[c], number_of(team.rank(), 2, c)) << "a row that was not named";
    }
  }
}

}  // namespace
}  // namespace spsolve
