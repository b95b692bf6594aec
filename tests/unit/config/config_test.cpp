#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"
#include "helpers/configurations.hpp"
#include "helpers/test_matrices.hpp"

namespace spsolve {

using namespace test;

TEST(Config, DefaultsHoldWhereNothingIsSaid) {
  Config expected;
  expected.matrix.file = "a.mtx";
  EXPECT_EQ(parse("matrix: a.mtx"), expected);
  EXPECT_EQ(parse("matrix: {file: a.mtx}\nsolve:\nright_hand_side: {}\noutput: ~\n"), expected);
  EXPECT_EQ(expected.right_hand_side.kind, RightHandSideKind::automatic);
  EXPECT_EQ(expected.right_hand_side.seed, 1);
  EXPECT_EQ(expected.right_hand_side.columns, 1);
  EXPECT_EQ(expected.solve.method, Method::automatic);
  EXPECT_EQ(expected.solve.pivoting, Pivoting::automatic);
  EXPECT_EQ(expected.solve.precision, Precision::float64);
  EXPECT_EQ(expected.solve.equilibrate, AutoSwitch::automatic);
  EXPECT_EQ(expected.solve.refinement, 10);
  EXPECT_TRUE(expected.solve.condition);
  EXPECT_EQ(expected.device, DeviceChoice::automatic);
  EXPECT_EQ(expected.threads, 0);
  EXPECT_EQ(expected.output.progress, AutoSwitch::automatic);
  EXPECT_EQ(expected.run.watchdog, 1800);
}

TEST(Config, EveryKeyIsStored) {
  const Config config = parse(R"(
matrix: {generate: "grid2d:30", rotate_rows: -2}
right_hand_side: {kind: file, file: b.mtx, seed: 7, columns: 5}
task: solve
solve:
  method: gauss_jordan
  pivoting: complete
  ordering: ./order
  analysis_file: a.analysis
  precision: float
  equilibrate: off
  refinement: 0
  condition: false
device: cuda
share_gpus: true
multiply: {kernel: csr_serial, bands: nonzeros, precision: float, columns: 8, x: ones, seed: 0, repeat: 9,
           verify: true}
threads: 12
output: {solution: "x y.mtx", product: y.mtx, report: r.json, progress: on}
run: {watchdog: 60}
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
  EXPECT_EQ(config.solve.ordering, Ordering::file);
  EXPECT_EQ(config.solve.ordering_file, "./order");
  EXPECT_EQ(config.solve.analysis_file, "a.analysis");
  EXPECT_EQ(config.solve.precision, Precision::float32);
  EXPECT_EQ(config.solve.equilibrate, AutoSwitch::off);
  EXPECT_EQ(config.solve.refinement, 0);
  EXPECT_FALSE(config.solve.condition);
  EXPECT_EQ(config.device, DeviceChoice::cuda);
  EXPECT_EQ(config.threads, 12);
  EXPECT_EQ(config.output.solution, "x y.mtx");
  EXPECT_EQ(config.output.product, "y.mtx");
  EXPECT_EQ(config.output.report, "r.json");
  EXPECT_EQ(config.multiply.kernel, "csr_serial");
  EXPECT_TRUE(config.share_gpus);
  EXPECT_EQ(config.multiply.bands, BandsChoice::nonzeros);
  EXPECT_EQ(config.multiply.precision, Precision::float32);
  EXPECT_EQ(config.multiply.columns, 8);
  EXPECT_EQ(config.multiply.x.kind, MultivectorKind::ones);
  EXPECT_EQ(config.multiply.seed, 0);
  EXPECT_EQ(config.multiply.repeat, 9);
  EXPECT_TRUE(config.multiply.verify);
  EXPECT_EQ(config.output.progress, AutoSwitch::on);
  EXPECT_EQ(config.run.watchdog, 60);
}

TEST(Config, OnAndOffAreUnderstoodByManyNames) {
  const auto switched = [](std::string_view key, std::string_view word) {
    return parse(with_matrix(fmt::format("{}: {}\n", key, word)), {});
  };
  for (const std::string_view word : {"true", "yes", "on"}) {
    EXPECT_TRUE(switched("share_gpus", word).share_gpus) << word;
    EXPECT_EQ(parse("matrix: a\noutput: {progress: " + std::string(word) + "}").output.progress,
              AutoSwitch::on);
    EXPECT_EQ(parse("matrix: a", {"solve.equilibrate=" + std::string(word)}).solve.equilibrate,
              AutoSwitch::on);
  }
  for (const std::string_view word : {"false", "no", "off"}) {
    EXPECT_FALSE(switched("share_gpus", word).share_gpus) << word;
    EXPECT_EQ(parse("matrix: a", {"solve.condition=" + std::string(word)}).solve.condition, false);
  }
  EXPECT_NE(problems(with_matrix("threads: yes")), "");
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
  for (const std::string_view path :
       {"b.mtx", "b.mtx.gz", "b.txt", "b.csv", "./b", "../data/b.dat"}) {
    EXPECT_EQ(side(path).kind, RightHandSideKind::file) << path;
    EXPECT_EQ(side(path).file, path);
  }
  EXPECT_EQ(
      problems(with_matrix("right_hand_side: rowsums")),
      "c.yaml:2:18: 'right_hand_side.kind' must be one of auto, row_sums, ones, random, file, "
      "not 'rowsums'; did you mean 'row_sums'?");
  EXPECT_NE(problems(with_matrix("right_hand_side: b.dat")).find("FILE with a '/' or ending in"),
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
       "run, checkpoint, task, device, share_gpus, transport, threads"},
      {"matrix: a\nsolve: {xyzzy: 1}\n",
       "c.yaml:2:9: 'solve.xyzzy' is not an option; the keys of 'solve' are method, ordering, "
       "analysis_file, matching, factors, factors_folder, pivoting, precision, block, ranks, "
       "preconditioner, "
       "tolerance, iterations, "
       "time_limit, initial_guess, coordinates, null_space, "
       "restart, equilibrate, refinement, condition, accept"},
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
       "c.yaml:2:15: 'multiply.x' must be random, ones, or a file with a '/' or ending in "
       ".mtx, .mtx.gz, .npy, .npz, .mat, .petsc, .txt or .csv, not randm; did you mean 'random'?"},
      {"matrix: a\nsolve: {ordering: rmc}\n",
       "c.yaml:2:19: 'solve.ordering' must be auto, nested_dissection, amd, rcm, natural, or a "
       "file "
       "with a '/' or ending in .txt, .mtx or .mtx.gz, not rmc; did you mean 'rcm'?"},
      {"matrix: a\nsolve: {ordering: ''}\n",
       "c.yaml:2:19: 'solve.ordering' must be auto, nested_dissection, amd, rcm, natural or the "
       "path "
       "of a file, not ''"},
      {"matrix: a\nmultiply: {verify: maybe}\n",
       "c.yaml:2:20: 'multiply.verify' must be one of false, true, not 'maybe'"},
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
       "c.yaml:2:8: 'solve' is a section with the keys method, ordering, analysis_file, matching, "
       "factors, "
       "factors_folder, pivoting, "
       "precision, "
       "block, "
       "ranks, preconditioner, tolerance, iterations, time_limit, "
       "initial_guess, coordinates, null_space, restart, equilibrate, "
       "refinement, condition, "
       "accept, "
       "not "
       "a single value"},
      {"matrix: [a]\n",
       "c.yaml:1:9: 'matrix' is a section with the keys file, generate, values, "
       "rotate_rows, reader, not a list"},
      {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
       "c.yaml:1:1: this is a Matrix Market file, and a configuration is wanted: write one with "
       "the line 'matrix: c.yaml'"},
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
      {"matrix: a\ncheckpoint: {resume: require}\n",
       "c.yaml:2:22: 'checkpoint.resume' is require, and 'checkpoint.directory' is missing"},
      {"matrix: a\ncheckpoint: {directory: '', time_limit: 60}\n",
       "c.yaml:2:41: 'checkpoint.time_limit' needs 'checkpoint.directory'"},
      {"matrix: a\nsolve: {method: lu, pivoting: complete}\n",
       "c.yaml:2:31: solve.pivoting=complete does not go with solve.method=lu; use "
       "solve.method=gauss, or solve.pivoting=tournament or partial"},
      {"matrix: a\nsolve: {method: gauss, pivoting: tournament}\n",
       "c.yaml:2:34: solve.pivoting=tournament goes with solve.method=lu only; use "
       "solve.pivoting=partial or solve.method=lu"},
      {"matrix: a\nsolve: {method: sparse_lu, pivoting: partial}\n",
       "c.yaml:2:38: solve.pivoting goes with dense methods, as sparse ones look for pivots by "
       "rules of their own; use solve.pivoting=auto, or solve.method=lu"},
      {"matrix: a\ntransport: peer\n",
       "c.yaml:2:12: transport=peer goes with task=multiply only; use transport=auto, nccl, mpi or "
       "pinned"},
      {"matrix: a\noutput: {solution: x.mtx, product: ./x.mtx}\n",
       "c.yaml:2:36: 'output.product' would replace the file of 'output.solution'; name another"},
      {"matrix: a\noutput: {solution: x.dat, report: x}\n",
       "c.yaml:2:20: 'output.solution' must end in .mtx, .mtx.gz, .npy or .petsc, which says how "
       "it is written, "
       "and 'x.dat' does not\nc.yaml:2:35: 'output.report' must end in .json, which says how it is "
       "written, and 'x' does not"},
      {"matrix: '-'\nright_hand_side: /dev/stdin\n",
       "c.yaml:2:18: 'matrix.file' and 'right_hand_side.file' cannot both be the standard input"},
      {"matrix: a\nrhs: b.mtx\n",
       "c.yaml:2:1: 'rhs' is not an option; did you mean 'right_hand_side'?"},
      {"matrix: a\ntask: multiply\nmultiply: {x: ./b.mtx}\noutput: {product: b.mtx}\n",
       "c.yaml:4:19: 'output.product' would replace the file of 'multiply.x'; name another"},
      {"matrix: a\nsolve: {ordering: p.txt, analysis_file: ./p.txt}\n",
       "c.yaml:2:41: 'solve.analysis_file' would replace the file of 'solve.ordering'; name "
       "another"},
      {"matrix: a.mtx\noutput: {solution: a.mtx}\n",
       "c.yaml:2:20: 'output.solution' would replace the file of 'matrix.file'; name another"},
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
  const std::pair<std::string, std::string> words[] = {
      {"matrix: a\nsolve: {method: gauss\n", "a '{' is not closed"},
      {"matrix: [a\n", "a '[' is not closed"},
      {"matrix: \"a\n", "a quotation mark is not closed"},
      {"matrix: a\n\tthreads: 1\n", "a tab indents this line"},
      {"matrix: a\n threads: 1\nranks: 2\n", "spaces"},
      {"a: b: c\n", "between quotation marks"},
  };
  for (const auto& [text, told] : words) {
    EXPECT_NE(problems(text).find(told), std::string::npos) << problems(text);
  }
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
                "generate, values, rotate_rows, reader",
                "c.yaml:3:9: 'solve.methd' is not an option; did you mean 'solve.method'?",
                "c.yaml:3:33: 'solve.pivoting' must be one of auto, none, partial, complete, "
                "tournament, not 'ful'",
                "c.yaml:4:25: 'right_hand_side.file' needs kind: file, not kind: ones",
                "c.yaml:5:1: 'threads' is given twice, first in line 1",
                "--set device=gpu: 'device' must be one of auto, host, cuda, not 'gpu'; did you "
                "mean 'cuda'?",
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

}  // namespace spsolve
