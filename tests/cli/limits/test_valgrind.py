"""Small tasks of one rank under valgrind: no wrong access, nothing unset used, nothing of spsolve lost.

Needs valgrind and a spsolve that was not built for this machine's processor alone, whose instructions
valgrind may not know; `./dev valgrind` builds one. The leaks of Open MPI are in valgrind.supp.
"""

import pathlib
import re
import shutil
import unittest

from support import BIN, CliTest, SOLVED, sanitized

SUPPRESSIONS = pathlib.Path(__file__).with_name("valgrind.supp")
TOUCHED = 9  # exit code where valgrind has something to say

CASES = {
    "lu": 'matrix: "grid2d:6"\nsolve: {method: lu}\noutput: {report: r.json, solution: x.mtx}\n',
    "gauss in float": 'matrix: "random_dense:30:seed=2"\nsolve: {method: gauss, precision: float}\n'
                      "output: {html: r.html}\n",
    "gauss_jordan": 'matrix: {generate: "grid2d:5", rotate_rows: 1}\nsolve: {method: gauss_jordan}\n'
                    "right_hand_side: {kind: random, columns: 3}\n",
    "file": "task: multiply\nmatrix: a.mtx.gz\nmultiply: {columns: 3, verify: true}\n"
            "output: {product: y.mtx}\n",
}


class Valgrind(CliTest):
    def setUp(self):
        super().setUp()
        if shutil.which("valgrind") is None:
            self.skipTest("valgrind is not here")
        result = self.valgrind("--version")
        if "unhandled instruction" in result.err or "SIGILL" in result.text:
            self.skipTest("this spsolve uses instructions that valgrind does not know: ./dev valgrind")
        if sanitized():
            self.skipTest("sanitizers do not run under valgrind")

    def valgrind(self, *arguments):
        # A program that may begin once more, to choose how threads wait, leaves valgrind behind.
        return self.run_program(
            "valgrind", f"--error-exitcode={TOUCHED}", "--leak-check=full",
            "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite", "--num-callers=40",
            f"--suppressions={SUPPRESSIONS}", BIN / "spsolve", *arguments,
            environment={"GOMP_SPINCOUNT": "1000"})

    def test_small_tasks(self):
        self.spmtx("generate", "grid2d:6", "g.mtx")
        self.spmtx("convert", "g.mtx", "a.mtx.gz")
        for name, text in CASES.items():
            with self.subTest(name):
                self.write("c.yaml", text + "device: host\n")
                result = self.valgrind("c.yaml", "--quiet")
                self.assertEqual(result.code, SOLVED, result.err)
                self.assertTrue(re.search(r"ERROR SUMMARY: 0 errors", result.err), result.err)


if __name__ == "__main__":
    unittest.main()
