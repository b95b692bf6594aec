"""spsolve from one line: a matrix, its right-hand side and options, without a configuration."""

import os
import subprocess
import threading
import unittest

from support import BIN, CliTest, INPUT, SMALL_MATRIX, SOLVED, TIME_LIMIT, variables

RIGHT = "%%MatrixMarket matrix array real general\n3 1\n3\n4\n6\n"
SHORT = "%%MatrixMarket matrix array real general\n2 1\n3\n4\n"


def values(text):
    """The numbers of an array file."""
    rows = [row for row in text.splitlines() if not row.startswith("%")]
    return [float(row) for row in rows[1:]]


class OneLine(CliTest):
    def setUp(self):
        super().setUp()
        self.write("A.mtx", SMALL_MATRIX)

    def run_alone(self, *arguments, **options):
        """Without a launcher."""
        return self.run_program(BIN / "spsolve", *arguments, **options)

    def piped(self, text, *arguments):
        """The same with `text` on its standard input."""
        return subprocess.run([str(BIN / "spsolve"), *arguments], cwd=self.folder, input=text,
                              env=variables(), timeout=TIME_LIMIT, capture_output=True, text=True,
                              check=False)

    def test_matrix_and_right_hand_side(self):
        self.write("b.txt", RIGHT)
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                run = self.run_alone if ranks == 0 else self.spsolve
                more = {} if ranks == 0 else {"ranks": ranks}
                result = run("A.mtx", "b.txt", "-o", "x.mtx", "--report", "r.json", "--method",
                             "lu", "--precision=double", "--threads", "1", **more)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertEqual(values((self.folder / "x.mtx").read_text()), [1, 1, 1])
                report = self.report("r.json")
                self.assertEqual(report["right_hand_side"], "b.txt")
                self.assertEqual(report["files"], ["x.mtx", "r.json"])
                self.assertEqual(report["command_line"],
                                 "spsolve A.mtx b.txt -o x.mtx --report r.json --method lu "
                                 "--precision=double --threads 1")
                self.assertRegex(report["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$")
                self.assertEqual(report["method"], "lu")

    def test_what_was_not_written_is_said(self):
        result = self.run_alone("A.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("1: row sums of A, whose solution is all ones", result.out)
        self.assertIn("not written; -o FILE writes it", result.out)
        self.assertNotIn("not written", self.run_alone("A.mtx", "-o", "x.mtx").out)

    def test_phases_that_took_no_time_are_left_out(self):
        for ranks in (1, 2):
            result = self.spsolve("A.mtx", ranks=ranks)
            seconds = result.out.split("  seconds")[1].split("  others")[0]
            self.assertIn("  total ", seconds)
            self.assertNotIn("/ 0.0000\n" if ranks > 1 else " 0.0000\n", seconds)

    def test_generators_and_words(self):
        result = self.run_alone("grid2d:9", "random", "--set", "right_hand_side.columns=2")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("2: random numbers, seed 1", result.out)

    def test_configuration_with_files_of_the_line(self):
        self.write("c.yml", "solve: {method: gauss}\n")
        self.write("b.mtx", RIGHT)
        result = self.run_alone("c.yml", "A.mtx", "b.mtx", "-o", "x.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("gauss, pivoting partial", result.out)
        self.assertEqual(values((self.folder / "x.mtx").read_text()), [1, 1, 1])
        self.write("settings", "matrix: A.mtx\nsolve: {method: gauss}\n")
        self.assertEqual(self.run_alone("--config", "settings").code, SOLVED)
        result = self.piped("matrix: A.mtx\nsolve: {method: gauss}\n", "--config", "-")
        self.assertIn("gauss, pivoting partial", result.stdout)

    def test_product(self):
        self.write("X", RIGHT)
        result = self.run_alone("A.mtx", "X", "--multiply", "-o", "Y.mtx", "--precision", "float")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(values((self.folder / "Y.mtx").read_text()), [12, 16, 33])
        self.write("c.yaml", "task: multiply\n")
        result = self.run_alone("c.yaml", "A.mtx", "X", "-o", "Z.mtx")
        self.assertEqual(values((self.folder / "Z.mtx").read_text()), [12, 16, 33], result.text)

    def test_right_hand_side_beside_the_matrix(self):
        (self.folder / "set").mkdir()
        self.write("set/A.mtx", SMALL_MATRIX)
        self.write("set/b.mtx", SHORT)
        result = self.run_alone("set/A.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("1: row sums of A", result.out)
        self.assertIn("set/b.mtx was not taken as the right-hand side: it has not 3 rows",
                      result.out)
        for text, why in ((SMALL_MATRIX, "it is as large as the matrix"),
                          ("of another program\n", "it cannot be read as one")):
            self.write("set/b.mtx", text)
            result = self.run_alone("set/A.mtx")
            self.assertEqual(result.code, SOLVED, result.text)
            self.assertIn(f"set/b.mtx was not taken as the right-hand side: {why}", result.out)
        self.write("set/b.mtx", RIGHT)
        result = self.run_alone("set/A.mtx", "--check")
        self.assertEqual(result.code, SOLVED, result.text)
        for ranks in (1, 2):
            result = self.spsolve("set/A.mtx", ranks=ranks)
            self.assertIn("1: set/b.mtx, found next to the matrix", result.out, result.text)
            self.assertNotIn("squared error", result.out)
        self.write("set/A_b.mtx", RIGHT)
        self.assertIn("1: set/A_b.mtx, found next to the matrix", self.run_alone("set/A.mtx").out)
        self.assertIn("1: ones\n", self.run_alone("set/A.mtx", "ones").out)
        self.write("set/A_b.mtx", SHORT)  # it says whose it is
        result = self.run_alone("set/A.mtx")
        self.assertEqual(result.code, INPUT)
        self.assertIn("set/A_b.mtx: the right-hand side has 2 rows, but the matrix has 3",
                      result.err)

    def test_standard_input_and_output(self):
        self.write("b.txt", RIGHT)
        result = self.piped(SMALL_MATRIX, "-", "b.txt", "-o", "-")
        self.assertEqual(result.returncode, SOLVED, result.stderr)
        self.assertEqual(values(result.stdout), [1, 1, 1])
        self.assertIn("right-hand sides   1: b.txt", result.stderr)
        result = self.piped(RIGHT, "A.mtx", "-", "-o", "/dev/stdout", "--quiet")
        self.assertEqual((values(result.stdout), result.stderr), ([1, 1, 1], ""))
        result = self.piped(RIGHT, "-", "-")
        self.assertEqual(result.returncode, INPUT)
        self.assertIn("'matrix.file' and 'right_hand_side.file' cannot both be the standard input",
                      result.stderr)
        result = self.run_alone("A.mtx", "-o", "-", "--report", "/dev/stdout")
        self.assertEqual(result.code, INPUT)
        self.assertIn("cannot both be the standard output", result.err)

    def test_a_log_is_not_replaced(self):
        for name in ("-", "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"):
            log = self.write("log", "before\n")
            with open(log, "a", encoding="utf-8") as file:
                subprocess.run([str(BIN / "spsolve"), "A.mtx", "-o", name, "--quiet"],
                               cwd=self.folder, env=variables(), timeout=TIME_LIMIT, stdout=file,
                               check=True)
            text = log.read_text()
            self.assertTrue(text.startswith("before\n%%MatrixMarket"), text)
        with open(self.folder / "A.mtx", encoding="utf-8") as file:  # a file as standard input
            result = subprocess.run([str(BIN / "spsolve"), "-", "--quiet", "-o", "x.mtx"],
                                    cwd=self.folder, env=variables(), timeout=TIME_LIMIT,
                                    stdin=file, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, SOLVED, result.stderr)

    def test_pipes_by_name(self):
        source, target = self.folder / "in.mtx", self.folder / "out"
        os.mkfifo(source)
        os.mkfifo(target)
        writer = threading.Thread(target=lambda: source.write_text(SMALL_MATRIX))
        read = []
        reader = threading.Thread(target=lambda: read.append(target.read_text()))
        writer.start()
        reader.start()
        result = self.run_alone("in.mtx", "-o", "out", "--quiet")
        writer.join()
        reader.join()
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertEqual(values(read[0]), [1, 1, 1])
        self.assertTrue(target.is_fifo())

    def test_unknown_ending_before_anything_is_computed(self):
        for option, name in (("-o", "x.dat"), ("--report", "r.txt"), ("--html", "page"),
                             ("-o", "x")):
            with self.subTest(name):
                result = self.run_alone("absent.mtx", option, name)
                self.assertEqual(result.code, INPUT)
                long = {"-o": "--output"}.get(option, option)
                self.assertRegex(result.err, f"spsolve: {long} {name}: 'output[.].*' must end in "
                                             f".*, and '{name}' does not\n")
        self.assertEqual(os.listdir(self.folder), ["A.mtx"])

    def test_mistakes_are_told(self):
        self.write("notes.txt", "matrix: A.mtx\n")
        for arguments, words in (
                (("A.mtx", "--metod", "lu"), "'--metod' is not an option; did you mean '--method'?"),
                (("--matrix", "A.mtx"), "'--matrix' is not an option; a matrix is named by itself"),
                (("A.mtx", "--iterations", "9"), "'--iterations' is not an option; as a key of the "
                                                 "configuration: --set solve.iterations=VALUE\n"),
                (("A.mtx", "--rhs", "b.mtx"), "'--rhs' is not an option; a right-hand side is named "
                                              "after the matrix, such as spsolve A.mtx b.mtx\n"),
                (("A.mtx", "-b", "b.mtx"), "a right-hand side is named after the matrix"),
                (("A.mtx", "-A"), "a matrix is named by itself"),
                (("A.mtx", "--tol", "1e-9"), "'--tol' is not an option; as a key of the "
                                             "configuration: --set solve.tolerance=VALUE\n"),
                (("A.mtx", "--gpu"), "'--gpu' is not an option; did you mean '--device cuda'?\n"),
                (("A.mtx", "--solver=lu"), "'--solver=lu' is not an option; did you mean '--method'"),
                (("A.mtx", "--out", "x.mtx"), "'--out' is not an option; did you mean '--output'"),
                (("A.mtx", "--kernel=auto"), "--set multiply.kernel=VALUE"),
                (("A.mtx", "--method", "lux"), "--method lux: 'solve.method' must be one of"),
                (("A.mtx", "--method", "lux"), "did you mean 'lu'?"),
                (("A.mtx", "solve.method=lu"), "did you mean --set solve.method=lu?"),
                (("A.mtx", "lu"), "'lu' is no file; did you mean --method lu?\n"),
                (("A.mtx", "Cholesky"), "'Cholesky' is no file; did you mean --method "
                                        "sparse_cholesky?\n"),
                (("A.mtx", "b", "c"), "'c' is one file too many: a matrix and its right-hand side "
                                      "are two; -o c writes the solution\n"),
                (("A.mtx", "b-1", "b-2", "b-3"), "a pattern for several is quoted, such as 'b-*.mtx'"),
                (("A.mtx", "notes.txt", "A.mtx"), "a pattern for several is quoted"),
                (("A.mtx", "-t", "2"), "'-t' is not an option; did you mean '--threads'?\n"),
                (("A.mtx", "--set", "solve.tol=1e-9"), "did you mean 'solve.tolerance'?"),
                (("A.mtx", "--method", "Cholesky"), "did you mean 'sparse_cholesky'?\n"),
                (("A.mtx", "--method", "amg"), "; multigrid is a preconditioner: solve.method=cg "
                                               "with solve.preconditioner=multigrid\n"),
                (("A.mtx", "--set", "solve.preconditioner=amg"), "did you mean 'multigrid'?"),
                (("A.mtx", "--set", "solve.precision=single"), "did you mean 'float'?"),
                (("A.mtx", "--device", "gpu"), "did you mean 'cuda'?"),
                (("A.mtxx",), "A.mtxx: cannot be opened (No such file or directory); did you mean "
                              "'A.mtx'?\n"),
                ((), "name a matrix, such as spsolve A.mtx b.mtx -o x.mtx, or a configuration"),
                (("notes.txt",), "notes.txt: is no matrix (Matrix Market, npz, npy, MATLAB, PETSc), nor"),
                (("absent.mtx",), "absent.mtx: cannot be opened"),
                (("gird2d:5",), "there is no generator 'gird2d'; did you mean 'grid2d'?"),
                (("A.mtx", "--set", "b=b.mtx"), "did you mean 'right_hand_side'?"),
                (("A.mtx", "--set", "rhs=b.mtx"), "did you mean 'right_hand_side'?"),
                (("A.mtx", "--set", "gpu=on"), "did you mean 'device'?"),
                (("A.mtx", "--set", "tol=1e-9"), "did you mean 'solve.tolerance'?")):
            with self.subTest(arguments=arguments, words=words):
                result = self.run_alone(*arguments)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)
        self.write("c.yaml", "matrix: A.mtx\nrhs: b.mtx\nsolve: {tol: 1e-9}\ngpu: yes\n")
        result = self.run_alone("c.yaml")
        for line, key in ((2, "right_hand_side"), (3, "solve.tolerance"), (4, "device")):
            self.assertRegex(result.err, f"c.yaml:{line}:.* did you mean '{key}'")
        result = self.spmtx("infos", "A.mtx")
        self.assertEqual(result.code, INPUT)
        self.assertIn("spmtx: 'infos' is not expected here; did you mean 'info'?", result.err)
        result = self.spmtx()
        self.assertEqual(result.code, INPUT)
        self.assertIn("spmtx: what shall be done? spmtx info, ", result.err)

    def test_keys_that_change_nothing_are_named(self):
        for arguments, words in (
                (("--method", "gauss", "--set", "solve.block=64"),
                 "solve.block changed nothing: gauss, and lu alone has panels"),
                (("--method", "lu", "--set", "solve.tolerance=1e-9"),
                 "solve.tolerance changed nothing: lu, which takes no steps"),
                (("--method", "cg", "--set", "solve.restart=9"),
                 "solve.restart changed nothing: cg, and gmres alone begins anew"),
                (("--set", "right_hand_side.seed=7"),
                 "right_hand_side.seed changed nothing: the right-hand side is not random"),
                (("--set", "checkpoint.interval=60"),
                 "checkpoint.interval changed nothing: checkpoint.directory names no folder"),
                (("--set", "transport=pinned", "--device", "host"),
                 "transport changed nothing: it was computed on hosts"),
                (("ones", "--multiply", "--set", "multiply.seed=7"),
                 "multiply.seed changed nothing: X is not random")):
            with self.subTest(words):
                result = self.run_alone("grid2d:5", *arguments)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertIn(words, result.out)
        self.assertNotIn("changed nothing", self.run_alone("grid2d:5", "random", "--set",
                                                           "right_hand_side.seed=7").out)

    def test_help_begins_with_the_line(self):
        screen = self.run_alone("--help").out.splitlines()[:24]
        self.assertTrue(any("spsolve A.mtx b.mtx -o x.mtx" in line for line in screen), screen)
        self.assertTrue(any("--output" in line for line in screen), screen)

    def test_no_mpi_without_a_launcher(self):
        """What Open MPI opens when it begins is not there."""
        for arguments in (("--version",), ("--help",), ("A.mtx", "--check"), ("A.mtx", "--quiet")):
            # Open MPI reads the file that this names when it begins, and says what it cannot read.
            result = self.run_alone(*arguments, environment={"OMPI_MCA_btl": "none-such"})
            self.assertEqual(result.code, SOLVED, result.text)
        result = self.run_program("mpirun", "-np", 2, "--oversubscribe", "--mca", "btl",
                                  "none-such", BIN / "spsolve", "A.mtx", "--quiet")
        self.assertNotEqual(result.code, SOLVED)


if __name__ == "__main__":
    unittest.main()
