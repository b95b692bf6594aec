"""Draws what `spbench eliminate --matrix` measured; a part of plot.py.

    eliminate_seconds.png   a panel a matrix, a bar a contender: seconds to analyse, factor and solve
    eliminate_speedup.png   the best peer's seconds / own, for elimination, solution and total, by
                            matrix; where methods of spsolve and peers were measured
"""

import collections
import pathlib

NEEDED = ("matrix", "contender", "peer", "threads", "ranks", "analyse_s", "factor_s", "solve_s",
          "factor_speedup", "solve_speedup", "total_speedup", "refused")
FIGURES = ("analyse_s", "factor_s", "solve_s", "factor_speedup", "solve_speedup", "total_speedup")
PHASES = (("analyse_s", "analyse"), ("factor_s", "factor"), ("solve_s", "solve"))
SPEEDUPS = (("factor_speedup", "factor"), ("solve_speedup", "solve"), ("total_speedup", "total"))


def is_elimination_table(names):
    """Whether a CSV with these columns is one of spbench eliminate --matrix."""
    return "contender" in names and all(name in names for name in NEEDED)


def measured(rows):
    """The rows that were measured, figures as numbers."""
    return [dict(row, **{name: float(row[name]) if row[name] else None for name in FIGURES})
            for row in rows if not row["refused"]]


def label_of(row):
    """The contender, and the ranks where it shared its work."""
    ranks = f", {row['ranks']} ranks" if int(row["ranks"]) > 1 else ""
    return f"{row['contender']} ({row['threads']} thr.{ranks})"


class EliminationPictures:
    """`save(figure, title, name, handles, names)` writes a figure and returns its path."""

    def __init__(self, pyplot, rows, colors, markers, save):
        self.pyplot, self.rows, self.save = pyplot, rows, save
        self.colors, self.markers = colors, markers
        self.matrices = collections.defaultdict(list)
        for row in rows:
            self.matrices[row["matrix"]].append(row)

    def seconds(self):
        across = min(3, len(self.matrices))
        down = -(-len(self.matrices) // across)
        most = max(len(rows) for rows in self.matrices.values())
        figure, grid = self.pyplot.subplots(
            down, across, squeeze=False,
            figsize=(4.2 * across + 1, (0.3 * most + 1.1) * down + 0.5))
        legend = {}
        for panel, (matrix, rows) in zip(grid.flat, self.matrices.items()):
            places = range(len(rows))
            left = [0.0] * len(rows)
            for (column, phase), color in zip(PHASES, self.colors):
                values = [row[column] for row in rows]
                legend[phase] = panel.barh(places, values, left=left, color=color)
                left = [a + b for a, b in zip(left, values)]
            panel.set_yticks(list(places))
            panel.set_yticklabels([label_of(row) for row in rows], fontsize=8)
            panel.invert_yaxis()
            panel.set_title(pathlib.PurePath(matrix).name, fontsize=10)
            panel.set_xlabel("seconds", fontsize=8)
            panel.grid(True, axis="x", color="#dddddd", linewidth=0.7)
            panel.set_axisbelow(True)
        for panel in list(grid.flat)[len(self.matrices):]:
            panel.set_visible(False)
        return self.save(figure, "Seconds by phase", "eliminate_seconds", list(legend.values()),
                         list(legend))

    def speedups(self):
        own = [row for row in self.rows if row["peer"] == "false" and row["total_speedup"]]
        if not own:
            return None
        names = list(self.matrices)
        figure, axes = self.pyplot.subplots(figsize=(8, 0.4 * len(names) + 1.6))
        legend = {}
        labels = list(dict.fromkeys(label_of(row) for row in own))
        for row in own:
            for (column, phase), marker in zip(SPEEDUPS, self.markers):
                if row[column]:
                    color = self.colors[labels.index(label_of(row)) % len(self.colors)]
                    legend[f"{label_of(row)}: {phase}"] = axes.plot(
                        row[column], names.index(row["matrix"]), marker=marker, color=color,
                        linestyle="none")[0]
        axes.axvline(1, color="#666666", linestyle=(0, (6, 3)), linewidth=1.4)
        axes.set_xscale("log")
        axes.set_yticks(range(len(names)))
        axes.set_yticklabels([pathlib.PurePath(name).name for name in names])
        axes.invert_yaxis()
        axes.set_xlabel("seconds of the best peer / own")
        axes.grid(True, color="#dddddd", linewidth=0.7)
        axes.set_axisbelow(True)
        return self.save(figure, "Speed-up over the best peer", "eliminate_speedup",
                         list(legend.values()), list(legend))

    def draw(self):
        return [path for path in (self.seconds(), self.speedups()) if path]
