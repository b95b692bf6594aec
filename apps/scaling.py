#!/usr/bin/env python3
"""Measures how products scale: runs `spbench multiply` with 1, 2, ... ranks.

    apps/scaling.py --ranks 1,2,4 --strong grid3d27:120:3 --weak grid3d27:80:3 --columns 16

Strong scaling: the same matrix on every number of ranks. Weak scaling: a matrix that grows with the
ranks, N^2 of grid2d:N, N^3 of grid3d27:N:UNKNOWNS and N of tridiagonal:N each in proportion; N is
rounded, so the efficiency is that of GFLOP/s per rank. Writes scaling.csv into the output folder, all
columns of spbench with these before them,

    scaling      strong or weak
    speedup      GFLOP/s over those of the fewest ranks of the list
    efficiency   speedup over the factor in ranks

prints them with the time split and the transport of the halo, and lets plot.py draw scaling.png where
matplotlib is there. What follows after -- goes to spbench. On two GPUs, a rank each:

    apps/scaling.py --ranks 1,2 --weak grid3d27:80:3 --strong grid3d27:120:3 --columns 16 -- --device cuda

--launcher "mpirun --bind-to none -x NCCL_NVLS_ENABLE=0" keeps NCCL off the switches' multicast where
that fails; --transport peer, nccl, mpi or pinned after -- holds the halo to one way.
"""

import collections
import pathlib
import shlex
import subprocess
import sys
import tempfile

import plot
from runs import INPUT, ROOT, Complaint, ended, read_csv, script_parser, write_csv

DIMENSIONS = {"tridiagonal": 1, "grid2d": 2, "grid3d27": 3}


def grown(matrix, factor):
    """The matrix with `factor` times as many rows, as nearly as its sizes allow."""
    name, size, *rest = matrix.split(":")
    if name not in DIMENSIONS:
        raise Complaint(INPUT, f"--weak takes {', '.join(DIMENSIONS)}, not {matrix}")
    return ":".join([name, str(round(int(size) * factor ** (1 / DIMENSIONS[name]))), *rest])


def measure(arguments, matrix, ranks, extra):
    """The rows that spbench measured on so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "rows.csv"
        command = [*shlex.split(arguments.launcher), "-np", str(ranks), arguments.spbench,
                   "multiply", "--in-bands", "--matrix", matrix, "--kernels", arguments.kernels,
                   "--columns", arguments.columns, "--csv", str(results), *extra]
        print("$", shlex.join(command), file=sys.stderr)
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code != 0:
            sys.exit(code)
        return [row for row in read_csv(results) if not row["refused"]]


def scaled(kind, matrices, arguments, extra):
    """Rows with speed-up and efficiency, for matrices by number of ranks."""
    first, rows = {}, []
    for ranks, matrix in matrices:
        seen = collections.Counter()
        for row in measure(arguments, matrix, ranks, extra):
            # Not by the number of threads: ranks of one host share its processors.
            of_run = (row["kernel"], row["precision"], row["k"])
            key = (*of_run, seen[of_run])
            seen[of_run] += 1
            base = first.setdefault(key, (ranks, float(row["gflops"])))
            speedup = float(row["gflops"]) / base[1]
            # That of spbench is over another kernel.
            rows.append({**{key: None for key in ("scaling", "speedup", "efficiency")}, **row,
                         "scaling": kind, "speedup": speedup,
                         "efficiency": speedup * base[0] / ranks})
    return rows


PARTS = ("pack", "exchange", "interior", "wait", "boundary")


def line_of(row):
    """What is printed of a row: its times, and the parts of them on the slowest rank of each."""
    split = ", ".join(f"{part} {float(row[part + '_s']) * 1e6:.0f}" for part in PARTS)
    return (f"{row['scaling']:<7}{row['matrix']:<22}{row['kernel']:<16}K={row['k']:<4}"
            f"ranks={row['ranks']:<4}{float(row['median_s']):.3e} s  "
            f"{float(row['gflops']):8.2f} GFLOP/s  speed-up {row['speedup']:.2f}  "
            f"efficiency {row['efficiency']:.2f}\n"
            f"       us: {split}; halo {int(row['halo_bytes']) / 1e6:.3g} MB, {row['transport']}")


def main():
    parser = script_parser(__doc__, csv_help="")
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks (default: 1,2)")
    parser.add_argument("--strong", action="append", default=[], metavar="MATRIX")
    parser.add_argument("--weak", action="append", default=[], metavar="MATRIX",
                        help="what the fewest ranks get")
    parser.add_argument("--kernels", default="auto")
    parser.add_argument("--columns", default="16", help="numbers K of columns of X")
    parser.add_argument("--output", default="results", metavar="FOLDER")
    parser.add_argument("--launcher", default="mpirun --bind-to none",
                        help="what starts ranks, to which -np N is added")
    parser.add_argument("--spbench", default=str(ROOT / "build" / "bin" / "spbench"))
    parser.add_argument("extra", nargs="*", help="after --: further arguments of spbench multiply")
    arguments = parser.parse_args()
    try:
        counts = sorted({int(count) for count in arguments.ranks.split(",")})
    except ValueError:
        parser.error(f"--ranks takes numbers such as 1,2,4, not {arguments.ranks}")
    if not (arguments.strong or arguments.weak):
        parser.error("what shall be measured? --strong MATRIX or --weak MATRIX")

    rows = []
    for matrix in arguments.strong:
        rows += scaled("strong", [(ranks, matrix) for ranks in counts], arguments, arguments.extra)
    for matrix in arguments.weak:
        rows += scaled("weak", [(ranks, grown(matrix, ranks / counts[0])) for ranks in counts],
                       arguments, arguments.extra)
    folder = pathlib.Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    header = list(rows[0]) if rows else ["scaling"]
    write_csv(folder / "scaling.csv", [header, *(row.values() for row in rows)])
    for row in rows:
        print(line_of(row))
    print(folder / "scaling.csv")
    try:
        plot.draw([str(folder / "scaling.csv")], folder)
    except Complaint as problem:
        print(f"scaling.py: no picture: {problem}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(ended(main))
