// spbench: samples kernels, conversions, eliminations and iterations -> a table, CSV, JSON. Works
// alone, without MPI, unless a launcher started several.

#include "apps/bench/spbench.hpp"

#include <iostream>

#include "apps/bench/environment.hpp"
#include "apps/line/command_line.hpp"
#include "matrix/generate/generate.hpp"
#include "mpi/mpi_team.hpp"
#include "process/launcher.hpp"
#include "process/log.hpp"
#include "process/system.hpp"
#include "team/team.hpp"

namespace spsolve {

namespace {

ExitCode run(int argc, char** argv, Team& team) {
  start_log(team.rank(), false);
  CLI::App app("Samples products, conversions, eliminations and iterations.", "spbench");
  add_common_flags(app);
  const bench::Cell environment = bench::environment_of(argc, argv);
  bool list = false;
  app.add_flag("--list-kernels", list, "name, device, format and a sentence of every kernel");
  CLI::App* const kernels = app.add_subcommand("kernels", "the same as --list-kernels");
  add_multiply_command(app, environment, team);
  add_convert_command(app, environment, team);
  add_eliminate_command(app, environment, team);
  add_iterate_command(app, environment, team);
  app.require_subcommand(0, 1);
  for (CLI::App* const command : app.get_subcommands({})) {
    const bool alone = command->get_name() == "kernels" || command->get_name() == "convert";
    if (!alone || team.size() == 1) continue;
    command->preparse_callback([command, &team](std::size_t) {
      fail_everywhere(ExitCode::input,
                      "spbench {} measures one process, and {} were started; leave mpirun out",
                      command->get_name(), team.size());
    });
  }
  const Program program{
      app, "samples sparse products, conversions, eliminations and iterations", {}, {}, {}};
  const bool speaks = team.rank() == 0;
  if (const auto text = together(team, [&] { return asked_for(program, argc, argv); })) {
    if (speaks) print_out(*text);
    return ExitCode::solved;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    return parsing_ended(app, why, speaks);
  }
  if (!speaks) return ExitCode::solved;
  if (list || *kernels) {
    print_out(kernel_list());
  } else if (app.get_subcommands().empty()) {
    fail(ExitCode::input,
         "what shall be measured? spbench multiply, convert, eliminate or iterate; see --help");
  }
  return ExitCode::solved;
}

}  // namespace

/// A failure that all ranks share is told by rank 0; one rank's own ends the others too.
int run_and_tell(int argc, char** argv, Team& team) {
  try {
    together(team, require_stack);
    const ExitCode code = run(argc, argv, team);
    together(team, check_output);
    return static_cast<int>(code);
  } catch (...) {
    const Failure failure = current_failure();
    const bool shared = failure.scope == Scope::every_rank || team.size() == 1;
    if (!shared || team.rank() == 0) std::cerr << "spbench: " << failure.message << std::endl;
    if (!shared) team.abort(failure.code);
    return static_cast<int>(failure.code);
  }
}

}  // namespace spsolve

int main(int argc, char** argv) {
  using namespace spsolve;
  const Launch started = launch();
  if (!may_have_others(started)) {
    SoloTeam alone;
    return run_and_tell(argc, argv, alone);
  }
  const MpiSession session(argc, argv);
  MpiTeam team;
  const std::string problem = launch_problem(started, team.size(), MpiSession::version());
  if (!problem.empty()) {
    if (started.rank == 0) std::cerr << "spbench: " << problem << "\n";
    return static_cast<int>(ExitCode::input);
  }
  const int code = run_and_tell(argc, argv, team);
  wait_for_all(team);
  return code;
}
