// A system over MPI ranks of which each makes its own rows: -u" = f with n unknowns, with arrays as
// Eigen and hypre have them, int for indices.
#include <iostream>
#include <string>
#include <vector>

#include <spsolve/mpi.hpp>
#include <spsolve/spsolve.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const spsolve::Ranks ranks = spsolve::ranks_of(MPI_COMM_WORLD);
    const int n = 301;
    const int first = n * ranks.rank() / ranks.size(), last = n * (ranks.rank() + 1) / ranks.size();
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;
    for (int i = first; i < last; ++i) {
      for (int j = i > 0 ? i - 1 : i; j <= i + 1 && j < n; ++j) {
        columns.push_back(j);
        values.push_back(i == j ? 2 : -1);
      }
      offsets.push_back(static_cast<int>(columns.size()));
    }
    const auto a = spsolve::Matrix::from_own_rows(ranks, {.rows = {first, last},
                                                          .columns = n,
                                                          .row_offsets = offsets,
                                                          .column_indices = columns,
                                                          .values = values});
    spsolve::Solver solver(a, {}, ranks);
    const auto solution = solver.solve(spsolve::Dense<double>(last - first, 1, 1.0));
    std::cout << "rank " + std::to_string(ranks.rank()) + ": rows " + std::to_string(first) +
                     " to " + std::to_string(last) + (solution.solved ? " solved\n" : "\n");
  }
  MPI_Finalize();
}
