#!/usr/bin/env python3
"""Draws what `spbench` and the scripts beside this one measured, and what reports of `spsolve` say.

    apps/plot.py results.csv [more.csv ...] --output folder
    apps/plot.py report.json [more.json ...] --output folder

For every matrix and precision of CSV files of `spbench multiply`, up to four pictures (PNG):

    MATRIX_PRECISION_gflops.png      GFLOP/s against K, a line a kernel
    MATRIX_PRECISION_bandwidth.png   effective bandwidth against K, next to the triad
    MATRIX_PRECISION_threads.png     GFLOP/s against threads, one panel for each K
    MATRIX_PRECISION_speedup.png     speed-up over the baseline against K

Kernels of the host are drawn with the most threads that the files hold, or with --threads N; those
of other devices as they are, with their device in the legend.

Of those in bands: MATRIX_PRECISION_ranks.png (GFLOP/s against K, a line for each kernel and number of
ranks) and MATRIX_PRECISION_parts.png (where a product's time goes). Of `spbench convert`:
MATRIX_convert.png, of `spbench eliminate --n`: eliminate_orders.png. Bars are medians, whiskers the
standard deviation where there are variances. Of `spbench eliminate --matrix` and `spbench iterate`:
eliminate_seconds.png and iterate_seconds.png (a bar a contender, by phases), eliminate_speedup.png and
iterate_speedup.png (the best peer's seconds / own, where methods of spsolve and peers were measured).
Of `scaling.py`: scaling.png (efficiency against ranks). Of the tables of `reproduce.py`:
reproduce_elimination.png, reproduce_colours.png and reproduce_formats.png, reproduce_symmetric_MATRIX.png,
reproduce_tiles.png, reproduce_spmm_MATRIX.png. Of `choices.py`, `devices.py`,
`outcomes.py` and `plans.py`: choices.png, devices.png, outcomes.png, plans.png.

Of reports (output.report): time_split.png (mean seconds of each phase over the ranks), convergence.png
(backward errors before and after refinement), and where reports of one matrix, task and method differ
in their ranks scaling.png (seconds of the work) and efficiency.png (speed-up over the fewest ranks, as
a fraction of the ideal one). The pattern of a matrix and its rows by length are drawn by `spmtx plot`.
Needs matplotlib (Debian: python3-matplotlib).
"""

import collections
import pathlib
import sys

from plot_drawing import Canvas
from plot_reports import NotAReport, draw_reports, read_report
from plot_tables import NotATable, products, read_table
from runs import INPUT, RESOURCES, Complaint, ended, script_parser

def load_pyplot():
    try:
        import matplotlib
    except ImportError as error:
        raise Complaint(RESOURCES, "matplotlib is missing; on Debian: apt-get install "
                                   "python3-matplotlib, then /usr/bin/python3 apps/plot.py ..."
                        ) from error
    matplotlib.use("Agg")
    import matplotlib.pyplot
    return matplotlib.pyplot


def read(read_one, paths):
    """What the files hold."""
    try:
        return [read_one(path) for path in paths]
    except (NotAReport, NotATable) as problem:
        raise Complaint(INPUT, str(problem)) from problem
    except OSError as error:
        raise Complaint(INPUT, f"{error.filename}: {error.strerror}") from error


def check_threads(rows, threads):
    counts = {row["threads"] for row in rows if row["threads"]}
    if threads and threads not in counts:
        raise Complaint(INPUT, f"--threads {threads}: measured were "
                               f"{', '.join(map(str, sorted(counts))) or 'none'}")


def draw_tables(paths, folder, threads):
    tables = collections.defaultdict(list)
    for path, (draw_all, rows) in zip(paths, read(read_table, paths)):
        if not rows:
            raise Complaint(INPUT, f"{path}: no row was measured")
        tables[draw_all] += rows
    check_threads(tables.get(products, []), threads if products in tables else None)
    pyplot = load_pyplot()
    for draw_all, rows in tables.items():
        machines = dict.fromkeys(
            f"{row['processor']}, {row.get('compiler', '')}, spsolve {row.get('version', '')}, "
            f"{row.get('date', '')[:10]}" for row in rows if row.get("processor"))
        draw_all(Canvas(pyplot, folder, "; ".join(machines)), rows, threads)


def draw(files, output, threads=None):
    folder = pathlib.Path(output)
    reports = [path for path in files if path.endswith(".json")]
    tables = [path for path in files if not path.endswith(".json")]
    try:
        if reports:
            found = read(read_report, reports)
            versions = dict.fromkeys(f"spsolve {report['versions']['spsolve']}"
                                     for report in found if "versions" in report)
            draw_reports(Canvas(load_pyplot(), folder, "; ".join(versions)), found)
        if tables:
            draw_tables(tables, folder, threads)
    except OSError as error:
        raise Complaint(RESOURCES, f"{error.filename or folder}: {error.strerror}") from error


def main():
    parser = script_parser(__doc__, csv_help="")
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="CSV of spbench and of the scripts beside this one, or JSON report of "
                             "spsolve")
    parser.add_argument("--output", default=".", metavar="FOLDER",
                        help="where the pictures go (default: here)")
    parser.add_argument("--threads", type=int, metavar="N",
                        help="draw the host's kernels with so many threads (default: the most)")
    arguments = parser.parse_args()
    draw(arguments.files, arguments.output, arguments.threads)


if __name__ == "__main__":
    sys.exit(ended(main))
