"""Programs that load PARDISO, with ours in its place: pypardiso and its own tests, Ipopt as casadi has
it, and FreeFEM. A host that is not installed skips its tests."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

FOLDER = pathlib.Path(os.environ.get("SPSOLVE_SOCKETS", ""))
MKL = FOLDER / "libspsolve_pardiso.so"
PANUA = FOLDER / "libspsolve_pardiso_panua.so"
# Debian's FreeFEM comes without its plugin PARDISO: a folder with PARDISO.so.
FREEFEM = os.environ.get("SPSOLVE_FREEFEM_PARDISO", "")
# pypardiso's tests lie in its source package alone: a folder of them.
PYPARDISO_TESTS = os.environ.get("SPSOLVE_PYPARDISO_TESTS", "")


def missing(*modules):
    """Why tests with these modules are skipped, or None."""
    names = [name for name in modules if importlib.util.find_spec(name) is None]
    if names:
        return f"not installed for {sys.executable}: {', '.join(names)}"
    return None


@unittest.skipIf(missing("scipy", "pypardiso"), str(missing("scipy", "pypardiso")))
class Pypardiso(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PYPARDISO_MKL_RT"] = str(MKL)
        import numpy
        import pypardiso
        import scipy.sparse
        cls.np, cls.pypardiso, cls.sp = numpy, pypardiso, scipy.sparse

    def convection(self, side):
        sp = self.sp
        line = sp.diags([-1.3, 2.1, -0.8], [-1, 0, 1], shape=(side, side))
        return (sp.kron(line, sp.eye(side)) + sp.kron(sp.eye(side), line)).tocsr()

    def test_a_system_beside_scipys_solution(self):
        from scipy.sparse.linalg import spsolve
        a = self.convection(105)  # 11 025 unknowns
        b = self.np.random.default_rng(2).standard_normal((a.shape[0], 2))
        x, exact = self.pypardiso.spsolve(a, b), spsolve(a.tocsc(), b)
        self.assertLess(abs(x - exact).max(), 1e-9 * abs(exact).max())
        self.assertLess(abs(a @ x - b).max(), 1e-12)

    def test_a_first_system_by_columns(self):
        solver = self.pypardiso.PyPardisoSolver()
        a = self.convection(20).tocsc()
        b = self.np.ones(a.shape[0])
        self.assertLess(abs(a @ solver.solve(a, b) - b).max(), 1e-12)
        solver.free_memory(everything=True)

    def test_a_singular_system_is_an_error(self):
        a = self.convection(105).tolil()
        a[7] = a[8]
        with self.assertRaises(self.pypardiso.pardiso_wrapper.PyPardisoError) as caught:
            self.pypardiso.spsolve(a.tocsr(), self.np.linspace(1, 2, a.shape[0]))
        self.assertEqual(caught.exception.value, -4)

    def test_a_system_of_the_wrong_size_is_an_error(self):
        a = self.convection(105)
        with self.assertRaises(ValueError):
            self.pypardiso.spsolve(a, self.np.ones(a.shape[0] + 1))

    @unittest.skipUnless(PYPARDISO_TESTS, "SPSOLVE_PYPARDISO_TESTS names no folder of its tests "
                                          "(pip download --no-binary :all: --no-deps pypardiso)")
    def test_its_own_tests(self):
        result = subprocess.run([sys.executable, "-m", "pytest", "-q", PYPARDISO_TESTS],
                                capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn(" passed", result.stdout)


def obstacle_control(casadi, side):
    """A nonlinear Poisson equation on side x side points, states and controls bounded."""
    import numpy as np
    import scipy.sparse as sp
    n, h = side * side, 1 / (side + 1)
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    a = (sp.kron(line, sp.eye(side)) + sp.kron(sp.eye(side), line)).tocsc()
    a.sort_indices()
    stiffness = casadi.DM(casadi.Sparsity(n, n, a.indptr.tolist(), a.indices.tolist()), a.data)
    points = np.linspace(h, 1 - h, side)
    wanted = np.outer(np.sin(2 * np.pi * points), np.sin(2 * np.pi * points)).ravel()
    y, u = casadi.MX.sym("y", n), casadi.MX.sym("u", n)
    nlp = {"x": casadi.vertcat(y, u),
           "f": h * h / 2 * (casadi.sumsqr(y - wanted) + 1e-2 * casadi.sumsqr(u)),
           "g": casadi.mtimes(stiffness, y) + h * h * y ** 3 - h * h * u}
    bound = np.concatenate([np.full(n, np.inf), np.full(n, 2.0)])
    return nlp, {"x0": 0, "lbx": -bound, "ubx": np.concatenate([np.full(n, 0.371), bound[n:]]),
                 "lbg": 0, "ubg": 0}


def oscillator(casadi, steps):
    """Van der Pol's oscillator, brought to rest by a bounded control."""
    import numpy as np
    count, h = steps + 1, 10 / steps
    x, y, u = (casadi.MX.sym(name, count) for name in "xyu")
    slope = (1 - y ** 2) * x - y + u

    def mean(v):
        return (v[1:] + v[:-1]) / 2
    nlp = {"x": casadi.vertcat(x, y, u), "f": h * casadi.sum1(mean(x ** 2 + y ** 2 + u ** 2)),
           "g": casadi.vertcat(x[1:] - x[:-1] - h * mean(slope), y[1:] - y[:-1] - h * mean(x))}
    least = np.concatenate([np.full(count, -0.25), np.full(count, -np.inf), np.full(count, -1.0)])
    most = np.concatenate([np.full(2 * count, np.inf), np.ones(count)])
    least[0] = most[0] = 0
    least[count] = most[count] = 1
    return nlp, {"x0": 0, "lbx": least, "ubx": most, "lbg": 0, "ubg": 0}


def rosenbrock(casadi, n):
    """A chain of Rosenbrock's functions with equations, Luksan and Vlcek's first."""
    import numpy as np
    x = casadi.MX.sym("x", n)
    a, b, c = x[:-2], x[1:-1], x[2:]
    nlp = {"x": x, "f": casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2),
           "g": 3 * b ** 3 + 2 * c - 5 + casadi.sin(b - c) * casadi.sin(b + c) + 4 * b
           - a * casadi.exp(a - b) - 3}
    start = np.ones(n)
    start[::2] = -1.2
    return nlp, {"x0": start, "lbg": 0, "ubg": 0}


@unittest.skipIf(missing("casadi", "scipy"), str(missing("casadi", "scipy")))
class Ipopt(unittest.TestCase):
    def minimise(self, problem, solver):
        import casadi
        nlp, arguments = problem
        options = {"ipopt.linear_solver": solver, "ipopt.print_level": 0, "print_time": 0,
                   "ipopt.sb": "yes", "ipopt.tol": 1e-9}
        if solver == "pardiso":
            options["ipopt.pardisolib"] = str(PANUA)
        program = casadi.nlpsol("program", "ipopt", nlp, options)
        begin = time.perf_counter()
        optimum = float(program(**arguments)["f"])
        seconds = time.perf_counter() - begin
        stats = program.stats()
        print(f"  {nlp['x'].shape[0]} variables, {solver}: {stats['iter_count']} iterations, "
              f"{seconds:.2f} s, {stats['return_status']}")
        self.assertTrue(stats["success"], stats["return_status"])
        return optimum, stats["iter_count"]

    def test_optima_are_those_by_mumps(self):
        import casadi
        iterations = {"mumps": 0, "pardiso": 0}
        for problem in (obstacle_control(casadi, 72), oscillator(casadi, 10000),
                        rosenbrock(casadi, 20000)):
            optima = []
            for solver in iterations:
                optimum, count = self.minimise(problem, solver)
                optima.append(optimum)
                iterations[solver] += count
            self.assertLess(abs(optima[0] - optima[1]), 1e-8 * max(1, abs(optima[0])))
        self.assertLessEqual(iterations["pardiso"], 1.05 * iterations["mumps"])

    def test_more_equations_than_the_variables_can_obey_fail_as_by_mumps(self):
        import casadi
        n = 10000
        x = casadi.MX.sym("x", n)
        nlp = {"x": x, "f": casadi.sumsqr(x), "g": casadi.vertcat(x[0], x[0] - 1)}
        for solver in ("mumps", "pardiso"):
            options = {"ipopt.linear_solver": solver, "ipopt.print_level": 0, "print_time": 0,
                       "ipopt.sb": "yes"}
            if solver == "pardiso":
                options["ipopt.pardisolib"] = str(PANUA)
            program = casadi.nlpsol("program", "ipopt", nlp, options)
            program(x0=1, lbg=0, ubg=0)
            self.assertEqual(program.stats()["return_status"], "Infeasible_Problem_Detected")


@unittest.skipUnless(FREEFEM and shutil.which("FreeFem++-nw"),
                     "FreeFEM, or its plugin PARDISO, is not installed (SPSOLVE_FREEFEM_PARDISO)")
class FreeFem(unittest.TestCase):
    def run_program(self, what):
        program = pathlib.Path(__file__).parent / "programs" / "freefem_poisson.edp"
        libraries = f"{FOLDER}:{FOLDER.parent}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        return subprocess.run(["FreeFem++-nw", "-nw", "-v", "0", program.absolute(), what], text=True,
                              cwd=FREEFEM, capture_output=True, check=False, timeout=300,
                              env={**os.environ, "LD_LIBRARY_PATH": libraries})

    def test_convection_and_diffusion_beside_umfpack(self):
        run = self.run_program("regular")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        words = run.stdout.split()
        self.assertGreaterEqual(int(words[words.index("unknowns") + 1]), 10000)
        self.assertLess(float(words[words.index("apart") + 1]), 1e-8)

    def test_a_singular_system_ends_the_program(self):
        run = self.run_program("closed")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("ERROR during solution: -4", run.stdout)

    def test_a_system_of_the_wrong_size_ends_the_program(self):
        run = self.run_program("longer")
        self.assertNotEqual(run.returncode, 0)
        self.assertNotIn("apart", run.stdout)


if __name__ == "__main__":
    unittest.main()
