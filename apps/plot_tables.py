"""Draws the tables of `spbench` that have few columns of their own; a part of plot.py: those of
`convert`, of `eliminate --n`, and of `multiply` over several ranks.
"""

import collections
import csv
import math
import pathlib
import re

# Columns that no other table has, in addition to those that are drawn.
KINDS = {
    "convert": ("conversion", "from", "to", "threads", "median_s", "variance_s2", "bytes"),
    "eliminate --n": ("n", "method", "precision", "ranks", "threads", "total_s", "gflops"),
    "multiply over ranks": ("kernel", "ranks", "k", "median_s", "mean_s", "variance_s2", "gflops",
                            "pack_s", "exchange_s", "interior_s", "wait_s", "boundary_s"),
}
PARTS = ("pack_s", "exchange_s", "interior_s", "wait_s", "boundary_s")


def kind_of_table(path):
    """Which of KINDS a CSV is, by its columns; None for none of them, or what cannot be read."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            names = csv.DictReader(file).fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error):
        return None
    return next((kind for kind, needed in KINDS.items() if all(name in names for name in needed)),
                None)


def stem_of(matrix):
    return re.sub(r"[^A-Za-z0-9._-]+", "_", pathlib.PurePath(matrix).name)


def grouped(rows, *keys):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


def plain_axes(axes, xlabel, ylabel):
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(True, color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)


def conversions(pyplot, rows, _, save):
    """A bar a conversion and number of threads, with the standard deviation."""
    for (matrix,), found in grouped(rows, "matrix").items():
        figure, axes = pyplot.subplots(figsize=(8, 0.32 * len(found) + 1.4))
        places = range(len(found))
        seconds = [float(row["median_s"]) for row in found]
        spread = [math.sqrt(float(row["variance_s2"] or 0)) for row in found]
        bars = axes.barh(places, seconds, xerr=spread, color="#0072B2",
                         error_kw={"elinewidth": 1, "capsize": 2})
        axes.set_yticks(list(places))
        axes.set_yticklabels([f"{row['conversion']}, {row['threads']} thr." for row in found],
                             fontsize=8)
        axes.invert_yaxis()
        axes.set_xscale("log")
        plain_axes(axes, "seconds of a conversion", "")
        yield save(figure, pathlib.PurePath(matrix).name, stem_of(matrix) + "_convert", [bars],
                   ["median, standard deviation"])


def eliminations(pyplot, rows, styles, save):
    """GFLOP/s against n, a line for each contender."""
    def label(row):
        return (f"{row['method']}, {row['precision']}, {row['threads']} thr."
                + (f", {row['ranks']} ranks" if int(row["ranks"]) > 1 else ""))

    style = styles(list(dict.fromkeys(map(label, rows))))
    figure, axes = pyplot.subplots(figsize=(8, 5))
    lines = []
    for name in style.index:
        points = sorted((int(row["n"]), float(row["gflops"])) for row in rows
                        if label(row) == name and row["gflops"])
        if points:
            lines += axes.plot(*zip(*points), **style(name))
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    plain_axes(axes, "order n", "GFLOP/s of 2/3 n^3")
    yield save(figure, "Elimination of dense systems", "eliminate_orders", lines,
               [line.get_label() for line in lines])


def products_over_ranks(pyplot, rows, styles, save):
    """GFLOP/s against K with the standard deviation, and the parts of a product at the largest K."""
    def label(row):
        return f"{row['kernel']}, {row['ranks']} ranks"

    for (matrix, precision), found in grouped(rows, "matrix", "precision").items():
        stem = f"{stem_of(matrix)}_{precision}"
        style = styles(list(dict.fromkeys(map(label, found))))
        figure, axes = pyplot.subplots(figsize=(8, 5))
        lines = []
        for name in style.index:
            line = sorted((row for row in found if label(row) == name), key=lambda row: int(row["k"]))
            rates = [float(row["gflops"]) for row in line]
            spread = [rate * math.sqrt(float(row["variance_s2"] or 0)) / float(row["mean_s"])
                      for rate, row in zip(rates, line)]
            lines.append(axes.errorbar([int(row["k"]) for row in line], rates, yerr=spread,
                                       capsize=2, **style(name)))
        axes.set_ylim(bottom=0)
        plain_axes(axes, "columns K of X", "GFLOP/s")
        title = f"{pathlib.PurePath(matrix).name}, {precision}"
        yield save(figure, title, stem + "_ranks", lines, list(style.index))

        most = max(int(row["k"]) for row in found)
        line = [row for row in found if int(row["k"]) == most]
        figure, axes = pyplot.subplots(figsize=(8, 0.4 * len(line) + 1.4))
        left = [0.0] * len(line)
        bars = []
        for part, color in zip(PARTS, ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")):
            values = [float(row[part]) for row in line]
            bars.append(axes.barh(range(len(line)), values, left=left, color=color))
            left = [a + b for a, b in zip(left, values)]
        axes.set_yticks(range(len(line)))
        axes.set_yticklabels(list(map(label, line)), fontsize=8)
        axes.invert_yaxis()
        plain_axes(axes, "seconds of one product, each part on the rank where it is longest", "")
        yield save(figure, f"{title}, K = {most}", stem + "_parts", bars,
                   [part[:-2] for part in PARTS])


def draw_table(kind, pyplot, rows, styles, save):
    """The paths of the pictures. `styles(labels)` gives lines their look, `save(figure, title, name,
    handles, names)` writes a figure and returns its path."""
    draw = {"convert": conversions, "eliminate --n": eliminations,
            "multiply over ranks": products_over_ranks}[kind]
    return list(draw(pyplot, rows, styles, save))
