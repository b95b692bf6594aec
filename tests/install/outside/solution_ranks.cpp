// The solution of a system over MPI ranks: rank r writes its rows to the file x.r.
#include <fstream>
#include <iomanip>
#include <string>

#include <spsolve/mpi.hpp>
#include <spsolve/spsolve.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const spsolve::Ranks ranks = spsolve::ranks_of(MPI_COMM_WORLD);
    spsolve::Options options;
    options.refinement = 0;
    spsolve::Solver solver(ranks.rank() == 0 ? spsolve::Matrix::load(argv[1]) : spsolve::Matrix(),
                           options, ranks);
    const auto solution = solver.solve(spsolve::Dense<double>(solver.own().size(), 1, 1.0));
    std::ofstream file("x." + std::to_string(ranks.rank()));
    file << std::setprecision(17);
    for (const double value : solution.x.values) file << value << "\n";
  }
  MPI_Finalize();
}
