// The same system over MPI ranks: rank 0 brings it, all get the solution.
#include <iostream>

#include <mpi/mpi_team.hpp>
#include <spsolve.hpp>

int main(int argc, char** argv) {
  using namespace spsolve;
  const MpiSession session(argc, argv);
  MpiTeam team;
  const bool first = team.rank() == 0;
  const Csr<double> a = first ? load_matrix("grid2d:20") : Csr<double>{};
  const Dense<double> b = first ? multiply(a, Dense<double>(a.columns, 1, 1.0)) : Dense<double>{};
  const Solution solution = solve(team, a, b);
  std::cout << "rank " + std::to_string(team.rank()) + " of " + std::to_string(team.size()) +
                   ": x_0 = " + std::to_string(solution.x(0, 0)) + "\n";
}
