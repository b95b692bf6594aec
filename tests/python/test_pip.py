"""`pip install .` in a fresh virtual environment, in one command from a clone; and a wheel."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIME_LIMIT = 3600
PROGRAM = """
import pathlib, numpy, scipy.sparse, spsolve
a = scipy.sparse.eye(50, format="csc") * 2
assert (spsolve.solve(a, numpy.ones(50)) == 0.5).all()
folder = pathlib.Path(spsolve.__file__).parent
assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()
print(spsolve.__version__)
"""


class Pip(unittest.TestCase):
    def test_install_from_the_clone(self):
        with tempfile.TemporaryDirectory() as folder:
            # A Python of the system's has numpy and scipy as packages of the distribution.
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder],
                           check=True, timeout=TIME_LIMIT)
            python = pathlib.Path(folder) / "bin" / "python"
            installed = subprocess.run([python, "-m", "pip", "install", "."], cwd=ROOT, check=False,
                                       capture_output=True, text=True, timeout=TIME_LIMIT)
            if "Could not find a version" in installed.stderr and "scikit-build-core" in installed.stderr:
                self.skipTest("no package index can be reached from here")
            self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
            elsewhere = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            ran = subprocess.run([python, "-c", PROGRAM], cwd=folder, check=False, timeout=TIME_LIMIT,
                                 capture_output=True, text=True, env=elsewhere)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertRegex(ran.stdout, r"^\d+\.\d+\.\d+\n$")
            subprocess.run([python, "-m", "pip", "install", "mypy"], check=True, timeout=TIME_LIMIT,
                           capture_output=True)
            tests = subprocess.run([python, "-m", "unittest", "test_module", "test_threads",
                                    "test_complex", "test_scripts", "test_products",
                                    "test_operators", "test_face", "test_guide"],
                                   cwd=pathlib.Path(__file__).parent, check=False, env=elsewhere,
                                   timeout=TIME_LIMIT, capture_output=True, text=True)
            self.assertEqual(tests.returncode, 0, tests.stderr)

    def test_wheel(self):
        # Kernels for one kind of GPU alone, where nvcc is and there is time for them.
        gpu = ["--gpu"] if os.environ.get("SPSOLVE_LARGE_TESTS") and (
            shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()) else []
        made = subprocess.run([ROOT / "dev", "wheel", *gpu], check=False, capture_output=True, text=True,
                              timeout=TIME_LIMIT, env={**os.environ, "SPSOLVE_WHEEL_GPUS": "90"})
        if made.returncode == 3:
            self.skipTest("no package index can be reached from here")
        self.assertEqual(made.returncode, 0, made.stderr)
        wheels = re.findall(r"^(dist/\S+\.whl): (\d+) bytes, \d+ s$", made.stdout, re.M)
        for file, size in wheels:
            self.assertEqual((ROOT / file).stat().st_size, int(size))
        parts = [file for file, _ in wheels if "/spsolve_cuda-" in file]
        wheels = [pair for pair in wheels if pair[0] not in parts]
        self.assertEqual(len(parts), len(wheels) if gpu else 0)
        # One for this Python, where it is before 3.12, and one for all later ones that are found.
        stable = [file for file, _ in wheels if "-cp312-abi3-" in file]
        self.assertEqual(len(wheels), len(stable) + (sys.version_info < (3, 12)), made.stdout)
        self.assertLessEqual(len(stable), 1)
        # It ran test_wheel and others in environments of each wheel, by both builds in it.
        tried = made.stderr.count("into an environment of its own")
        self.assertGreaterEqual(tried, len(wheels) + len(parts))
        self.assertEqual(made.stderr.count("\nOK"), 2 * tried, made.stderr)


if __name__ == "__main__":
    unittest.main()
