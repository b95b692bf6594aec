#!/usr/bin/env python3
"""How systems end by methods that are named, one run of spsolve each with b = A (1, ..., 1):

    apps/outcomes.py --matrices FOLDER --methods sparse_cholesky,sparse_ldlt,sparse_lu
    apps/outcomes.py a.mtx grid2d:100 --csv table.csv
    apps/outcomes.py --matrices FOLDER --launcher "mpirun -np 3" --set solve.ranks=all

A pattern without values counts as its Laplacian and the identity: -1 off the diagonal, on it as many as
stand in the row and 1 more. Matrices that are not square are left out. Printed are the runs
that were not solved to a componentwise backward error of --error, and the number of each outcome:
solved, uncertain, refused (as singular, say), no fit (the method does not take such a matrix), failed.
"""

import collections
import pathlib
import sys

from runs import Runs, ended, matrices_of, parser_of_runs, write_csv

HEADER = ("matrix", "n", "method", "outcome", "componentwise error", "what was said")
OUTCOMES = ("solved", "solved above", "uncertain", "refused", "no fit", "failed")


def entries_of(lines):
    """Rows, columns and positions of a pattern's Matrix Market text after line 1, from 1."""
    lines = (line for line in lines if not line.startswith("%") and line.strip())
    rows, columns = map(int, next(lines).split()[:2])
    return rows, columns, {tuple(map(int, line.split()[:2])) for line in lines}


def laplacian_of(name, folder):
    """The file of a square pattern's Laplacian and the identity; `name` itself for others."""
    path = pathlib.Path(name)
    if not path.is_file():
        return name
    with path.open(encoding="latin-1") as file:
        header = file.readline().split()
        if len(header) < 5 or header[3] != "pattern":
            return name
        size, columns, entries = entries_of(file)
    if size != columns:
        return name
    if header[4] == "symmetric":
        entries |= {(j, i) for i, j in entries}
    off = sorted((i, j) for i, j in entries if i != j)
    count = collections.Counter(i for i, _ in off)
    made = pathlib.Path(folder) / path.name
    with made.open("w", encoding="ascii") as file:
        print("%%MatrixMarket matrix coordinate real general", file=file)
        print(size, size, len(off) + size, file=file)
        file.writelines(f"{i} {j} -1\n" for i, j in off)
        file.writelines(f"{i} {i} {count[i] + 1}\n" for i in range(1, size + 1))
    return str(made)


def outcome(said, error):
    """One of OUTCOMES, from a report."""
    status, code = said.get("status"), said.get("failure", {}).get("exit_code")
    if status == "solved":
        return "solved" if said["componentwise_error"] <= error else "solved above"
    if status == "uncertain":
        return "uncertain"
    return {1: "refused", 2: "no fit"}.get(code, "failed")


def parse():
    parser = parser_of_runs(__doc__, limit=300, largest=10**9)
    parser.add_argument("--methods", default="sparse_cholesky,sparse_ldlt,sparse_lu",
                        help="with commas between them (default: the sparse ones)")
    parser.add_argument("--error", type=float, default=1e-14, metavar="E",
                        help="componentwise backward error of what is solved (default: 1e-14)")
    return parser.parse_args()


def main():
    options = parse()
    runs, rows, tried = Runs(options.spsolve, options.launcher), [], 0
    for name in matrices_of(options):
        matrix = laplacian_of(name, runs.folder.name)
        fits = False
        for method in options.methods.split(","):
            _, said = runs.run(matrix, method, options.limit,
                               ("right_hand_side=row_sums", *options.set))
            message = said.get("failure", {}).get("message", "")
            if "needs a square one" in message:
                break
            found = outcome(said, options.error)
            fits = fits or found not in ("no fit", "failed")
            rows.append((pathlib.Path(name).name, said.get("matrix", {}).get("rows", ""), method,
                         found, said.get("componentwise_error", ""), message))
            if found not in ("solved", "no fit"):
                print(" | ".join(map(str, rows[-1])), flush=True)
        tried += fits
    write_csv(options.csv, [HEADER, *rows])
    counts = collections.Counter((row[2], row[3]) for row in rows)
    print(f"{tried} matrices | " + " | ".join(OUTCOMES))
    for method in options.methods.split(","):
        print(f"{method} | " + " | ".join(str(counts[method, found]) for found in OUTCOMES))


if __name__ == "__main__":
    sys.exit(ended(main))
