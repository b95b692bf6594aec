#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/consistency.hpp"
#include "config/loader.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "helpers/configurations.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {

namespace fs = std::filesystem;
using namespace test;

TEST(ConfigOverrides, ReplaceWhatTheFileSays) {
  const Config config = parse(with_matrix("threads: 2\n"), {"threads=4", "solve.method=gauss",
                                                            "threads=5", "output.report=r=1.json"});
  EXPECT_EQ(config.threads, 5);
  EXPECT_EQ(config.solve.method, Method::gauss);
  EXPECT_EQ(config.output.report, "r=1.json");
  EXPECT_EQ(parse(with_matrix("output: {report: r.json}"), {"output.report="}).output.report, "");
  EXPECT_EQ(parse("", {"matrix=grid2d:3"}).matrix.generate, "grid2d:3");
}

TEST(ConfigOverrides, TheLaterOfTwoThatExcludeEachOtherWins) {
  const auto matrix = [](const Overrides& overrides) {
    const Config config = parse("matrix: {file: a, rotate_rows: 1}", overrides);
    EXPECT_EQ(config.matrix.rotate_rows, 1);
    return std::pair(config.matrix.file.string(), config.matrix.generate);
  };
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(matrix({"matrix.generate=gfpp:3"}), Pair("", "gfpp:3"));
  EXPECT_EQ(matrix({"matrix=gfpp:3"}), Pair("", "gfpp:3"));
  EXPECT_EQ(matrix({"matrix.generate=gfpp:3", "matrix.file=b"}), Pair("b", ""));
  EXPECT_EQ(matrix({"matrix.file=b", "matrix.generate=gfpp:3"}), Pair("", "gfpp:3"));

  const auto side = [](std::string_view file, const Overrides& overrides) {
    const Config config = parse(with_matrix(file), overrides);
    return std::pair(std::string(name(config.right_hand_side.kind)),
                     config.right_hand_side.file.string());
  };
  const std::string_view from_file = "right_hand_side: {kind: file, file: b}";
  EXPECT_EQ(side(from_file, {"right_hand_side.kind=ones"}), Pair("ones", ""));
  EXPECT_EQ(side(from_file, {"right_hand_side=random"}), Pair("random", ""));
  EXPECT_EQ(side(from_file, {"right_hand_side.file=c"}), Pair("file", "c"));
  EXPECT_EQ(side(from_file, {"right_hand_side.kind=file"}), Pair("file", "b"));
  EXPECT_EQ(side("right_hand_side: ones", {"right_hand_side.file=c"}), Pair("file", "c"));
  EXPECT_EQ(side("right_hand_side: ones", {"right_hand_side=./c"}), Pair("file", "./c"));
  EXPECT_EQ(side("", {"right_hand_side.kind=file", "right_hand_side.file=c"}), Pair("file", "c"));
  EXPECT_EQ(side("", {"right_hand_side.file=c", "right_hand_side.kind=file"}), Pair("file", "c"));
}

TEST(ConfigOverrides, AreCheckedAsTheFileIs) {
  const auto message = [](const std::string& override_text) {
    return problems("matrix: a", {override_text});
  };
  EXPECT_EQ(message("threads=x"),
            "--set threads=x: 'threads' must be an integer from 0 to 65536, not 'x'");
  EXPECT_EQ(message("threads="),
            "--set threads=: 'threads' must be an integer from 0 to 65536, not ''");
  EXPECT_EQ(message("treads=1"),
            "--set treads=1: 'treads' is not an option; did you mean 'threads'?");
  EXPECT_EQ(message("method=gauss"),
            "--set method=gauss: 'method' is not an option; did you mean 'solve.method'?");
  EXPECT_EQ(message("solve=gauss"),
            "--set solve=gauss: 'solve' is a section with the keys method, ordering, "
            "analysis_file, matching, factors, factors_folder, pivoting, "
            "precision, "
            "block, ranks, preconditioner, tolerance, iterations, time_limit, "
            "initial_guess, coordinates, null_space, restart, equilibrate, "
            "refinement, condition, accept, not a single value");
  EXPECT_EQ(message("matrix=gfpp"),
            "--set matrix=gfpp: 'gfpp' has too few arguments; the form is gfpp:N (matrix: FILE, or "
            "matrix: SPECIFICATION of a generator)");
  EXPECT_EQ(message("right_hand_side.kind=file"),
            "--set right_hand_side.kind=file: 'right_hand_side.kind' is file, and "
            "'right_hand_side.file' is missing");
  EXPECT_EQ(message("=1").substr(0, 10), "--set =1: ");
  EXPECT_EQ(message("").substr(0, 8), "--set : ");
}

TEST(ConfigFile, PathsAreSoughtBesideTheFileThenInTheWorkingDirectory) {
  const test::TemporaryFolder folder;
  folder.write("beside.mtx", "");
  folder.write("x.mtx", "");
  const fs::path file = folder.write(
      "c.yaml", "matrix: beside.mtx\nright_hand_side: absent.mtx\noutput: {solution: x.mtx}\n");
  const Config config = load_config(file);
  EXPECT_EQ(config.matrix.file, folder / "beside.mtx");
  EXPECT_EQ(config.right_hand_side.file, "absent.mtx");
  EXPECT_EQ(config.output.solution, "x.mtx");  // written to the working directory
  // An override is sought in the working directory first.
  const fs::path before = fs::current_path();
  const test::TemporaryFolder elsewhere;
  elsewhere.write("beside.mtx", "");
  fs::current_path(elsewhere / "");
  const Overrides overrides{"matrix.file=beside.mtx", "right_hand_side.file=" + file.string()};
  const Config overridden = load_config(file, overrides);
  EXPECT_EQ(load_config(file).matrix.file, folder / "beside.mtx");
  fs::remove(elsewhere / "beside.mtx");
  const Config found_beside = load_config(file, overrides);
  fs::current_path(before);
  EXPECT_EQ(overridden.matrix.file, "beside.mtx");
  EXPECT_EQ(found_beside.matrix.file, folder / "beside.mtx");
  EXPECT_EQ(overridden.right_hand_side.file, file);  // absolute
}

TEST(ConfigFile, SaysWhyItCannotBeRead) {
  const test::TemporaryFolder folder;
  const auto message = [](const fs::path& file) -> std::string {
    try {
      load_config(file);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::input);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(folder / "absent.yaml"),
            "the configuration '" + (folder / "absent.yaml").string() +
                "' cannot be read: No such file or directory; check its name and its permissions");
  EXPECT_NE(message(folder / "").find("is a folder"), std::string::npos);
  const fs::path wrong = folder.write("wrong.yaml", "matrix: a\nthreads: x\n");
  EXPECT_TRUE(message(wrong).starts_with(wrong.string() + ":2:10: 'threads' must be"));
  folder.write("large.yaml", std::string(2000000, '#'));
  EXPECT_NE(message(folder / "large.yaml").find("1048576 bytes"), std::string::npos);
}

TEST(ConfigFile, EveryConfigurationOfTheProjectIsValid) {
  const fs::path folder = test::source_folder() / "configs";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_NO_THROW(load_config(entry.path())) << entry.path();
  }
  EXPECT_GE(count, 8);
  const Config config = load_config(folder / "quickstart.yaml");
  EXPECT_EQ(config.matrix.generate, "grid2d:40");
  EXPECT_EQ(config.output.solution, "x.mtx");
}

TEST(ConfigSchema, EveryRowIsComplete) {
  for (const Option& option : options()) {
    SCOPED_TRACE(option.key);
    EXPECT_EQ(find_option(option.key), &option) << "two rows of one key";
    EXPECT_GT(option.help.size(), 20u);
    EXPECT_TRUE(option.help.ends_with("."));
    const bool has_words =
        option.type == OptionType::choice || option.type == OptionType::word_or_path;
    EXPECT_EQ(has_words, !option.words.empty());
    EXPECT_LE(option.minimum, option.maximum);
    const std::size_t dot = option.key.find('.');
    if (dot != std::string_view::npos) {
      EXPECT_NE(find_section(option.key.substr(0, dot)), nullptr);
    }
    EXPECT_NE(help_text().find(option.help), std::string::npos);
    EXPECT_NE(reference_markdown().find("| `" + std::string(option.key) + "` |"),
              std::string::npos);

    // The default passes the option's own check and is what set() and get() agree on.
    const std::string default_text = option.get(Config{});
    if (!default_text.empty()) {
      EXPECT_EQ(option_problem(option, default_text), "");
      Config config;
      option.set(config, default_text);
      EXPECT_EQ(config, Config{});
    }
    // Every word, and both ends of every range, are stored and handed back.
    std::vector<std::string> values(option.words.begin(), option.words.end());
    if (option.type == OptionType::integer) {
      values = {std::to_string(option.minimum), std::to_string(option.maximum)};
    }
    for (const std::string& value : values) {
      EXPECT_EQ(option_problem(option, value), "");
      Config config;
      option.set(config, value);
      EXPECT_EQ(option.get(config), value);
    }
  }
  EXPECT_EQ(find_option("solve"), nullptr);
  EXPECT_EQ(find_section("threads"), nullptr);
  EXPECT_TRUE(reference_markdown().starts_with("<!-- configuration:begin -->\n"));
  EXPECT_TRUE(reference_markdown().ends_with("<!-- configuration:end -->\n"));
}

TEST(ConfigSchema, ToYamlReadsBackAsTheSame) {
  std::vector<Config> configs(1);
  configs[0].matrix.file = "a.mtx";
  for (const std::string_view path :
       {"with space.mtx", "quote\".mtx", "back\\slash", "# no comment", "a: b", "- x", "null", "~",
        "\xc3\xa9t\xc3\xa9.mtx", "tab\tand\nline", "grid2d:4", "{x}", "*x", "'", "12", " "}) {
    Config config = configs[0];
    config.matrix.file = path;
    config.output.solution = "x" + std::string(path) + ".mtx";
    config.output.report = std::string(path) + ".json";
    config.right_hand_side.kind = RightHandSideKind::file;
    config.right_hand_side.file = path;
    configs.push_back(config);
  }
  // Every word and both ends of every range of every option.
  for (const Option& option : options()) {
    if (option.key == "right_hand_side.kind") continue;  // kind: file needs a file, see above
    std::vector<std::string> values(option.words.begin(), option.words.end());
    if (option.type == OptionType::integer) {
      values = {std::to_string(option.minimum), std::to_string(option.maximum)};
    }
    for (const std::string& value : values) {
      Config config = configs[0];
      option.set(config, value);
      if (value == "parallel" || value == "peer") config.task = Task::multiply;  // what that is for
      if (value == "constants") config.solve.method = Method::cg;  // as Krylov methods alone do
      if (option.key.starts_with("checkpoint.")) config.checkpoint.directory = "kept";
      configs.push_back(config);
    }
  }
  for (const auto kind : {RightHandSideKind::ones, RightHandSideKind::random}) {
    configs.push_back(configs[0]);
    configs.back().right_hand_side.kind = kind;
  }
  configs.emplace_back();
  configs.back().matrix.generate = "random_dense:4:seed=3";
  EXPECT_GT(configs.size(), 40u);
  for (const Config& config : configs) {
    const std::string yaml = to_yaml(config);
    EXPECT_EQ(problems(yaml), "") << yaml;
    EXPECT_EQ(parse(yaml), config) << yaml;
    for (const std::string& line : lines(yaml)) EXPECT_FALSE(line.ends_with(" ")) << line;
  }
}

TEST(ConfigSchema, KeysOfTheOtherTaskAreFound) {
  using Keys = std::vector<std::string_view>;
  const std::string both =
      "matrix: grid2d:4\nsolve: {method: lu, block: 0}\nmultiply: {columns: 3, repeat: 1}\n"
      "right_hand_side: ones\noutput: {solution: x.mtx, product: y.mtx, report: r.json}\n"
      "threads: 1\n";
  EXPECT_EQ(keys_of_other_task(parse(both)), (Keys{"multiply.columns", "output.product"}));
  EXPECT_EQ(keys_of_other_task(parse(both + "task: multiply\n")),
            (Keys{"right_hand_side.kind", "solve.method", "output.solution"}));
  // A configuration that was printed whole asks for nothing of the other task.
  EXPECT_EQ(keys_of_other_task(parse(to_yaml(parse("matrix: grid2d:4\n")))), Keys{});
}

TEST(ConfigSchema, ToJsonHoldsTypedValues) {
  Config config;
  config.matrix.generate = "grid2d:4";
  config.threads = 3;
  const auto json = to_json(config);
  EXPECT_TRUE(json["matrix"]["file"].is_null());
  EXPECT_EQ(json["matrix"]["generate"], "grid2d:4");
  EXPECT_EQ(json["threads"], 3);
  EXPECT_TRUE(json["threads"].is_number_integer());
  EXPECT_EQ(json["solve"]["method"], "auto");
  EXPECT_EQ(json["solve"]["precision"], "double");
  EXPECT_TRUE(json["output"]["solution"].is_null());
  EXPECT_TRUE(json["multiply"]["verify"].is_boolean());
  EXPECT_EQ(json["multiply"]["x"], "random");
  EXPECT_FALSE(json["share_gpus"].get<bool>());
  EXPECT_EQ(json["run"]["watchdog"], 1800);
  EXPECT_EQ(json["checkpoint"]["interval"], 1800);
  EXPECT_EQ(json.size(), 12u);
}

}  // namespace spsolve
