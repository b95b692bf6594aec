#!/usr/bin/env python3
"""Draws what `spbench` measured, and what reports of `spsolve` say.

    apps/plot.py results.csv [more.csv ...] --output folder
    apps/plot.py report.json [more.json ...] --output folder

Of CSV files of `spbench eliminate --matrix`: eliminate_seconds.png and eliminate_speedup.png. For
every matrix and precision of those of `spbench multiply`, up to four pictures (PNG):

    MATRIX_PRECISION_gflops.png      GFLOP/s against K, a line a kernel
    MATRIX_PRECISION_bandwidth.png   effective bandwidth against K, beside the triad
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
import re
import sys

from plot_eliminations import EliminationPictures, is_elimination_table, measured
from plot_tables import draw_table, kind_of_table
from plot_reports import NotAReport, ReportPictures, read_report

NEEDED = ("matrix", "kernel", "device", "precision", "k", "threads", "refused", "gflops",
          "bandwidth_gbs", "triad_gbs", "baseline", "speedup")

# Okabe and Ito's colours, which the colour-blind can tell apart; with markers and dashes, 7 x 10
# lines are different.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*X<>"
DASHES = ("-", "--", ":", "-.")

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


def label_of(row):
    return row["kernel"] if row["device"] == "host" else f"{row['kernel']} ({row['device']})"


def title_of(row):
    """The matrix, the type and the machine."""
    name = pathlib.PurePath(row["matrix"]).name
    size = ""
    if row.get("rows"):
        size = (f", {int(row['rows']):,} x {int(row['columns']):,}, "
                f"{int(row['nonzeros']):,} non-zeros").replace(",", "\u202f").replace(
                    "\u202f ", ", ")
    return f"{name}{size}, {row['precision']}"


def file_stem(matrix, precision):
    return re.sub(r"[^A-Za-z0-9._-]+", "_", pathlib.PurePath(matrix).name) + f"_{precision}"


class Styles:
    """The same line for the same kernel in every picture."""

    def __init__(self, labels):
        self.index = {label: i for i, label in enumerate(labels)}

    def __call__(self, label):
        i = self.index[label]
        return {"color": COLORS[i % len(COLORS)], "marker": MARKERS[i % len(MARKERS)],
                "linestyle": DASHES[i // len(COLORS) % len(DASHES)], "linewidth": 1.6,
                "markersize": 5.5, "label": label}


def lines(rows, x, y):
    """{label: ([x], [y])} with ascending x; of several rows at one x the last counts."""
    points = collections.defaultdict(dict)
    for row in rows:
        if row[y] is not None:
            points[label_of(row)][row[x]] = row[y]
    return {label: tuple(zip(*sorted(values.items()))) for label, values in points.items()}


def finish(figure, axes, title, note, path, handles=None, names=None):
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.text(0.01, 0.005, note, fontsize=7, color="#555555", ha="left", va="bottom")
    if handles is None:
        handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False,
                  fontsize=9, handlelength=3.2)
    figure.tight_layout(rect=(0, 0.02, 1, 0.98))
    figure.savefig(path, dpi=130, bbox_inches="tight")


def ticks_at(axes, values):
    """A logarithmic axis (base 2) with a tick at each measured value, too close ones left out."""
    import matplotlib.ticker as ticker
    values = sorted(set(values))
    if len(values) > 1:
        axes.set_xscale("log", base=2)
    shown = []
    for value in values:
        if not shown or value >= 1.22 * shown[-1]:
            shown.append(value)
    axes.set_xticks(shown)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())


class Pictures:
    """Draws the pictures of one matrix and precision."""

    def __init__(self, pyplot, folder, rows, threads):
        self.pyplot, self.folder, self.rows = pyplot, folder, rows
        self.styles = Styles(list(dict.fromkeys(label_of(row) for row in rows)))
        self.stem = file_stem(rows[0]["matrix"], rows[0]["precision"])
        self.written = []
        counts = sorted({row["threads"] for row in rows if row["threads"]})
        self.threads = threads if threads in counts else (counts[-1] if counts else 0)
        self.at_threads = [row for row in rows if row["threads"] in (0, self.threads)]

    def note(self):
        machines = dict.fromkeys(
            f"{row['processor']}, {row.get('compiler', '')}, spsolve {row.get('version', '')}, "
            f"{row.get('date', '')[:10]}" for row in self.rows if row.get("processor"))
        return "; ".join(machines)

    def title(self, what, with_threads=True):
        plural = "" if self.threads == 1 else "s"
        threads = f", {self.threads} thread{plural}" if with_threads and self.threads else ""
        return f"{what}{threads}\n{title_of(self.rows[0])}"

    def save(self, figure, axes, title, name, **legend):
        path = self.folder / f"{self.stem}_{name}.png"
        finish(figure, axes, title, self.note(), path, **legend)
        self.pyplot.close(figure)
        self.written.append(path)

    def against_columns(self, column, what, unit, name, extra=None):
        drawn = lines(self.at_threads, "k", column)
        if not drawn:
            return
        figure, axes = self.pyplot.subplots(figsize=(8, 5))
        for label, (x, y) in drawn.items():
            axes.plot(x, y, **self.styles(label))
        if extra:
            extra(axes)
        if len({row["device"] for row in self.at_threads}) > 1:
            axes.set_yscale("log")  # devices may be orders of magnitude apart
        else:
            axes.set_ylim(bottom=0)
        axes.set_xlabel("columns K of X")
        axes.set_ylabel(unit)
        axes.grid(True, color="#dddddd", linewidth=0.7)
        axes.set_axisbelow(True)
        ticks_at(axes, [x for xs, _ in drawn.values() for x in xs])
        self.save(figure, axes, self.title(what), name)

    def triad_lines(self, axes):
        devices = {}
        for row in self.at_threads:
            if row["triad_gbs"]:
                devices[row["device"]] = row["triad_gbs"]
        for i, (device, value) in enumerate(devices.items()):
            where = "" if device == "host" else f" ({device})"
            axes.axhline(value, color="#666666", linestyle=(0, ((6, 3), (1, 2), (9, 2, 1, 2))[i % 3]),
                         linewidth=1.4, label=f"triad a = b + s c{where}")

    def baseline_line(self, axes):
        names = dict.fromkeys(row["baseline"] for row in self.at_threads if row["baseline"])
        axes.axhline(1, color="#666666", linestyle=(0, (6, 3)), linewidth=1.4,
                     label=f"baseline: {', '.join(names)}")

    def against_threads(self):
        rows = [row for row in self.rows if row["threads"]]
        counts = sorted({row["threads"] for row in rows})
        if len(counts) < 2:
            return
        columns = sorted({row["k"] for row in rows})
        if len(columns) > 6:  # evenly spread over what was measured
            columns = [columns[round(i * (len(columns) - 1) / 5)] for i in range(6)]
        across = min(3, len(columns))
        down = -(-len(columns) // across)
        figure, grid = self.pyplot.subplots(
            down, across, figsize=(3.4 * across + 1.2, 2.9 * down + 0.6), squeeze=False)
        legend = {}
        for panel, k in zip(grid.flat, columns):
            for label, (x, y) in lines([r for r in rows if r["k"] == k], "threads",
                                       "gflops").items():
                legend[label] = panel.plot(x, y, **self.styles(label))[0]
            panel.set_title(f"K = {k}", fontsize=10)
            panel.set_ylim(bottom=0)
            panel.grid(True, color="#dddddd", linewidth=0.7)
            ticks_at(panel, counts)
        for panel in list(grid.flat)[len(columns):]:
            panel.set_visible(False)
        for panel in list(grid.flat)[max(0, len(columns) - across):len(columns)]:
            panel.set_xlabel("threads")
        for line in grid:
            line[0].set_ylabel("GFLOP/s")
        self.save(figure, None, self.title("Rate by threads", with_threads=False), "threads",
                  handles=list(legend.values()), names=list(legend))

    def draw(self):
        self.against_columns("gflops", "Rate", "GFLOP/s (2 x non-zeros x K / median time)",
                             "gflops")
        self.against_columns(
            "bandwidth_gbs", "Effective bandwidth",
            "GB/s (bytes that must move / median time)", "bandwidth", self.triad_lines)
        self.against_threads()
        self.against_columns("speedup", "Speed-up over the baseline kernel",
                             "time of baseline / time", "speedup", self.baseline_line)
        return self.written


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
