"""The pictures of CSV files of `spbench`; a part of plot.py."""

import collections
import csv
import math

from plot_drawing import (MARKERS, REFERENCE, Styles, bars, base_name, file_stem, grouped, lay_out,
                          ticks_at)

PARTS = ("pack_s", "exchange_s", "interior_s", "wait_s", "boundary_s")


def conversions(canvas, rows, _):
    """A bar a conversion and number of threads, with the standard deviation."""
    for (matrix,), found in grouped(rows, "matrix").items():
        axes = canvas.axes(8, 0.32 * len(found) + 1.4)
        spread = [math.sqrt(row["variance_s2"] or 0) for row in found]
        legend = bars(axes, [f"{row['conversion']}, {row['threads']} thr." for row in found],
                      [("median, standard deviation", [row["median_s"] for row in found])],
                      xerr=spread, error_kw={"elinewidth": 1, "capsize": 2})
        axes.set_xscale("log")
        lay_out(axes, "seconds of a conversion")
        canvas.save(axes, base_name(matrix), file_stem(matrix) + "_convert", legend)


def dense_eliminations(canvas, rows, _):
    """GFLOP/s against n, a line for each contender."""
    def label(row):
        return (f"{row['method']}, {row['precision']}, {row['threads']} thr."
                + (f", {row['ranks']} ranks" if row["ranks"] > 1 else ""))

    style = Styles(map(label, rows))
    axes = canvas.axes()
    for name in style.index:
        points = sorted((row["n"], row["gflops"]) for row in rows
                        if label(row) == name and row["gflops"])
        if points:
            axes.plot(*zip(*points), **style(name))
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    lay_out(axes, "order n", "GFLOP/s of 2/3 n^3")
    canvas.save(axes, "Elimination of dense systems", "eliminate_orders")


def contender(row):
    """The contender, and the ranks where it shared its work."""
    ranks = f", {row['ranks']} ranks" if row["ranks"] > 1 else ""
    return f"{row['contender']} ({row['threads']} thr.{ranks})"


def seconds_by_phase(canvas, rows, name, phases):
    """A panel a matrix, a bar a contender."""
    matrices = grouped(rows, "matrix")
    most = max(map(len, matrices.values()))
    legend = {}
    for panel, ((matrix,), found) in zip(canvas.panels(len(matrices), 4.2, 0.3 * most + 1.1),
                                         matrices.items()):
        legend = bars(panel, list(map(contender, found)),
                      [(phase, [row[f"{phase}_s"] for row in found]) for phase in phases])
        panel.set_title(base_name(matrix), fontsize=10)
        lay_out(panel, "seconds", grid="x")
    canvas.save(panel, "Seconds by phase", f"{name}_seconds", legend)


def speedups(canvas, rows, name, figures):
    """The best peer's seconds / own by matrix, where methods of spsolve and peers were measured."""
    own = [row for row in rows if row["peer"] == "false" and row[figures["total"]]]
    if not own:
        return
    names = list(dict.fromkeys(row["matrix"] for row in rows))
    style = Styles(map(contender, own))
    axes = canvas.axes(8, 0.4 * len(names) + 1.6)
    legend = {}
    for row in own:
        for (phase, column), marker in zip(figures.items(), MARKERS):
            if row[column]:
                legend[f"{contender(row)}: {phase}"] = axes.plot(
                    row[column], names.index(row["matrix"]), marker=marker,
                    color=style(contender(row))["color"], linestyle="none")[0]
    axes.axvline(1, **REFERENCE)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), list(map(base_name, names)))
    axes.invert_yaxis()
    lay_out(axes, "seconds of the best peer / own")
    canvas.save(axes, "Speed-up over the best peer", f"{name}_speedup", legend)


def sparse_eliminations(canvas, rows, _):
    seconds_by_phase(canvas, rows, "eliminate", ("analyse", "factor", "solve"))
    speedups(canvas, rows, "eliminate",
             {phase: f"{phase}_speedup" for phase in ("factor", "solve", "total")})


def iterations(canvas, rows, _):
    seconds_by_phase(canvas, rows, "iterate", ("setup", "solve"))
    speedups(canvas, rows, "iterate",
             {phase: f"speedup_{phase}" for phase in ("setup", "solve", "total")})


def products_over_ranks(canvas, rows, _):
    """GFLOP/s against K with the standard deviation; the parts of a product at the largest K."""
    def label(row):
        return f"{row['kernel']}, {row['ranks']} ranks"

    for (matrix, precision), found in grouped(rows, "matrix", "precision").items():
        stem, title = f"{file_stem(matrix)}_{precision}", f"{base_name(matrix)}, {precision}"
        style = Styles(map(label, found))
        axes = canvas.axes()
        for name in style.index:
            line = sorted((row for row in found if label(row) == name), key=lambda row: row["k"])
            rates = [row["gflops"] for row in line]
            spread = [rate * math.sqrt(row["variance_s2"] or 0) / row["mean_s"]
                      for rate, row in zip(rates, line)]
            axes.errorbar([row["k"] for row in line], rates, yerr=spread, capsize=2, **style(name))
        axes.set_ylim(bottom=0)
        lay_out(axes, "columns K of X", "GFLOP/s")
        canvas.save(axes, title, stem + "_ranks")

        most = max(row["k"] for row in found)
        line = [row for row in found if row["k"] == most]
        axes = canvas.axes(8, 0.4 * len(line) + 1.4)
        legend = bars(axes, list(map(label, line)),
                      [(part[:-2], [row[part] for row in line]) for part in PARTS])
        lay_out(axes, "seconds of one product, each part on the rank where it is longest")
        canvas.save(axes, f"{title}, K = {most}", stem + "_parts", legend)


class Products:
    """The pictures of one matrix and precision."""

    def __init__(self, canvas, rows, threads):
        self.canvas, self.rows = canvas, rows
        self.style = Styles(map(self.label, rows))
        counts = sorted({row["threads"] for row in rows if row["threads"]})
        self.threads = threads if threads in counts else (counts[-1] if counts else None)
        self.at_threads = [row for row in rows if row["threads"] in (None, self.threads)]

    @staticmethod
    def label(row):
        return row["kernel"] if row["device"] == "host" else f"{row['kernel']} ({row['device']})"

    def save(self, axes, what, name, legend=None):
        row = self.rows[0]
        size = ""
        if row.get("rows"):
            size = (f", {int(row['rows']):,} x {int(row['columns']):,}, "
                    f"{int(row['nonzeros']):,} non-zeros").replace(",", "\u202f").replace(
                        "\u202f ", ", ")
        self.canvas.save(axes, f"{what}\n{base_name(row['matrix'])}{size}, {row['precision']}",
                         f"{file_stem(row['matrix'])}_{row['precision']}_{name}", legend)

    def lines(self, axes, rows, x, y):
        """Draws a line a kernel; of several rows at one x the last counts. All x that there are."""
        points = collections.defaultdict(dict)
        for row in rows:
            if row[y] is not None:
                points[self.label(row)][row[x]] = row[y]
        for label, values in points.items():
            axes.plot(*zip(*sorted(values.items())), **self.style(label))
        return [value for values in points.values() for value in values]

    def against_columns(self, column, what, unit, name, extra=None):
        if all(row[column] is None for row in self.at_threads):
            return
        axes = self.canvas.axes()
        ticks = self.lines(axes, self.at_threads, "k", column)
        if extra:
            extra(axes)
        if len({row["device"] for row in self.at_threads}) > 1:
            axes.set_yscale("log")  # devices may be orders of magnitude apart
        else:
            axes.set_ylim(bottom=0)
        lay_out(axes, "columns K of X", unit)
        ticks_at(axes, ticks)
        plural = "" if self.threads == 1 else "s"
        threads = f", {self.threads} thread{plural}" if self.threads else ""
        self.save(axes, what + threads, name)

    def triad_lines(self, axes):
        devices = {row["device"]: row["triad_gbs"] for row in self.at_threads if row["triad_gbs"]}
        for i, (device, value) in enumerate(devices.items()):
            where = "" if device == "host" else f" ({device})"
            dashes = (0, ((6, 3), (1, 2), (9, 2, 1, 2))[i % 3])
            axes.axhline(value, **dict(REFERENCE, linestyle=dashes),
                         label=f"triad a = b + s c{where}")

    def baseline_line(self, axes):
        names = dict.fromkeys(row["baseline"] for row in self.at_threads if row["baseline"])
        axes.axhline(1, **REFERENCE, label=f"baseline: {', '.join(names)}")

    def against_threads(self):
        rows = [row for row in self.rows if row["threads"]]
        counts = sorted({row["threads"] for row in rows})
        if len(counts) < 2:
            return
        columns = sorted({row["k"] for row in rows})
        if len(columns) > 6:  # evenly spread over what was measured
            columns = [columns[round(i * (len(columns) - 1) / 5)] for i in range(6)]
        legend = {}
        for panel, k in zip(self.canvas.panels(len(columns), 3.4, 2.9), columns):
            self.lines(panel, [row for row in rows if row["k"] == k], "threads", "gflops")
            handles, names = panel.get_legend_handles_labels()
            legend.update(zip(names, handles))
            panel.set_title(f"K = {k}", fontsize=10)
            panel.set_ylim(bottom=0)
            lay_out(panel, "threads", "GFLOP/s")
            ticks_at(panel, counts)
        self.save(panel, "Rate by threads", "threads", legend)

    def draw(self):
        self.against_columns("gflops", "Rate", "GFLOP/s (2 x non-zeros x K / median time)",
                             "gflops")
        self.against_columns(
            "bandwidth_gbs", "Effective bandwidth",
            "GB/s (bytes that must move / median time)", "bandwidth", self.triad_lines)
        self.against_threads()
        self.against_columns("speedup", "Speed-up over the baseline kernel",
                             "time of baseline / time", "speedup", self.baseline_line)


def products(canvas, rows, threads):
    for group in grouped(rows, "matrix", "precision").values():
        Products(canvas, group, threads).draw()


# Kinds of tables: what draws them, the columns of words and of numbers that tell them apart.
KINDS = (
    (sparse_eliminations, ("matrix", "contender", "peer", "refused"),
     ("threads", "ranks", "analyse_s", "factor_s", "solve_s", "factor_speedup", "solve_speedup",
      "total_speedup")),
    (iterations, ("matrix", "contender", "peer", "refused"),
     ("threads", "ranks", "setup_s", "solve_s", "speedup_setup", "speedup_solve",
      "speedup_total")),
    (conversions, ("matrix", "conversion", "from", "to"), ("threads", "median_s", "variance_s2")),
    (dense_eliminations, ("method", "precision"), ("n", "ranks", "threads", "total_s", "gflops")),
    (products_over_ranks, ("matrix", "kernel", "precision"),
     ("ranks", "k", "mean_s", "variance_s2", "gflops", *PARTS)),
    (products, ("matrix", "kernel", "device", "precision", "refused", "baseline"),
     ("k", "threads", "gflops", "bandwidth_gbs", "triad_gbs", "speedup")),
)


class NotATable(Exception):
    """One sentence of what is wrong with a file."""


def number(text):
    return None if not text else int(text) if text.isdigit() else float(text)


def read_table(path):
    """What draws a CSV, and its rows that were measured, numbers as numbers."""
    wrong = f"{path}: this is no CSV of 'spbench multiply', convert, eliminate or iterate"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            for draw, words, numbers in KINDS:
                if all(name in names for name in words + numbers):
                    return draw, [dict(row, **{name: number(row[name]) for name in numbers})
                                  for row in reader if not row.get("refused")]
    except (UnicodeDecodeError, csv.Error, ValueError, AttributeError) as error:
        raise NotATable(f"{wrong}: {error}") from error
    raise NotATable(f"{wrong}: columns are missing")
