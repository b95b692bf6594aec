"""The pictures of CSV files; a part of plot.py."""

import collections
import csv
import functools
import math

from plot_drawing import (MARKERS, REFERENCE, Styles, bars, base_name, draw_lines, file_stem, grouped,
                          is_number, lay_out, ticks_at)

PARTS = ("pack_s", "exchange_s", "interior_s", "wait_s", "boundary_s")


def lines(canvas, rows, x, y, label, title, name, *, log=(), levels=(), spread=None, style=None):
    """A line for each label, x and y columns with their words; `levels`: (y, label) of references."""
    rows = [row for row in rows if is_number(row[x[0]]) and is_number(row[y[0]])]
    if not rows:
        return
    axes = canvas.axes()
    ticks = draw_lines(axes, rows, x[0], y[0], label, style or Styles(map(label, rows)), spread)
    for i, (level, words) in enumerate(levels):
        dashes = (0, ((6, 3), (1, 2), (9, 2, 1, 2))[i % 3])
        axes.axhline(level, **dict(REFERENCE, linestyle=dashes), label=words)
    if "y" in log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    lay_out(axes, x[1], y[1])
    ticks_at(axes, ticks)
    canvas.save(axes, title, name)


def bar_each(canvas, rows, label, parts, xlabel, title, name, *, log=False, level=None, **options):
    """A bar for each row, of `parts`: {name: column} after one another."""
    rows = [row for row in rows if any(is_number(row[column]) for column in parts.values())]
    if not rows:
        return
    axes = canvas.axes(8, 0.32 * len(rows) + 1.4)
    legend = bars(axes, list(map(label, rows)),
                  [(part, [row[column] for row in rows]) for part, column in parts.items()], **options)
    if level:
        axes.axvline(level, **REFERENCE)
    if log:
        axes.set_xscale("log")
    lay_out(axes, xlabel, grid="x")
    canvas.save(axes, title, name, legend)


# --- spbench convert, eliminate and iterate


def conversions(canvas, rows, _):
    for (matrix,), found in grouped(rows, "matrix").items():
        bar_each(canvas, found, lambda row: f"{row['conversion']}, {row['threads']} thr.",
                 {"median, standard deviation": "median_s"}, "seconds of a conversion",
                 base_name(matrix), file_stem(matrix) + "_convert", log=True,
                 xerr=[math.sqrt(row["variance_s2"] or 0) for row in found],
                 error_kw={"elinewidth": 1, "capsize": 2})


def over_ranks(row):
    return f", {row['ranks']} ranks" if row["ranks"] > 1 else ""


def dense_eliminations(canvas, rows, _):
    lines(canvas, rows, ("n", "order n"), ("gflops", "GFLOP/s of 2/3 n^3"),
          lambda row: f"{row['method']}, {row['precision']}, {row['threads']} thr.{over_ranks(row)}",
          "Elimination of dense systems", "eliminate_orders")


def contender(row):
    return f"{row['contender']} ({row['threads']} thr.{over_ranks(row)})"


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


def systems(canvas, rows, _, name, phases, speedup, compared):
    """Seconds by phase, a panel a matrix and a bar a contender; speed-ups."""
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
    speedups(canvas, rows, name, {phase: speedup.format(phase) for phase in compared})


# --- spbench multiply, scaling.py


def products_whole(canvas, rows, threads, subject, stem):
    """Rate, bandwidth and speed-up against K, and the rate against threads."""
    def label(row):
        return row["kernel"] if row["device"] == "host" else f"{row['kernel']} ({row['device']})"

    counts = sorted({row["threads"] for row in rows if row["threads"]})
    threads = threads if threads in counts else (counts[-1] if counts else None)
    shown = [row for row in rows if row["threads"] in (None, threads)]
    style = Styles(map(label, rows))
    note = f", {threads} thread{'' if threads == 1 else 's'}" if threads else ""
    # Devices may be orders of magnitude apart.
    log = "y" if len({row["device"] for row in shown}) > 1 else ""

    def against_columns(column, what, unit, name, levels=()):
        lines(canvas, shown, ("k", "columns K of X"), (column, unit), label,
              f"{what}{note}\n{subject}", f"{stem}_{name}", log=log, levels=levels, style=style)

    triads = {row["device"]: row["triad_gbs"] for row in shown if row["triad_gbs"]}
    baselines = ", ".join(dict.fromkeys(row["baseline"] for row in shown if row["baseline"]))
    against_columns("gflops", "Rate", "GFLOP/s (2 x non-zeros x K / median time)", "gflops")
    against_columns("bandwidth_gbs", "Effective bandwidth",
                    "GB/s (bytes that must move / median time)", "bandwidth",
                    [(value, "triad a = b + s c" + ("" if device == "host" else f" ({device})"))
                     for device, value in triads.items()])
    against_columns("speedup", "Speed-up over the baseline kernel", "time of baseline / time",
                    "speedup", [(1, f"baseline: {baselines}")])
    if len(counts) < 2:
        return
    rows = [row for row in rows if row["threads"]]
    columns = sorted({row["k"] for row in rows})
    if len(columns) > 6:  # evenly spread over what was measured
        columns = [columns[round(i * (len(columns) - 1) / 5)] for i in range(6)]
    legend = {}
    for panel, k in zip(canvas.panels(len(columns), 3.4, 2.9), columns):
        draw_lines(panel, [row for row in rows if row["k"] == k], "threads", "gflops", label, style)
        handles, names = panel.get_legend_handles_labels()
        legend.update(zip(names, handles))
        panel.set_title(f"K = {k}", fontsize=10)
        panel.set_ylim(bottom=0)
        lay_out(panel, "threads", "GFLOP/s")
        ticks_at(panel, counts)
    canvas.save(panel, f"Rate by threads\n{subject}", f"{stem}_threads", legend)


def products_in_bands(canvas, rows, title, stem):
    """GFLOP/s against K with the standard deviation; the parts of a product at the largest K."""
    def label(row):
        return f"{row['kernel']}, {row['ranks']} ranks"

    lines(canvas, rows, ("k", "columns K of X"), ("gflops", "GFLOP/s"), label, title,
          stem + "_ranks",
          spread=lambda row: row["gflops"] * math.sqrt(row["variance_s2"] or 0) / row["mean_s"])
    most = max(row["k"] for row in rows)
    bar_each(canvas, [row for row in rows if row["k"] == most], label,
             {part[:-2]: part for part in PARTS},
             "seconds of one product, each part on the rank where it is longest",
             f"{title}, K = {most}", stem + "_parts")


def products(canvas, rows, threads):
    for (matrix, precision), group in grouped(rows, "matrix", "precision").items():
        size = ", ".join(f"{group[0][key]:,} {key}".replace(",", "\u202f")
                         for key in ("rows", "columns", "nonzeros"))
        subject, stem = f"{base_name(matrix)}, {precision}", f"{file_stem(matrix)}_{precision}"
        whole = [row for row in group if row["pack_s"] is None]
        banded = [row for row in group if row["pack_s"] is not None]
        if whole:
            products_whole(canvas, whole, threads, f"{subject}: {size}", stem)
        if banded:
            products_in_bands(canvas, banded, subject, stem)


def scalings(canvas, rows, _):
    lines(canvas, rows, ("ranks", "ranks"), ("efficiency", "efficiency"),
          lambda row: f"{row['scaling']}, {row['kernel']}, K = {row['k']}, {row['precision']}",
          "Scaling of products", "scaling", levels=[(1, "ideal")])


# --- reproduce.py


def with_published(rows, column, label):
    """Rows by what was measured, and by what is printed of the same."""
    return [dict(row, figure=row[of], of=label(row) + words)
            for words, of in (("", column), (", published", f"published {column}"))
            for row in rows]


def gauss(canvas, rows, _):
    for (precision, pivoting), found in grouped(rows, "precision", "pivoting").items():
        lines(canvas, with_published(found, "seconds", lambda row: row["on"]), ("n", "order n"),
              ("figure", "seconds"), lambda row: row["of"],
              f"Gaussian elimination, {precision}, pivoting {pivoting}",
              f"reproduce_elimination_{precision}_{pivoting}", log="y")


def colourings(canvas, rows, _):
    for columns, unit, name in (
            (("colours, published pass", "colours, balanced", "published colours"), "colours",
             "colours"),
            (("ELLPACK MiB", "published ELLPACK MiB", "symmetric MiB", "published symmetric MiB"),
             "MiB", "formats")):
        found = [dict(row, figure=row[column], of=column) for row in rows for column in columns]
        bar_each(canvas, found, lambda row: f"{row['matrix']}: {row['of']}", {unit: "figure"}, unit,
                 "Colours of symmetric matrices", f"reproduce_{name}", log=True)


def symmetric_products(canvas, rows, _):
    for (matrix, precision), found in grouped(rows, "matrix", "precision").items():
        both = with_published(found, "seconds", lambda row: f"{row['format']}, {row['on']}")
        bar_each(canvas, sorted(both, key=lambda row: row["of"]), lambda row: row["of"],
                 {"seconds": "figure"}, "seconds of a product", f"{matrix}, {precision}",
                 f"reproduce_symmetric_{file_stem(matrix)}_{precision}", log=True)


def tiles(canvas, rows, _):
    both = with_published(rows, "GFLOP/s",
                          lambda row: ", ".join(filter(None, (row["tile"], row["on"]))))
    lines(canvas, both, ("order", "order n"), ("figure", "GFLOP/s"), lambda row: row["of"],
          "Dense products by tile", "reproduce_tiles", log="y")


def kernels_by_columns(canvas, rows, _):
    for (matrix,), found in grouped(rows, "matrix").items():
        lines(canvas, found, ("K", "columns K of X"), ("GFLOP/s", "GFLOP/s"),
              lambda row: f"{row['kernel']}, {row['threads']} thr." if row["on"] == "host"
              else f"{row['kernel']} ({row['on']})",
              str(matrix), f"reproduce_spmm_{file_stem(matrix)}", log="y",
              spread=lambda row: math.sqrt(row["variance"] or 0))


def conversion_rates(canvas, rows, _):
    for (matrix,), found in grouped(rows, "matrix").items():
        bar_each(canvas, found, lambda row: f"{row['conversion']}, {row['threads']} thr.",
                 {"median": "seconds"}, "seconds of a conversion", str(matrix),
                 f"reproduce_conversions_{file_stem(matrix)}", log=True)


# --- busy.py, choices.py, devices.py, outcomes.py, plans.py


def besets(canvas, rows, _):
    for (matrix,), found in grouped(rows, "matrix").items():
        points = [{"contender": f"{row['contender']} ({row['threads']} thr.)", "busy": int(count),
                   "seconds": row[count]} for row in found for count in row if count.isdigit()]
        lines(canvas, points, ("busy", "processes that compute beside"), ("seconds", "seconds"),
              lambda row: row["contender"], base_name(matrix), f"busy_{file_stem(matrix)}", log="y")


def choices(canvas, rows, _):
    bar_each(canvas, rows, lambda row: f"{row['matrix']}: {row['auto took']}, best {row['best']}",
             {"auto / best": "ratio"}, "seconds of auto / of the best by name",
             "The choice of the method", "choices", level=1)


def devices(canvas, rows, _):
    bar_each(canvas, rows, lambda row: str(row["matrix"]), {"auto / best": "over best"},
             "seconds of auto / of the better one of host and cuda", "The choice of the device",
             "devices", level=1)


def outcomes(canvas, rows, _):
    counts = collections.Counter((row["method"], row["outcome"]) for row in rows)
    kinds = list(dict.fromkeys(row["outcome"] for row in rows))
    found = [{"method": method, **{kind: counts[method, kind] for kind in kinds}}
             for method in dict.fromkeys(row["method"] for row in rows)]
    bar_each(canvas, found, lambda row: row["method"], {kind: kind for kind in kinds}, "matrices",
             "How systems end", "outcomes")


def plans(canvas, rows, _):
    bar_each(canvas, rows,
             lambda row: " ".join(filter(None, (row["matrix"], row["method"], row["settings"]))),
             {"held / planned": "held / planned"}, "most memory held / planned", "Memory", "plans",
             level=1)


# Kinds of tables: what draws them, and the columns that tell them apart, the longest first.
KINDS = (
    (functools.partial(systems, name="eliminate", phases=("analyse", "factor", "solve"),
                       speedup="{}_speedup", compared=("factor", "solve", "total")),
     "matrix contender peer threads ranks analyse_s factor_s solve_s total_speedup refused"),
    (functools.partial(systems, name="iterate", phases=("setup", "solve"), speedup="speedup_{}",
                       compared=("setup", "solve", "total")),
     "matrix contender peer threads ranks setup_s solve_s speedup_total refused"),
    (conversions, "matrix conversion from to threads median_s variance_s2"),
    (dense_eliminations, "method precision n ranks threads total_s gflops"),
    (scalings, "scaling efficiency kernel k precision ranks"),
    (products, "matrix rows columns nonzeros kernel device precision k threads gflops bandwidth_gbs "
               "triad_gbs speedup baseline refused ranks mean_s variance_s2 " + " ".join(PARTS)),
    (gauss, "matrix|n|precision|pivoting|on|seconds|published seconds|L2 error"),
    (colourings, "matrix|colours, published pass|colours, balanced|published colours|ELLPACK MiB|"
                 "published ELLPACK MiB|symmetric MiB|published symmetric MiB"),
    (symmetric_products, "matrix|format|precision|on|seconds|published seconds"),
    (tiles, "order|tile|on|seconds|GFLOP/s|published GFLOP/s"),
    (kernels_by_columns, "matrix|kernel|on|threads|K|GFLOP/s|variance"),
    (conversion_rates, "matrix|conversion|threads|seconds|entries / s"),
    (besets, "matrix|contender|threads|most / first|last / one thread"),
    (choices, "matrix|auto took|best|ratio"),
    (devices, "matrix|auto|host|two threads|cuda|over best"),
    (outcomes, "matrix|method|outcome"),
    (plans, "matrix|method|settings|held / planned"),
)


class NotATable(Exception):
    """One sentence of what is wrong with a file."""


def cell_of(text):
    """A number where the text is one; None where it is empty."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def read_table(path):
    """What draws a CSV, and its rows that were measured, numbers as numbers."""
    wrong = (f"{path}: this is no CSV of 'spbench multiply', convert, eliminate or iterate, nor of "
             "scaling.py, reproduce.py, busy.py, choices.py, devices.py, outcomes.py or plans.py")
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            for draw, columns in KINDS:
                if all(name in names for name in columns.split("|" if "|" in columns else None)):
                    return draw, [{name: cell_of(text) for name, text in row.items()}
                                  for row in reader if not row.get("refused")]
    except (UnicodeDecodeError, csv.Error, TypeError) as error:
        raise NotATable(f"{wrong}: {error}") from error
    raise NotATable(f"{wrong}: columns are missing")
