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

import pathlib
import re
import sys

from runs import Runs, ended, matrices_of, parser_of_runs, write_csv

METHODS = ("lu", "gauss", "sparse_cholesky", "sparse_ldlt", "sparse_lu", "cg", "minres", "gmres",
           "bicgstab", "idr")
HEADER = ("matrix", "n", "nonzeros", "auto took", "auto, ms", "best", "best, ms", "ratio", "slower")


def verdict(said):
    """What runs must agree on, or None where there was no answer."""
    if said.get("status") in ("solved", "uncertain"):
        return said["status"]
    failure = said.get("failure", {}).get("message", "")
    singular = re.search(r"(^|: )the matrix is (structurally )?singular", failure)
    return "singular" if singular else None


def compare(runs, matrix, options):
    """A row of the table, or None where auto has no answer."""
    seconds, said = runs.run(matrix, "auto", options.limit, options.set)
    agreed = verdict(said)
    if agreed is None:
        return None
    found = {}
    for method in METHODS:
        # Making it dense is no rival from some thousand rows on.
        if method in ("lu", "gauss") and said["matrix"]["rows"] > options.dense:
            continue
        taken, its = runs.run(matrix, method, 2 * seconds + 0.5, options.set)
        if verdict(its) == agreed:
            found[method] = taken
    if not found:
        return None
    least = min(found.values())
    for _ in range(options.samples):
        seconds = min(seconds, runs.run(matrix, "auto", options.limit, options.set)[0])
        for method, taken in found.items():
            if taken < 1.3 * least:
                found[method] = min(taken, runs.run(matrix, method, 2 * seconds + 0.5, options.set)[0])
    best = min(found, key=found.get)
    ratio = seconds / found[best]
    slower = ratio > options.within and seconds - found[best] > options.floor
    return (pathlib.Path(matrix).name, said["matrix"]["rows"], said["matrix"]["nonzeros"],
            said.get("method", agreed), f"{1e3 * seconds:.1f}", best, f"{1e3 * found[best]:.1f}",
            f"{ratio:.2f}", "slower" if slower else "")


def parse():
    parser = parser_of_runs(__doc__, limit=60, largest=3000000)
    parser.add_argument("--samples", type=int, default=5, help="of each pair (default: 5)")
    parser.add_argument("--dense", type=int, default=4000, metavar="N",
                        help="largest order of lu and gauss (default: 4000)")
    parser.add_argument("--within", type=float, default=1.1, metavar="RATIO", help="(default: 1.1)")
    parser.add_argument("--floor", type=float, default=0.001, metavar="SECONDS",
                        help="a difference that counts (default: 0.001)")
    return parser.parse_args()


def main():
    options = parse()
    runs, rows = Runs(options.spsolve, options.launcher), []
    print(" | ".join(HEADER), flush=True)
    for matrix in matrices_of(options):
        row = compare(runs, matrix, options)
        if row is None:
            print(f"{pathlib.Path(matrix).name} | no answer", flush=True)
            continue
        rows.append(row)
        print(" | ".join(map(str, row)), flush=True)
    write_csv(options.csv, [HEADER, *rows])
    slower = sum(1 for row in rows if row[-1])
    far = sum(1 for row in rows if float(row[-2]) > 1.5)
    print(f"{len(rows)} matrices: auto was slower than {options.within} times the best for {slower}, "
          f"than 1.5 times for {far}")


if __name__ == "__main__":
    sys.exit(ended(main))
