"""The result of `cmake --install`: programs, and libraries for programs from outside."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import abi  # noqa: E402
from support import BIN, CliTest, INPUT, ROOT, SOLVED, TIME_LIMIT, why_no_gpu  # noqa: E402

OUTSIDE = pathlib.Path(__file__).resolve().parent / "outside"
SAYS = r"1600 rows, x_0 = 1, backward error = (0|[0-9.]+e-1[67])\n"
MATRIX = "random_dense:301:seed=3"


def launcher(ranks):
    return ("mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks)


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
                       capture_output=True, timeout=TIME_LIMIT)
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

    def test_the_guides_lie_beside_the_readme(self):
        readme = self.installed("share/doc/spsolve/README.md")
        guides = re.findall(r"\((docs/\w+\.md)\)", readme.read_text())
        self.assertGreater(len(guides), 8)
        for guide in guides:
            self.assertTrue((readme.parent / guide).is_file(), guide)

    def test_nothing_names_the_source_or_build_folder(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".hpp", ".1", ".json", ".sbatch"):
                text = path.read_text(errors="replace")
                self.assertNotIn(str(ROOT), text.replace(str(self.prefix), ""), path)

    def build_outside(self, *targets):
        self.run_well("cmake", "-S", OUTSIDE, "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                      "-DCMAKE_BUILD_TYPE=Debug")
        self.run_well("cmake", "--build", "build", "--target", *targets)

    def test_cmake_project(self):
        self.build_outside("outside", "outside_c", "parallel")
        self.assertRegex(self.run_well("build/outside").out, SAYS)
        self.assertRegex(self.run_well("build/outside_c").out, SAYS)
        for program in ("build/outside", "build/outside_c"):
            failing = self.run_program(program, "none.mtx")
            self.assertEqual(failing.code, INPUT)
            self.assertIn("none.mtx", failing.err)
        self.check_parallel("build/parallel")

    def check_parallel(self, program):
        ran = self.run_well(*launcher(3), program)
        for rank in range(3):
            self.assertRegex(ran.out, f"rank {rank} of 3: 13[2-4] rows, solved\n")

    def test_ranks_hand_over_their_own_rows(self):
        self.build_outside("own_rows", "own_rows_c")
        for program in ("build/own_rows", "build/own_rows_c"):
            for ranks in (1, 3):
                with self.subTest(program, ranks=ranks):
                    ran = self.run_well(*launcher(ranks), program)
                    for rank in range(ranks):
                        first, last = 301 * rank // ranks, 301 * (rank + 1) // ranks
                        self.assertIn(f"rank {rank}: rows {first} to {last} solved\n", ran.out)

    def test_an_elastic_body_from_c(self):
        self.build_outside("elastic_c")
        ran = self.run_well("build/elastic_c")
        self.assertRegex(ran.out, r"448 nodes, backward error = [1-9.]+e-(0[89]|1\d)\n")
        self.assertIn("447 nodes", ran.out)

    def test_shared_libraries(self):
        self.build_outside("outside_shared", "parallel_shared", "with_plugin")
        self.assertRegex(self.run_well("build/outside_shared").out, SAYS)
        self.check_parallel("build/parallel_shared")
        self.run_well("build/with_plugin")
        needed = self.run_well("readelf", "-d", "build/outside_shared").out
        self.assertRegex(needed, r"NEEDED.*libspsolve\.so\.\d+\.\d+")
        self.assertLess((self.folder / "build" / "outside_shared").stat().st_size, 2**20)

    def solution_of_the_application(self, ranks, device="host"):
        self.write("c.yaml", f'matrix: "{MATRIX}"\nright_hand_side: ones\ndevice: {device}\n'
                   "solve: {refinement: 0}\noutput: {solution: x.mtx}\n")
        self.run_well(*launcher(ranks), self.prefix / "bin" / "spsolve", "c.yaml")
        lines = [line for line in (self.folder / "x.mtx").read_text().splitlines()
                 if not line.startswith("%")]
        self.assertEqual(lines[0].split(), ["301", "1"])
        return [float(line) for line in lines[1:]]

    def test_symbols_have_the_version(self):
        header = "".join(self.installed(f"include/spsolve/{name}.h").read_text()
                         for name in ("spsolve", "spsolve_facts"))
        declared = set(re.findall(r"\b(spsolve_\w+)\(", re.sub(r"/\*.*?\*/|#define.*", "", header,
                                                               flags=re.S)))
        library = self.installed("lib*/libspsolve.so")
        soname = library.resolve().name.split(".so.")[1].rsplit(".", 1)[0]
        listed = self.run_well("nm", "-D", "--defined-only", library).out
        names = dict(re.findall(r" [TWVDBRu] (\S+)@@(\S+)$", listed, re.M))
        self.assertEqual(set(names.values()), {f"SPSOLVE_{soname}"})
        self.assertEqual(declared - set(names), set())
        self.assertEqual([name for name in names if "spsolve" not in name], [])

    def test_programs_that_are_linked_with_this_soname_go_on(self):
        before = (pathlib.Path(__file__).parent / "abi.txt").read_text().splitlines()
        now = abi.interface_of(self.prefix)
        anew = "make it anew, by python3 tests/install/abi.py PREFIX > tests/install/abi.txt"
        if before[0] != now[0]:
            self.fail(f"abi.txt is of {before[0]}, and this is {now[0]}: {anew}")
        self.assertEqual(abi.broken_by(before, now), [], "programs that are linked with this soname "
                         f"would break: change it, or, if it was not released yet, {anew}")
        self.assertGreater(len([line for line in now if line.startswith("symbol spsolve_")]), 40)

    def test_a_broken_interface_is_seen(self):
        before = ["library a.so.1", "symbol f", "offset s.x 8", "size spsolve_options 16",
                  "size spsolve_trust 16", "value SPSOLVE_OK 0"]
        self.assertEqual(abi.broken_by(before, [*before, "symbol g"]), [])
        grown = [line.replace(" 16", " 24") for line in before]
        self.assertEqual(abi.broken_by(before, grown), ["size spsolve_trust was 16 and is 24"])
        self.assertEqual(abi.broken_by(before, before[2:]),
                         ["the library a.so.1 is gone", "the symbol f is gone"])
        moved = [line.replace(" 8", " 4").replace("OK 0", "OK 1") for line in before]
        self.assertEqual(abi.broken_by(before, moved),
                         ["offset s.x was 8 and is 4", "value SPSOLVE_OK was 0 and is 1"])
        self.assertEqual(abi.broken_by(before, [line for line in before if "s.x" not in line]),
                         ["offset s.x is gone"])

    def test_solutions_are_those_of_the_application_bit_for_bit(self):
        self.build_outside("solution", "solution_c", "solution_ranks", "solution_ranks_c")
        alone = self.solution_of_the_application(1)
        self.assertEqual(len(alone), 301)
        for program in ("build/solution", "build/solution_c"):
            with self.subTest(program):
                ran = self.run_well(program, MATRIX)
                self.assertTrue([float(line) for line in ran.out.split()] == alone)
        of_three = self.solution_of_the_application(3)
        self.assertTrue(of_three != alone, "their sums are in another order: or nothing is shown")
        for program in ("build/solution_ranks", "build/solution_ranks_c"):
            with self.subTest(program):
                self.run_well(*launcher(3), program, MATRIX)
                files = [self.folder / f"x.{rank}" for rank in range(3)]
                parts = [file.read_text().split() for file in files]
                self.assertTrue([float(line) for part in parts for line in part] == of_three)
                for file in files:
                    file.unlink()

    def test_solutions_on_a_gpu_are_those_of_the_application_bit_for_bit(self):
        if why_no_gpu():
            self.skipTest(why_no_gpu())
        self.build_outside("solution", "solution_c")
        of_gpu = self.solution_of_the_application(1, "cuda")
        self.assertTrue(of_gpu != self.solution_of_the_application(1), "no GPU took part")
        for program in ("build/solution", "build/solution_c"):
            with self.subTest(program):
                ran = self.run_well(program, MATRIX, "cuda")
                self.assertTrue([float(line) for line in ran.out.split()] == of_gpu)

    def test_wrong_version_and_component_are_refused(self):
        for request in ("spsolve 99 REQUIRED", "spsolve REQUIRED COMPONENTS nonsense"):
            with self.subTest(request):
                self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\n"
                           f"project(p LANGUAGES CXX)\nfind_package({request})\n")
                result = self.run_program("cmake", "-B", "b", f"-DCMAKE_PREFIX_PATH={self.prefix}")
                self.assertNotEqual(result.code, 0)
                self.assertIn("spsolve", result.err)

    def ask(self, prefix, *questions):
        """What pkg-config says of the spsolve that lies there, and nowhere else."""
        folders = sorted(prefix.glob("lib*/**/pkgconfig"))
        self.assertEqual(len(folders), 1, folders)
        path = {"PKG_CONFIG_PATH": str(folders[0])}
        return self.run_well("pkg-config", *questions, "spsolve", environment=path).out.split()

    def compile_with(self, prefix, *questions):
        compiler = os.environ.get("CXX", "c++").split()
        self.run_well(*compiler, "-std=c++20", OUTSIDE / "main.cpp", "-o", "outside",
                      *self.ask(prefix, "--cflags", "--libs", *questions))
        libraries = self.ask(prefix, "--variable=libdir")[0]
        self.assertRegex(self.run_well("./outside", environment={"LD_LIBRARY_PATH": libraries}).out,
                         SAYS)

    def test_pkg_config(self):
        self.compile_with(self.prefix)
        self.compile_with(self.prefix, "--static")

    def test_the_command_of_the_guide(self):
        guide = (ROOT / "docs" / "library.md").read_text()
        command = next(line for line in guide.splitlines() if line.startswith("g++ "))
        shutil.copy(OUTSIDE / "main.cpp", self.folder)
        folders = sorted(self.prefix.glob("lib*/**/pkgconfig"))
        self.run_well("bash", "-c", command, environment={"PKG_CONFIG_PATH": str(folders[0])})
        self.assertRegex(self.run_well("./main").out, SAYS)

    def test_reproduce_finds_the_programs_of_its_prefix(self):
        script = self.prefix / "share" / "spsolve" / "reproduce.py"
        said = self.run_well(sys.executable, script, "spmm", "--names", "none", "--matrices", ".")
        self.assertIn("none", said.out)

    def test_a_prefix_that_was_moved(self):
        home = self.folder / "home" / "somebody" / "software"
        shutil.copytree(self.prefix, home, symlinks=True)
        prefix = pathlib.Path(self.ask(home, "--variable=prefix")[0]).resolve()
        self.assertEqual(prefix, home.resolve())
        self.compile_with(home)
        self.run_well("cmake", "-S", OUTSIDE, "-B", "build", f"-DCMAKE_PREFIX_PATH={home}")
        self.run_well("cmake", "--build", "build", "--target", "outside", "outside_shared")
        for program in ("build/outside", "build/outside_shared"):
            self.assertRegex(self.run_well(program).out, SAYS)
        cache = (self.folder / "build" / "CMakeCache.txt").read_text()
        self.assertIn(f"spsolve_DIR:PATH={home}", cache)

    def test_the_guide_shows_these_programs(self):
        guide = (ROOT / "docs" / "library.md").read_text()
        for name in ("main.cpp", "main.c"):
            self.assertTrue((OUTSIDE / name).read_text() in guide,
                            f"docs/library.md must hold tests/install/outside/{name} as it is")

    def test_headers_are_few_and_stand_alone(self):
        headers = sorted(self.prefix.rglob("*.h*"))
        self.assertLessEqual(len(headers), 15)
        for header in headers:
            if header.name in ("mpi.hpp", "spsolve_mpi.h"):
                continue
            self.write("one.cpp", f'#include "{header}"\n')
            self.run_well("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                          f"-I{self.prefix / 'include'}", "one.cpp")


if __name__ == "__main__":
    unittest.main()
