#!/usr/bin/env python3
"""Makes the tables of the published systems that spsolve brings together, one command each, beside
what the papers print (apps/published/):

    apps/reproduce.py elimination --matrices FOLDER   Fencel 2020: seconds and L2 error of gauss
    apps/reproduce.py colours --matrices FOLDER       Fencel 2020: colours, MiB of values in float
    apps/reproduce.py symmetric --matrices FOLDER     Fencel 2020: seconds by threads, formats, GPU
    apps/reproduce.py tiles                           Boukara, Cicala: dense products by tile
    apps/reproduce.py spmm --matrices FOLDER          Capotombolo, Zarrelli 2023: kernels by K
    apps/reproduce.py conversions --matrices FOLDER   the same: from CSR to each format

FOLDER holds Matrix Market files (NAME.mtx or NAME.mtx.gz) of the SuiteSparse collection. If one is
not there, its row says so: an elimination is measured on a random matrix of the same order, symmetric
products on a matrix of the same structure. GPUs are measured if there are some. Orders above
--largest (elimination) are not measured on hosts. The names of `spmm` and `conversions` are of
SuiteSparse, as courses hand them out; --names takes others there, and some elsewhere. plot.py draws
what --csv writes.
"""

import pathlib
import sys

from reproduced_tables import TABLES, Programs
from runs import INPUT, Complaint, ended, script_parser, write_csv

HERE = pathlib.Path(__file__).resolve().parent


def own_programs():
    """The programs that belong to this file: those of its build, or of the prefix it lies in."""
    built = HERE.parent / "build" / "bin"
    installed = [folder / "bin" for folder in HERE.parents if (folder / "bin" / "spbench").exists()]
    return installed[0] if installed and not built.is_dir() else built


def numbers(text):
    return [int(part) for part in text.split(",")]


def words(text):
    return text.split(",")


def parse():
    parser = script_parser(__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--matrices", metavar="FOLDER", help="where the files are (default: here)")
    parser.add_argument("--bin", metavar="FOLDER", default=own_programs(),
                        help="where the programs are (default: build/bin, or the prefix's bin)")
    parser.add_argument("--samples", type=int, default=10, help="of each product (default: 10)")
    parser.add_argument("--threads", type=numbers, metavar="N,N",
                        help="of symmetric (default: 1,2,4,8,10), spmm and conversions (default: the "
                             "processors)")
    parser.add_argument("--precisions", type=words, default=["float", "double"], metavar="NAME,NAME",
                        help="of elimination and symmetric (default: float,double)")
    parser.add_argument("--orders", type=numbers, default=list(range(1000, 10001, 1000)),
                        metavar="N,N", help="of tiles (default: 1000 to 10000)")
    parser.add_argument("--check", type=int, default=0, metavar="N",
                        help="compare tiles with a serial product up to this order (default: none)")
    parser.add_argument("--largest", type=int, default=8000, metavar="N",
                        help="order of elimination that hosts measure (default: 8000)")
    parser.add_argument("--pivoting", type=words, default=["none", "partial"], metavar="NAME,NAME",
                        help="of elimination (default: none,partial)")
    parser.add_argument("--on", type=words, metavar="NAME,NAME",
                        help="where elimination runs, such as '1 GPU,2 GPUs by MPI' (default: "
                             "everywhere)")
    parser.add_argument("--names", type=words, metavar="NAME,NAME",
                        help="of matrices, without .mtx (default: all)")
    return parser.parse_args()


def main():
    options = parse()
    if options.matrices and not pathlib.Path(options.matrices).is_dir():
        raise Complaint(INPUT, f"{options.matrices}: there is no such folder")
    if not set(options.precisions) <= {"float", "double"}:
        raise Complaint(INPUT, f"--precisions {','.join(options.precisions)}: float or double, or both")
    if not set(options.pivoting) <= {"none", "partial"}:
        raise Complaint(INPUT, f"--pivoting {','.join(options.pivoting)}: none or partial, or both")
    table, header = TABLES[options.table]
    columns = header.split("|")
    rows = [columns]
    for line in (columns, ["---"] * len(columns)):
        print(f"| {' | '.join(line)} |", flush=True)
    for row in table(Programs(options.bin), options):
        rows.append([str(row.get(column, "")) for column in columns])
        print(f"| {' | '.join(rows[-1])} |", flush=True)
    write_csv(options.csv, rows)


if __name__ == "__main__":
    sys.exit(ended(main))
