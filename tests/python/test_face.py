"""Keywords with types, threads, warnings and reports of the Python module."""

import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import spsolve
from spsolve import _core, _options

ROOT = pathlib.Path(__file__).resolve().parents[2]
USER = '''import numpy as np
import spsolve
f = spsolve.factor("grid2d:5", method="sparse_lu", threads=1, strict=True, tolerance=1e-9)
x: np.ndarray = f.solve(np.ones(25), transposed=True)
d: dict = f.report.to_dict()
spsolve.factor("grid2d:5", metod="lu")
spsolve.factor("grid2d:5", method="luu")
spsolve.solve("grid2d:5", x, threads="two")
spsolve.analyse("grid2d:5", refinement="many")
spsolve.Product("grid2d:5", device="gpu")
spsolve.Factors("grid2d:5", precision="half")
'''


# Nothing tells how many digits are right.
UNSURE = {"method": "cg", "condition": False, "refinement": 0, "accept": "residual",
          "tolerance": 1e-8}


class Keywords(unittest.TestCase):
    def test_every_option_has_a_type(self):
        table = {row["name"]: row for row in _core.options()}
        typed = _options.Options.__annotations__
        self.assertEqual(set(table) | {"on_step", "right_hand_sides", "systems"}, set(typed))
        for name, row in table.items():
            kind = typed[name].__forward_arg__
            alias = getattr(_options, kind.split()[0], None)
            if row["words"] and kind.split()[0] in ("Method", "Pivoting", "Precision",
                                                    "Preconditioner", "Device"):
                self.assertEqual(set(alias.__args__), set(row["words"]), name)
            elif "Literal" in kind and not kind.startswith(("bool", "float")):
                self.assertEqual(set(re.findall(r"['\"](\w+)['\"]", kind)), set(row["words"]), name)
            elif kind.startswith("bool"):
                self.assertLessEqual({*row["words"]}, {"auto", "on", "off", "true", "false"}, name)

    def test_every_option_of_cpp_is_in_c_and_python(self):
        header = (ROOT / "include" / "spsolve" / "options.hpp").read_text()
        structures = header[header.index("struct SolverOptions"):]
        cpp = set(re.findall(r"^  [\w:<>()& ]+ (\w+) = .*;", structures, re.M))
        self.assertGreater(len(cpp), 25)
        c_header = (ROOT / "include" / "spsolve" / "spsolve.h").read_text()
        members = c_header[c_header.index("size_t size;"):c_header.index("} spsolve_options;")]
        in_c = set(re.findall(r"(\w+);", re.sub(r"/\*.*?\*/", "", members, flags=re.S)))
        names = {"initial_guess": "initial_guess_file", "coordinates": "coordinates_file",
                 "node_coordinates": "coordinates"}
        self.assertEqual({names.get(name, name) for name in cpp} - in_c, set())
        # Python takes files and arrays by the names of words, and has no ranks but a communicator's.
        others = {"node_coordinates", "first_guess", "null_vectors", "order", "ordering_file",
                  "null_space_file", "ranks"}
        self.assertEqual(cpp - others - set(_options.Options.__annotations__), set())

    def test_they_are_shown(self):
        for function in (spsolve.factor, spsolve.solve, spsolve.analyse, spsolve.Factors):
            shown = inspect.signature(function).parameters
            self.assertLessEqual({"method", "threads", "null_space"}, set(shown))
            self.assertEqual([name for name, each in shown.items()
                              if each.kind == inspect.Parameter.VAR_KEYWORD], [])

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_a_wrong_keyword_is_seen_before_the_program_runs(self):
        package = pathlib.Path(spsolve.__file__).resolve().parent
        environment = {name: word for name, word in os.environ.items() if name != "PYTHONPATH"}
        if package.parent.name != "site-packages":
            environment["MYPYPATH"] = str(package.parent)
        with tempfile.TemporaryDirectory() as folder:
            def mypy(file):
                return subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", file],
                                      cwd=folder, env=environment, capture_output=True, text=True,
                                      check=False).stdout

            (pathlib.Path(folder) / "user.py").write_text(USER, encoding="utf-8")
            told = mypy("user.py")
            self.assertEqual([int(line) for line in re.findall(r"user.py:(\d+): error", told)],
                             [6, 7, 8, 9, 10, 11], told)
            self.assertIn('Unexpected keyword argument "metod"', told)
            environment.pop("MYPYPATH", None)
            self.assertIn("no issues found", mypy(ROOT / "python" / "spsolve"))


class Page(unittest.TestCase):
    def test_it_is_made_of_the_docstrings(self):
        folder = str(pathlib.Path(spsolve.__file__).resolve().parents[1])
        made = subprocess.run([sys.executable, ROOT / "packaging" / "python_reference.py"],
                              env=dict(os.environ, PYTHONPATH=folder), capture_output=True,
                              text=True, check=True).stdout
        self.assertEqual(made, (ROOT / "docs" / "python.md").read_text(encoding="utf-8"))


class Threads(unittest.TestCase):
    def test_for_one_call(self):
        before = spsolve.threads()
        seen = []
        a = spsolve.read("grid2d:20")
        for threads in (1, 2, np.int64(2), None):
            x = spsolve.solve(a, np.ones(400), threads=threads)
            np.testing.assert_allclose(a @ x, np.ones(400), atol=1e-12)
            self.assertEqual(spsolve.threads(), before)
            p = spsolve.Product(a, threads=threads)
            np.testing.assert_allclose(p @ x, np.ones(400), atol=1e-12)
            seen.append(spsolve.analyse(a, threads=threads).method)
        self.assertEqual(spsolve.threads(), before)
        self.assertEqual(len(set(seen)), 1)

    def test_it_reaches_the_library(self):
        inside = []

        class Spy:
            def __getattr__(self, name):
                inside.append(spsolve.threads())
                return getattr(factors, name)
        f = spsolve.factor("grid2d:5", threads=spsolve.threads() + 3)
        factors, f._factors = f._factors, Spy()
        f.solve(np.ones(25))
        self.assertIn(spsolve.threads() + 3, inside)

    def test_no_number_of_threads(self):
        for wrong in (0, -1, 1.5, "two"):
            for call in (spsolve.factor, spsolve.analyse, spsolve.Product):
                with self.assertRaisesRegex(spsolve.InputError, "a whole number from 1 on"):
                    call("grid2d:5", threads=wrong)


class Told(unittest.TestCase):
    def test_warnings_point_at_the_caller(self):
        f = spsolve.factor("grid2d:20", **UNSURE)
        for call in (lambda: spsolve.solve("grid2d:20", np.ones(400), **UNSURE),
                     lambda: f.solve(np.ones(400)), lambda: f @ np.ones(400)):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                call()
            told = [each for each in told if each.category is spsolve.TrustWarning]
            self.assertTrue(told)
            self.assertNotIn(f"{os.sep}spsolve{os.sep}", told[0].filename)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            f.solve(np.ones(400))
        self.assertEqual(told[0].filename, __file__)

    def test_strict_raises(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(spsolve.NotTrustworthyError) as caught:
                spsolve.solve("grid2d:20", np.ones(400), strict=True, **UNSURE)
            self.assertEqual(caught.exception.x.shape, (400,))
            self.assertTrue(caught.exception.facts["solved"])
            self.assertIn(caught.exception.facts["notes"][0], str(caught.exception))
            x = spsolve.solve("grid2d:20", np.ones(400), strict=True)  # nothing to be told
        self.assertEqual(x.shape, (400,))

    def test_reports(self):
        f = spsolve.factor("grid2d:9", method="sparse_lu")
        self.assertNotIn("backward error", str(f.report))
        f.solve(np.ones(81))
        report = f.report
        told = report.to_dict()
        self.assertEqual(spsolve.Report(**told), report)
        self.assertEqual(json.loads(json.dumps(told)), told)
        self.assertRegex(str(report), r"(?m)^method +sparse_lu$")
        self.assertRegex(str(report), r"(?m)^solved +yes$")
        self.assertRegex(str(report), r"(?m)^forward error bound +\d")
        report.notes = ["a < b"]
        self.assertIn("<td style='text-align:left'>a &lt; b</td>", report._repr_html_())
        plan = spsolve.analyse("grid2d:9")
        self.assertIn(plan.text, str(plan))
        self.assertIn("factor entries", plan._repr_html_())
        self.assertNotIn(plan.text, plan._repr_html_())


if __name__ == "__main__":
    unittest.main()
