#!/usr/bin/env python3
"""Compares `device: auto` with hosts and GPUs by name, and with few threads, by whole processes:

    apps/devices.py grid2d:500 random_dense:2000 a.mtx --rounds 9

Each is `spsolve MATRIX random` from its start to its end, as a user waits for it; the ways take
turns. Medians of seconds. The last columns are auto over the better one of host and cuda, and over
two threads of the host. Settings of OpenMP and of OpenBLAS in the environment are left out.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

from runs import INPUT, ROOT, Complaint, ended, write_csv

WAYS = {"auto": ("--device", "auto"), "host": ("--device", "host"),
        "two threads": ("--device", "host", "--threads", "2"), "cuda": ("--device", "cuda")}
HEADER = ("matrix", *WAYS, "over best", "over two")


def seconds_of(program, matrix, words, environment):
    """Of one process; None where it solves nothing."""
    begun = time.perf_counter()
    done = subprocess.run([str(program), str(matrix), "random", *words, "--quiet"],
                          env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False)
    return time.perf_counter() - begun if done.returncode in (0, 1) else None


def compare(program, matrix, rounds, environment):
    """A row of the table."""
    taken = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, words in WAYS.items():
            if taken[way] is None:
                continue
            seconds = seconds_of(program, matrix, words, environment)
            taken[way] = None if seconds is None else [*taken[way], seconds]
    medians = {way: statistics.median(all_of) if all_of else None for way, all_of in taken.items()}
    if medians["auto"] is None:
        raise Complaint(INPUT, f"{matrix}: spsolve does not solve it; run it by itself to see why")
    best = min(medians[way] for way in ("host", "cuda") if medians[way] is not None)
    over = [medians["auto"] / best, medians["auto"] / medians["two threads"]]
    return (pathlib.Path(matrix).name,
            *("" if seconds is None else f"{seconds:.3f}" for seconds in medians.values()),
            *(f"{ratio:.2f}" for ratio in over))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrix", nargs="+", help="files, or generators")
    parser.add_argument("--rounds", type=int, default=9, help="(default: 9)")
    parser.add_argument("--spsolve", type=pathlib.Path, default=ROOT / "build/bin/spsolve",
                        help="the program (default: build/bin/spsolve)")
    parser.add_argument("--csv", type=pathlib.Path, help="a file for the table")
    options = parser.parse_args()
    if not options.spsolve.exists():
        raise Complaint(INPUT, f"{options.spsolve} is missing; build it, or name it by --spsolve")
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("OMP_", "GOMP_", "OPENBLAS_"))}
    print("  ".join(HEADER))
    rows = [HEADER]
    for matrix in options.matrix:
        rows.append(compare(options.spsolve, matrix, options.rounds, environment))
        print("  ".join(rows[-1]), flush=True)
    write_csv(options.csv, rows)


if __name__ == "__main__":
    sys.exit(ended(main))
