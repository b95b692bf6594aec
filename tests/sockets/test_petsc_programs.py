"""Programs that stand on PETSc, unmodified, with the solver that they had and with ours: petsc4py, SLEPc,
dolfinx and GetDP. Each is switched by one option, and by PETSC_OPTIONS, which opens the plugin."""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUGIN = os.environ.get("SPSOLVE_PETSC_PLUGIN", "")
# Of each scalar type its folder: real=/usr/lib/...:complex=...
FOLDERS = dict(pair.split("=", 1) for pair in os.environ.get("SPSOLVE_PETSC_FOLDERS", "").split(":")
               if "=" in pair)
PROGRAMS = pathlib.Path(__file__).parent / "programs"
SIDE = os.environ.get("SPSOLVE_PETSC_SIDE", "110")


def environment(scalar):
    folder = FOLDERS[scalar]
    return {**os.environ, "PETSC_DIR": folder, "SLEPC_DIR": folder.replace("petsc", "slepc"),
            "PETSC_OPTIONS": f"-dll_append {PLUGIN}",
            "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def python_with(module, scalar):
    """A Python that has the module for PETSc of this scalar type, or None."""
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        code = f"import petsc4py; petsc4py.init([]); import {module}; from petsc4py import PETSc; " \
               "print(PETSc.ScalarType().dtype.kind)"
        try:
            run = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False,
                                 env={**environment(scalar), "PETSC_OPTIONS": ""})
        except OSError:
            continue
        if run.returncode == 0 and run.stdout.strip() == {"real": "f", "complex": "c"}[scalar]:
            return python
    return None


def write_square(file, side):
    """A mesh of side x side points, as gmsh writes it: triangles of region 1, lines of region 2."""
    def node(x, y):
        return 1 + x + side * y
    nodes = [f"{node(x, y)} {x / (side - 1)} {y / (side - 1)} 0"
             for y in range(side) for x in range(side)]
    ends = [(node(k + d, e), node(k + 1 - d, e)) for e, d in ((0, 0), (side - 1, 1))
            for k in range(side - 1)]
    ends += [(node(e, k), node(e, k + 1)) for e in (0, side - 1) for k in range(side - 1)]
    elements = [f"1 2 2 2 {a} {b}" for a, b in ends]
    for y in range(side - 1):
        for x in range(side - 1):
            corner = node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)
            elements += [f"2 2 1 1 {corner[0]} {corner[1]} {corner[2]}",
                         f"2 2 1 1 {corner[0]} {corner[2]} {corner[3]}"]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes)), *nodes, "$EndNodes",
             "$Elements", str(len(elements)),
             *(f"{k} {text}" for k, text in enumerate(elements, 1)), "$EndElements"]
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


@unittest.skipUnless(FOLDERS and PLUGIN, "no PETSc of 3.18 or later is installed")
class Programs(unittest.TestCase):
    def run_program(self, module, scalar, ranks, program, *arguments):
        if scalar not in FOLDERS:
            self.skipTest(f"PETSc of {scalar} scalars is not installed")
        python = python_with(module, scalar)
        if python is None:
            self.skipTest(f"{module} of {scalar} scalars is not installed")
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)] if ranks > 1 else []
        return subprocess.run([*launcher, python, str(PROGRAMS / program), *arguments], text=True,
                              capture_output=True, check=False, timeout=300, env=environment(scalar))

    def answers(self, *call):
        run = self.run_program(*call)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return json.loads([line for line in run.stdout.splitlines() if line.startswith("{")][-1])

    def compare(self, module, scalar, ranks, program, before, after, within=1e-8):
        told = [self.answers(module, scalar, ranks, program, *words) for words in (before, after)]
        self.assertEqual(told[1]["solver"], "spsolve")
        self.assertNotEqual(told[0]["solver"], "spsolve")
        self.assertGreaterEqual(told[0]["unknowns"], 10000)
        for theirs, ours in zip(told[0]["answers"], told[1]["answers"]):
            self.assertLess(abs(theirs - ours), within * abs(theirs))
        print(f"  {program} {' '.join(after[:1])} {scalar}, {ranks} ranks, {told[0]['unknowns']} unknowns: "
              f"{told[0]['seconds']:.2f} s by {told[0]['solver']}, {told[1]['seconds']:.2f} s by ours")

    def test_petsc4py(self):
        for scalar in FOLDERS:
            for ranks in (1, 3):
                with self.subTest(scalar=scalar, ranks=ranks):
                    self.compare("petsc4py", scalar, ranks, "petsc4py_convection.py",
                                 *[["-pc_factor_mat_solver_type", solver, "-side", SIDE]
                                   for solver in ("mumps", "spsolve")])

    def test_a_singular_system_is_told_as_such(self):
        for scalar in FOLDERS:
            for ranks in (1, 3):
                with self.subTest(scalar=scalar, ranks=ranks):
                    run = self.run_program("petsc4py", scalar, ranks, "petsc4py_convection.py",
                                           "-pc_factor_mat_solver_type", "spsolve", "-singular", "1")
                    self.assertNotEqual(run.returncode, 0)
                    self.assertIn("diverged: -11", run.stderr)

    def test_a_system_of_the_wrong_size_is_an_error(self):
        run = self.run_program("petsc4py", "real", 1, "petsc4py_convection.py",
                               "-pc_factor_mat_solver_type", "spsolve", "-longer", "1")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("PETSc.Error: error code 60", run.stderr)

    def test_slepcs_shift_and_invert(self):
        for scalar in FOLDERS:
            with self.subTest(scalar=scalar):
                self.compare("slepc4py", scalar, 1, "slepc_values.py",
                             *[["-st_pc_factor_mat_solver_type", solver, "-side", SIDE]
                               for solver in ("mumps", "spsolve")])

    def test_a_shift_that_is_an_eigenvalue_is_told_as_such(self):
        for scalar in FOLDERS:
            for ranks in (1, 3):
                with self.subTest(scalar=scalar, ranks=ranks):
                    run = self.run_program("slepc4py", scalar, ranks, "slepc_values.py",
                                           "-st_pc_factor_mat_solver_type", "spsolve", "-singular", "1")
                    self.assertNotEqual(run.returncode, 0)
                    self.assertIn("slepc4py.SLEPc.EPS.solve", run.stderr)
                    self.assertIn("PETSc.Error: error code", run.stderr)
                    self.assertNotIn("answers", run.stdout)

    def test_matrices_of_slepc_with_different_sizes_are_an_error(self):
        run = self.run_program("slepc4py", "real", 1, "slepc_values.py",
                               "-st_pc_factor_mat_solver_type", "spsolve", "-larger", "1")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("PETSc.Error: error code", run.stderr)

    @unittest.skipIf(shutil.which("getdp") is None, "getdp is not installed")
    def test_getdp(self):
        if "real" not in FOLDERS:
            self.skipTest("PETSc of real scalars is not installed")
        with tempfile.TemporaryDirectory() as folder:
            # It writes next to its problem.
            problem = pathlib.Path(shutil.copy(PROGRAMS / "getdp_poisson.pro", folder))
            write_square(problem.with_name("square.msh"), 110)

            def run(solver, *words):
                whole = problem.with_name("whole.txt")
                whole.unlink(missing_ok=True)
                told = subprocess.run(
                    ["getdp", problem, "-msh", problem.with_name("square.msh"), "-solve", "Poisson",
                     "-pos", "whole", "-v", "3", "-ksp_type", "preonly", "-pc_type", "lu",
                     "-pc_factor_mat_solver_type", solver, *words], cwd=folder, check=False,
                    capture_output=True, text=True, timeout=300, env=environment("real"))
                answer = float(whole.read_text().split()[1]) if whole.exists() else None
                return told.returncode, told.stdout + told.stderr, answer

            _, _, theirs = run("mumps")
            code, words, ours = run("spsolve", "-ksp_view")
            self.assertEqual(code, 0, words)
            self.assertIn("spsolve run parameters", words)
            self.assertLess(abs(ours - theirs), 1e-8 * theirs)
            # It goes on whatever a KSP ends by, as after a zero pivot of PETSc's own: to no number.
            code, words, answer = run("spsolve", "-setnumber", "closed", "1")
            self.assertFalse(answer is not None and math.isfinite(answer), words)
            code, words, answer = run("spsolve", "-setnumber", "closed", "1",
                                      "-ksp_error_if_not_converged")
            self.assertNotEqual(code, 0)
            self.assertIn("Zero pivot", words)
            self.assertIsNone(answer)

    def test_dolfinx(self):
        for equation, scalar in (("poisson", "real"), ("elasticity", "real"), ("helmholtz", "complex")):
            with self.subTest(equation=equation):
                self.compare("dolfinx", scalar, 1, "dolfinx_equations.py",
                             *[[equation, solver] for solver in ("mumps", "spsolve")])

    def test_a_singular_equation_of_dolfinx_is_told_as_such(self):
        run = self.run_program("dolfinx", "real", 1, "dolfinx_equations.py", "neumann", "spsolve")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("diverged: -11", run.stderr)


if __name__ == "__main__":
    unittest.main()
