"""The pictures of spbench multiply, and what lines look like in all pictures. plot.py draws them."""

import collections
import pathlib
import re

# Okabe and Ito's colours, which the colour-blind can tell apart; with markers and dashes, 7 x 10
# lines are different.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*X<>"
DASHES = ("-", "--", ":", "-.")


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
