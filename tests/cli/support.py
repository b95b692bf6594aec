"""What the command-line tests share: running programs, with a time limit, in a folder of their own."""

import atexit
import csv
import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SPSOLVE_BIN", ROOT / "build" / "bin"))
PLOT = ROOT / "apps" / "plot.py"
MATRICES = pathlib.Path(os.environ.get("SPSOLVE_MATRICES", ROOT.parent / "shared" / "matrices"))

try:
    import jsonschema
except ImportError:
    jsonschema = None  # reports go unchecked: test_schema fails

MIB = 2**20
SMALL_MATRIX = """%%MatrixMarket matrix coordinate real general
3 3 5
1 1 2
2 2 4
3 3 5
1 3 1
3 1 1
"""
TIME_LIMIT = 3600  # seconds, against waiting for ever, on whatever machine
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
LIMITED = re.compile(r"rank 0 +([\d.]+) (\w+)  of ([\d.]+) (\w+) under its limit")
SOLVED, NOT_TRUSTWORTHY, INPUT, RESOURCES, INTERNAL, INTERRUPTED = range(6)


@functools.cache
def why_no_gpu():
    """A reason to skip what needs a GPU, or ""."""
    listed = subprocess.run([BIN / "spbench", "--list-kernels"], timeout=TIME_LIMIT,
                            capture_output=True, text=True)
    text = listed.stdout + listed.stderr
    if " cuda " not in text:
        return "this spsolve has no GPU part"
    return "no GPU is here" if "no GPU here" in text else ""


@functools.cache
def injects():
    """Whether this spsolve can be told to fail (lib/process/fault.hpp)."""
    probe = subprocess.run([BIN / "spsolve", "none.yaml"], timeout=TIME_LIMIT, capture_output=True,
                           text=True, env=variables({"SPSOLVE_FAULT": "?"}))
    return "SPSOLVE_FAULT" in probe.stderr


def python_with_matplotlib():
    """A Python that has matplotlib: this one, or the system's; None where neither has."""
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if pathlib.Path(python).exists() and subprocess.run(
                [python, "-c", "import matplotlib"], capture_output=True, check=False,
                timeout=TIME_LIMIT).returncode == 0:
            return python
    return None


@functools.cache
def session_folders():
    """A folder that is gone with this process, and numbers for those below it."""
    folder = tempfile.mkdtemp(prefix="mpi-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder), itertools.count()


def session_folder():
    """Where one mpirun keeps its session. All of a user's share a folder else, which the last to end
    removes, and of two that make it at once one fails (Open MPI 4.1: 1 of 2000 among others)."""
    folder, numbers = session_folders()
    own = folder / str(next(numbers))
    own.mkdir()
    return own


def variables(more=None):
    """The environment of programs under test, with `more` variables, and without those of None."""
    result = dict(os.environ, OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1")
    result.update(dict.fromkeys(("OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"),
                                str(session_folder())))
    if not sanitized():  # which looks for leaks when all else is done
        # Where a rank ended with an exit code, mpirun sleeps for a second or two, though none is left.
        result.update(OMPI_MCA_odls_base_sigkill_timeout="0")
    if os.geteuid() == 0:  # Open MPI asks root to say so
        result.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    result.update(more or {})
    return {key: value for key, value in result.items() if value is not None}


@functools.cache
def sanitized():
    """Whether this spsolve is built with a sanitizer that takes memory of its own."""
    program = (BIN / "spsolve").read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


@functools.cache
def schema(name):
    """A checker for the JSON Schema that spsolve prints: "report" or "configuration"."""
    text = subprocess.run([BIN / "spsolve", "--generate", f"{name}-schema"], check=True,
                          timeout=TIME_LIMIT, capture_output=True, text=True).stdout
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


def schema_problems(name, value):
    """One sentence for each thing that the schema refuses."""
    return [f"{error.json_path}: {error.message}" for error in schema(name).iter_errors(value)]


class Result:
    """Exit code and words of a finished program."""

    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr
        self.text = process.stdout + process.stderr


class CliTest(unittest.TestCase):
    """Each test runs in an empty folder that is removed afterwards."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="spsolve-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.check_reports)

    def check_reports(self):
        """Every report that a test leaves must be what the report's schema says."""
        if jsonschema is None:
            return
        for path in self.folder.rglob("*.json"):
            try:
                value = json.loads(path.read_text())
            except ValueError:
                continue  # not a report: some tests write broken files
            if isinstance(value, dict) and "report_version" in value:
                self.assertEqual(schema_problems("report", value), [], path.name)

    def needs_limits(self):
        """Skips where limits of memory do not work."""
        if sanitized():
            self.skipTest("sanitizers take memory and address space of their own")

    def needs_faults(self):
        """Skips where failures cannot be made to happen."""
        if not injects():
            self.skipTest("this spsolve is built without SPSOLVE_FAULTS, as ./dev test builds it")

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def run_program(self, *command, timeout=TIME_LIMIT, environment=None):
        """Runs a command in the test's folder; a program that waits for ever fails the test."""
        process = subprocess.run(
            [str(word) for word in command], cwd=self.folder, env=variables(environment),
            timeout=timeout, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            errors="replace")
        return Result(process)

    def spsolve(self, *arguments, ranks=1, **options):
        launcher = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks]
        return self.run_program(*launcher, BIN / "spsolve", *arguments, **options)

    def limited(self, limit, *words, **options):
        """spsolve c.yaml in a process that may map that many bytes."""
        return self.run_program("bash", "-c", f"ulimit -v {int(limit / 1024)}; exec "
                                f"{BIN / 'spsolve'} c.yaml {' '.join(words)}", **options)

    def planned_under(self, limit, *words):
        """Bytes that the plan of c.yaml needs, and those that such a limit leaves to it."""
        plan = LIMITED.search(self.limited(limit, "--dry-run", *words).out)
        if plan is None:
            self.skipTest("the machine has less free than the limit of this test")
        need, unit, left, left_unit = plan.groups()
        return float(need) * UNITS[unit], float(left) * UNITS[left_unit]

    def taken_by_libraries(self):
        """Bytes of addresses, some 64 MiB more or less, that no plan knows of; c.yaml is there."""
        large = 2**32  # a GPU part's libraries take half of it
        return large - self.planned_under(large, "--set", "matrix=grid2d:4")[1]

    def spmtx(self, *arguments, **options):
        return self.run_program(BIN / "spmtx", *arguments, **options)

    def spbench(self, *arguments, **options):
        return self.run_program(BIN / "spbench", *arguments, **options)

    def rows(self, name="r.csv"):
        """The rows of a CSV file, by the names of their columns."""
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def report(self, name="report.json"):
        report = json.loads((self.folder / name).read_text())
        if jsonschema is not None:
            self.assertEqual(schema_problems("report", report), [], "against the report's schema; "
                             "a new field is a row in lib/report/report_fields.cpp")
        return report

    def real_matrices(self, *names):
        """The paths of those that are here, one at least; skips where there is no folder of them."""
        if not MATRICES.is_dir():
            self.skipTest("no folder of real matrices: set SPSOLVE_MATRICES")
        paths = [MATRICES / name for name in names if (MATRICES / name).exists()]
        print(f"{len(paths)} of {len(names)} real matrices tried", flush=True)
        self.assertGreater(len(paths), 0, f"{MATRICES} holds none of {', '.join(names)}")
        return paths
