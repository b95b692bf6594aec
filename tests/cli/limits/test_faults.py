"""What happens to all ranks when something fails on one: the end, the words, the exit code, the files.

`./dev faults` prints the same cases as a table (fault, ranks, seconds to the end, exit code, what was
left). Cases with an injected failure need a build with SPSOLVE_FAULTS (lib/process/fault.hpp).
"""

import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from support import (BIN, CliTest, INPUT, INTERNAL, RESOURCES, SOLVED, TIME_LIMIT, injects,
                     variables, why_no_gpu)

# The patience of the watchdog, in seconds: longer than any step takes on a machine that does much
# else.
PATIENCE = 10
KILLED = 128 + signal.SIGKILL

SOLVE = """
matrix: "random_dense:300:seed=3"
solve: {method: gauss}
output: {solution: x.mtx, report: report.json}
"""
MULTIPLY = """
task: multiply
matrix: "grid2d:60"
multiply: {columns: 4, kernel: csr_balanced}
output: {product: y.mtx, report: report.json}
"""

SPARSE = """
matrix: "grid2d:60"
solve: {method: sparse_cholesky}
threads: 2
output: {solution: x.mtx, report: report.json}
"""

SHARED = SPARSE.replace("sparse_cholesky", "sparse_cholesky, ranks: all")

WATCHED = f"run: {{watchdog: {PATIENCE}}}\n"


@dataclasses.dataclass
class Case:
    """A failure, and how all ranks must end."""
    name: str
    ranks: tuple
    code: int
    words: str                 # a pattern, told exactly once (by watchdogs: once or more)
    fault: str = ""            # SPSOLVE_FAULT
    config: str = SOLVE
    shell: str = ""            # runs in place of mpirun; {spsolve}, {mpirun}, {ranks}
    left: tuple = ()           # files besides the configuration and the report
    needs: str = ""            # a program's test, in a shell
    gpu: bool = False          # whether it takes a GPU
    unsaid: str = ""           # what must not be told


# Ranks share a GPU where there are fewer, and its start takes seconds. Waits for rows by NCCL are
# waits for other ranks as well: nobody is to blame.
ON_GPU = SOLVE.replace("300", "1500") + WATCHED + \
    "device: cuda\nshare_gpus: true\ntransport: pinned\n"
ON_GPU = ON_GPU.replace("gauss", "gauss, ranks: all")
BLOCKED_ON_GPU = ON_GPU.replace("gauss", "lu, block: 64")
SPARSE_ON_GPU = SPARSE.replace("grid2d:60", "grid2d:300") + WATCHED + "device: cuda\n"
ITERATED_ON_GPU = SPARSE_ON_GPU.replace("sparse_cholesky", "cg, preconditioner: multigrid")
MULTIPLY_ON_GPU = MULTIPLY.replace("csr_balanced", "csr_row_split") + WATCHED + "device: cuda\nshare_gpus: true\n"

# Out of time at once: a checkpoint is written after the first step.
KEPT = SOLVE + "checkpoint: {directory: kept, time_limit: 1}\n"
ITERATED = KEPT.replace("random_dense:300:seed=3", "grid2d:30").replace(
    "gauss", "cg, preconditioner: none")

DISK = ("unshare -m bash -c 'mkdir disk && mount -t tmpfs -o size=8k none disk && "
        "{{ {mpirun} -np {ranks} {spsolve} c.yaml --set output.solution=disk/x.mtx; "
        "code=$?; ls -A disk | sed \"s,^,left: ,\"; exit $code; }}'")

CASES = (
    Case("a rank is killed", (2, 3, 4), KILLED, "on signal 9",
         "rank=1:phase=eliminate:step=20:kill"),
    Case("rank 0 is killed while it writes", (2, 3), KILLED, "on signal 9", "phase=write:kill"),
    Case("a rank gets no memory", (2, 3, 4), RESOURCES, "refused to give more memory",
         "rank=1:phase=eliminate:step=20:bad_alloc"),
    Case("a thread gets no memory in a sparse elimination", (1, 2), RESOURCES,
         "refused to give more memory", "phase=eliminate:step=20:bad_alloc", SPARSE),
    Case("a sparse elimination hangs", (1, 2), RESOURCES,
         r"rank 0 has not moved for \d+ s in phase eliminate", "phase=eliminate:step=20:hang",
         SPARSE + WATCHED),
    Case("a rank is killed in a sparse elimination by all", (2, 3, 4), KILLED, "on signal 9",
         "rank=1:phase=eliminate:step=20:kill", SHARED),
    Case("a rank gets no memory in a sparse elimination by all", (2, 3, 4), RESOURCES,
         "refused to give more memory", "rank=1:phase=eliminate:step=20:bad_alloc", SHARED),
    Case("a rank hangs in a sparse elimination by all", (2, 4), RESOURCES,
         r"rank 1 has not moved for \d+ s in phase eliminate",
         "rank=1:phase=eliminate:step=20:hang", SHARED + WATCHED),
    Case("the analysis of a pattern hangs", (1, 2), RESOURCES,
         r"rank 0 has not moved for \d+ s in phase analyse", "phase=analyse:hang",
         SPARSE + WATCHED),
    Case("rank 0 gets no memory for reading", (2, 4), RESOURCES, "refused to give more memory",
         "phase=read:bad_alloc"),
    Case("a rank gets no memory for its product", (2, 4), RESOURCES, "refused to give more memory",
         "rank=1:phase=multiply:bad_alloc", MULTIPLY, unsaid="solve."),
    Case("an unknown failure of a rank", (2, 3), INTERNAL, "unexpected failure: an injected",
         "rank=1:phase=eliminate:step=20:throw"),
    Case("a rank hangs", (1, 2, 4), RESOURCES, "in phase eliminate",
         "phase=eliminate:step=20:hang", SOLVE + WATCHED),
    Case("a rank hangs in a product", (2, 3), RESOURCES, "rank 1 has not moved",
         "rank=1:phase=multiply:hang", MULTIPLY + WATCHED),
    Case("rank 0 hangs while it writes", (2, 3), RESOURCES, "rank 0 has not moved",
         "phase=write:hang", SOLVE + WATCHED),
    Case("a rank hangs while it writes a checkpoint", (2, 3), RESOURCES,
         r"rank 1 has not moved for \d+ s in phase checkpoint", "rank=1:phase=checkpoint:step=2:hang",
         KEPT + WATCHED, left=("kept",)),
    Case("a rank is killed while it writes a checkpoint", (2, 3), KILLED, "on signal 9",
         "rank=1:phase=checkpoint:step=2:kill", KEPT, left=("kept",)),
    Case("a rank gets no memory for a checkpoint", (2, 3), RESOURCES,
         "no checkpoint could be written", "rank=1:phase=checkpoint:step=2:bad_alloc", KEPT,
         left=("kept",)),
    Case("a rank is killed while it keeps an iteration", (2, 3), KILLED, "on signal 9",
         "rank=1:phase=checkpoint:step=2:kill", ITERATED, left=("kept",)),
    Case("a rank gets no memory to keep an iteration", (2, 3), RESOURCES,
         "no checkpoint could be written", "rank=1:phase=checkpoint:step=2:bad_alloc", ITERATED,
         left=("kept",)),
    Case("a rank hangs while it keeps an iteration", (2, 3), RESOURCES,
         r"rank 1 has not moved for \d+ s in phase checkpoint", "rank=1:phase=checkpoint:step=2:hang",
         ITERATED + WATCHED, left=("kept",)),
    Case("a process stands still", (2, 3, 4), RESOURCES, "rank 1 has stood still altogether",
         "rank=1:phase=eliminate:step=20:stop", SOLVE + WATCHED),
    *(Case(f"a GPU falls off the bus, {method}", (1, 2), RESOURCES, "has lost its GPU",
           "phase=eliminate:step=1:gpu_gone", config, gpu=True)
      for method, config in (("gauss", ON_GPU), ("lu", BLOCKED_ON_GPU))),
    *(Case(f"a kernel of a GPU traps, {method}", (1, 2), INTERNAL, "has lost its GPU",
           "phase=eliminate:step=1:gpu_trap", config, gpu=True)
      for method, config in (("gauss", ON_GPU), ("lu", BLOCKED_ON_GPU))),
    *(Case(f"a kernel of a GPU never ends, {method}", (1, 2), RESOURCES,
           r"rank 0 has not moved for \d+ s in phase eliminate, waiting for its GPU",
           "phase=eliminate:step=1:gpu_hang", config, gpu=True)
      for method, config in (("gauss", ON_GPU), ("lu", BLOCKED_ON_GPU))),
    *(Case(f"a GPU falls off the bus, {method}", (1,), RESOURCES, "has lost its GPU",
           "phase=eliminate:gpu_gone", config, gpu=True)
      for method, config in (("sparse", SPARSE_ON_GPU), ("cg", ITERATED_ON_GPU))),
    *(Case(f"a kernel of a GPU traps, {method}", (1,), INTERNAL, "has lost its GPU",
           "phase=eliminate:gpu_trap", config, gpu=True)
      for method, config in (("sparse", SPARSE_ON_GPU), ("cg", ITERATED_ON_GPU))),
    *(Case(f"a kernel of a GPU never ends, {method}", (1,), RESOURCES,
           r"rank 0 has not moved for \d+ s in phase eliminate, waiting for its GPU",
           "phase=eliminate:gpu_hang", config, gpu=True)
      for method, config in (("sparse", SPARSE_ON_GPU), ("cg", ITERATED_ON_GPU))),
    Case("a GPU falls off the bus while x is checked, sparse", (1,), RESOURCES, "has lost its GPU",
         "phase=check:gpu_gone", SPARSE_ON_GPU, gpu=True),
    Case("a rank with a GPU gets no memory, sparse", (1,), RESOURCES, "refused to give more memory",
         "phase=eliminate:bad_alloc", SPARSE_ON_GPU, gpu=True),
    Case("a rank with a GPU is killed, sparse", (1,), KILLED, "on signal 9",
         "phase=eliminate:kill", SPARSE_ON_GPU, gpu=True),
    Case("a GPU's memory is too small, sparse", (1,), RESOURCES,
         "this task does not fit into memory", "gpu_memory=1", SPARSE_ON_GPU, gpu=True),
    Case("a kernel of a GPU never ends, product", (2,), RESOURCES,
         r"rank 1 has not moved for \d+ s in phase multiply, waiting for its GPU",
         "rank=1:phase=multiply:gpu_hang", MULTIPLY_ON_GPU, gpu=True),
    Case("a rank with a GPU gets no memory", (1, 2), RESOURCES, "refused to give more memory",
         "phase=eliminate:step=1:bad_alloc", ON_GPU, gpu=True),
    Case("a rank with a GPU is killed", (2,), KILLED, "on signal 9",
         "rank=1:phase=eliminate:step=1:kill", ON_GPU, gpu=True),
    Case("a GPU's memory is too small", (1, 2), RESOURCES, "GPUs like these", "gpu_memory=1", ON_GPU,
         gpu=True),
    Case("the disk is full", (2, 3), RESOURCES, "No space left on device", shell=DISK,
         config=SOLVE.replace("300", "800") + "right_hand_side: random\n",
         left=("disk",),
         needs="unshare -m bash -c 'mkdir -p d && mount -t tmpfs none d'"),
    Case("files may not grow (ulimit -f)", (1,), RESOURCES, "File too large",
         config=MULTIPLY.replace("grid2d:60", "tridiagonal:300000"),
         shell="ulimit -f 10000; exec {spsolve} c.yaml"),  # less, and MPI itself cannot start
    Case("the matrix is a folder", (2, 3), INPUT, "is a folder",
         config=SOLVE.replace('"random_dense:300:seed=3"', "./")),
    Case("the matrix is not there", (2, 4), INPUT, "cannot be opened",
         config=SOLVE.replace('"random_dense:300:seed=3"', "./none.mtx")),
    Case("nobody reads the log", (1,), SOLVED, "",
         shell="exec 2> >(exec true); wait $!; exec {spsolve} -v c.yaml",
         left=("x.mtx",)),
    Case("nobody reads the report", (1,), RESOURCES, "cannot be written to the standard output",
         shell="exec > >(exec true); wait $!; exec {spsolve} c.yaml",
         left=("x.mtx",)),
)


@functools.cache
def can(command):
    with tempfile.TemporaryDirectory() as folder:
        return run_in(pathlib.Path(folder), ["bash", "-c", command], {}).returncode == 0


def run_in(folder, command, environment):
    # Here mpirun is as patient with those that it kills as users have it.
    environment = variables({"OMPI_MCA_odls_base_sigkill_timeout": "1", **environment})
    return subprocess.run(command, cwd=folder, env=environment, timeout=TIME_LIMIT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace")


def play(case, ranks, folder):
    """The finished process, its seconds, and the names of the files that it left."""
    (folder / "c.yaml").write_text(case.config)
    mpirun = "mpirun --oversubscribe --bind-to none"
    shell = case.shell or "exec {mpirun} -np {ranks} {spsolve} c.yaml"
    shell = shell.format(spsolve=BIN / "spsolve", mpirun=mpirun, ranks=ranks)
    start = time.monotonic()
    process = run_in(folder, ["bash", "-c", shell],
                     {"SPSOLVE_FAULT": case.fault} if case.fault else {})
    seconds = time.monotonic() - start
    return process, seconds, tuple(sorted(set(os.listdir(folder)) - {"c.yaml"}))


def all_left(case):
    """Every run leaves a report: of its end, or that it had begun."""
    return tuple(sorted((*case.left, "report.json")))


def reason_to_skip(case):
    if case.fault and not injects():
        return "this spsolve is built without SPSOLVE_FAULTS"
    if case.gpu and why_no_gpu():
        return why_no_gpu()
    if case.needs and not can(case.needs):
        return f"this needs: {case.needs}"
    return ""


class Faults(CliTest):
    def check(self, case, ranks, played):
        folder = self.folder / f"{ranks}"
        process, _, left = played
        text = process.stdout + process.stderr
        self.assertEqual(process.returncode, case.code, text)
        if case.words:
            told = len(re.findall(case.words, text))
            # While one watchdog ends all ranks, a busy machine lets the next have its turn, too.
            self.assertIn(told, range(1, ranks + 1) if WATCHED in case.config else (1,), text)
        if case.unsaid:
            self.assertNotIn(case.unsaid, text)
        self.assertEqual(left, all_left(case), text)
        status = json.loads((folder / "report.json").read_text())["status"]
        self.assertEqual(status == "solved", "x.mtx" in left, text)
        if case.code == KILLED:  # a launcher lets the others live a moment longer, or not
            self.assertIn(status, ("running", "stopped"))
        elif WATCHED in case.config:
            self.assertEqual(status, "solved" if case.code == SOLVED else "failed")
        self.assertNotIn("left: ", text, "a file that is not whole")


class HostileFiles(CliTest):
    """Size lines that claim what nobody can hold: refused in words, before memory is taken."""

    def test_sizes_that_lie(self):
        for size, words in (("9223372036854775807 9223372036854775807 1", "its header declares"),
                            ("1000000000000 1000000000000 1", "its header declares"),
                            ("1000000000 1000000000 1", "handles at most 536870912"),
                            ("500000000 500000000 1", "does not fit into memory")):
            self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{size}\n1 1 1\n")
            self.write("c.yaml", "matrix: a.mtx\n")
            with self.subTest(size):
                result = self.spsolve("c.yaml", ranks=2)
                self.assertEqual(result.code, RESOURCES, result.text)
                self.assertEqual(result.err.count(words), 1, result.text)

    def test_other_programs_plan_too(self):
        # Offsets of the rows alone are 4 GB; nothing of that size is mapped.
        self.needs_limits()
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                            "500000000 500000000 1\n1 1 1\n")
        quick = "--samples 1 --sample-ms 0"
        for words in ("spmtx info a.mtx", "spmtx info a.mtx --orderings", "spmtx convert a.mtx b.mtx",
                      "spmtx color a.mtx", "spmtx plot a.mtx b.svg",
                      f"spbench multiply --matrix a.mtx --columns 1 --triad -1 {quick}",
                      f"spbench multiply --matrix a.mtx --columns 1 --triad -1 --in-bands {quick}",
                      f"spbench convert --matrix a.mtx {quick}",
                      "spbench eliminate --matrix a.mtx --samples 1 --peers none"):
            with self.subTest(words):
                result = self.run_program("bash", "-c", f"ulimit -v 3500000; exec {BIN}/{words}",
                                          timeout=120)
                self.assertEqual(result.code, RESOURCES, result.text)
                self.assertRegex(result.err, r"a.mtx: 500000000 x 500000000 with 1 entries, as it says, "
                                             r"take \S+ GiB here, and \S+ GiB are free")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.mtx"])

    def test_products_of_sizes_that_lie(self):
        for size, k in (("1000000000000 3 1", 1), ("1000000000000 3 1", 2147483647),
                        ("9223372036854775807 3 1", 1)):
            self.write("a.mtx", f"%%MatrixMarket matrix coordinate real general\n{size}\n1 1 1\n")
            self.write("c.yaml", f"task: multiply\nmatrix: a.mtx\nmultiply: {{columns: {k}}}\n")
            with self.subTest(size=size, k=k):
                result = self.spsolve("c.yaml", ranks=2)
                self.assertEqual(result.code, RESOURCES, result.text)


def add_test(case):
    def test(self):
        if reason := reason_to_skip(case):
            self.skipTest(reason)
        folders = [self.folder / f"{ranks}" for ranks in case.ranks]
        for folder in folders:
            folder.mkdir()
        # Side by side, as they sleep until a watchdog, or mpirun, has run out of patience; but not
        # on one GPU.
        at_once = 1 if case.gpu else len(folders)
        with concurrent.futures.ThreadPoolExecutor(at_once) as threads:
            played = list(threads.map(play, [case] * len(folders), case.ranks, folders))
        for ranks, one in zip(case.ranks, played):
            with self.subTest(ranks=ranks):
                self.check(case, ranks, one)
    name = "".join(c if c.isalnum() else "_" for c in case.name)
    setattr(Faults, f"test_{name}", test)


for one in CASES:
    add_test(one)


def table():
    print(f"{'fault':44} {'ranks':>5} {'seconds':>8} {'exit':>5}  left behind")
    for case in CASES:
        if reason := reason_to_skip(case):
            print(f"{case.name:44} skipped: {reason}")
            continue
        for ranks in case.ranks:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="spsolve-faults-"))
            process, seconds, left = play(case, ranks, folder)
            shutil.rmtree(folder)
            good = process.returncode == case.code and left == all_left(case)
            print(f"{case.name:44} {ranks:5} {seconds:8.2f} {process.returncode:5}  "
                  f"{', '.join(f for f in left if f != 'disk') or 'nothing'}"
                  f"{'' if good else '   NOT AS EXPECTED: ' + process.stderr[-500:]}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        table()
    else:
        unittest.main()
