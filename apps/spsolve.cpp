// spsolve A.mtx b.mtx, or CONFIG.yaml, alone or under mpirun: the application. Its work is in
// lib/task, and the meaning of its command line in spsolve_line.cpp; this file starts the team, and
// turns the outcome into words and an exit code.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "api/gpus.hpp"
#include "apps/line/command_line.hpp"
#include "apps/line/spsolve_line.hpp"
#include "config/consistency.hpp"
#include "config/loader.hpp"
#include "config/schema.hpp"
#include "core/plain_text.hpp"
#include "core/tuning.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/special_file.hpp"
#include "mpi/mpi_team.hpp"
#include "process/fault.hpp"
#include "process/interrupt.hpp"
#include "process/last_words.hpp"
#include "process/launcher.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "process/system.hpp"
#include "report/page/html_report.hpp"
#include "task/begin.hpp"
#include "task/check/check.hpp"
#include "task/help.hpp"
#include "task/multiply.hpp"
#include "task/solve/solve.hpp"
#include "team/watchdog.hpp"

namespace spsolve {
namespace {

/// Rank 0 reads and checks the file; the others get the result in its YAML form.
Config load_together(Team& team, const SpsolveLine& line) {
  const Config checked = together(team, [&] { return team.rank() == 0 ? load(line) : Config{}; });
  if (team.size() == 1) return checked;
  const std::string text = broadcast_text(team, to_yaml(checked), 0);
  return parse_config(text, line.name());
}

/// 2026-01-31T12:00:00+0100
std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[40] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local);
  return text;
}

/// The files of a report.
void write_files(const nlohmann::ordered_json& json, const DrawnPatterns& patterns,
                 const Config::Output& wanted) {
  if (!wanted.report.empty()) write_report(wanted.report, json);
  if (!wanted.html.empty()) io::write_text(wanted.html, html_report(json, patterns));
}

/// Removes them, unless they are no files of their own, or led to by links of others.
void remove_reports(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) {
    try {
      std::error_code ignored;
      io::path_without_links(file);
      if (std::filesystem::is_regular_file(file, ignored)) std::filesystem::remove(file, ignored);
    } catch (const Error&) {
      continue;  // writing it says why
    }
  }
}

/// Puts a report that says so in the place of an earlier run's, which would be taken for this one's
/// if this one is killed. A failure to write passes: the end of the run tells why.
void leave_running(const TaskReport& report, const Config::Output& wanted) {
  if (io::is_written_through(wanted.report) || io::is_written_through(wanted.html)) return;
  try {
    write_files(running_json(report), {}, wanted);
  } catch (const Error&) {
    remove_reports({wanted.report, wanted.html});
  }
}

/// Says that a run that came to no end wrote no result.
void note_no_result(TaskReport& report, const Config& config) {
  const bool solves = config.task == Task::solve;
  const auto& result = solves ? config.output.solution : config.output.product;
  if (result.empty()) return;
  report.notes.push_back(fmt::format("this run wrote no {}: a file {} is of an earlier one",
                                     solves ? "solution" : "product", result.string()));
}

/// The last words of a run that a signal or a watchdog ends, as far as its report knows it now.
std::unique_ptr<LastWords> last_words_of(TaskReport report, const Team& team,
                                         const Config& config) {
  note_no_result(report, config);
  const auto json = [report](ExitCode code, const std::string& sentence) {
    return failure_json(report, {code, sentence, Scope::one_rank});
  };
  std::vector<LastWords::File> files;
  const Config::Output& wanted = config.output;
  if (!io::is_written_through(wanted.report) && !io::is_written_through(wanted.html)) {
    if (!wanted.report.empty()) {
      files.push_back({wanted.report, [json](ExitCode code, const std::string& sentence) {
                         return report_text(json(code, sentence));
                       }});
    }
    if (!wanted.html.empty()) {
      files.push_back({wanted.html, [json](ExitCode code, const std::string& sentence) {
                         return html_report(json(code, sentence), {});
                       }});
    }
  }
  std::string remedy = !config.checkpoint.directory.empty()
                           ? "the same command goes on from its checkpoint, if one was written"
                       : config.task == Task::solve
                           ? "nothing is kept: with checkpoint.directory an elimination goes on "
                             "where it was stopped"
                           : "nothing is kept";
  if (team.size() > 1) {
    remedy += "; if nobody asked for it, another rank was ended, and its launcher says why";
  }
  const auto ending =
      MpiSession::is_open() ? LastWords::Ending::by_code : LastWords::Ending::by_signal;
  return std::make_unique<LastWords>(files, remedy, ending, team.rank() == 0);
}

/// Leaves a report of a run that failed, lest an earlier run's is taken for its. What goes wrong
/// here is told and no more: the failure of the run is what counts.
void leave_report(TaskReport& report, const Failure& failure, const Config& config) {
  note_no_result(report, config);
  try {
    write_files(failure_json(report, failure), report.patterns, config.output);
  } catch (const Error& error) {
    log_line(fmt::format("no report of the failure: {}", error.what()));
  }
}

/// Prints the notes that a reader of the answer must know, on the standard error, whatever becomes
/// of the report.
void tell_notes(const TaskReport& report) {
  for (const std::string& note : report.notes) log_line("note: " + note);
  if (report.status != name(Verdict::solved)) log_line("status: " + report.status);
}

/// Tells in words what a run came to, and the notes even to who wants no words.
template <typename Report>
void tell(const Report& report, const SpsolveLine& line) {
  tell_notes(report);
  if (line.quiet) return;
  const std::string text = to_text(report);
  // The standard output may belong to a file of results.
  if (std::ranges::any_of(report.files, io::is_standard_output)) {
    std::cerr << plain_text(text) << std::flush;
  } else {
    print_out(plain_text(text));
  }
}

/// Writes the files of a report. Where they cannot be, none is left that calls the run running, and
/// the words are told all the same: no other place has the figures then.
template <typename Report>
void write_result(Report& report, const Config::Output& wanted, const SpsolveLine& line) {
  try {
    write_files(to_json(report), report.patterns, wanted);
  } catch (const Error&) {
    remove_reports({wanted.report, wanted.html});
    std::erase_if(report.files, [&](const std::string& file) {
      return file == wanted.report.string() || file == wanted.html.string();
    });
    try {
      tell(report, line);
    } catch (const Error& another) {
      log_line(another.what());
    }
    throw;
  }
}

/// Runs a task, writes and prints its report.
template <typename Report>
ExitCode perform(void (&task)(const Config&, Team&, const Gpus&, Report&), const Config& config,
                 Team& team, const Gpus& gpus, const SpsolveLine& line) {
  const bool speaks = team.rank() == 0;
  Versions versions = build_versions();
  versions.emplace_back("mpi", MpiSession::version());
  Report report;
  report.started = time_now();
  report.before = line.begun.seconds();
  report.command_line = line.typed;
  begin_report(config, team, versions, report);
  together(team, [&] {
    if (speaks) leave_running(report, config.output);
  });
  const auto last_words = together(team, [&] { return last_words_of(report, team, config); });
  try {
    task(config, team, gpus, report);
  } catch (...) {
    const Failure failure = current_failure();
    if (speaks || failure.scope == Scope::one_rank) leave_report(report, failure, config);
    throw;
  }
  together(team, [&] {
    if (speaks) write_result(report, config.output, line);
  });
  together(team, [&] {
    if (speaks) tell(report, line);
  });
  return report.status == name(Verdict::solved) ? ExitCode::solved : ExitCode::not_trustworthy;
}

ExitCode run(Team& team, const SpsolveLine& line) {
  const bool speaks = team.rank() == 0;
  together(team, [&] {
    require_stack();
    prepare_fault(team.rank());
  });
  offer_gpu_kernels(gpu_part().kernels);
  const Config config = load_together(team, line);
  if (line.print_config) {
    if (speaks) print_out(to_yaml(config));
    return ExitCode::solved;
  }
  if (const auto keys = keys_of_other_task(config); !keys.empty()) {
    log_line(fmt::format("{}: task: {} does not look at {}; only the other task does", line.name(),
                         name(config.task), fmt::join(keys, ", ")));
  }
  if (line.check) {
    const std::vector<CheckedFile> files = together(team, [&] {
      return speaks ? check_files(config, Deadline(line.check_seconds))
                    : std::vector<CheckedFile>{};
    });
    if (speaks) print_out(line.name() + ": the configuration is valid\n" + to_text(files));
    return ExitCode::solved;
  }
  Gpus gpus = find_gpus(config.device);
  gpus.leave = leave_gpus;
  if (line.dry_run) {
    MemoryPlan plan;
    const bool multiplies = config.task == Task::multiply;
    if (multiplies && line.ranks > 0) {
      fail_everywhere(ExitCode::input, "--ranks goes with task: solve");
    }
    const MemoryCheck check = multiplies ? plan_multiply(config, team, gpus, plan)
                                         : plan_solve(config, team, gpus, plan, line.ranks);
    if (speaks) print_out(to_text(plan, check));
    if (speaks && !check.fits) print_out(fmt::format("It does not fit: {}.\n", check.remedy));
    return check.fits ? ExitCode::solved : ExitCode::resources;
  }

  const Watchdog watchdog(team, config.run.watchdog);
  return config.task == Task::multiply ? perform(run_multiply, config, team, gpus, line)
                                       : perform(run_solve, config, team, gpus, line);
}

/// A failure that all ranks share is told once, by rank 0, and all end in order. One rank's own
/// ends the others too, which may be waiting for it.
ExitCode run_and_tell(Team& team, const SpsolveLine& line) {
  try {
    const ExitCode code = run(team, line);
    together(team, check_output);
    return code;
  } catch (...) {
    const Failure failure = current_failure();
    if (failure.scope == Scope::every_rank || team.size() == 1) {
      if (team.rank() == 0) std::cerr << "spsolve: " << failure.message << std::endl;
      return failure.code;
    }
    std::cerr << fmt::format("spsolve: rank {} of {} on host {} ends all ranks: {}\n", team.rank(),
                             team.size(), host_name(), failure.message);
    team.abort(failure.code);
    return failure.code;
  }
}

/// Parses the command line and does what it says. Collective.
ExitCode parse_and_run(SpsolveParser& parser, int argc, char** argv, const SpsolveLine& line,
                       Team& team) {
  try {
    if (const auto end = parser.parse(argc, argv, team.rank() == 0)) {
      together(team, check_output);
      return *end;
    }
  } catch (const Error& error) {
    if (team.rank() == 0) std::cerr << "spsolve: " << plain_text(error.what()) << std::endl;
    return error.code();
  }
  start_log(team.rank(), line.verbose);
  log_detail("thresholds of the kinds of devices\n" + tuning_table());
  return run_and_tell(team, line);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool looks_for_leaks = true;
#elif defined(__has_feature)
constexpr bool looks_for_leaks =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool looks_for_leaks = false;
#endif

/// Ends the process once all is written. Libraries would end their threads one after another, and
/// memory be given back that the system takes at once: a millisecond, of 25 that a small system
/// takes, and more where GPUs are. Where leaks are looked for, it is given back.
[[noreturn]] void end_process(int code) {
  std::cout.flush();
  std::fflush(nullptr);
  if (looks_for_leaks) std::exit(code);
  std::_Exit(code);
}

}  // namespace
}  // namespace spsolve

int main(int argc, char** argv) {
  using namespace spsolve;
  SpsolveLine line;
  line.typed = shell_words(argc, argv);
  SpsolveParser parser(line);
  try {
    // Without MPI: a build calls this, perhaps where no MPI program may start.
    if (const auto text = parser.generated(argc, argv)) {
      print_out(*text);
      check_output();
      return 0;
    }
  } catch (const Error& error) {
    std::cerr << "spsolve: " << plain_text(error.what()) << "\n";
    return static_cast<int>(error.code());
  }
  const Launch started = launch();
  if (!may_have_others(started)) {
    turn_signals_into_errors();
    SoloTeam alone;
    const ExitCode code = parse_and_run(parser, argc, argv, line, alone);
    // A shell that runs a loop of these must see that it was interrupted.
    if (const int signal = ended_by(); signal != 0) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
    end_process(static_cast<int>(code));
  }
  std::optional<MpiSession> session(std::in_place, argc, argv);
  turn_signals_into_errors();  // MPI has set its own by now
  MpiTeam team;
  const std::string problem = launch_problem(started, team.size(), MpiSession::version());
  if (!problem.empty()) {
    if (started.rank == 0) std::cerr << "spsolve: " << problem << "\n";
    return static_cast<int>(ExitCode::input);
  }
  const ExitCode code = parse_and_run(parser, argc, argv, line, team);
  // mpirun ends all ranks when the first one leaves with an error: rank 0 must have spoken by then.
  wait_for_all(team);
  session.reset();
  end_process(static_cast<int>(code));
}
