#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {

namespace fs = std::filesystem;

namespace {

using Overrides = std::vector<std::string>;

Config parse(std::string_view text, const Overrides& overrides = {}) {
  return parse_config(text, "c.yaml", overrides);
}

/// What parse() complains of, "" if nothing.
std::string problems(std::string_view text, const Overrides& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    return error.what();
  }
  return "";
}

/// The smallest configuration, on one line, and more.
std::string with_matrix(std::string_view more) {
  return "matrix: a.mtx\n" + std::string(more);
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

}  // namespace

TEST(Config, DefaultsHoldWhereNothingIsSaid) {
  Config expected;
  expected.matrix.file = "a.mtx";
  EXPECT_EQ(parse("matrix: a.mtx"), expected);
  EXPECT_EQ(parse("matrix: {file: a.mtx}\nsolve:\nright_hand_side: {}\noutput: ~\n"), expected);
  EXPECT_EQ(expected.right_hand_side.kind, RightHandSideKind::row_sums);
  EXPECT_EQ(expected.right_hand_side.seed, 1);
  EXPECT_EQ(expected.right_hand_side.columns, 1);
  EXPECT_EQ(expected.solve.method, Method::automatic);
  EXPECT_EQ(expected.solve.pivoting, Pivoting::automatic);
  EXPECT_EQ(expected.solve.precision, Precision::float64);
  EXPECT_EQ(expected.solve.refinement, 3);
  EXPECT_EQ(expected.device, DeviceChoice::automatic);
  EXPECT_EQ(expected.threads, 0);
  EXPECT_EQ(expected.output.progress, ProgressChoice::automatic);
}

TEST(Config, EveryKeyIsStored) {
  const Config config = parse(R"(
matrix: {generate: "grid2d:30", rotate_rows: -2}
right_hand_side: {kind: file, file: b.mtx, seed: 7, columns: 5}
task: solve
solve:
  method: gauss_jordan
  pivoting: complete
  precision: float
  refinement: 0
device: cuda
multiply: {kernel: csr_serial, precision: float, columns: 8, x: ones, seed: 0, repeat: 9,
           verify: true}
threads: 12
output: {solution: "x y.mtx", product: y.mtx, report: r.json, progress: on}
)");
  EXPECT_EQ(config.matrix.file, "");
  EXPECT_EQ(config.matrix.generate, "grid2d:30");
  EXPECT_EQ(config.matrix.rotate_rows, -2);
  EXPECT_EQ(config.right_hand_side.kind, RightHandSideKind::file);
  EXPECT_EQ(config.right_hand_side.file, "b.mtx");
  EXPECT_EQ(config.right_hand_side.seed, 7);
  EXPECT_EQ(config.right_hand_side.columns, 5);
  EXPECT_EQ(config.task, Task::solve);
  EXPECT_EQ(config.solve.method, Method::gauss_jordan);
  EXPECT_EQ(config.solve.pivoting, Pivoting::complete);
  EXPECT_EQ(config.solve.precision, Precision::float32);
  EXPECT_EQ(config.solve.refinement, 0);
  EXPECT_EQ(config.device, DeviceChoice::cuda);
  EXPECT_EQ(config.threads, 12);
  EXPECT_EQ(config.output.solution, "x y.mtx");
  EXPECT_EQ(config.output.product, "y.mtx");
  EXPECT_EQ(config.output.report, "r.json");
  EXPECT_EQ(config.multiply.kernel, "csr_serial");
  EXPECT_EQ(config.multiply.precision, Precision::float32);
  EXPECT_EQ(config.multiply.columns, 8);
  EXPECT_EQ(config.multiply.x.kind, MultivectorKind::ones);
  EXPECT_EQ(config.multiply.seed, 0);
  EXPECT_EQ(config.multiply.repeat, 9);
  EXPECT_TRUE(config.multiply.verify);
  EXPECT_EQ(config.output.progress, ProgressChoice::on);
}

TEST(Config, ShorthandsOfSections) {
  EXPECT_EQ(parse("matrix: grid2d:100").matrix.generate, "grid2d:100");
  EXPECT_EQ(parse("matrix: 662_bus.mtx").matrix.file, "662_bus.mtx");
  EXPECT_EQ(parse("matrix: odd:name.mtx").matrix.file, "odd:name.mtx");
  EXPECT_EQ(parse("matrix: C:/odd").matrix.file, "C:/odd");
  EXPECT_EQ(problems("matrix: gird2d:100"),
            "c.yaml:1:9: there is no generator 'gird2d'; did you mean 'grid2d'?");
  const auto side = [](std::string_view text) {
    return parse(with_matrix("right_hand_side: " + std::string(text))).right_hand_side;
  };
  EXPECT_EQ(side("ones").kind, RightHandSideKind::ones);
  EXPECT_EQ(side("random").kind, RightHandSideKind::random);
  for (const std::string_view path : {"b.mtx", "b.mtx.gz", "./b", "../data/b.txt"}) {
    EXPECT_EQ(side(path).kind, RightHandSideKind::file) << path;
    EXPECT_EQ(side(path).file, path);
  }
  EXPECT_EQ(problems(with_matrix("right_hand_side: rowsums")),
            "c.yaml:2:18: 'right_hand_side.kind' must be one of row_sums, ones, random, file, not "
            "'rowsums'; did you mean 'row_sums'?");
  EXPECT_NE(problems(with_matrix("right_hand_side: b.txt")).find("FILE with a '/' or ending in"),
            std::string::npos);
  EXPECT_EQ(side("{file: b.mtx}").kind, RightHandSideKind::file);
}

struct Wrong {
  std::string_view text;
  std::string_view message;
};

TEST(Config, EachMistakeIsAnsweredAtItsPlace) {
  const Wrong table[] = {
      // keys
      {"matrix: a\nsolve:\n  metod: gauss\n",
       "c.yaml:3:3: 'solve.metod' is not an option; did you mean 'solve.method'?"},
      {"matrix: a\ntreads: 4\n", "c.yaml:2:1: 'treads' is not an option; did you mean 'threads'?"},
      {"matrx: a\n", "c.yaml:1:1: 'matrx' is not an option; did you mean 'matrix'?"},
      {"matrix: {fiel: a}\n",
       "c.yaml:1:10: 'matrix.fiel' is not an option; did you mean 'matrix.file'?"},
      {"matrix: a\npivoting: none\n",
       "c.yaml:2:1: 'pivoting' is not an option; did you mean 'solve.pivoting'?"},
      {"matrix: a\nsolve.method: gauss\n",
       "c.yaml:2:1: 'solve.method' is written as a section: 'solve: {method: ...}'"},
      {"matrix: a\nxyzzy: 1\n",
       "c.yaml:2:1: 'xyzzy' is not an option; the keys are matrix, right_hand_side, solve, "
       "multiply, output, "
       "task, device, threads"},
      {"matrix: a\nsolve: {xyzzy: 1}\n",
       "c.yaml:2:9: 'solve.xyzzy' is not an option; the keys of 'solve' are method, pivoting, "
       "precision, block, refinement"},
      {"matrix: a\nthreads: 1\ndevice: host\nthreads: 2\n",
       "c.yaml:4:1: 'threads' is given twice, first in line 2"},
      {"matrix: {file: a,\n  file: b}\n",
       "c.yaml:2:3: 'matrix.file' is given twice, first in line 1"},
      {"matrix: a\nmatrix: b\n", "c.yaml:2:1: 'matrix' is given twice, first in line 1"},
      {"matrix: a\n? [b]\n: c\n", "c.yaml:2:3: a key must be a word"},
      // values
      {"matrix: a\nthreads: many\n",
       "c.yaml:2:10: 'threads' must be an integer from 0 to 65536, not 'many'"},
      {"matrix: a\nthreads: 4.0\n",
       "c.yaml:2:10: 'threads' must be an integer from 0 to 65536, not '4.0'"},
      {"matrix: a\nthreads: -1\n",
       "c.yaml:2:10: 'threads' must be an integer from 0 to 65536, not '-1'"},
      {"matrix: a\nthreads: \"4\"\n",
       "c.yaml:2:10: 'threads' must be an integer from 0 to 65536, not the quoted text '4'"},
      {"matrix: a\nsolve: {refinement: 101}\n",
       "c.yaml:2:21: 'solve.refinement' must be an integer from 0 to 100, not '101'"},
      {"matrix: a\nright_hand_side: {columns: 0}\n",
       "c.yaml:2:28: 'right_hand_side.columns' must be an integer from 1 to 2147483647, not '0'"},
      {"matrix: a\nright_hand_side: {seed: 9223372036854775808}\n",
       "c.yaml:2:25: 'right_hand_side.seed' must be an integer of at least 0, not "
       "'9223372036854775808'"},
      {"matrix: {file: a, rotate_rows: x}\n",
       "c.yaml:1:32: 'matrix.rotate_rows' must be an integer, not 'x'"},
      {"matrix: a\nsolve: {pivoting: partail}\n",
       "c.yaml:2:19: 'solve.pivoting' must be one of auto, none, partial, complete, tournament, "
       "not 'partail'; did "
       "you mean 'partial'?"},
      {"matrix: a\ntask: mulitply\n",
       "c.yaml:2:7: 'task' must be one of solve, multiply, not 'mulitply'; did you mean "
       "'multiply'?"},
      {"matrix: a\nmultiply: {kernel: csr_seral}\n",
       "c.yaml:2:20: 'multiply.kernel' must be auto or the name of a kernel, not csr_seral; did "
       "you "
       "mean 'csr_serial'?"},
      {"matrix: a\nmultiply: {kernel: xyzzy}\n",
       "c.yaml:2:20: 'multiply.kernel' must be auto or the name of a kernel, not xyzzy; spbench "
       "--list-kernels shows all names"},
      {"matrix: a\nmultiply: {x: randm}\n",
       "c.yaml:2:15: 'multiply.x' must be random, ones, or a file with a '/' or ending in .mtx or "
       ".mtx.gz, not randm; did you mean 'random'?"},
      {"matrix: a\nmultiply: {verify: yes}\n",
       "c.yaml:2:20: 'multiply.verify' must be one of false, true, not 'yes'"},
      {"matrix: {generate: 'grid2d'}\n",
       "c.yaml:1:20: 'grid2d' has too few arguments; the form is grid2d:N"},
      {"matrix: ''\n",
       "c.yaml:1:9: 'matrix.file' must be the path of a file, not '' (matrix: FILE, "
       "or matrix: SPECIFICATION of a generator)"},
      {"matrix: a\nthreads:\n",
       "c.yaml:2:1: 'threads' has no value; it must be an integer from 0 to 65536"},
      {"matrix: {file: }\n",
       "c.yaml:1:10: 'matrix.file' has no value; it must be the path of a file"},
      {"matrix: a\ndevice: \"\\e[2J\"\n",
       "c.yaml:2:9: 'device' must be one of auto, host, cuda, not '\\x1b[2J'"},
      // shapes
      {"matrix: a\nthreads: {a: 1}\n",
       "c.yaml:2:10: 'threads' must be an integer from 0 to 65536, not a section"},
      {"matrix: a\nthreads: [1]\n",
       "c.yaml:2:10: 'threads' must be an integer from 0 to 65536, not a list"},
      {"matrix: a\nsolve: gauss\n",
       "c.yaml:2:8: 'solve' is a section with the keys method, pivoting, precision, block, "
       "refinement, "
       "not "
       "a single value"},
      {"matrix: [a]\n",
       "c.yaml:1:9: 'matrix' is a section with the keys file, generate, rotate_rows, not a list"},
      {"hello\n",
       "c.yaml:1:1: a configuration is made of keys and values, such as 'matrix: FILE', "
       "not of the text 'hello'"},
      {"- a\n",
       "c.yaml:1:1: a configuration is made of keys and values, such as 'matrix: FILE', "
       "not of a list"},
      // what belongs together
      {"",
       "c.yaml:1:1: 'matrix' is missing: it is 'matrix: FILE', or 'matrix: SPECIFICATION' such "
       "as grid2d:100"},
      {"# nothing\n\n",
       "c.yaml:1:1: 'matrix' is missing: it is 'matrix: FILE', or 'matrix: "
       "SPECIFICATION' such as grid2d:100"},
      {"threads: 1\nmatrix: {rotate_rows: 1}\n",
       "c.yaml:2:1: 'matrix' is missing: it is 'matrix: FILE', or 'matrix: SPECIFICATION' such as "
       "grid2d:100"},
      {"matrix:\n  file: a\n  generate: grid2d:4\n",
       "c.yaml:3:13: 'matrix.file' and 'matrix.generate' exclude each other"},
      {"matrix: a\nright_hand_side: {kind: ones, file: b}\n",
       "c.yaml:2:37: 'right_hand_side.file' needs kind: file, not kind: ones"},
      {"matrix: a\nright_hand_side: {kind: file}\n",
       "c.yaml:2:25: 'right_hand_side.kind' is file, and 'right_hand_side.file' is missing"},
      {"matrix: a\nright_hand_side: file\n",
       "c.yaml:2:18: 'right_hand_side.kind' is file, and 'right_hand_side.file' is missing"},
      // YAML that is refused
      {"matrix: &m a\nthreads: 1\n", "c.yaml:1:9: anchors and aliases are not supported"},
      {"matrix: !!str a\n", "c.yaml:1:9: tags are not supported"},
      {"matrix: a\n---\nmatrix: b\n",
       "c.yaml:2:1: a second document begins, and a configuration is one document"},
  };
  for (const Wrong& wrong : table) {
    EXPECT_EQ(problems(wrong.text), wrong.message) << wrong.text;
  }
}

TEST(Config, SyntaxErrorsNameTheirPlaceAndNothingElse) {
  for (const std::string_view text :
       {"matrix: a\nsolve: {method: gauss\n", "matrix: a\n\tthreads: 1\n", "matrix: [a\n",
        "matrix: \"a\n", "a: b: c\n", "matrix: *unknown\n", "matrix: 'a\n\n",
        "matrix: a\n  threads: 1\n"}) {
    const std::string message = problems(text);
    EXPECT_TRUE(message.starts_with("c.yaml:")) << text << " -> " << message;
    EXPECT_NE(message.find(": this is not valid YAML: "), std::string::npos) << message;
    EXPECT_EQ(lines(message).size(), 1u) << message;
  }
  EXPECT_TRUE(problems("matrix: a\na: b: c\n").starts_with("c.yaml:2:5: "));
}

TEST(Config, AllProblemsAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(lines(problems("threads: x\n"
                           "matrix: {generate: 'hilbert:0', rotate: 1}\n"
                           "solve: {methd: gauss, pivoting: ful}\n"
                           "right_hand_side: {file: b, kind: ones}\n"
                           "threads: 3\n",
                           {"device=gpu", "nonsense", "device=cuda", "solve.methd=gauss"})),
            (std::vector<std::string>{
                "c.yaml:1:10: 'threads' must be an integer from 0 to 65536, not 'x'",
                "c.yaml:2:20: N of 'hilbert:0' must be an integer of at least 1, not '0'; the form "
                "is hilbert:N",
                "c.yaml:2:33: 'matrix.rotate' is not an option; the keys of 'matrix' are file, "
                "generate, rotate_rows",
                "c.yaml:3:9: 'solve.methd' is not an option; did you mean 'solve.method'?",
                "c.yaml:3:33: 'solve.pivoting' must be one of auto, none, partial, complete, "
                "tournament, not 'ful'",
                "c.yaml:4:25: 'right_hand_side.file' needs kind: file, not kind: ones",
                "c.yaml:5:1: 'threads' is given twice, first in line 1",
                "--set device=gpu: 'device' must be one of auto, host, cuda, not 'gpu'",
                "--set nonsense: this must be KEY=VALUE, such as threads=4",
                "--set solve.methd=gauss: 'solve.methd' is not an option; did you mean "
                "'solve.method'?",
            }));
  std::string many = "matrix: a\n";
  for (int k = 0; k < 1000; ++k) many += "unknown_" + std::to_string(k) + ": 1\n";
  EXPECT_EQ(lines(problems(many)).size(), 101u);
  EXPECT_TRUE(problems(many).ends_with("\n... and 900 more"));
}

TEST(Config, HostileInputIsBounded) {
  EXPECT_NE(problems("matrix: " + std::string(20, '[') + std::string(20, ']')).find("8 levels"),
            std::string::npos);
  EXPECT_NE(problems(std::string(500000, '[')), "");
  EXPECT_NE(problems(with_matrix("# " + std::string(2000000, 'x'))).find("1048576 bytes"),
            std::string::npos);
  EXPECT_NE(problems(std::string("matrix: a\0b", 11)), "unexpected");
  EXPECT_NE(problems("\xff\xfe\x00\xd8"), "");
  // A list of lists of aliases would grow beyond all bounds if aliases were followed.
  EXPECT_NE(problems("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nmatrix: m\n")
                .find("c.yaml:2:8: anchors and aliases are not supported"),
            std::string::npos);
  EXPECT_NE(
      problems(with_matrix("solve: {<<: {method: gauss}}")).find("'solve.<<' is not an option"),
      std::string::npos);
  const std::string long_value = problems(with_matrix("device: " + std::string(5000, 'x')));
  EXPECT_LT(long_value.size(), 200u);
}

TEST(ConfigOverrides, ReplaceWhatTheFileSays) {
  const Config config = parse(with_matrix("threads: 2\n"), {"threads=4", "solve.method=gauss",
                                                            "threads=5", "output.report=r=1"});
  EXPECT_EQ(config.threads, 5);
  EXPECT_EQ(config.solve.method, Method::gauss);
  EXPECT_EQ(config.output.report, "r=1");
  EXPECT_EQ(parse(with_matrix("output: {report: r}"), {"output.report="}).output.report, "");
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
            "--set solve=gauss: 'solve' is a section with the keys method, pivoting, precision, "
            "block, refinement, not a single value");
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
  const fs::path file = folder.write(
      "c.yaml",
      "matrix: beside.mtx\nright_hand_side: absent.mtx\noutput: {solution: beside.mtx}\n");
  const Config config = load_config(file);
  EXPECT_EQ(config.matrix.file, folder / "beside.mtx");
  EXPECT_EQ(config.right_hand_side.file, "absent.mtx");
  EXPECT_EQ(config.output.solution, "beside.mtx");  // written to the working directory
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
  EXPECT_EQ(message(folder / "absent.yaml"), "the configuration '" +
                                                 (folder / "absent.yaml").string() +
                                                 "' cannot be read: No such file or directory");
  EXPECT_NE(message(folder / "").find("is a folder"), std::string::npos);
  const fs::path wrong = folder.write("wrong.yaml", "matrix: a\nthreads: x\n");
  EXPECT_TRUE(message(wrong).starts_with(wrong.string() + ":2:10: 'threads' must be"));
  folder.write("large.yaml", std::string(2000000, '#'));
  EXPECT_NE(message(folder / "large.yaml").find("1048576 bytes"), std::string::npos);
}

TEST(ConfigFile, EveryConfigurationOfTheProjectIsValid) {
  const fs::path folder = fs::path(__FILE__).parent_path() / "../../configs";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "the sources are not here";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_NO_THROW(load_config(entry.path())) << entry.path();
  }
  EXPECT_GE(count, 1);
  const Config config = load_config(folder / "quickstart.yaml");
  EXPECT_EQ(config.matrix.generate, "grid2d:40");
  EXPECT_EQ(config.solve.method, Method::gauss_jordan);
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
    config.output.solution = path;
    config.output.report = path;
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
  EXPECT_EQ(json.size(), 8u);
}

}  // namespace spsolve
