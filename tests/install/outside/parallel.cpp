// A system solved over MPI ranks: rank 0 brings it, each has its rows of b and x.
#include <iostream>
#include <string>

#include <spsolve/mpi.hpp>
#include <spsolve/spsolve.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const spsolve::Ranks ranks = spsolve::ranks_of(MPI_COMM_WORLD);
    const bool first = ranks.rank() == 0;
    spsolve::Solver solver(first ? spsolve::Matrix::load("grid2d:20") : spsolve::Matrix(), {},
                           ranks);
    const spsolve::Dense<double> b(solver.own().size(), 1, 1.0);
    const auto solution = solver.solve(b);
    std::cout << "rank " + std::to_string(ranks.rank()) + " of " + std::to_string(ranks.size()) +
                     ": " + std::to_string(solution.x.rows) + " rows, " +
                     (solution.solved ? "solved" : "not solved") + "\n";
  }
  MPI_Finalize();
}
