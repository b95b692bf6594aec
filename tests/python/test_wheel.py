"""A wheel as ./dev wheel makes it: what it loads is its own, and suits the processor."""

import os
import pathlib
import re
import unittest

import numpy as np

import spsolve
from spsolve import _core, _processor

HERE = pathlib.Path(spsolve.__file__).resolve().parent


@unittest.skipUnless((HERE / "x86_64_v4").is_dir(), "the module is not of a wheel")
class Wheel(unittest.TestCase):
    def test_the_build_for_the_processor(self):
        newer = os.environ.get("SPSOLVE_PROCESSOR") != "x86-64-v3" and \
            _processor._V4 <= _processor._flags()
        self.assertEqual("x86_64_v4" in _core.__file__, newer)
        self.assertIs(spsolve._core, _core)
        self.assertFalse(spsolve.has_mpi or spsolve.has_cuda)

    def test_libraries_are_its_own(self):
        x = spsolve.solve("random_dense:200", np.ones(200), method="lu")
        self.assertTrue(np.isfinite(x).all())
        loaded = set(re.findall(r"/\S+\.so[.\d]*$",
                                pathlib.Path("/proc/self/maps").read_text(encoding="utf-8"), re.M))
        ours = r"/lib(\w*blas|lapack|gomp|gfortran|quadmath|spdlog|fmt|yaml|c?amd|btf|suite|mpi)"
        foreign = [name for name in loaded
                   if not name.startswith(str(HERE.parent)) and re.search(ours, name)]
        self.assertEqual(foreign, [])
        self.assertTrue([name for name in loaded if "spsolve.libs/libopenblas" in name], loaded)

    def test_licences_of_what_is_in_it(self):
        self.assertIn("BSD", (HERE / "licences" / "libopenblas0-openmp.txt").read_text())


if __name__ == "__main__":
    unittest.main()
