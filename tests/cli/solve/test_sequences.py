"""Several right-hand sides and several matrices of one pattern, in one run."""

import random
import unittest

from support import BIN, CliTest, INPUT, NOT_TRUSTWORTHY, RESOURCES, SOLVED
from test_binary_files import CSR, archive, array


def right(*numbers):
    return f"%%MatrixMarket matrix array real general\n{len(numbers)} 1\n" + \
        "".join(f"{number}\n" for number in numbers)


def laplacian_with_hubs(n, indefinite, values):
    """The Laplacian + identity of a graph that grows by preferential attachment, all of it times
    `values`, as a file; two rows more may have a negative eigenvalue."""
    chance, ends, edges = random.Random(7), [1], {}
    for i in range(2, n + 1):
        for j in {i - 1, *(chance.choice(ends) for _ in range(3))}:
            edges[i, j] = -1
            ends += (i, j)
    diagonal = [1] * n
    for edge in edges:
        for i in edge:
            diagonal[i - 1] += 1
    if indefinite:
        diagonal += [1, 1]
        edges[n + 2, n + 1] = -5
    entries = [*((i, i, d) for i, d in enumerate(diagonal, 1)), *((*edge, a) for edge, a in edges.items())]
    return f"%%MatrixMarket matrix coordinate real symmetric\n{len(diagonal)} {len(diagonal)} {len(entries)}\n" + \
        "".join(f"{i} {j} {values * a}\n" for i, j, a in entries)


class Sequences(CliTest):
    def setUp(self):
        super().setUp()
        (self.folder / "in").mkdir()
        self.write("in/A.npz", archive(**CSR))  # 2 0 1 / 0 4 0 / 1 0 5
        for k in (1, 2, 10):
            self.write(f"in/b-{k}.mtx", right(3 * k, 4 * k, 6 * k))

    def run_with(self, *arguments, ranks=0):
        if ranks:
            return self.spsolve(*arguments, ranks=ranks)
        return self.run_program(BIN / "spsolve", *arguments)

    def solution(self, name):
        """The numbers of an array file of one column."""
        lines = [line for line in (self.folder / name).read_text().splitlines()
                 if not line.startswith("%")]
        self.assertEqual(lines[0], "3 1")
        return [float(line) for line in lines[1:]]

    def test_right_hand_sides_by_a_pattern(self):
        for ranks in (0, 3):
            with self.subTest(ranks=ranks):
                result = self.run_with("in/A.npz", "in/b-*.mtx", "-o", "x-*.mtx", "--report",
                                       "report.json", ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                for k in (1, 2, 10):
                    self.assertEqual(self.solution(f"x-{k}.mtx"), [k, k, k])
                report = self.report()
                self.assertEqual([step["right_hand_side"] for step in report["steps"]],
                                 ["in/b-1.mtx", "in/b-2.mtx", "in/b-10.mtx"])  # by their numbers
                self.assertEqual([step["solution"] for step in report["steps"]],
                                 ["x-1.mtx", "x-2.mtx", "x-10.mtx"])
                self.assertEqual(report["files"], ["report.json", "x-1.mtx", "x-2.mtx", "x-10.mtx"])
                self.assertTrue(all(step["status"] == "solved" for step in report["steps"]))
                self.assertRegex(report["summary"], "^solved: 3 of 3 systems, ")
                self.assertEqual(report["right_hand_side"], "3 files in/b-*.mtx")
                self.assertRegex(result.out, "2 of 3 +solved: in/b-2.mtx, x in x-2.mtx, about 16")
                self.assertEqual(result.err.count("solved: in/b-"), 3, result.err)  # as they come

    def test_auto_takes_what_pays_for_all_systems(self):
        # By the diagonal a graph with hubs is soon done. Where it turns out not to be positive
        # definite, it is eliminated, and at once for the values that follow.
        after_all = "auto took cg first, and eliminated after all: the matrix is not positive definite"
        for indefinite in (False, True):
            for k in (1, 2, 3):
                self.write(f"in/H-{k}.mtx", laplacian_with_hubs(3000, indefinite, k))
            self.write("c.yaml", "matrix: {file: in/H-1.mtx, values: in/H-*.mtx}\ndevice: host\n"
                                 "output: {report: report.json}\n")
            for ranks in (0, 2):
                with self.subTest(indefinite=indefinite, ranks=ranks):
                    result = self.run_with("c.yaml", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    report = self.report()
                    self.assertEqual([step["status"] for step in report["steps"]], ["solved"] * 3)
                    notes = " ".join(report["notes"])
                    if indefinite:
                        self.assertEqual(report["method"], "sparse_cholesky")
                        self.assertEqual(report["sparse"]["factorisation"], "LDL^T")
                        self.assertIn("for earlier values, " + after_all, notes)
                    else:
                        self.assertEqual(report["method"], "cg")
                        self.assertEqual(report["krylov"]["preconditioner"], "jacobi")
                        self.assertNotIn("eliminated", notes)

    def test_matrices_of_one_pattern(self):
        self.write("in/A-1.npz", archive(**dict(CSR, data=array([4, 2, 8, 2, 10]))))
        self.write("in/A-2.npy", array([6, 3, 12, 3, 15]))
        self.write("in/A-3.npz", archive(**CSR))
        self.write("c.yaml", "matrix: {file: A.npz, values: A-*}\nright_hand_side: b-1.mtx\n"
                             "solve: {method: sparse_lu}\n")
        self.write("in/c.yaml", (self.folder / "c.yaml").read_text())
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                result = self.run_with("in/c.yaml", "-o", "x-*.mtx", "--report", "report.json",
                                       ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                for name, factor in (("1.npz", 2), ("2.npy", 3), ("3.npz", 1)):
                    for value in self.solution(f"x-{name}.mtx"):
                        self.assertAlmostEqual(value, 1 / factor, 14)
                steps = self.report()["steps"]
                self.assertEqual([step["values"] for step in steps],
                                 ["in/A-1.npz", "in/A-2.npy", "in/A-3.npz"])
        # Without a right-hand side the row sums of each.
        result = self.run_with("in/A.npz", "--set", "matrix.values=in/A-*", "ones", "-o",
                               "y-*.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        result = self.run_with("in/A.npz", "--set", "matrix.values=in/A-*.npz", "--report",
                               "report.json", "row_sums")
        self.assertEqual(self.report()["squared_error"], 0, result.text)

    def test_in_pairs(self):
        for k, factor in ((1, 1), (2, 2), (10, 10)):
            self.write(f"in/v-{k}.npy", array([2 * factor, factor, 4 * factor, factor, 5 * factor]))
        result = self.run_with("in/A.npz", "in/b-*.mtx", "--set", "matrix.values=in/v-*.npy", "-o",
                               "x-*.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        for k in (1, 2, 10):
            self.assertEqual(self.solution(f"x-{k}.mtx"), [1, 1, 1])

    def stopped(self, *arguments):
        """A run that cannot write its third solution, and what it left of the first two."""
        place = self.folder / "x-10.mtx"
        place.unlink(missing_ok=True)
        place.mkdir()
        result = self.run_with("in/A.npz", "in/b-*.mtx", "-o", "x-*.mtx", "--set",
                               "checkpoint.systems=done", *arguments)
        self.assertIn(result.code, (INPUT, RESOURCES), result.text)
        self.assertEqual(self.solution("x-2.mtx"), [2, 2, 2])
        place.rmdir()

    def earlier(self, *arguments, ranks=0):
        """Which systems of the next run an earlier one had solved, and its result."""
        result = self.run_with("in/A.npz", "in/b-*.mtx", "-o", "x-*.mtx", "--set",
                               "checkpoint.systems=done", "--report", "report.json", *arguments,
                               ranks=ranks)
        self.assertEqual(result.code, SOLVED, result.text)
        for k in (1, 2, 10):
            self.assertEqual(self.solution(f"x-{k}.mtx"), [k, k, k])
        self.assertFalse((self.folder / "done").exists())
        steps = self.report()["steps"]
        self.assertEqual([step["right_hand_side"] for step in steps],
                         ["in/b-1.mtx", "in/b-2.mtx", "in/b-10.mtx"])
        return [step["earlier"] for step in steps], result

    def test_goes_on_behind_the_last_that_was_solved(self):
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                self.stopped()
                at = (self.folder / "x-1.mtx").stat().st_mtime_ns
                earlier, result = self.earlier(ranks=ranks)
                self.assertEqual(earlier, [True, True, False])
                self.assertEqual((self.folder / "x-1.mtx").stat().st_mtime_ns, at)
                self.assertIn("2 of 3 systems had been solved by an earlier run: done", result.err)
                self.assertRegex(result.out, "1 of 3 +solved: in/b-1.mtx, .*, by an earlier run")
                self.assertEqual(self.report()["status"], "solved")

    def test_what_changed_is_solved_again(self):
        self.stopped()
        (self.folder / "x-2.mtx").unlink()
        self.assertEqual(self.earlier()[0], [True, False, False])
        self.stopped()
        (self.folder / "in/b-1.mtx").write_text((self.folder / "in/b-1.mtx").read_text() + "\n")
        self.assertEqual(self.earlier()[0], [False, False, False])
        self.stopped()
        self.assertEqual(self.earlier("--set", "checkpoint.resume=never")[0], [False] * 3)
        # Another matrix, and a file that is none.
        self.stopped()
        self.write("in/A.npz", archive(**dict(CSR, data=array([4, 2, 8, 2, 10]))))
        result = self.run_with("in/A.npz", "in/b-*.mtx", "--set", "checkpoint.systems=done", "-o",
                               "x-*.mtx")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("systems are solved anew: done: is of systems with another matrix", result.err)
        self.assertEqual(self.solution("x-2.mtx"), [1, 1, 1])
        self.write("in/A.npz", archive(**CSR))
        self.write("done", "nothing that this program wrote\n")
        earlier, result = self.earlier()
        self.assertEqual(earlier, [False, False, False])
        self.assertIn("systems are solved anew: done: ", result.err)

    def test_an_earlier_one_that_cannot_be_trusted_makes_the_run_so(self):
        self.write("in/v-1.npy", array([1, 1, 1, 1, 1 + 2**-52]))
        self.write("in/v-2.npy", array([2, 1, 4, 1]))
        arguments = ("in/A.npz", "in/b-1.mtx", "--set", "matrix.values=in/v-*.npy", "--set",
                     "checkpoint.systems=done")
        self.assertEqual(self.run_with(*arguments).code, INPUT)
        self.write("in/v-2.npy", array([2, 1, 4, 1, 5]))
        result = self.run_with(*arguments, "--report", "report.json")
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
        self.assertEqual([step["earlier"] for step in self.report()["steps"]], [True, False])

    def test_one_that_cannot_be_trusted_makes_the_run_so(self):
        self.write("in/v-1.npy", array([2, 1, 4, 1, 5]))
        self.write("in/v-2.npy", array([1, 1, 1, 1, 1 + 2**-52]))
        result = self.run_with("in/A.npz", "in/b-1.mtx", "--set", "matrix.values=in/v-*.npy",
                               "--report", "report.json")
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)

    def test_one_that_is_singular_fails_alone(self):
        for k, values in ((1, (2, 1, 4, 1, 5)), (2, (1, 1, 1, 1, 1)), (3, (4, 2, 8, 2, 10))):
            self.write(f"in/v-{k}.npy", array(list(values)))
        for method in ("auto", "lu", "sparse_lu", "gauss"):
            for ranks in (0, 3):
                with self.subTest(method, ranks=ranks):
                    result = self.run_with("in/A.npz", "in/b-1.mtx", "--set",
                                           "matrix.values=in/v-*.npy", "--method", method, "-o",
                                           "x-*.mtx", "--report", "report.json", ranks=ranks)
                    self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
                    report = self.report()
                    self.assertEqual([step["status"] for step in report["steps"]],
                                     ["solved", "failed", "solved"])
                    self.assertEqual([bool(step["failure"]) for step in report["steps"]],
                                     [False, True, False])
                    self.assertIn("singular", report["steps"][1]["failure"])
                    self.assertRegex(report["summary"], "^not trustworthy: 2 of 3 systems, ")
                    self.assertEqual(self.solution("x-1.mtx"), [1, 1, 1])
                    self.assertEqual(self.solution("x-3.mtx"), [.5, .5, .5])
                    self.assertIn("1 of 3 systems failed, the first of them number 2", result.err)
        # Right-hand sides with a matrix that none can be solved with.
        self.write("in/A.npz", archive(**dict(CSR, data=array([1, 1, 1, 1, 1]))))
        result = self.run_with("in/A.npz", "in/b-*.mtx", "-o", "y-*.mtx", "--method", "lu")
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
        self.assertIn("no system was solved; the first: in/A.npz: the matrix is singular", result.err)
        self.assertEqual(result.err.count("failed: in/b-"), 3, result.err)

    def test_what_does_not_go_together(self):
        self.write("in/v-1.npy", array([2, 1, 4, 1, 5]))
        self.write("in/v-2.npy", array([2, 1, 4, 1]))
        self.write("in/w.npz", archive(**dict(CSR, indices=CSR["indices"][:-4] + b"\1\0\0\0")))
        for arguments, words in (
                (("in/b-*.mtx", "-o", "x.mtx"), "names one file for several solutions"),
                (("in/b-1.mtx", "-o", "x-*.mtx"), "holds a '*', and neither"),
                (("in/c-*.mtx",), "in/c-*.mtx: no file has a name like that"),
                (("in/*-*.mtx",), "a pattern holds one '*' only"),
                (("in/b-*.mtx", "--set", "matrix.values=in/v-*.npy"), "give as many of both"),
                (("in/b-1.mtx", "--set", "matrix.values=in/v-*.npy"),
                 "in/v-2.npy: holds 4 x 1 values, and the matrix has 5 non-zeros"),
                (("in/b-1.mtx", "--set", "matrix.values=in/w.npz"),
                 "in/w.npz: its non-zeros lie elsewhere"),
                (("in/b-*.mtx", "-o", "x-*.mtx", "--report", "d.json", "--set",
                  "checkpoint.systems=d.json"),
                 "'checkpoint.systems' would replace the file of 'output.report'"),
                (("in/b-1.mtx", "--multiply", "--set", "matrix.values=in/w.npz"),
                 "goes with task: solve only"),
                (("--set", "matrix.values=in/w.npz", "--set", "checkpoint.directory=k"),
                 "does not go with 'checkpoint.directory'")):
            with self.subTest(words):
                result = self.run_with("in/A.npz", *arguments)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()
