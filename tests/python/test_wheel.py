"""A wheel as ./dev wheel makes it: what it loads is its own, and suits the processor."""

import importlib.util
import os
import pathlib
import re
import sys
import unittest

import numpy as np
import scipy.sparse as sp

import spsolve
from spsolve import _core, _processor

GPU_PART = importlib.util.find_spec("spsolve_cuda") is not None
HERE = pathlib.Path(spsolve.__file__).resolve().parent


@unittest.skipUnless((HERE / "x86_64_v4").is_dir(), "the module is not of a wheel")
class Wheel(unittest.TestCase):
    def test_the_build_for_the_processor(self):
        newer = os.environ.get("SPSOLVE_PROCESSOR") != "x86-64-v3" and \
            _processor._V4 <= _processor._flags()
        self.assertEqual("x86_64_v4" in _core.__file__, newer)
        self.assertIs(spsolve._core, _core)
        self.assertFalse(spsolve.has_mpi)
        self.assertEqual(spsolve.has_cuda, GPU_PART)
        self.assertEqual("spsolve_cuda" in _core.__file__, GPU_PART)
        # One wheel is for all CPythons from 3.12 on.
        self.assertEqual(_core.__file__.endswith("_core.abi3.so"), sys.version_info >= (3, 12))

    def test_libraries_are_its_own(self):
        x = spsolve.solve("random_dense:200", np.ones(200), method="lu")
        self.assertTrue(np.isfinite(x).all())
        loaded = set(re.findall(r"/\S+\.so[.\d]*$",
                                pathlib.Path("/proc/self/maps").read_text(encoding="utf-8"), re.M))
        ours = r"/lib(\w*blas|lapack|gomp|gfortran|quadmath|spdlog|fmt|yaml|c?amd|btf|suite|mpi)"
        foreign = [name for name in loaded
                   if not name.startswith(str(HERE.parent)) and re.search(ours, name)]
        self.assertEqual(foreign, [])
        libraries = "spsolve_cuda.libs" if GPU_PART else "spsolve.libs"
        self.assertTrue([name for name in loaded if f"{libraries}/libopenblas" in name], loaded)

    @unittest.skipUnless(GPU_PART, "spsolve_cuda is not installed")
    def test_gpu_part(self):
        a = sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(5000, 5000)).tocsc()
        x = spsolve.solve(a, np.ones(5000))  # wherever that is
        self.assertLess(abs(a @ x - 1).max(), 1e-12)
        try:
            x = spsolve.solve(a, np.ones(5000), device="cuda")
        except spsolve.ResourcesError as error:
            self.assertRegex(str(error), "driver is missing|CUDA finds no device")
            return
        self.assertLess(abs(a @ x - 1).max(), 1e-12)
        y = spsolve.solve("random_dense:3000", np.ones(3000), device="cuda", method="lu")  # by cuBLAS
        self.assertTrue(np.isfinite(y).all())
        loaded = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
        self.assertIn("nvidia/cu13/lib/libcublas.so.13", loaded)

    def test_licences_of_what_is_in_it(self):
        self.assertIn("BSD", (HERE / "licences" / "libopenblas0-openmp.txt").read_text())


if __name__ == "__main__":
    unittest.main()
