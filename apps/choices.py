#!/usr/bin/env python3
"""Compares `solve.method: auto` with every method by name:

    apps/choices.py grid2d:100 cage:2000 a.mtx b.mtx
    apps/choices.py --matrices FOLDER --largest 200000 --csv table.csv

Each is a whole run of spsolve by one thread; what counts are seconds of the processor, user's and
system's, the least of some runs in which auto and the method take turns, as other work on the machine
delays them less than the clock. A method by name competes where it ends as auto did: solved, with a
small residual and no certain digit, or as surely singular. Rows where auto took more than --within times as long as the best, and --floor seconds
more, are marked; the last line counts them.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import resource
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
METHODS = ("lu", "gauss", "sparse_cholesky", "sparse_ldlt", "sparse_lu", "cg", "minres", "gmres",
           "bicgstab", "idr")
HEADER = ("matrix", "n", "nonzeros", "auto took", "auto, ms", "best", "best, ms", "ratio", "slower")


class Runs:
    """Whole runs of spsolve, one after the other; `launcher`: words before its own, as of mpirun."""

    def __init__(self, program, launcher=()):
        self.program = program
        self.launcher = list(launcher)
        self.folder = tempfile.TemporaryDirectory()
        self.report = pathlib.Path(self.folder.name) / "report.json"

    def run(self, matrix, method, limit, settings=()):
        """Seconds of the processor, and what the report says."""
        self.report.unlink(missing_ok=True)
        words = [*self.launcher, str(self.program), str(matrix), "--method", method]
        words += ["--threads", "1", "--quiet", "--report", str(self.report)]
        words += ["--set", "output.progress=off"]
        for setting in settings:
            words += ["--set", setting]
        process = os.fork()
        if process == 0:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            seconds = max(1, int(limit + 1))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            try:
                os.execvpe(words[0], words,
                           dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
            finally:
                os._exit(127)  # without what the parent does at its end
        _, _, usage = os.wait4(process, 0)
        said = json.loads(self.report.read_text()) if self.report.exists() else {}
        return usage.ru_utime + usage.ru_stime, said


def verdict(said):
    """What runs must agree on, or None where there was no answer."""
    if said.get("status") in ("solved", "uncertain"):
        return said["status"]
    failure = said.get("failure", {}).get("message", "")
    singular = re.search(r"(^|: )the matrix is (structurally )?singular", failure)
    return "singular" if singular else None


def compare(runs, matrix, options):
    """A row of the table, or None where auto has no answer."""
    seconds, said = runs.run(matrix, "auto", options.limit)
    agreed = verdict(said)
    if agreed is None:
        return None
    found = {}
    for method in METHODS:
        # Making it dense is no rival from some thousand rows on.
        if method in ("lu", "gauss") and said["matrix"]["rows"] > options.dense:
            continue
        taken, its = runs.run(matrix, method, 2 * seconds + 0.5)
        if verdict(its) == agreed:
            found[method] = taken
    if not found:
        return None
    least = min(found.values())
    for _ in range(options.samples):
        seconds = min(seconds, runs.run(matrix, "auto", options.limit)[0])
        for method, taken in found.items():
            if taken < 1.3 * least:
                found[method] = min(taken, runs.run(matrix, method, 2 * seconds + 0.5)[0])
    best = min(found, key=found.get)
    ratio = seconds / found[best]
    slower = ratio > options.within and seconds - found[best] > options.floor
    return (pathlib.Path(matrix).name, said["matrix"]["rows"], said["matrix"]["nonzeros"],
            said.get("method", agreed), f"{1e3 * seconds:.1f}", best, f"{1e3 * found[best]:.1f}",
            f"{ratio:.2f}", "slower" if slower else "")


def matrices_of(options):
    named = list(options.matrix)
    if options.matrices:
        files = sorted(pathlib.Path(options.matrices).glob("*.mtx"), key=lambda f: f.stat().st_size)
        named += [str(file) for file in files if file.stat().st_size <= options.largest]
    return named


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrix", nargs="*", help="files and generators")
    parser.add_argument("--matrices", metavar="FOLDER", help="all .mtx files of a folder, too")
    parser.add_argument("--largest", type=int, default=3000000, metavar="BYTES",
                        help="file of --matrices (default: 3000000)")
    parser.add_argument("--spsolve", metavar="FILE", default=ROOT / "build" / "bin" / "spsolve")
    parser.add_argument("--samples", type=int, default=5, help="of each pair (default: 5)")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS",
                        help="of a run of auto (default: 60)")
    parser.add_argument("--dense", type=int, default=4000, metavar="N",
                        help="largest order of lu and gauss (default: 4000)")
    parser.add_argument("--within", type=float, default=1.1, metavar="RATIO", help="(default: 1.1)")
    parser.add_argument("--floor", type=float, default=0.001, metavar="SECONDS",
                        help="a difference that counts (default: 0.001)")
    parser.add_argument("--csv", metavar="FILE", help="the table as CSV, too")
    return parser.parse_args()


def main():
    options = parse()
    if not pathlib.Path(options.spsolve).exists():
        print(f"choices.py: {options.spsolve} is missing; build it, or name it by --spsolve",
              file=sys.stderr)
        return 2
    rows = []
    print(" | ".join(HEADER), flush=True)
    runs = Runs(options.spsolve)
    for matrix in matrices_of(options):
        row = compare(runs, matrix, options)
        if row is None:
            print(f"{pathlib.Path(matrix).name} | no answer", flush=True)
            continue
        rows.append(row)
        print(" | ".join(map(str, row)), flush=True)
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEADER, *rows])
    slower = sum(1 for row in rows if row[-1])
    far = sum(1 for row in rows if float(row[-2]) > 1.5)
    print(f"{len(rows)} matrices: auto was slower than {options.within} times the best for {slower}, "
          f"than 1.5 times for {far}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
