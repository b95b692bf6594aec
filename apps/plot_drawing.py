"""What all pictures of plot.py have in common: colours, lines, bars, files."""

import collections
import pathlib
import re

# Okabe and Ito's colours, which the colour-blind can tell apart; with markers and dashes, 7 x 10
# lines are different.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*X<>"
DASHES = ("-", "--", ":", "-.")
REFERENCE = {"color": "#666666", "linestyle": (0, (6, 3)), "linewidth": 1.4}


def base_name(matrix):
    return pathlib.PurePath(str(matrix)).name


def file_stem(matrix):
    return re.sub(r"[^A-Za-z0-9._-]+", "_", base_name(matrix))


def grouped(rows, *keys):
    """{the values of these columns: rows}, in the order of the rows."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


def is_number(cell):
    return isinstance(cell, (int, float))


class Styles:
    """The same line for the same label in every picture."""

    def __init__(self, labels):
        self.index = {label: i for i, label in enumerate(dict.fromkeys(labels))}

    def __call__(self, label):
        i = self.index[label]
        return {"color": COLORS[i % len(COLORS)], "marker": MARKERS[i % len(MARKERS)],
                "linestyle": DASHES[i // len(COLORS) % len(DASHES)], "linewidth": 1.6,
                "markersize": 5.5, "label": label}


def lay_out(axes, xlabel="", ylabel="", grid="both"):
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(True, axis=grid, color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)


def draw_lines(axes, rows, x, y, label, style, spread=None):
    """A line for each label, of columns x and y; of several rows at one x the last counts. `spread`: half
    the length of a row's whisker. All x that were drawn."""
    points = collections.defaultdict(dict)
    for row in rows:
        if row[x] is not None and row[y] is not None:
            points[label(row)][row[x]] = (row[y], spread(row) if spread else 0)
    for name, found in points.items():
        ticks = sorted(found)
        values, whiskers = zip(*(found[tick] for tick in ticks))
        if spread:
            axes.errorbar(ticks, values, yerr=whiskers, capsize=2, **style(name))
        else:
            axes.plot(ticks, values, **style(name))
    return [tick for found in points.values() for tick in found]


def bars(axes, labels, parts, **options):
    """A horizontal bar a label, of `parts`: (name, values) after one another. {name: handle}"""
    left = [0.0] * len(labels)
    handles = {}
    for i, (name, values) in enumerate(parts):
        values = [value if is_number(value) else 0 for value in values]
        handles[name] = axes.barh(range(len(labels)), values, left=left,
                                  color=COLORS[i % len(COLORS)],
                                  hatch="//" if i >= len(COLORS) else None, **options)
        left = [a + b for a, b in zip(left, values)]
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.invert_yaxis()
    return handles


def ticks_at(axes, values):
    """A logarithmic axis (base 2) with a tick at each measured value, too close ones left out."""
    values = sorted(set(values))
    if len(values) > 1:
        axes.set_xscale("log", base=2)
    shown = []
    for value in values:
        if not shown or value >= 1.22 * shown[-1]:
            shown.append(value)
    axes.set_xticks(shown, [f"{value:g}" for value in shown])
    axes.minorticks_off()


class Canvas:
    """Makes figures with a note below, and writes them into a folder, which it makes."""

    def __init__(self, pyplot, folder, note):
        self.pyplot, self.folder, self.note = pyplot, folder, note
        folder.mkdir(parents=True, exist_ok=True)

    def axes(self, width=8, height=5):
        return self.pyplot.subplots(figsize=(width, height))[1]

    def panels(self, count, width, height):
        """So many panels, at most three side by side."""
        across = min(3, count)
        down = -(-count // across)
        grid = self.pyplot.subplots(down, across, squeeze=False,
                                    figsize=(width * across + 1, height * down + 0.6))[1]
        for panel in grid.flat[count:]:
            panel.set_visible(False)
        return list(grid.flat[:count])

    def save(self, axes, title, name, handles=None):
        """Writes the figure of these axes; `handles`: {name: handle} of its legend."""
        figure = axes.figure
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        figure.text(0.01, 0.005, self.note, fontsize=7, color="#555555", ha="left", va="bottom")
        if handles is None:
            drawn, names = axes.get_legend_handles_labels()
            handles = dict(zip(names, drawn))
        figure.legend(list(handles.values()), list(handles), loc="center left",
                      bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9, handlelength=3.2)
        figure.tight_layout(rect=(0, 0.02, 1, 0.98))
        path = self.folder / f"{name}.png"
        figure.savefig(path, dpi=130, bbox_inches="tight")
        self.pyplot.close(figure)
        print(path)
