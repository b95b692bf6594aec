"""What spsolve prints when it is asked: help, versions, configurations, checks, plans."""

import unittest

from support import BIN, CliTest, INPUT, RESOURCES, SOLVED

QUICK = """
matrix: {generate: "grid2d:12"}
right_hand_side: row_sums
solve: {method: gauss_jordan}
output: {solution: x.mtx, report: report.json}
"""


class Asking(CliTest):
    def test_help_names_every_section(self):
        result = self.spsolve("--help", ranks=2)
        self.assertEqual(result.code, SOLVED)
        for word in ("--dry-run", "solve.method", "right_hand_side", "output.report"):
            self.assertEqual(result.out.count(word) > 0, True, word)

    def test_version_once(self):
        result = self.spsolve("--version", ranks=2)
        self.assertEqual(result.code, SOLVED)
        self.assertEqual(result.out.count("spsolve"), 1)

    def test_printed_configuration_is_a_configuration(self):
        self.write("c.yaml", QUICK)
        printed = self.spsolve("c.yaml", "--print-config", "--set", "threads=2")
        self.assertEqual(printed.code, SOLVED)
        self.write("d.yaml", printed.out)
        self.assertEqual(self.spsolve("d.yaml", "--print-config").out, printed.out)

    def test_check_runs_nothing(self):
        self.write("c.yaml", QUICK)
        result = self.spsolve("c.yaml", "--check", ranks=2)
        self.assertEqual(result.code, SOLVED)
        self.assertFalse((self.folder / "report.json").exists())

    def test_check_looks_at_files_in_the_words_of_the_run(self):
        self.write("b.mtx", "%%MatrixMarket matrix array real general\n4\n")
        self.write("c.yaml", "matrix: none.mtx\nright_hand_side: b.mtx\n"
                             "multiply: {x: ./none_x.mtx}\n"
                             "output: {solution: no/x.mtx, product: no/y.mtx}\n")
        for task, words in (("solve", ("none.mtx: cannot be opened", "b.mtx:2: expected",
                                       "no/x.mtx: there is no folder no to write it into")),
                            ("multiply", ("none.mtx: cannot be opened", "none_x.mtx: cannot be",
                                          "no/y.mtx: there is no folder no to write it into"))):
            with self.subTest(task):
                checked = self.spsolve("c.yaml", "--check", "--set", f"task={task}", ranks=2)
                self.assertEqual(checked.code, INPUT, checked.text)
                for word in words:
                    self.assertEqual(checked.err.count(word), 1, checked.err)
                # The run says the last one: it looks at folders first.
                run = self.run_program(BIN / "spsolve", "c.yaml", "--set", f"task={task}")
                self.assertEqual(run.code, RESOURCES)
                self.assertIn(run.err.splitlines()[-1].removeprefix("spsolve: "), checked.err)

    def test_keys_of_the_other_task_are_named_once(self):
        self.write("c.yaml", QUICK)
        said = ("c.yaml: task: {} does not look at {}; only the other task does\n")
        for task, setting, keys in (("solve", "output.product=y.mtx", "output.product"),
                                    ("multiply", "threads=1",
                                     "right_hand_side.kind, solve.method, output.solution")):
            for option in ("--quiet", "--check"):
                with self.subTest(task=task, option=option):
                    result = self.spsolve("c.yaml", option, "--set", f"task={task}", "--set",
                                          setting, ranks=2)
                    self.assertEqual(result.code, SOLVED, result.text)
                    self.assertEqual(result.err.count(said.format(task, keys)), 1, result.err)
        self.assertEqual(self.spsolve("c.yaml", "--quiet").err, "")

    def test_dry_run_prints_the_plan(self):
        self.write("c.yaml", 'matrix: "tridiagonal:5000000"\nsolve: {method: lu}\n')
        result = self.spsolve("c.yaml", "--dry-run", ranks=2)
        self.assertEqual(result.code, RESOURCES, result.text)
        self.assertIn("does not fit", result.out)
        result = self.spsolve("c.yaml", "--dry-run", "--set", "solve.method=auto",
                              "--set", "matrix.generate=tridiagonal:50000", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertRegex(result.out, "Analysis: L L.T in the order of amd, .* entries of factors")
        self.assertIn("sparse factors", result.out)
        result = self.spsolve("c.yaml", "--dry-run", "--set", "matrix.generate=grid2d:13", ranks=2)
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertRegex(result.out, "dense rows, [0-9]+ x 169 in double")


if __name__ == "__main__":
    unittest.main()
