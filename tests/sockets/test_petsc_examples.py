"""PETSc's own examples of linear solvers, src/ksp/ksp/tutorials and tests among its examples, each with LU by
PETSc itself (by MUMPS over ranks) and by our plugin, and with Cholesky if that solves it: the last
solutions agree, or the example is among those that are named here with the reason."""

import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest

PLUGIN = os.environ.get("SPSOLVE_PETSC_PLUGIN", "")
# Of each scalar type its folder: real=/usr/lib/...:complex=...
FOLDERS = dict(pair.split("=", 1) for pair in os.environ.get("SPSOLVE_PETSC_FOLDERS", "").split(":")
               if "=" in pair)
# Debian's are a package of their own, libpetsc3.18-dev-examples.
SOURCES = {scalar: pathlib.Path(folder, "share/petsc/examples/src/ksp/ksp")
           for scalar, folder in FOLDERS.items()}
ONLY = os.environ.get("SPSOLVE_PETSC_ONLY", "")
SINGULAR = "the matrix is singular, with constants as its null space; a solution is refused"
NAMED = "asks for its solvers by name, and for MUMPS's parameters"
OTHERWISE = {
    "tutorials/ex34": SINGULAR, "tutorials/ex50": SINGULAR, "tutorials/ex66": SINGULAR,
    "tutorials/ex67": SINGULAR, "tutorials/ex52": NAMED, "tutorials/ex68": "dense matrices",
    "tutorials/ex73": "views its solution by a grid that is gone: most runs without our plugin crash, too",
}
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def runs_of(source):
    """The first run of an example alone, and the first over ranks, as its comments name them."""
    found = {}
    text = source.read_text(errors="replace")
    block = text[text.find("/*TEST"):] if "/*TEST" in text else ""
    for test in re.split(r"\n\s*test:", block)[1:]:
        size = re.search(r"\bnsize:\s*(\d+)", test)
        args = re.search(r"\bargs:\s*(.*)", test)
        words = re.sub(r"\{\{.*?\}\}\w*", "", args.group(1) if args else "")
        if re.search(r"DATAFILESPATH|\$|wPETSC", words) or re.search(r"requires:.*\b(cuda|hip|kokkos)",
                                                                     test):
            continue
        found.setdefault(min(int(size.group(1)) if size else 1, 3), words)
    sizes = [1] + [size for size in found if size > 1][:1]
    return [(size, found.get(size, "")) for size in sizes if size in found or size == 1]


def last_vector(file, scalar):
    """The numbers of the last vector in a binary file of PETSc's."""
    data, at, last = file.read_bytes(), 0, None
    while at + 8 <= len(data):
        kind, rows = struct.unpack(">ii", data[at:at + 8])
        if kind != 1211214:
            return None
        count = rows * (2 if scalar == "complex" else 1)
        last = struct.unpack(f">{count}d", data[at + 8:at + 8 + 8 * count])
        at += 8 + 8 * count
    return last


def apart(x, y):
    """How far two solutions are apart, measured by the largest element."""
    largest = max(map(abs, y), default=0)
    return max((abs(a - b) for a, b in zip(x, y)), default=0) / max(largest, 1e-300)


@unittest.skipUnless(PLUGIN and all(map(pathlib.Path.exists, SOURCES.values())),
                     "PETSc's examples are not installed (libpetsc3.18-dev-examples)")
class Examples(unittest.TestCase):
    def build(self, source, folder, flags):
        program = folder / f"{source.parent.name}_{source.stem}"
        if not program.exists():
            built = subprocess.run(["mpicc", "-w", "-O1", str(source), "-o", str(program), *flags, "-lm"],
                                   capture_output=True, text=True, check=False)
            if built.returncode != 0:
                return None
        return program

    def solution(self, run, words, solver, factors="lu"):
        """The last solution, or None and the reason."""
        program, size, scalar = run
        file = program.with_suffix(f".{solver}")
        file.unlink(missing_ok=True)
        command = [str(program), *shlex.split(words), "-ksp_type", "preonly", "-pc_type", factors,
                   "-pc_factor_mat_solver_type", solver, "-ksp_converged_reason",
                   "-ksp_view_solution", f"binary:{file}", "-dll_append", PLUGIN]
        if size > 1:
            command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(size), *command]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90,
                                   cwd=program.parent, env=ENVIRONMENT, errors="replace")
        except subprocess.TimeoutExpired:
            return None, "takes longer than 90 s"
        said = ended.stdout + ended.stderr
        sentence = re.search(r"spsolve: .*|PETSC ERROR: (?!-|See|Unable to open d)[^\n]*|DIVERGED\w*.*", said)
        if ended.returncode != 0 or not file.exists() or "DIVERGED" in said:
            return None, sentence.group(0)[:150] if sentence else "writes no solution"
        return last_vector(file, scalar), "its solutions are no vectors of doubles"

    def compare(self, run, words, told):
        """Files a run with LU, and with Cholesky where that solves it, under one of three heads."""
        program, size, _ = run
        name = f"{program.name.replace('_', '/')} on {size}"
        own = "petsc" if size == 1 else "mumps"
        theirs, reason = self.solution(run, words, own)
        if theirs is None:
            told["without a solution by PETSc's own"][name] = reason
            return
        ways = ["lu"]
        symmetric, _ = self.solution(run, words, own, "cholesky")
        if symmetric is not None and len(symmetric) == len(theirs) and apart(symmetric, theirs) < 1e-6:
            ways.append("cholesky")
        for way in ways:
            ours, reason = self.solution(run, words, "spsolve", way)
            if ours is None or len(ours) != len(theirs):
                told["not so"][f"{name}, {way}"] = reason
            elif apart(ours, theirs) > 1e-6:
                told["not so"][f"{name}, {way}"] = f"{apart(ours, theirs):.1e} apart"
            else:
                told["passed"][f"{name}, {way}"] = ""

    def test_solutions_are_those_of_petsc(self):
        for scalar, petsc in FOLDERS.items():
            sources = [file for kind in ("tutorials", "tests")
                       for file in sorted((SOURCES[scalar] / kind).glob("ex*.c"))]
            flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], text=True,
                                   check=True, capture_output=True,
                                   env={**os.environ, "PKG_CONFIG_PATH": f"{petsc}/lib/pkgconfig"})
            folder = pathlib.Path(os.environ.get("SPSOLVE_PETSC_BUILT") or tempfile.mkdtemp(), scalar)
            folder.mkdir(exist_ok=True, parents=True)
            told = {"passed": {}, "not so": {}, "without a solution by PETSc's own": {}}
            for source in sources:
                example = f"{source.parent.name}/{source.stem}"
                if ONLY and not re.fullmatch(ONLY, example):
                    continue
                program = self.build(source, folder, shlex.split(flags.stdout))
                if program is None:
                    told["without a solution by PETSc's own"][example] = "does not compile by itself"
                    continue
                for size, words in runs_of(source):
                    self.compare((program, size, scalar), words, told)
            print(f"\nPETSc of {scalar} scalars")
            for title, runs in told.items():
                print(f"{len(runs)} {title}:")
                for run, reason in runs.items():
                    print(f"  {run}{': ' if reason else ''}{reason}")
            sys.stdout.flush()
            with self.subTest(scalar=scalar):
                self.assertEqual([run for run in told["not so"] if run.split(" ")[0] not in OTHERWISE], [])
                self.assertTrue(told["passed"])


if __name__ == "__main__":
    unittest.main()
