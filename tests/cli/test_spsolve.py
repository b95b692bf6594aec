"""mpirun -np N spsolve config.yaml, as a user sees it."""

import unittest

from support import (BIN, CliTest, INPUT, NOT_TRUSTWORTHY, RESOURCES, ROOT, SOLVED)

QUICK = """
matrix: {generate: "grid2d:12"}
right_hand_side: row_sums
solve: {method: gauss_jordan}
output: {solution: x.mtx, report: report.json}
"""


class Solving(CliTest):
    def test_quickstart_with_two_ranks(self):
        result = self.spsolve(ROOT / "configs" / "quickstart.yaml", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("backward error", result.out)
        report = self.report()
        self.assertEqual(report["status"], "solved")
        self.assertEqual(report["ranks"], 2)
        self.assertLess(report["backward_error"], 1e-14)
        self.assertLess(report["squared_error"], 1e-18)

    def test_report_holds_what_the_guides_promise(self):
        self.write("c.yaml", QUICK)
        self.assertEqual(self.spsolve("c.yaml", ranks=3).code, SOLVED)
        report = self.report()
        self.assertEqual(report["matrix"]["rows"], 144)
        self.assertEqual(report["matrix"]["nonzeros"], 5 * 144 - 4 * 12)
        for key in ("method", "device", "threads", "precision", "pivot_growth", "gflops",
                    "versions", "configuration", "componentwise_error", "notes",
                    "equilibrated"):
            self.assertIn(key, report)
        self.assertGreater(report["condition"]["normwise"], 10)
        self.assertAlmostEqual(
            report["condition"]["normwise"] * report["condition"]["reciprocal"], 1)
        self.assertGreater(report["condition"]["componentwise"], 1)
        self.assertLess(report["forward_error"]["bound"], 1e-12)
        self.assertLess(report["forward_error"]["estimate"], 1e-15)
        for phase in ("read", "scatter", "eliminate", "gather", "check", "condition", "total"):
            spread = report["seconds"][phase]
            self.assertLessEqual(spread["min"], spread["mean"] + 1e-12, phase)
            self.assertLessEqual(spread["mean"], spread["max"] + 1e-12, phase)
        self.assertEqual(report["configuration"]["solve"]["method"], "gauss_jordan")

    def test_solution_file_reads_back(self):
        self.write("c.yaml", QUICK)
        self.spsolve("c.yaml")
        lines = [line for line in (self.folder / "x.mtx").read_text().splitlines()
                 if not line.startswith("%")]
        self.assertEqual(lines[0].split(), ["144", "1"])
        for line in lines[1:]:
            self.assertAlmostEqual(float(line), 1.0, places=12)

    def test_every_method_pivoting_and_precision(self):
        self.write("c.yaml", 'matrix: {generate: "grid2d:9"}\noutput: {report: report.json}\n')
        for method, pivotings in (("gauss", ("none", "partial", "complete")),
                                  ("gauss_jordan", ("none", "partial", "complete")),
                                  ("lu", ("none", "partial", "tournament"))):
            for pivoting in pivotings:
                for precision in ("float", "double", "mixed"):
                    with self.subTest(method=method, pivoting=pivoting, precision=precision):
                        result = self.spsolve(
                            "c.yaml", "--set", f"solve.method={method}", "--set",
                            f"solve.pivoting={pivoting}", "--set", f"solve.precision={precision}",
                            ranks=2)
                        self.assertEqual(result.code, SOLVED, result.text)
                        report = self.report()
                        self.assertEqual(report["method"], method)
                        self.assertEqual(report["pivoting"], pivoting)
                        self.assertEqual(report["precision"], precision)
                        self.assertLess(report["backward_error"], 1e-14)

    def test_mixed_precision_goes_back_to_double_by_itself(self):
        # In float the two rows are the same.
        self.write("close.mtx", "%%MatrixMarket matrix array real general\n2 2\n"
                                "1\n1\n1\n1.000000001\n")
        for key, matrix, falls_back in (("generate", "random_dense:60", False),
                                        ("file", "close.mtx", True)):
            for ranks in (1, 3):
                with self.subTest(matrix=matrix, ranks=ranks):
                    self.write("c.yaml", f"matrix: {{{key}: \"{matrix}\"}}\n"
                                         "solve: {precision: mixed}\n"
                                         "output: {report: report.json}\n")
                    result = self.spsolve("c.yaml", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    report = self.report()
                    self.assertEqual(report["precision"], "mixed")
                    self.assertEqual(report["mixed"]["fell_back"], falls_back)
                    self.assertEqual(any("in double after all" in note for note in report["notes"]),
                                     falls_back)
                    self.assertEqual(report["mixed"]["gmres_steps"] == 0, falls_back)
                    self.assertLess(report["backward_error"], 1e-15)
                    self.assertIn(f"{'double' if falls_back else 'float'} factors", result.out)

    def test_products_have_no_mixed_precision(self):
        self.write("c.yaml", "matrix: grid2d:3\ntask: multiply\nmultiply: {precision: mixed}\n")
        result = self.spsolve("c.yaml")
        self.assertEqual(result.code, INPUT, result.text)
        self.assertIn("multiply.precision", result.err)

    def test_right_hand_sides(self):
        self.write("b.mtx", "%%MatrixMarket matrix array real general\n4 2\n"
                            "1\n2\n3\n4\n5\n6\n7\n8\n")
        self.write("c.yaml", 'matrix: "tridiagonal:4"\noutput: {report: report.json, '
                             'solution: x.mtx}\n')
        for value, columns in (("ones", 1), ("random", 1), ("b.mtx", 2)):
            with self.subTest(value):
                result = self.spsolve("c.yaml", "--set", f"right_hand_side={value}", ranks=2)
                self.assertEqual(result.code, SOLVED, result.text)
                self.assertEqual(self.report()["right_hand_sides"], columns)
                self.assertNotIn("squared_error", self.report())
        result = self.spsolve("c.yaml", "--set", "matrix.generate=tridiagonal:5", "--set",
                              "right_hand_side=b.mtx", ranks=2)
        self.assertEqual(result.code, INPUT)
        self.assertIn("b.mtx: the right-hand side has 4 rows, but the matrix has 5", result.err)

    def test_rotated_rows_pivot_in_every_step(self):
        self.write("c.yaml", 'matrix: {generate: "grid2d:8", rotate_rows: 1}\n'
                             'output: {report: report.json}\n')
        result = self.spsolve("c.yaml", ranks=3)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertLess(self.report()["squared_error"], 1e-20)
        result = self.spsolve("c.yaml", "--set", "solve.pivoting=none", ranks=3)
        self.assertEqual(result.code, NOT_TRUSTWORTHY)
        self.assertIn("solve.pivoting=partial", result.err)

    def test_right_hand_sides_rotate_with_the_rows(self):
        self.write("a.mtx", "%%MatrixMarket matrix array real general\n3 3\n2\n1\n0\n1\n3\n1\n0\n1\n5\n")
        self.write("b.mtx", "%%MatrixMarket matrix array real general\n3 2\n4\n10\n17\n1\n0\n9\n")
        self.write("c.yaml", "matrix: a.mtx\nright_hand_side: b.mtx\noutput: {solution: x.mtx}\n")
        for b in ("b.mtx", "random"):
            solutions = []
            for ranks in (1, 2, 3):
                for by in (0, 1, -1, 5):
                    result = self.spsolve("c.yaml", "--set", f"matrix.rotate_rows={by}", "--set",
                                          f"right_hand_side={b}", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    lines = (self.folder / "x.mtx").read_text().splitlines()[3:]
                    solutions.append([float(line) for line in lines])
            expected = [1, 2, 3, 1, -1, 2] if b == "b.mtx" else solutions[0]
            for x in solutions:
                for value, wanted in zip(x, expected, strict=True):
                    self.assertAlmostEqual(value, wanted, delta=1e-14)

    def test_more_ranks_than_rows(self):
        self.write("c.yaml", 'matrix: "tridiagonal:2"\noutput: {report: report.json}\n')
        self.assertEqual(self.spsolve("c.yaml", ranks=4).code, SOLVED)
        self.assertLess(self.report()["backward_error"], 1e-15)

    def test_a_system_without_unknowns(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n")
        self.write("c.yaml", "matrix: a.mtx\noutput: {report: report.json}\n")
        for method in ("gauss", "gauss_jordan", "lu"):
            for ranks in (1, 3):
                with self.subTest(method=method, ranks=ranks):
                    result = self.spsolve("c.yaml", "--set", f"solve.method={method}", ranks=ranks)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assertEqual(self.report()["pivot_growth"], 0)

    def test_without_mpirun(self):
        self.write("c.yaml", QUICK)
        result = self.run_program(BIN / "spsolve", "c.yaml")
        self.assertEqual(result.code, SOLVED, result.text)


class Trusting(CliTest):
    """What a solution says about itself."""

    def solve(self, matrix, *settings, ranks=2, code=SOLVED):
        self.write("c.yaml", f'matrix: "{matrix}"\noutput: {{report: report.json}}\n')
        arguments = [word for setting in settings for word in ("--set", setting)]
        result = self.spsolve("c.yaml", *arguments, ranks=ranks)
        self.assertEqual(result.code, code, result.text)
        return result, self.report()

    def test_a_harmless_system_has_no_warning(self):
        result, report = self.solve("grid2d:12")
        self.assertEqual([note for note in report["notes"] if "condition" in note], [])
        self.assertRegex(result.out, r"condition +[0-9.e+]+ normwise \(reciprocal")
        self.assertRegex(result.out, r"forward error +at most about [0-9.e+-]+ \(condition x")

    def test_digits_that_are_lost_are_counted_in_words(self):
        result, report = self.solve("hilbert:8")
        notes = " ".join(report["notes"])
        self.assertIn("ill-conditioned", notes)
        self.assertIn("about 11 of its 16 digits", notes)
        self.assertAlmostEqual(report["condition"]["normwise"] / 3.387e10, 1, places=2)
        # Refinement with residuals in twice the precision loses none to the elimination.
        self.assertLess(report["forward_error"]["estimate"], 1.2e-16)

    def test_singular_to_working_precision(self):
        for ranks in (1, 3):
            result, report = self.solve("hilbert:20", ranks=ranks, code=NOT_TRUSTWORTHY)
            self.assertIn("singular to working precision", " ".join(report["notes"]))
            self.assertIsNone(report["forward_error"]["bound"])
            self.assertNotIn("estimate", report["forward_error"])
            self.assertIn("forward error      unknown", result.out)

    def test_factors_that_are_too_bad_are_not_asked(self):
        self.write("c.yaml", 'matrix: "gfpp:200"\nright_hand_side: random\n'
                             "output: {report: report.json}\n")
        self.spsolve("c.yaml", "--set", "solve.method=gauss")
        self.assertNotIn("condition", self.report())
        self.assertIn("no condition estimate", " ".join(self.report()["notes"]))
        result = self.spsolve("c.yaml", "--set", "solve.pivoting=complete")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertLess(self.report()["condition"]["normwise"], 1e4)

    def test_the_scale_of_a_matrix_does_not_count(self):
        for scale in ("1e308", "1e-308", "1"):
            with self.subTest(scale):
                self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n" +
                           "".join(f"{i} {i} {scale}\n" for i in (1, 2, 3)))
                _, report = self.solve("a.mtx")
                self.assertAlmostEqual(report["condition"]["normwise"], 1)
                self.assertAlmostEqual(report["condition"]["componentwise"], 2)
                self.assertEqual(report["notes"], [])

    def test_condition_can_be_left_out(self):
        _, report = self.solve("grid2d:12", "solve.condition=false")
        self.assertNotIn("condition", report)
        self.assertNotIn("condition", report["seconds"])
        self.assertIn("estimate", report["forward_error"])

    def test_equilibration(self):
        lines = ["%%MatrixMarket matrix coordinate real general", "4 4 8"]
        for i in range(4):
            lines += [f"{i + 1} {i + 1} {4 * 10.0 ** (9 * i)}",
                      f"{i + 1} {(i + 1) % 4 + 1} {-10.0 ** (9 * i)}"]
        self.write("a.mtx", "\n".join(lines) + "\n")
        for value, scaled in (("auto", True), ("on", True), ("off", False)):
            result, report = self.solve(self.folder / "a.mtx", f"solve.equilibrate={value}")
            self.assertEqual(report["equilibrated"], scaled)
            self.assertEqual(", equilibrated" in result.out, scaled)
            self.assertLess(report["squared_error"], 1e-28)
        _, report = self.solve("grid2d:12")
        self.assertFalse(report["equilibrated"])


class Failing(CliTest):
    def assert_fails(self, result, code, *words):
        self.assertEqual(result.code, code, result.text)
        for word in words:
            self.assertIn(word, result.err)

    def assert_refused(self, config, code, *words, setting=None, ranks=1):
        """A configuration, with one key set otherwise, ends with the code and words."""
        self.write("c.yaml", config)
        arguments = () if setting is None else ("--set", setting)
        self.assert_fails(self.spsolve("c.yaml", *arguments, ranks=ranks), code, *words)

    def test_singular_matrix_names_the_step(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n"
                            "1 1 1\n2 2 1\n3 1 1\n")
        self.write("c.yaml", "matrix: a.mtx\n")
        for ranks in (1, 3):
            result = self.spsolve("c.yaml", ranks=ranks)
            self.assert_fails(result, NOT_TRUSTWORTHY, "singular", "step 3 of 3", "column 3")
            self.assertEqual(result.err.count("singular"), 1, "one message, by one rank")

    def test_a_report_says_that_the_run_failed(self):
        """Whatever an earlier run has left."""
        singular = self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n"
                                       "1 1 1\n2 2 1\n3 1 1\n")
        self.write("short.mtx", singular.read_text().replace("3 3 3", "3 3 4"))
        self.write("c.yaml", "matrix: 'tridiagonal:3'\n"
                             "output: {solution: x.mtx, report: report.json, html: r.html}\n")
        self.assertEqual(self.spsolve("c.yaml").code, SOLVED)
        older = (self.folder / "x.mtx").read_text()
        for matrix, ranks, code, rows in (("a.mtx", 1, NOT_TRUSTWORTHY, 3),
                                          ("a.mtx", 3, NOT_TRUSTWORTHY, 3),
                                          ("short.mtx", 2, INPUT, None),
                                          ("none.mtx", 2, INPUT, None)):
            with self.subTest(matrix, ranks=ranks):
                result = self.spsolve("c.yaml", "--set", f"matrix={matrix}", ranks=ranks)
                report = self.report()
                self.assertEqual((result.code, report["failure"]["exit_code"]), (code, code))
                self.assertIn(report["failure"]["message"], result.err)
                self.assertEqual(report["status"], "failed")
                self.assertEqual(report["matrix"], {"source": matrix, "rows": rows,
                                                    "columns": rows, "nonzeros": rows})
                self.assertEqual(report["configuration"]["matrix"]["file"], matrix)
                self.assertEqual(report["ranks"], ranks)
                self.assertIn("this run wrote no solution: a file x.mtx is of an earlier one",
                              report["notes"])
                self.assertIn("badge failed\">failed", (self.folder / "r.html").read_text())
                self.assertEqual((self.folder / "x.mtx").read_text(), older)

    def test_a_failure_that_cannot_be_reported_stays_what_it_is(self):
        self.write("c.yaml", "matrix: none.mtx\n")
        result = self.spsolve("c.yaml", "--set", "output.report=/dev/full")
        self.assert_fails(result, INPUT, "none.mtx", "no report of the failure: /dev/full: cannot")

    def test_worst_case_growth_is_not_trusted(self):
        self.write("c.yaml", 'matrix: "gfpp:200"\nright_hand_side: random\n'
                             'solve: {method: gauss, refinement: 0}\noutput: {report: report.json}\n')
        result = self.spsolve("c.yaml", ranks=2)
        self.assertEqual(result.code, NOT_TRUSTWORTHY, result.text)
        self.assertEqual(self.report()["status"], "not trustworthy")
        self.assertIn("solve.pivoting=complete", " ".join(self.report()["notes"]))
        result = self.spsolve("c.yaml", "--set", "solve.pivoting=complete", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)

    def test_configuration_errors_come_all_at_once(self):
        self.write("c.yaml", "matrix: {generate: \"grid2d:4\"}\nsolve:\n  metod: gauss\n"
                             "  pivoting: sideways\nthreads: many\n")
        result = self.spsolve("c.yaml", ranks=2)
        self.assert_fails(result, INPUT, "c.yaml:3:3", "did you mean", "method", "c.yaml:4:13",
                          "c.yaml:5:10")

    def test_missing_and_unreadable_inputs(self):
        self.assert_fails(self.spsolve("none.yaml", ranks=2), INPUT, "none.yaml")
        self.assert_refused("matrix: none.mtx\n", INPUT, "none.mtx", ranks=3)

    def test_rectangular_matrix(self):
        self.assert_refused('matrix: "random_sparse:4:5:2"\n', INPUT, "4 x 5", "square")

    def test_bad_command_lines(self):
        self.write("c.yaml", QUICK)
        for arguments in ((), ("c.yaml", "--no-such-flag"), ("c.yaml", "--set", "solve.methd=lu")):
            with self.subTest(arguments):
                self.assertEqual(self.spsolve(*arguments, ranks=2).code, INPUT)

    def test_what_does_not_fit_is_refused_before_it_is_allocated(self):
        self.assert_refused('matrix: "tridiagonal:5000000"\nsolve: {method: lu}\n', RESOURCES,
                            "does not fit", "hosts", ranks=2)

    def test_unwritable_output(self):
        for key, name in (("solution", "x.mtx"), ("report", "r.json")):
            path = f"no/such/folder/{name}"
            self.assert_refused(QUICK, RESOURCES, path, setting=f"output.{key}={path}", ranks=3)

    def test_cuda_without_a_gpu_part(self):
        self.assert_refused(QUICK, RESOURCES, "device=host", setting="device=cuda", ranks=2)


class OneRankOnly(CliTest):
    """What happens to one rank ends all of them, with the reason; more in test_faults.py."""

    def test_a_rank_whose_limit_is_too_small_is_refused_by_the_plan(self):
        self.needs_limits()
        self.write("c.yaml", 'matrix: "grid2d:173"\nsolve: {method: lu}\n')
        program = BIN / "spsolve"
        # Rank 1 may map 3 GB, up to half of which a GPU part's libraries take; its band alone needs
        # 3.6 GB.
        limited = f"ulimit -v 3000000; exec {program} c.yaml"
        result = self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 1,
                                  program, "c.yaml", ":", "-np", 1, "sh", "-c", limited)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertIn("does not fit into memory; raise the limit", result.err)
        self.assertRegex(result.err, r"rank 1 +[0-9.]+ GiB  of [0-9.]+ [MG]iB under its limit "
                                     r"\(ulimit -v\), in addition to [0-9.]+ MiB that it held before: does not fit")

    def test_a_rank_that_cannot_allocate(self):
        self.needs_limits()
        self.write("c.yaml", 'matrix: "grid2d:110"\nsolve: {method: lu}\n')
        program = BIN / "spsolve"
        # Rank 1 may have 500 MB of its own, which the plan does not look at.
        limited = f"ulimit -d 500000; exec {program} c.yaml"
        result = self.run_program("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 1,
                                  program, "c.yaml", ":", "-np", 1, "sh", "-c", limited)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertIn("rank 1 of 2", result.err)


class RealMatrices(CliTest):
    """Real systems of moderate size; the published L2 errors are 0.000, and 0.22 for msc01050."""

    def test_published_systems(self):
        largest_l2 = {"662_bus.mtx": 0.0005, "msc01050.mtx": 0.22}
        for path in self.real_matrices(*largest_l2):
            for rotate in (0, 1):
                with self.subTest(path.name, rotate=rotate):
                    self.write("c.yaml", f"matrix: {{file: {path}, "
                                         f"rotate_rows: {rotate}}}\n"
                                         "solve: {method: gauss_jordan}\n"
                                         "output: {report: report.json}\n")
                    result = self.spsolve("c.yaml", ranks=3)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assertLess(self.report()["backward_error"], 1e-12)
                    self.assertLessEqual(self.report()["squared_error"], largest_l2[path.name])

    def test_every_malformed_file(self):
        folder, = self.real_matrices("malformed")
        files = sorted(file for file in folder.iterdir() if file.suffix in (".mtx", ".rb"))
        self.assertGreater(len(files), 0)
        for file in files:
            with self.subTest(file.name):
                result = self.spmtx("info", file)
                self.assertEqual(result.code, INPUT, result.text)
                self.assertIn(file.name, result.err)
                self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)
        # Under mpirun the same: two of them, with three ranks.
        for file in files[:2]:
            self.write("c.yaml", f"matrix: {file}\n")
            result = self.spsolve("c.yaml", ranks=3)
            self.assertEqual(result.code, INPUT, result.text)
            self.assertIn(file.name, result.err)


if __name__ == "__main__":
    unittest.main()
