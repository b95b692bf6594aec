"""Programs that stand on PETSc, unmodified, with the solver that they had and with ours: petsc4py, SLEPc
and dolfinx. Each is switched by one option, and by PETSC_OPTIONS, which opens the plugin."""

import json
import os
import pathlib
import subprocess
import sys
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
