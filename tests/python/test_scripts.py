"""Scripts that use the Python module, and the kernels of a BLAS that is older than the processor."""

import ctypes.util
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np

from test_module import system


class Scripts(unittest.TestCase):
    def test_sequences_are_measured(self):
        script = pathlib.Path(__file__).resolve().parents[2] / "apps" / "sequences.py"
        third = ctypes.util.find_library("umfpack") is not None
        wanted = ["n"] + (3 if third else 2) * ["one_pattern"] + (10 if third else 6) * ["in_turn"] \
            + (5 if third else 3) * ["from_matrix"]
        for generator in ("network", "circuit"):
            told = subprocess.run([sys.executable, script, "--orders", "60,300", "--systems", "2",
                                   "--rounds", "1", "--generator", generator],
                                  capture_output=True, text=True, check=True)
            rows = [line.split() for line in told.stdout.splitlines()]
            self.assertEqual([row[0] for row in rows], 2 * wanted)
            self.assertTrue(all(float(row[-2]) > 0 for row in rows if row[0] != "n"))

    def test_products_are_measured(self):
        script = pathlib.Path(__file__).resolve().parents[2] / "apps" / "products.py"
        told = subprocess.run([sys.executable, script, "grid2d:20", "circuit:300", "--columns", "1,3",
                               "--rounds", "1", "--milliseconds", "0.1"],
                              capture_output=True, text=True, check=True)
        rows = [line.split() for line in told.stdout.splitlines()]
        rows = [row[:2] for row in rows if row[0] in ("grid2d:20", "circuit:300")]
        self.assertEqual(rows, [[name, k] for name in ("grid2d:20", "circuit:300") for k in "13"])

    @unittest.skipIf(ctypes.util.find_library("umfpack") is None, "there is no libumfpack")
    def test_the_third_solver_solves(self):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps"))
        import sequences
        a, b = system(k=1)
        for refined in (True, False):
            factors = sequences.Umfpack(a.tocsc(), refined)
            for scale in (1, 2):
                factors.refactor(scale * a.tocsc().data)
                for transposed, matrix in ((False, a), (True, a.T)):
                    x = factors.solve(b[:, 0].copy(), transposed)
                    np.testing.assert_allclose(scale * matrix @ x, b[:, 0], atol=1e-12)

    def test_kernels_of_a_blas_that_does_not_know_the_processor(self):
        def kernels(*statements):
            name = "ctypes.CDLL('libopenblas.so.0').openblas_get_corename"
            ran = subprocess.run(
                [sys.executable, "-c", "\n".join(("import ctypes", *statements, f"name = {name}",
                                                  "name.restype = ctypes.c_char_p",
                                                  "print(name().decode())"))],
                capture_output=True, text=True, check=False,
                env={key: word for key, word in os.environ.items() if key != "OPENBLAS_CORETYPE"})
            return ran.stdout.strip()

        own = kernels()
        flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
        if not own or "avx2" not in flags or "/libopenblas" not in pathlib.Path(
                "/proc/self/maps").read_text(encoding="utf-8"):
            self.skipTest("no OpenBLAS, or no processor that it may fall short of")
        self.assertNotIn(kernels("import spsolve"), ("", "Prescott"))
        # Others may be computing by a library that was there before.
        self.assertEqual(kernels("ctypes.CDLL('libopenblas.so.0')", "import spsolve"), own)


if __name__ == "__main__":
    unittest.main()
