"""Draws what reports of spsolve (output.report) say; a part of plot.py.

    time_split.png    a bar for each report: mean seconds of each phase over the ranks
    convergence.png   backward errors before and after refinement, one line a solve
    scaling.png       seconds of the work against ranks, one line for each matrix, task and method;
                      where reports of one such line differ in their ranks
    efficiency.png    and the speed-up over its fewest ranks, as a fraction of the ideal one
"""

import collections
import json
import pathlib


class NotAReport(Exception):
    """One sentence of what is wrong with a file."""


def read_report(path):
    """The report in a JSON file, with the file's name in it."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (ValueError, UnicodeDecodeError) as error:
        raise NotAReport(f"{path}: this is no report of spsolve: {error}") from error
    if isinstance(report, dict) and report.get("status") in ("failed", "stopped"):
        raise NotAReport(f"{path}: this run {report['status'].replace('stopped', 'was stopped')}, "
                         "and its report has nothing to draw")
    for key in ("status", "matrix", "seconds", "ranks"):
        if not isinstance(report, dict) or key not in report:
            raise NotAReport(f"{path}: this is no report of spsolve: the field '{key}' is missing")
    return dict(report, file=pathlib.PurePath(path).name)


def subject(report):
    """Matrix, method or kernel, precision: what reports are compared within."""
    how = report.get("method", report.get("kernel", ""))
    columns = f", K = {report['k']}" if "k" in report else ""
    name = pathlib.PurePath(report["matrix"]["source"]).name
    return f"{name}, {how}{columns}, {report['precision']} on {report['device']}"


def work_seconds(report):
    """What scales: one product, or the elimination."""
    if "product_seconds" in report:
        return report["product_seconds"]
    return report["seconds"].get("eliminate", report["seconds"]["total"])["max"]


def ranks_text(report):
    return f"{report['ranks']} rank{'' if report['ranks'] == 1 else 's'}"


class ReportPictures:
    """`finish(figure, title, name, handles, names)` writes a figure and returns its path."""

    def __init__(self, pyplot, reports, colors, markers, finish):
        self.pyplot, self.reports, self.finish = pyplot, reports, finish
        self.colors, self.markers = colors, markers

    def time_split(self):
        phases = list(dict.fromkeys(phase for report in self.reports for phase in report["seconds"]
                                    if phase != "total"))
        figure, axes = self.pyplot.subplots(figsize=(9, 1.2 + 0.55 * len(self.reports)))
        starts = [0.0] * len(self.reports)
        for i, phase in enumerate(phases):
            seconds = [report["seconds"].get(phase, {"mean": 0})["mean"] or 0
                       for report in self.reports]
            axes.barh(range(len(self.reports)), seconds, left=starts, height=0.62, label=phase,
                      color=self.colors[i % len(self.colors)],
                      hatch="//" if i >= len(self.colors) else None)
            starts = [start + second for start, second in zip(starts, seconds)]
        axes.set_yticks(range(len(self.reports)),
                        [f"{report['file']}: {ranks_text(report)}" for report in self.reports])
        axes.invert_yaxis()
        axes.set_xlabel("seconds, mean over the ranks")
        axes.grid(True, axis="x", color="#dddddd", linewidth=0.7)
        axes.set_axisbelow(True)
        return self.finish(figure, "Where the time went", "time_split",
                           *axes.get_legend_handles_labels())

    def convergence(self):
        solves = [report for report in self.reports if report.get("refinement", {}).get("history")]
        if not solves:
            return None
        figure, axes = self.pyplot.subplots(figsize=(8, 5))
        for i, report in enumerate(solves):
            errors = [quality["backward_error"] for quality in report["refinement"]["history"]]
            axes.plot(range(len(errors)), [error or float("nan") for error in errors],
                      color=self.colors[i % len(self.colors)],
                      marker=self.markers[i % len(self.markers)],
                      label=f"{report['file']}: {subject(report)}, {ranks_text(report)}")
        axes.axhline(2.0 ** -53, color="#666666", linestyle=(0, (6, 3)), label="unit round-off")
        axes.set_yscale("log")
        axes.set_xticks(range(max(len(report["refinement"]["history"]) for report in solves)))
        axes.set_xlabel("sweeps of refinement")
        axes.set_ylabel("normwise backward error")
        axes.grid(True, color="#dddddd", linewidth=0.7)
        return self.finish(figure, "Refinement", "convergence", *axes.get_legend_handles_labels())

    def scaling(self):
        groups = collections.defaultdict(dict)
        for report in self.reports:
            groups[subject(report)][report["ranks"]] = work_seconds(report)
        groups = {name: sorted(points.items()) for name, points in groups.items()
                  if len(points) > 1}
        if not groups:
            return []
        written = []
        for name, title, unit in (("scaling", "Seconds by ranks", "seconds"),
                                  ("efficiency", "Parallel efficiency",
                                   "speed-up over the fewest ranks / ideal speed-up")):
            figure, axes = self.pyplot.subplots(figsize=(8, 5))
            for i, (label, points) in enumerate(groups.items()):
                ranks = [point[0] for point in points]
                ideal = [points[0][1] * ranks[0] / count for count in ranks]
                color = self.colors[i % len(self.colors)]
                values = [point[1] for point in points]
                if name == "scaling":
                    axes.plot(ranks, ideal, color=color, linestyle=(0, (6, 3)), linewidth=1)
                else:
                    values = [best / value for best, value in zip(ideal, values)]
                axes.plot(ranks, values, color=color, marker=self.markers[i % len(self.markers)],
                          label=label)
            axes.set_xscale("log", base=2)
            counts = sorted({rank for points in groups.values() for rank, _ in points})
            axes.set_xticks(counts, [str(count) for count in counts])
            axes.minorticks_off()
            if name == "scaling":
                axes.set_yscale("log")
            else:
                axes.set_ylim(bottom=0)
            axes.set_xlabel("ranks (dashed: ideal)" if name == "scaling" else "ranks")
            axes.set_ylabel(unit)
            axes.grid(True, color="#dddddd", linewidth=0.7)
            written.append(self.finish(figure, title, name, *axes.get_legend_handles_labels()))
        return written

    def draw(self):
        pictures = [self.time_split(), self.convergence(), *self.scaling()]
        return [path for path in pictures if path]
