#!/usr/bin/env python3
"""The memory that spsolve plans compared with the most that it holds:

    apps/plans.py
    apps/plans.py grid2d:500 a.mtx --methods sparse_lu,gmres --set solve.equilibrate=on
    apps/plans.py --only equilibrate --csv table.csv --launcher "mpirun -np 2"

Each row is a whole run of spsolve; without matrices, those of the table below: ten families by the
methods that suit them, solves and products. Plan and peak are of the rank that holds most, what it held before
anything was planned included. Rows above --floor MiB are marked where the peak is more than 1.02 times the plan
("short") or the plan more than 1.15 times the peak ("ample"); the last line counts them.
"""

import sys

from runs import Runs, ended, parser_of_runs, write_csv

MOST_PEAK, MOST_PLAN = 1.02, 1.15
HEADER = ("matrix", "method", "settings", "planned, MiB", "held, MiB", "held / planned", "marked")
MIB = 2.0**20
ON = "solve.equilibrate=on"
TRUSTED = "solve.condition=false"
MULTIGRID = "solve.preconditioner=multigrid"
SHORT = "solve.iterations=60"

SOLVES = [  # matrix, methods, settings
    *((matrix, methods, settings)
      for matrix, methods in (("grid2d:500", "sparse_cholesky sparse_ldlt sparse_lu"),
                              ("aniso2d:500", "sparse_cholesky sparse_lu"),
                              ("grid3d:40", "sparse_cholesky sparse_ldlt sparse_lu"),
                              ("convdiff3d:34", "sparse_lu"),
                              ("elastic3d:20", "sparse_cholesky sparse_lu"),
                              ("helmholtz2d:500", "sparse_ldlt"),
                              ("kkt:150000", "sparse_ldlt sparse_lu"),
                              ("circuit:300000", "sparse_lu"),
                              ("cage:6000", "sparse_lu"))
      for settings in ((), (ON,), (TRUSTED,))),
    ("grid3d:40", "sparse_cholesky sparse_lu", ("solve.precision=mixed",)),
    ("grid3d:40", "sparse_lu", ("solve.precision=float",)),
    ("grid3d:34", "sparse_lu", ("right_hand_side.columns=64",)),
    ("random_dense:3000", "lu gauss gauss_jordan", ()),
    ("random_dense:3000", "lu gauss gauss_jordan", (ON,)),
    ("random_dense:3000", "lu gauss", ("solve.precision=mixed",)),
    ("random_dense:2000", "lu", ("right_hand_side.columns=2000",)),
    ("grid2d:55", "lu gauss", ()),
    *((matrix, methods, (*settings, SHORT))
      for matrix, methods in (("grid3d:60", "cg minres bicgstab idr block_cg"),
                              ("elastic3d:24", "cg"), ("aniso2d:500", "cg"),
                              ("convdiff3d:50", "gmres bicgstab idr"))
      for settings in ((MULTIGRID,), (MULTIGRID, TRUSTED))),
    *(("grid3d:60", methods, (f"solve.preconditioner={row}", TRUSTED, SHORT))
      for row, methods in (("none", "cg gmres"), ("jacobi", "cg minres"), ("ic0", "cg"),
                           ("ilu0", "gmres"), ("block_jacobi", "cg"), ("chebyshev", "cg"))),
    ("grid3d:60", "cg block_cg", ("right_hand_side.columns=16", MULTIGRID)),
    ("grid2d:500", "auto", ()), ("grid3d:60", "auto", ()), ("kkt:150000", "auto", ()),
    ("circuit:300000", "auto", ()), ("power_law:200000:8", "gmres", (SHORT, TRUSTED)),
    *((matrix, methods, settings)  # complex numbers
      for matrix, methods in (("zhelm2d:300", "sparse_ldlt sparse_lu"), ("zhelm3d:26", "sparse_ldlt"),
                              ("zcircuit2d:300", "sparse_ldlt"), ("zconvdiff2d:250", "sparse_lu"),
                              ("magnetic2d:300", "sparse_cholesky sparse_lu"),
                              ("magnetic3d:26", "sparse_cholesky"))
      for settings in ((), (TRUSTED,))),
    ("zhelm2d:300", "sparse_ldlt", ("solve.precision=mixed",)),
    *((matrix, methods, (MULTIGRID, *settings))
      for matrix, methods in (("magnetic3d:40", "cg minres"), ("zhelm2d:200", "gmres cocr idr"),
                              ("zcircuit2d:200", "bicgstab"))
      for settings in ((), (TRUSTED,))),
    ("zconvdiff2d:300", "bicgstab idr", ("solve.preconditioner=ilu0", TRUSTED)),
    *((f"{matrix}:{step}", "sparse_ldlt", settings)  # steps of interior-point methods
      for matrix in ("ipm_tree:60000", "ipm_flow:60000", "ipm_pde2d:150", "ipm_pde3d:24",
                     "ipm_control:6000", "ipm_band:60000")
      for step in (20, 90) for settings in ((), ("solve.matching=on",))),
    ("ipm_flow:60000:50", "sparse_lu", ()), ("ipm_pde3d:24:50", "sparse_lu", ()),
    *((matrix, method, ("solve.factors=disk",))
      for matrix, method in (("grid2d:700", "sparse_cholesky"), ("grid3d:44", "sparse_ldlt"),
                             ("grid3d:40", "sparse_lu"), ("circuit:300000", "sparse_lu"),
                             ("zhelm2d:300", "sparse_ldlt"), ("ipm_pde3d:24:90", "sparse_ldlt"))),
]
PRODUCTS = [  # matrix, kernels, settings
    *(("grid3d27:30:3", kernel, ("multiply.columns=8",))
      for kernel in ("csr_serial", "ellpack_openmp", "sliced_ellpack", "csr_balanced", "csr_sorted",
                     "csr_grouped", "sliced_rows", "symmetric_halves", "auto")),
    *(("grid3d27:30:3", "csr_balanced", settings)
      for settings in ((), ("multiply.precision=float",), ("multiply.verify=true",))),
    ("grid2d:700", "row_types", ("multiply.columns=16",)),
    ("grid2d:700", "csr_balanced", ("multiply.columns=16",)),
    ("power_law:200000:16", "csr_balanced", ()), ("power_law:200000:16", "auto", ()),
    ("grid3d27:15:1", "dense_blas", ()),
]


def parse():
    parser = parser_of_runs(__doc__, limit=120)
    parser.add_argument("--methods", default="auto", help="with commas between them (default: auto)")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="rows of the table that hold these words alone")
    parser.add_argument("--floor", type=float, default=64, metavar="MIB",
                        help="least peak of a row that is marked (default: 64)")
    return parser.parse_args()


def rows_of(options):
    """Matrix, method and settings of every run; a kernel is the method of a product."""
    if options.matrix:
        return [(matrix, method, ()) for matrix in options.matrix
                for method in options.methods.split(",")]
    rows = [(matrix, method, settings) for matrix, methods, settings in SOLVES
            for method in methods.split()]
    rows += [(matrix, kernel, ("task=multiply", f"multiply.kernel={kernel}", *settings))
             for matrix, kernel, settings in PRODUCTS]
    wanted = options.only.split()
    return [row for row in rows if all(word in f"{row[0]} {row[1]} {row[2]}" for word in wanted)]


def measure(runs, row, options):
    """A row of the table, or None where there is no report of a rank's memory."""
    matrix, method, settings = row
    solves = "task=multiply" not in settings
    _, said = runs.run(matrix, "auto" if not solves else method, options.limit,
                       [*settings, *options.set])
    ranks = said.get("rank_table", [])
    if not ranks:
        return None
    most = max(ranks, key=lambda rank: rank["peak_memory_bytes"])
    planned, peak = most["planned_memory_bytes"] / MIB, most["peak_memory_bytes"] / MIB
    mark = ""
    if peak >= options.floor:
        mark = "short" if peak > MOST_PEAK * planned else "ample" if planned > MOST_PLAN * peak else ""
    named = [setting.split(".", 1)[-1] for setting in settings
             if not setting.startswith(("task=", "multiply.kernel=", "solve.iterations="))]
    return (matrix, said.get("method", method) if solves else method, " ".join(named),
            f"{planned:.1f}", f"{peak:.1f}", f"{peak / planned:.3f}", mark)


def main():
    options = parse()
    runs = Runs(options.spsolve, options.launcher)
    width = (20, 16, 42, 12, 10, 14, 6)
    line = lambda cells: "  ".join(cell.ljust(size) for cell, size in zip(cells, width)).rstrip()
    print(line(HEADER))
    table = []
    for row in rows_of(options):
        cells = measure(runs, row, options)
        if cells is None:
            print(line((row[0], row[1], "no memory was reported")), flush=True)
            continue
        table.append(cells)
        print(line(cells), flush=True)
    marks = [cells[-1] for cells in table]
    print(f"{len(table)} runs: {marks.count('short')} planned too little, "
          f"{marks.count('ample')} too much")
    write_csv(options.csv, [HEADER, *table])


if __name__ == "__main__":
    sys.exit(ended(main))
