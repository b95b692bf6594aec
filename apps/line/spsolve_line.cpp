#include "apps/line/spsolve_line.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/loader.hpp"
#include "config/schema.hpp"
#include "core/names/did_you_mean.hpp"
#include "io/binary/mat.hpp"
#include "io/binary/npy.hpp"
#include "io/binary/petsc.hpp"
#include "io/binary/zip.hpp"
#include "io/files/gzip.hpp"
#include "io/matrix_source.hpp"
#include "multiply/kernel/kernel.hpp"
#include "report/report_schema.hpp"
#include "task/help.hpp"

namespace spsolve {

namespace {

namespace fs = std::filesystem;

constexpr ShortOption short_table[] = {
    {"-o,--output", "output.solution", "output.product", "FILE",
     "write x, with --multiply Y, to this file; - is the standard output"},
    {"--method", "solve.method", "", "NAME", "how A x = b is solved; --help methods lists all"},
    {"--precision", "solve.precision", "multiply.precision", "NAME", "float, double or mixed"},
    {"--device", "device", "", "NAME", "auto, host or cuda"},
    {"--threads", "threads", "", "N", "threads of each rank"},
    {"--report", "output.report", "", "FILE", "write the report as JSON"},
    {"--html", "output.html", "", "FILE", "write the report as a page with pictures"},
};

const std::vector<std::string> generated_texts{"man", "bash", "configuration-schema",
                                               "report-schema"};

constexpr std::string_view usage =
    "Solves A x = b by sparse or dense elimination or by Krylov methods,\n"
    "and says how far x can be trusted; or multiplies Y = A X.\n"
    "\n"
    "  spsolve A.mtx b.mtx -o x.mtx         solves A x = b\n"
    "  spsolve A.mtx                        b: A_b.mtx or row sums of A\n"
    "  spsolve grid2d:100 --method cg       A: generated\n"
    "  spsolve A.mtx X.mtx --multiply -o Y.mtx\n"
    "  spsolve config.yaml --set threads=2  with every key, see below\n"
    "  mpirun -np 4 spsolve A.mtx b.mtx     over 4 ranks\n"
    "\n"
    "A file that ends in .yaml, .yml or .json is a configuration; - is the\n"
    "standard input.\n";

bool is_configuration(const std::string& file) {
  const std::string ending = lower_case(fs::path(file).extension().string());
  return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

/// KEY=VALUE for --set, as completions offer it.
std::vector<std::string> assignments() {
  std::vector<std::string> words;
  for (const Option& option : options()) {
    words.push_back(std::string(option.key));
    for (const std::string_view word : option.words)
      words.push_back(fmt::format("{}={}", option.key, word));
    if (option.key != "multiply.kernel") continue;
    for (const Kernel& kernel : host_kernels())
      words.push_back(fmt::format("multiply.kernel={}", kernel.name));
  }
  return words;
}

/// The long name of a short option: "--output".
std::string long_name(const ShortOption& option) {
  const std::string_view flags = option.flags;
  return std::string(flags.substr(flags.find("--")));
}

/// The files after the configuration: A, then b or X.
std::vector<std::string> matrices(const SpsolveLine& line) {
  const bool first_is_configuration = line.config.empty() && !line.configuration().empty();
  return {line.files.begin() + (first_is_configuration ? 1 : 0), line.files.end()};
}

/// The setting that the file after the matrix stands for: B, or X.
std::string second_file(const std::string& name, bool solves) {
  const Words words = solves ? Words(right_hand_side_words) : Words(multivector_words);
  const bool is_word = std::ranges::find(words, name) != words.end();
  if (solves) return fmt::format("right_hand_side{}={}", is_word ? "" : ".file", name);
  // Without an ending or a folder, X would be taken for a word.
  const bool is_path = is_word || name == "-" || name.find('/') != name.npos;
  return fmt::format("multiply.x={}{}", is_path ? "" : "./", name);
}

/// All that the line sets, for a task.
std::vector<Override> overrides_for(const SpsolveLine& line, Task task) {
  const bool solves = task == Task::solve;
  std::vector<Override> all;
  const auto files = matrices(line);
  if (!files.empty()) all.emplace_back("matrix=" + files[0], files[0]);
  if (files.size() > 1) {
    all.emplace_back(second_file(files[1], solves), files[1]);
  }
  if (line.multiply) all.emplace_back("task=multiply", "--multiply");
  for (std::size_t k = 0; k < line.chosen.size(); ++k) {
    const ShortOption& option = short_table[k];
    if (line.chosen[k].empty()) continue;
    const std::string_view key =
        solves || option.product_key.empty() ? option.key : option.product_key;
    all.emplace_back(fmt::format("{}={}", key, line.chosen[k]),
                     fmt::format("{} {}", long_name(option), line.chosen[k]));
  }
  for (const std::string& setting : line.overrides) all.emplace_back(setting);
  return all;
}

/// Refuses what was named as a matrix, and by its name and its first bytes is none.
void check_it_is_a_matrix(const std::string& file) {
  std::error_code ignored;
  if (means_generator(file) || file.ends_with(".mtx") || file.ends_with(".gz") ||
      !fs::is_regular_file(file, ignored))
    return;
  std::ifstream stream(file, std::ios::binary);
  std::string front(128, '\0');
  stream.read(front.data(), static_cast<std::streamsize>(front.size()));
  front.resize(static_cast<std::size_t>(stream.gcount()));
  const bool binary = io::is_gzip(front) || io::is_zip(front) || io::is_npy(front) ||
                      io::is_mat(front) || io::petsc_object(front);
  if (binary || front.starts_with("%%")) return;
  fail(ExitCode::input,
       "{}: is no matrix (Matrix Market, npz, npy, MATLAB, PETSc), nor does it end in .yaml, .yml "
       "or .json "
       "as a configuration does; a matrix of another form is written as a Matrix Market file by "
       "scipy.io.mmwrite, for one; --config {} takes it for a configuration all the same",
       file, file);
}

}  // namespace

std::span<const ShortOption> short_options() {
  return short_table;
}

std::string SpsolveLine::configuration() const {
  if (!config.empty()) return config;
  return !files.empty() && is_configuration(files[0]) ? files[0] : "";
}

std::string SpsolveLine::name() const {
  const std::string file = configuration();
  return file.empty() ? "the command line" : file;
}

namespace {

/// Tells CLI11 about all options. `line` must outlive `app`.
void describe(CLI::App& app, SpsolveLine& line) {
  app.description(std::string(usage));
  app.footer([] {
    return fmt::format("Configuration keys:\n\n{}\nTopics: {}, and every key above.\n", help_text(),
                       fmt::join(help_topics(), ", "));
  });
  app.add_option("files", line.files,
                 "a matrix (file or generator) and its right-hand side, or a configuration, which "
                 "may be followed by them")
      ->type_name("");
  line.chosen.resize(std::size(short_table));
  for (std::size_t k = 0; k < std::size(short_table); ++k) {
    app.add_option(short_table[k].flags, line.chosen[k], short_table[k].help)
        ->type_name(short_table[k].type);
  }
  app.add_flag("--multiply", line.multiply, "Y = A X, in place of A x = b");
  app.add_option("--set", line.overrides, "set one key of the configuration: --set solve.block=64")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--config", line.config, "configuration file of any name")->type_name("FILE");
  app.add_flag("--print-config", line.print_config,
               "print the whole configuration, defaults included, and stop");
  CLI::Option* check =
      app.add_flag("--check", line.check,
                   "check the configuration and the files that it names, their entries too, tell "
                   "all mistakes, and stop");
  app.add_option("--check-seconds", line.check_seconds,
                 "with --check: the seconds for which entries are read, 2 at first; the check "
                 "says where that was too short; inf: all entries")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, std::numeric_limits<double>::infinity()))
      ->needs(check);
  CLI::Option* dry_run =
      app.add_flag("--dry-run", line.dry_run, "print the memory plan of every rank and stop");
  app.add_option(
         "--ranks", line.ranks,
         "with --dry-run: also what a sparse elimination by 2, 4, ... ranks, up to so many, "
         "would take; none of them is needed for that")
      ->type_name("RANKS")
      ->check(CLI::Range(1, 65536))
      ->needs(dry_run);
  app.add_flag("-v,--verbose", line.verbose,
               "log each phase as it begins, and the thresholds that choose how to compute");
  app.add_flag("--quiet", line.quiet,
               "print no report; progress, notes and errors go to the standard error as ever");
  app.add_option("--generate",
                 "as the only option: print man, bash, configuration-schema or report-schema, "
                 "the manual page, completions of shells, JSON Schemas")
      ->type_name("WHAT")
      ->check(CLI::IsMember(generated_texts));
  add_common_flags(app);
}

/// The description for the manual page and the completions.
Program describe_program(const CLI::App& app) {
  std::vector<std::string> topics;
  for (const std::string_view topic : help_topics()) topics.push_back(std::string(topic));
  for (const Option& option : options()) topics.push_back(std::string(option.key));
  std::vector<Choices> words{{"--help", std::move(topics)}, {"--set", assignments(), true}};
  for (const ShortOption& option : short_table) {
    const Words values = find_option(option.key)->words;
    if (!values.empty()) words.push_back({long_name(option), {values.begin(), values.end()}});
  }
  return {app,
          "solves and multiplies sparse matrices over MPI ranks",
          {{"CONFIGURATION", help_text()},
           {"REPORT", report_help()},
           {"EXIT STATUS", exit_code_help()},
           {"EXAMPLES",
            "spsolve A.mtx b.mtx -o x.mtx\n"
            "spsolve grid2d:100 --method cg\n"
            "spsolve config.yaml\n"
            "mpirun -np 2 spsolve config.yaml --set matrix=662_bus.mtx\n"
            "spsolve config.yaml --dry-run\n"
            "sbatch slurm/cpu_several_nodes.sbatch config.yaml\n"}},
          std::move(words),
          {{"configuration-schema", [] { return configuration_schema().dump(2) + "\n"; }},
           {"report-schema", [] { return report_schema().dump(2) + "\n"; }}}};
}

}  // namespace

SpsolveParser::SpsolveParser(SpsolveLine& line) : app_(std::make_unique<CLI::App>("", "spsolve")) {
  describe(*app_, line);
}

SpsolveParser::~SpsolveParser() = default;

std::optional<std::string> SpsolveParser::generated(int argc, const char* const* argv) const {
  return spsolve::generated(describe_program(*app_), argc, argv);
}

std::optional<ExitCode> SpsolveParser::parse(int argc, const char* const* argv, bool speaks) {
  try {
    if (const auto topic = topic_asked(argc, argv)) {
      const std::string text = help_on(*topic);
      if (speaks) print_out(text);
      return ExitCode::solved;
    }
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& why) {
    return parsing_ended(*app_, why, speaks);
  }
}

std::string shell_words(int argc, const char* const* argv) {
  constexpr std::string_view plain = "-_./:=,+@%";
  std::string text;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = i == 0 ? std::string_view("spsolve") : argv[i];
    const bool quotes = word.empty() || !std::ranges::all_of(word, [&](unsigned char c) {
                          return std::isalnum(c) != 0 || c >= 0x80 ||
                                 plain.find(static_cast<char>(c)) != plain.npos;
                        });
    if (i > 0) text += ' ';
    if (quotes) text += '\'';
    for (const char c : word) text += quotes && c == '\'' ? "'\\''" : std::string(1, c);
    if (quotes) text += '\'';
  }
  return text;
}

Config load(const SpsolveLine& line) {
  const std::string file = line.configuration();
  const auto named = matrices(line);
  if (named.size() > 2) {
    fail(ExitCode::input, "'{}' is one file too many: a matrix and its right-hand side are two; {}",
         named[2],
         named.size() == 3 && !fs::exists(named[2])
             ? fmt::format("-o {} writes the solution", named[2])
             : "a pattern for several is quoted, such as 'b-*.mtx', as the shell else replaces it");
  }
  if (file.empty() && named.empty() && line.overrides.empty()) {
    fail(ExitCode::input,
         "name a matrix, such as spsolve A.mtx b.mtx -o x.mtx, or a configuration; spsolve --help "
         "shows more");
  }
  for (const std::string& word : named) {
    const std::size_t equals = word.find('=');
    if (equals != word.npos && find_option(word.substr(0, equals)) != nullptr) {
      fail(ExitCode::input, "'{}' is no file; did you mean --set {}?", printable(word),
           printable(word));
    }
  }
  if (named.size() == 2 && !fs::exists(named[1])) {
    const bool is_right = !value_called(*find_option("right_hand_side.kind"), named[1]).empty();
    const std::string_view method = value_called(*find_option("solve.method"), named[1]);
    if (!is_right && !method.empty()) {
      fail(ExitCode::input, "'{}' is no file; did you mean --method {}?", named[1], method);
    }
  }
  if (!named.empty()) check_it_is_a_matrix(named[0]);
  const std::string text = file.empty() ? "" : read_config(file);
  const auto parse = [&](Task task) {
    const auto overrides = overrides_for(line, task);
    return parse_config(text, line.name(), overrides, fs::path(file).parent_path());
  };
  // Which keys some options stand for depends on the task, which any of the others may have set.
  const bool says_multiply =
      line.multiply || std::ranges::find(line.overrides, "task=multiply") != line.overrides.end();
  Config config = parse(says_multiply ? Task::multiply : Task::solve);
  return !says_multiply && config.task == Task::multiply ? parse(Task::multiply) : config;
}

}  // namespace spsolve
