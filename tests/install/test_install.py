"""What `cmake --install` leaves behind: programs, and libraries for programs from outside."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from support import BIN, CliTest, INPUT, ROOT, SOLVED  # noqa: E402

OUTSIDE = pathlib.Path(__file__).resolve().parent / "outside"
SAYS = r"1600 rows, x_0 = 1, backward error = (0|[0-9.]+e-1[67])\n"


class Installed(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cache = (BIN.parent / "CMakeCache.txt").read_text()
        if re.search(r"^SPSOLVE_SANITIZE:\w+=\S", cache, re.MULTILINE):
            raise unittest.SkipTest("a library with sanitizers is not what is installed")
        cls.prefix = BIN.parent / "install-test"
        shutil.rmtree(cls.prefix, ignore_errors=True)
        subprocess.run(["cmake", "--install", BIN.parent, "--prefix", cls.prefix], check=True,
                       capture_output=True, timeout=120)
        cls.addClassCleanup(shutil.rmtree, cls.prefix, ignore_errors=True)

    def installed(self, pattern):
        found = sorted(self.prefix.glob(pattern))
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]

    def run_well(self, *command, **options):
        result = self.run_program(*command, **options)
        self.assertEqual(result.code, SOLVED, result.text)
        return result

    def test_programs_run_from_the_prefix(self):
        for name in ("spsolve", "spmtx", "spbench"):
            self.assertIn(name, self.run_well(self.prefix / "bin" / name, "--version").out)
        quickstart = self.prefix / "share" / "spsolve" / "configs" / "quickstart.yaml"
        self.run_well(self.prefix / "bin" / "spsolve", quickstart)
        self.assertEqual(self.report()["status"], "solved")

    def test_nothing_names_the_source_or_build_folder(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".hpp", ".1", ".json", ".sbatch"):
                text = path.read_text(errors="replace")
                self.assertNotIn(str(ROOT), text.replace(str(self.prefix), ""), path)

    def test_cmake_project(self):
        self.run_well("cmake", "-S", OUTSIDE, "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                      "-DCMAKE_BUILD_TYPE=Debug")
        self.run_well("cmake", "--build", "build", timeout=600)
        self.assertRegex(self.run_well("build/outside").out, SAYS)
        failing = self.run_program("build/outside", "none.mtx")
        self.assertEqual(failing.code, INPUT)
        self.assertIn("none.mtx", failing.err)
        ran = self.run_well("mpirun", "--oversubscribe", "--bind-to", "none", "-np", 3,
                            "build/parallel")
        for rank in range(3):
            self.assertIn(f"rank {rank} of 3: x_0 = 1.000000\n", ran.out)

    def test_wrong_version_and_component_are_refused(self):
        for request in ("spsolve 99 REQUIRED", "spsolve REQUIRED COMPONENTS nonsense"):
            with self.subTest(request):
                self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\n"
                           f"project(p LANGUAGES CXX)\nfind_package({request})\n")
                result = self.run_program("cmake", "-B", "b", f"-DCMAKE_PREFIX_PATH={self.prefix}")
                self.assertNotEqual(result.code, 0)
                self.assertIn("spsolve", result.err)

    def test_pkg_config(self):
        folder = self.installed("lib*/**/pkgconfig")
        asked = self.run_well("pkg-config", f"--define-variable=prefix={self.prefix}", "--cflags",
                              "--libs", "spsolve", environment={"PKG_CONFIG_PATH": str(folder)})
        compiler = os.environ.get("CXX", "c++").split()
        self.run_well(*compiler, OUTSIDE / "main.cpp", "-o", "outside", *asked.out.split(),
                      timeout=300)
        self.assertRegex(self.run_well("./outside").out, SAYS)

    def test_the_readme_shows_this_program(self):
        self.assertTrue((OUTSIDE / "main.cpp").read_text() in (ROOT / "README.md").read_text(),
                        "README.md must hold tests/install/outside/main.cpp as it is")


if __name__ == "__main__":
    unittest.main()
