// A system solved by the library over the ranks it is started with, to be compared with the
// program: library_solve MATRIX B X [KEY=VALUE ...] writes each rank's rows of x, column after
// column, to X.RANK, and on rank 0 the method to the standard output. KEY: of a configuration, or
// systems.

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <spsolve/mpi.hpp>
#include <spsolve/spsolve.hpp>

#include "config/schema.hpp"
#include "core/error.hpp"
#include "io/dense_source.hpp"
#include "process/launcher.hpp"
#include "team/team.hpp"

namespace {

using namespace spsolve;

Options options_of(const std::vector<std::string>& words) {
  Config config;
  Options options;
  for (const std::string& word : words) {
    const std::string key = word.substr(0, word.find('=')), value = word.substr(key.size() + 1);
    if (key == "systems") {
      options.systems = std::stoll(value);
    } else if (const Option* const option = find_option(key); option != nullptr) {
      option->set(config, value);
    } else {
      fail(ExitCode::input, "{} is no option", key);
    }
  }
  static_cast<SolverOptions&>(options) = config.solve;
  options.device = Device::host;
  return options;
}

void solve_by_library(const Ranks& ranks, const std::string& matrix, const std::string& right,
                      const std::string& file, const std::vector<std::string>& words) {
  const Dense<double> whole = load_dense(right);
  Options options = options_of(words);
  options.right_hand_sides = whole.columns;
  Solver solver(ranks.rank() == 0 ? Matrix::load(matrix) : Matrix(), options, ranks);
  const Range own = solver.own();
  Dense<double> b(own.size(), whole.columns);
  for (Index row = 0; row < own.size(); ++row) {
    for (Index c = 0; c < b.columns; ++c) b(row, c) = whole(own.first + row, c);
  }
  const Solution solution = solver.solve(b);
  std::ofstream out(file + "." + std::to_string(ranks.rank()), std::ios::binary);
  for (Index c = 0; c < b.columns; ++c) {
    for (Index row = 0; row < b.rows; ++row) {
      out.write(reinterpret_cast<const char*>(&solution.x(row, c)), sizeof(double));
    }
  }
  if (ranks.rank() == 0) std::puts(solver.report().method.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  // As the program does: MPI takes memory.
  const bool has_others = spsolve::may_have_others(spsolve::launch());
  if (has_others) MPI_Init(&argc, &argv);
  int code = 0;
  try {
    solve_by_library(has_others ? spsolve::ranks_of(MPI_COMM_WORLD) : spsolve::Ranks(), argv[1],
                     argv[2], argv[3], {argv + 4, argv + argc});
  } catch (...) {
    const spsolve::Failure failure = spsolve::current_failure();
    std::fprintf(stderr, "%s\n", failure.message.c_str());
    code = static_cast<int>(failure.code);
  }
  if (has_others) MPI_Finalize();
  return code;
}
