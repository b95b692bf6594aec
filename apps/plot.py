#!/usr/bin/env python3
"""Draws what `spbench` measured, and what reports of `spsolve` say.

    apps/plot.py results.csv [more.csv ...] --output folder
    apps/plot.py report.json [more.json ...] --output folder

Of CSV files of `spbench eliminate --matrix`: eliminate_seconds.png and eliminate_speedup.png. For
every matrix and precision of those of `spbench multiply`, up to four pictures (PNG):

    MATRIX_PRECISION_gflops.png      GFLOP/s against K, a line a kernel
    MATRIX_PRECISION_bandwidth.png   effective bandwidth against K, next to the triad
    MATRIX_PRECISION_threads.png     GFLOP/s against threads, one panel for each K
    MATRIX_PRECISION_speedup.png     speed-up over the baseline against K

Kernels of the host are drawn with the most threads that the files hold, or with --threads N; those
of other devices as they are, with their device in the legend.

Of those over several ranks: MATRIX_PRECISION_ranks.png (GFLOP/s against K, a line for each kernel and
number of ranks) and MATRIX_PRECISION_parts.png (where a product's time goes). Of `spbench convert`:
MATRIX_convert.png, of `spbench eliminate --n`: eliminate_orders.png. Bars are medians, whiskers the
standard deviation where there are variances.

Of reports (output.report): time_split.png, convergence.png, and where they differ in their ranks
scaling.png and efficiency.png. The pattern of a matrix and its rows by length are drawn by
`spmtx plot`. Needs matplotlib (Debian: python3-matplotlib).
"""

import argparse
import collections
import csv
import pathlib
import sys

from plot_eliminations import EliminationPictures, is_elimination_table, measured
from plot_products import COLORS, finish, MARKERS, Pictures, Styles
from plot_tables import draw_table, kind_of_table
from plot_reports import NotAReport, ReportPictures, read_report

NEEDED = ("matrix", "kernel", "device", "precision", "k", "threads", "refused", "gflops",
          "bandwidth_gbs", "triad_gbs", "baseline", "speedup")

INPUT, RESOURCES = 2, 3


class Complaint(Exception):
    """One sentence for the user, and the exit code."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def number(text):
    return float(text) if text else None


def read_rows(path):
    """The rows of one CSV that were measured, numbers as numbers."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in NEEDED if name not in (reader.fieldnames or [])]
            if missing:
                raise Complaint(INPUT, f"{path}: this is no CSV of 'spbench multiply': the column "
                                       f"'{missing[0]}' is missing")
            rows = []
            for row in reader:
                if row["refused"] or not row["gflops"]:
                    continue
                for name in ("gflops", "bandwidth_gbs", "triad_gbs", "speedup"):
                    row[name] = number(row[name])
                row["k"] = int(row["k"])
                row["threads"] = int(row["threads"]) if row["threads"] else 0
                rows.append(row)
            return rows
    except OSError as error:
        raise Complaint(INPUT, f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error, ValueError, TypeError) as error:
        raise Complaint(INPUT, f"{path}: this is no CSV of 'spbench multiply': {error}") from error


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


def saver(pyplot, folder, note):
    """What writes a figure into the folder, which it makes, and returns the figure's path."""
    folder.mkdir(parents=True, exist_ok=True)

    def save(figure, title, name, handles, names):
        path = folder / f"{name}.png"
        finish(figure, None, title, note, path, handles, names)
        pyplot.close(figure)
        return path

    return save


def draw_reports(paths, folder):
    """The pictures of reports; paths are of JSON files."""
    try:
        reports = [read_report(path) for path in paths]
    except NotAReport as problem:
        raise Complaint(INPUT, str(problem)) from problem
    except OSError as error:
        raise Complaint(INPUT, f"{error.filename}: {error.strerror}") from error
    pyplot = load_pyplot()
    versions = dict.fromkeys(f"spsolve {report['versions']['spsolve']}" for report in reports
                             if "versions" in report)
    save = saver(pyplot, folder, "; ".join(versions))
    for path in ReportPictures(pyplot, reports, COLORS, MARKERS, save).draw():
        print(path)


def run(arguments):
    folder = pathlib.Path(arguments.output)
    reports = [path for path in arguments.files if path.endswith(".json")]
    tables = [path for path in arguments.files if not path.endswith(".json")]
    try:
        if reports:
            draw_reports(reports, folder)
        if tables:
            draw_tables(tables, arguments, folder)
    except OSError as error:
        raise Complaint(RESOURCES, f"{error.filename or folder}: {error.strerror}") from error


def elimination_rows(path):
    """The rows of a CSV of spbench eliminate --matrix; None where it is something else."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            return measured(reader) if is_elimination_table(reader.fieldnames or []) else None
    except OSError as error:
        raise Complaint(INPUT, f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error, ValueError, TypeError):
        return None  # read_rows() says what is wrong


def draw_eliminations(rows, folder):
    if not rows:
        raise Complaint(INPUT, "no row was measured")
    pyplot = load_pyplot()
    machines = dict.fromkeys(f"{row['processor']}, spsolve {row['version']}, {row['date'][:10]}"
                             for row in rows if row.get("processor"))
    save = saver(pyplot, folder, "; ".join(machines))
    for path in EliminationPictures(pyplot, rows, COLORS, MARKERS, save).draw():
        print(path)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [dict(row, refused=row.get("refused", "")) for row in csv.DictReader(file)]


def draw_other(kind, found, folder):
    """Tables of spbench convert, eliminate --n and multiply over several ranks."""
    if not found:
        raise Complaint(INPUT, "no row was measured")
    rows = [row for _, row in found]
    pyplot = load_pyplot()
    machines = dict.fromkeys(f"{row['processor']}, spsolve {row['version']}, {row['date'][:10]}"
                             for row in rows if row.get("processor"))
    save = saver(pyplot, folder, "; ".join(machines))
    try:
        drawn = draw_table(kind, pyplot, rows, Styles, save)
    except (ValueError, KeyError, TypeError) as error:
        raise Complaint(INPUT, f"{found[0][0]}: this is no CSV of spbench {kind}: {error}") from error
    for path in drawn:
        print(path)


def draw_tables(paths, arguments, folder):
    """The pictures of CSV files."""
    eliminations = {path: elimination_rows(path) for path in paths}
    found = [rows for rows in eliminations.values() if rows is not None]
    if found:
        draw_eliminations([row for rows in found for row in rows], folder)
    paths = [path for path in paths if eliminations[path] is None]
    others = collections.defaultdict(list)
    for path in paths:
        if kind := kind_of_table(path):
            others[kind] += [(path, row) for row in rows_of(path) if not row["refused"]]
    for kind, found in others.items():
        draw_other(kind, found, folder)
    paths = [path for path in paths if kind_of_table(path) is None]
    if not paths:
        return
    rows = [row for path in paths for row in read_rows(path)]
    if not rows:
        raise Complaint(INPUT, f"{paths[0]}: no row was measured")
    counts = {row["threads"] for row in rows if row["threads"]}
    if arguments.threads and arguments.threads not in counts:
        raise Complaint(INPUT, f"--threads {arguments.threads}: measured were "
                               f"{', '.join(map(str, sorted(counts))) or 'none'}")
    pyplot = load_pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["matrix"], row["precision"]].append(row)
    for group in groups.values():
        for path in Pictures(pyplot, folder, group, arguments.threads).draw():
            print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="CSV of spbench, or JSON report of spsolve")
    parser.add_argument("--output", default=".", metavar="FOLDER",
                        help="where the pictures go (default: here)")
    parser.add_argument("--threads", type=int, metavar="N",
                        help="draw the host's kernels with so many threads (default: the most)")
    try:
        run(parser.parse_args())
    except Complaint as complaint:
        print(f"plot.py: {complaint}", file=sys.stderr)
        return complaint.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
