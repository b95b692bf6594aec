"""What the BLAS is: its name, its kernels and threads, and a note where the processor could do more."""

import re
import unittest

from support import BIN, CliTest, SOLVED

NOTE = "the BLAS computes by kernels for"


class Blas(CliTest):
    def solve(self, *words, **environment):
        self.write("c.yaml", 'matrix: "random_dense:30"\ndevice: host\n'
                             "output: {report: report.json}\n")
        result = self.run_program(BIN / "spsolve", "c.yaml", *words, environment=environment)
        self.assertEqual(result.code, SOLVED, result.text)
        return result, self.report()

    def test_report_log_and_bench_name_it(self):
        result, report = self.solve("-v", OMP_NUM_THREADS="2")
        self.assertIn("BLAS: " + report["blas"], result.err)
        self.assertIn(report["blas"], result.out)
        result = self.spbench("eliminate", "--n", 20, "--samples", 1, "--threads", 1, "--json",
                              "r.json", "--csv", "r.csv")
        self.assertEqual(result.code, SOLVED, result.text)
        self.assertIn("BLAS: ", result.out)
        if "OpenBLAS" in report["blas"]:
            self.assertRegex(report["blas"], r"^OpenBLAS [\d.]+, \w+ kernels, 2 threads$")
            self.assertIn("OpenBLAS", self.rows()[0]["blas"])

    def test_a_note_where_the_processor_could_do_more(self):
        _, report = self.solve()
        kernels = re.match(r"OpenBLAS [\d.]+, (\w+) kernels", report["blas"])
        if kernels is None:
            self.skipTest(f"no OpenBLAS: {report['blas']}")
        result, older = self.solve("--quiet", OPENBLAS_CORETYPE="Nehalem")
        if "Nehalem" not in older["blas"]:
            self.skipTest("an OpenBLAS for one kind of processor")
        self.assertEqual(result.err.count(NOTE + " Nehalem processors, and this one has"), 1)
        self.assertIn("without OPENBLAS_CORETYPE=Nehalem in the environment", result.err)
        self.assertEqual(len([note for note in older["notes"] if NOTE in note]), 1)
        # Of its own choice there is nothing to say, nor where the BLAS is not used.
        self.assertFalse(any(NOTE in note for note in report["notes"]), report["notes"])
        result, krylov = self.solve("--set", "matrix=tridiagonal:50", "--set", "solve.method=cg",
                                    OPENBLAS_CORETYPE="Nehalem")
        self.assertFalse(any(NOTE in note for note in krylov["notes"]))


if __name__ == "__main__":
    unittest.main()
