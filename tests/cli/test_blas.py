"""What the BLAS is: its name, its kernels and threads, and a note where the processor could do more."""

import pathlib
import re
import unittest

from support import BIN, CliTest, SOLVED

NOTE = "the BLAS computes by kernels for"


class Blas(CliTest):
    def solve(self, *words, order=30, **environment):
        self.write("c.yaml", f'matrix: "random_dense:{order}"\ndevice: host\n'
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
        def notes(report):
            return [note for note in report["notes"] if NOTE in note]

        _, report = self.solve()
        kernels = re.match(r"OpenBLAS [\d.]+, (\w+) kernels", report["blas"])
        if kernels is None:
            self.skipTest(f"no OpenBLAS: {report['blas']}")
        large = {"order": 1200, "OPENBLAS_CORETYPE": "Nehalem"}  # 1.15e9 flops
        result, older = self.solve("--quiet", **large)
        if "Nehalem" not in older["blas"]:
            self.skipTest("an OpenBLAS for one kind of processor")
        self.assertEqual(result.err.count(NOTE + " Nehalem processors, and this one has"), 1)
        self.assertIn("without OPENBLAS_CORETYPE=Nehalem in the environment", result.err)
        self.assertEqual(len(notes(older)), 1)
        # There is nothing to say where hardly anything is computed, nor where the BLAS is not used,
        # nor of its own choice.
        _, small = self.solve(OPENBLAS_CORETYPE="Nehalem")
        self.assertIn("Nehalem", small["blas"])
        self.assertEqual(notes(small), [])
        _, krylov = self.solve("--set", "matrix=tridiagonal:50", "--set", "solve.method=cg", **large)
        self.assertEqual(notes(krylov), [])
        _, own = self.solve(order=1200, OPENBLAS_CORETYPE=None)
        self.assertEqual(notes(own), [])

    def test_kernels_for_the_processor_where_the_library_does_not_know_it(self):
        # An empty word is one that no OpenBLAS knows, and it decides as any other.
        _, told = self.solve(OPENBLAS_CORETYPE="")
        if "Prescott kernels" not in told["blas"]:
            self.skipTest(f"no OpenBLAS with kernels of 2004: {told['blas']}")
        if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text().split():
            self.skipTest("a processor without AVX2")
        _, chosen = self.solve(OPENBLAS_CORETYPE=None)
        self.assertNotIn("Prescott", chosen["blas"])


if __name__ == "__main__":
    unittest.main()
