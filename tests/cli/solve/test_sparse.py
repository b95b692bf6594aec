"""Sparse methods and what users hand over that is wrong: one sentence, and the right exit code."""

import re
import unittest

from support import BIN, CliTest, INPUT, MIB, NOT_TRUSTWORTHY, RESOURCES, SOLVED

METHODS = ("sparse_cholesky", "sparse_ldlt", "sparse_lu")
ALL = (*METHODS, "auto")

# The contents of the section solve, further lines, and the whole message.
CONFIGURATIONS = (
    ("method: sparse_cholesky, orderng: amd", "",
     "c.yaml:2:34: 'solve.orderng' is not an option; did you mean 'solve.ordering'?"),
    ("method: sparse_lu, analysis_fil: x", "",
     "c.yaml:2:28: 'solve.analysis_fil' is not an option; did you mean 'solve.analysis_file'?"),
    ("method: sparse_lu, ordering: nested_disection", "", "did you mean 'nested_dissection'?"),
    ("method: sparse_cholesk", "", "did you mean 'sparse_cholesky'?"),
    ("method: sparse_lu, pivoting: partial", "",
     "c.yaml:2:38: solve.pivoting goes with dense methods, as sparse ones look for pivots by rules "
     "of their own; use solve.pivoting=auto, or solve.method=lu"),
    ("method: sparse_lu, analysis_file: r.json", "output: {report: ./r.json}",
     "c.yaml:3:18: 'output.report' would replace the file of 'solve.analysis_file'; name another"),
)

# The text of a Matrix Market file, methods, exit code, and words of the message.
HEAD = "%%MatrixMarket matrix coordinate real general\n"
UNSYMMETRIC = HEAD + "3 3 5\n1 1 2\n2 2 2\n3 3 2\n1 2 1\n2 1 0.5\n"
INDEFINITE = HEAD + "3 3 5\n1 1 1\n1 2 2\n2 1 2\n2 2 1\n3 3 1\n"
NO_ENTRY = HEAD + "3 3 0\n"
ZEROS = HEAD + "3 3 2\n1 1 0\n3 3 0\n"
MATRICES = (
    (HEAD + "3 3 4\n1 1 2\n2 2 2\n3 3 2\n", ALL, INPUT, "a.mtx:5: expected 4 entries, as line 2 declares, found the end of the file after 3"),
    (HEAD + "3 3 3\n1 1 2\n2 2 2\n3 3", ALL, INPUT, "a.mtx:5: expected 3 fields"),
    (HEAD + "3 3 3\n1 1 2\n2 2 nan\n3 3 2\n", ALL, INPUT, "a.mtx:4: expected a value that double"),
    (HEAD + "3 3 3\n1 1 2\n2 2 2\n3 3 -inf\n", ALL, INPUT, "a.mtx:5: expected a value that double"),
    (HEAD + "3 4 1\n1 1 2\n", ALL, INPUT, "3 x 4; task: solve needs a square one"),
    (UNSYMMETRIC, METHODS[:2], INPUT,
     "wants a symmetric matrix, and this one is not, by more than rounding: a(1, 2) = 1 and "
     "a(2, 1) = 0.5 (numbered from 1); use solve.method=sparse_lu"),
    (INDEFINITE, METHODS[:1], NOT_TRUSTWORTHY,
     "the matrix is not positive definite: a pivot of L L^T is not positive; use "
     "solve.method=sparse_ldlt, or auto"),
    (INDEFINITE.replace("3 3 1\n", "3 3 -1\n"), METHODS[:1], INPUT,
     "the diagonal of this one is not positive; use solve.method=sparse_ldlt"),
    (NO_ENTRY, METHODS[1:], NOT_TRUSTWORTHY, "the matrix is structurally singular"),
    (ZEROS, METHODS[1:], NOT_TRUSTWORTHY, "the matrix is structurally singular"),
    (INDEFINITE.replace("3 3 1\n", "2 2 3\n"), METHODS[1:2], NOT_TRUSTWORTHY,
     "the matrix is structurally singular: its non-zeros match only 2 of 3 rows with columns, "
     "whatever their values are: row 3 has no non-zeros"),
    (INDEFINITE.replace("3 3 1\n", "2 2 3\n").replace("3 3 5", "3 3 6") + "3 3 1\n",
     METHODS[1:2], NOT_TRUSTWORTHY,
     "the matrix is singular: of 3 pivots 2 were found, and none is left for row"),
)


class Sparse(CliTest):
    def alone(self, *arguments):
        return self.run_program(BIN / "spsolve", *arguments)

    def assert_says(self, result, code, words):
        """One sentence on the standard error and nothing else, and that exit code."""
        self.assertEqual(result.code, code, result.text)
        self.assertEqual(result.out, "")
        self.assertEqual(len(result.err.splitlines()), 1, result.err)
        self.assertTrue(result.err.startswith("spsolve: "), result.err)
        self.assertIn(words, result.err)

    def test_configurations(self):
        for solve, more, words in CONFIGURATIONS:
            self.write("c.yaml", f"matrix: \"grid2d:9\"\nsolve: {{{solve}}}\n{more}\n")
            for asked in ((), ("--check",)):
                with self.subTest(solve=solve, more=more, asked=asked):
                    self.assert_says(self.alone("c.yaml", *asked), INPUT, words)

    def test_matrices(self):
        for text, methods, code, words in MATRICES:
            self.write("a.mtx", text)
            for method in methods:
                with self.subTest(words, method=method):
                    self.write("c.yaml", f"matrix: a.mtx\nsolve: {{method: {method}}}\n")
                    self.assert_says(self.alone("c.yaml"), code, words)
                    for which in ("auto", "all"):
                        of_two = self.spsolve("c.yaml", "--set", f"solve.ranks={which}", ranks=2)
                        self.assertEqual(of_two.code, code, of_two.text)
                        self.assertEqual(of_two.err.count(words), 1, of_two.err)

    def test_symmetric_matrices_as_programs_assemble_them(self):
        # A grid of 16 x 16 whose a_ij and a_ji differ in their last bits, or by what is not stored.
        side, entries = 16, {}
        for k in range(side * side):
            entries[k, k] = 4.0
            for other in (k + 1 if (k + 1) % side else None, k + side if k + side < side * side else None):
                if other is not None:
                    entries[k, other], entries[other, k] = -1.0, -1.0 - (2 ** -52 if k % 3 else 0)
        stored = dict(entries)
        stored[0, 77], stored[77, 0] = 1e-17, 0.0
        missing = dict(entries)
        missing[0, 77] = 1e-17
        indefinite = {key: value - (3 if key[0] == key[1] else 0) for key, value in entries.items()}
        for name, matrix, factors in (("bits", entries, "LL^T"), ("stored", stored, "LL^T"),
                                      ("missing", missing, "LL^T"), ("bits", indefinite, "LDL^T")):
            lines = "".join(f"{i + 1} {j + 1} {value!r}\n" for (i, j), value in matrix.items())
            self.write("a.mtx", HEAD + f"{side ** 2} {side ** 2} {len(matrix)}\n" + lines)
            for method in ("auto", "sparse_cholesky" if factors == "LL^T" else "sparse_ldlt"):
                for ranks in (0, 2, 3):
                    with self.subTest(name, factors=factors, method=method, ranks=ranks):
                        run = ["a.mtx", "random", "--method", method, "--report", "report.json",
                               "--set", "solve.ranks=all"]
                        result = self.spsolve(*run, ranks=ranks) if ranks else self.alone(*run[:-2])
                        self.assertEqual(result.code, SOLVED, result.text)
                        report = self.report()
                        self.assertEqual(report["sparse"]["factorisation"], factors)
                        self.assertLess(report["componentwise_error"], 1e-15)
                        self.assertIn("A is symmetric but for rounding: one of a_ij and a_ji is "
                                      "eliminated for both, and x is refined and judged for A as "
                                      "it is", report["notes"])
        # Boundary conditions written into rows: these are solved first.
        fixed = {key: value for key, value in entries.items() if key[0] > side or key[0] == key[1]}
        for method, factors in (("auto", "LL^T"), ("sparse_ldlt", "LDL^T")):
            for ranks in (0, 2):
                lines = "".join(f"{i + 1} {j + 1} {value!r}\n" for (i, j), value in fixed.items())
                self.write("a.mtx", HEAD + f"{side ** 2} {side ** 2} {len(fixed)}\n" + lines)
                with self.subTest("rows alone", method=method, ranks=ranks):
                    run = ["a.mtx", "random", "--method", method, "--report", "report.json"]
                    result = self.spsolve(*run, ranks=ranks) if ranks else self.alone(*run)
                    self.assertEqual(result.code, SOLVED, result.text)
                    report = self.report()
                    self.assertEqual(report["sparse"]["factorisation"], factors)
                    self.assertLess(report["componentwise_error"], 1e-15)
                    self.assertIn("rows that hold their diagonal alone are solved first; the rest of A "
                                  "is symmetric", report["notes"])
        # New values of its pattern that are not symmetric any more are refused by their pair.
        wrong = dict(entries)
        wrong[5, 6] = -1.5
        for name, matrix in (("1", entries), ("2", wrong)):
            lines = "".join(f"{i + 1} {j + 1} {value!r}\n" for (i, j), value in sorted(matrix.items()))
            self.write(f"v-{name}.mtx", HEAD + f"{side ** 2} {side ** 2} {len(matrix)}\n" + lines)
        self.write("c.yaml", "matrix: {file: v-1.mtx, values: v-*.mtx}\nsolve: {method: sparse_cholesky}\n"
                             "right_hand_side: random\n")
        result = self.alone("c.yaml")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("a(6, 7) = -1.5 and a(7, 6) = -1.0000000000000002 (numbered from 1)", result.err)

    def test_what_overflows_is_eliminated_again(self):
        n, below = 1500, 39  # pivots of a front alone double entries in every step
        lines = [f"{i} {i} 1" for i in range(1, n + 1)]
        lines += [f"{i} {n} 1" for i in range(1, n)]
        lines += [f"{i} {j} -1" for j in range(1, n) for i in range(j + 1, min(j + below, n) + 1)]
        entries = {tuple(line.split()[:2]): line for line in lines}
        self.write("a.mtx", HEAD + f"{n} {n} {len(entries)}\n" + "\n".join(entries.values()) + "\n")
        self.write("c.yaml", "matrix: a.mtx\nsolve: {method: sparse_lu}\noutput: {report: report.json}\n")
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                result = self.spsolve("c.yaml", "--set", "solve.ranks=all", ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertIn("a pivot overflowed", result.err)
                self.assertLess(self.report()["componentwise_error"], 1e-14)

    def test_all_ranks_hold_the_factors(self):
        for matrix, method, ranks in (("grid3d:14", "sparse_cholesky", 3),
                                      ("helmholtz2d:40", "sparse_ldlt", 2),
                                      ("circuit:3000", "sparse_lu", 4)):
            with self.subTest(matrix, ranks=ranks):
                self.write("c.yaml", f"matrix: {matrix}\nsolve: {{method: {method}, ranks: all}}\n"
                                     "output: {report: report.json}\n")
                result = self.spsolve("c.yaml", ranks=ranks)
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertEqual(report["sparse"]["ranks"], ranks)
                self.assertLess(report["componentwise_error"], 1e-14)
                self.assertIn(f"by {ranks} ranks", result.out)

    def test_a_dry_run_lists_the_alternatives(self):
        row = re.compile(r"^  (solve\.method=\S+(?: with \S+)?) +[\d.]+ [KMG]iB +([\d.e+-]+) s(.*)$", re.MULTILINE)

        def listed(matrix, *words, ranks=1):
            result = self.spsolve(matrix, "--dry-run", "--device", "host", *words, ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            rows = row.findall(result.out)
            for words, seconds, _ in rows:
                self.assertGreater(float(seconds), 0, words)
            return {words: after for words, _, after in rows}

        rows = listed("kkt:3000")
        names = [words.removeprefix("solve.method=") for words in rows]
        self.assertEqual(names, ["sparse_ldlt", "lu", "gauss", "gauss_jordan",
                                 "sparse_ldlt with solve.precision=mixed", "sparse_ldlt with solve.factors=disk",
                                 "minres", "gmres", "bicgstab", "idr"])
        self.assertRegex(rows["solve.method=sparse_ldlt with solve.factors=disk"], r"^, [\d.]+ [KM]iB on disk$")
        self.assertEqual(rows["solve.method=gmres"], " for 100 steps")
        # A method that is named stands first; what does not go with several ranks, or with the
        # matrix, is not listed.
        rows = listed("convdiff3d:10", "--method", "gmres", ranks=2)
        self.assertEqual(next(iter(rows)), "solve.method=gmres")
        rows = listed("circuit:3000", ranks=2)
        self.assertEqual(next(iter(rows)), "solve.method=sparse_lu")
        self.assertFalse(any("disk" in words or "minres" in words or "=cg" in words for words in rows), rows)
        self.needs_faults()
        result = self.spsolve("grid2d:100", "--dry-run", "--device", "host", environment={"SPSOLVE_FAULT": "memory=100"})
        self.assertRegex(result.out, r"solve.method=lu .*: does not fit")
        self.assertNotRegex(result.out, r"solve.method=sparse_cholesky .*: does not fit")

    def test_a_dry_run_looks_ahead_to_more_ranks(self):
        self.write("c.yaml", 'matrix: "grid3d:20"\nsolve: {method: sparse_cholesky}\ndevice: host\n')
        for ranks in (1, 2):
            result = self.spsolve("c.yaml", "--dry-run", "--ranks", "6", ranks=ranks)
            self.assertEqual(result.code, SOLVED, result.text)
            lines = re.findall(r"^ +(\d+) +([\d.]+) GiB +[\d.]+ GiB +([\d.]+) % +([\d.e-]+) ",
                               result.out, re.MULTILINE)
            self.assertEqual([line[0] for line in lines], ["1", "2", "4", "6"], result.out)
            self.assertEqual([float(line[2]) > 0 for line in lines], [False, True, True, True])
            for less, more in zip(lines, lines[1:]):
                self.assertLess(float(more[1]), float(less[1]))
        for words, said in ((("--ranks", "6"), "--ranks requires --dry-run"),
                            (("--dry-run", "--ranks", "0"), "--ranks"),
                            (("--dry-run", "--ranks", "4", "--set", "solve.method=lu"),
                             "use solve.method=sparse_lu"),
                            (("--dry-run", "--ranks", "4", "--multiply"), "--ranks goes with task: solve")):
            result = self.alone("c.yaml", *words)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(said, result.err)

    def test_scales_that_multiplied_leave_the_range(self):
        # Both entries are near 1 once they are scaled, though 2^1023 is in between.
        self.write("a.mtx", HEAD + "2 2 2\n1 1 1e308\n2 2 1e-308\n")
        for method in METHODS:
            for precision in ("float", "double"):
                with self.subTest(method=method, precision=precision):
                    self.write("c.yaml", f"matrix: a.mtx\nsolve: {{method: {method}, "
                                         f"precision: {precision}, condition: false}}\n")
                    result = self.alone("c.yaml", "--quiet")
                    self.assertEqual(result.code, SOLVED, result.text)


class Limits(CliTest):
    def test_too_little_for_the_blas(self):
        # An OpenBLAS without room for its buffers tries again for ever, even before main().
        self.needs_limits()
        self.write("c.yaml", 'matrix: "grid2d:40"\ndevice: host\n')

        def limited(mebibytes, *words):
            return self.limited(mebibytes * MIB, *words, timeout=60)

        first = limited(200)
        told = re.search(r"leaves (\d+) MiB, and the libraries take (\d+) MiB when they begin",
                         first.err)
        if told is None:
            self.skipTest("this BLAS maps no buffers, or libraries take more than this limit")
        self.assertEqual(first.code, RESOURCES, first.text)
        needed = 200 + int(told[2]) - int(told[1])
        codes = set()
        for method in ("sparse_cholesky", "lu"):
            for threads in (1, 3):
                for more in (0, 100, 300, 900):
                    with self.subTest(method=method, threads=threads, more=more):
                        result = limited(needed + more + 1, "--set", f"solve.method={method}",
                                         "--set", f"threads={threads}")
                        codes.add(result.code)
                        self.assertIn(result.code, (SOLVED, RESOURCES), result.text)
                        if result.code == RESOURCES:
                            self.assertRegex(result.err, r"\(ulimit -v\)|refused to give more")
        self.assertEqual(codes, {SOLVED, RESOURCES})

    def test_what_does_not_fit(self):
        self.needs_limits()
        self.write("c.yaml", 'matrix: "grid3d:80"\ndevice: host\nthreads: 1\n')

        taken = self.taken_by_libraries()
        for method in ("sparse_cholesky", "sparse_ldlt", "sparse_lu", "auto"):
            # First not even the analysis fits, then the factors do not.
            for more, unfit, part in (
                    (100, r"2\d\d\.\d\d MiB", "graph, order and fronts on the way"),
                    (900, r"\d{1,2}\.\d\d GiB", "sparse factors")):
                if method == "auto" and part == "sparse factors":
                    continue  # it iterates then: test_krylov.py
                with self.subTest(method, more=more):
                    result = self.limited(taken + more * MIB, "--set", f"solve.method={method}")
                    self.assertEqual(result.code, RESOURCES, result.text)
                    said = result.err.splitlines()[0]
                    self.assertIn("this task does not fit into memory; raise the limit", said)
                    # The need of this method, not that of another one that more ranks would take.
                    self.assertRegex(said, f"rank 0 needs {unfit}")
                    self.assertIn(part, result.err)

    def test_factors_that_need_many_steps_of_gmres_are_made_anew(self):
        # Its perturbed pivots would take GMRES 10 to 14 steps for each of a dozen solves.
        for path in self.real_matrices("nontrivial_mc64_example.mtx"):
            for method in ("auto", "sparse_ldlt"):
                result = self.spsolve(path, "ones", "--method", method, "--report", "report.json")
                self.assertEqual(result.code, SOLVED, result.text)
                report = self.report()
                self.assertEqual(report["method"], "sparse_ldlt")
                self.assertGreater(report["sparse"]["delayed_pivots"], 0)
                self.assertRegex(" ".join(report["notes"]),
                                 r"GMRES on these factors stopped at a backward error of \S+ after \d+ steps")


if __name__ == "__main__":
    unittest.main()
