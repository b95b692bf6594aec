"""The pictures of reports of spsolve (output.report); a part of plot.py."""

import collections
import json
import pathlib

from plot_drawing import REFERENCE, Styles, bars, base_name, lay_out, ticks_at


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
    return (f"{base_name(report['matrix']['source'])}, {how}{columns}, {report['precision']} on "
            f"{report['device']}")


def work_seconds(report):
    """What scales: one product, or the elimination."""
    if "product_seconds" in report:
        return report["product_seconds"]
    return report["seconds"].get("eliminate", report["seconds"]["total"])["max"]


def run_of(report):
    return f"{report['file']}: {report['ranks']} rank{'' if report['ranks'] == 1 else 's'}"


def time_split(canvas, reports):
    phases = dict.fromkeys(phase for report in reports for phase in report["seconds"]
                           if phase != "total")
    axes = canvas.axes(9, 1.2 + 0.55 * len(reports))
    legend = bars(axes, list(map(run_of, reports)),
                  [(phase, [report["seconds"].get(phase, {"mean": 0})["mean"]
                            for report in reports]) for phase in phases], height=0.62)
    lay_out(axes, "seconds, mean over the ranks", grid="x")
    canvas.save(axes, "Where the time went", "time_split", legend)


def convergence(canvas, reports):
    histories = {f"{run_of(report)}, {subject(report)}": report["refinement"]["history"]
                 for report in reports if report.get("refinement", {}).get("history")}
    if not histories:
        return
    style = Styles(histories)
    axes = canvas.axes()
    for label, history in histories.items():
        errors = [quality["backward_error"] or float("nan") for quality in history]
        axes.plot(range(len(errors)), errors, **style(label))
    axes.axhline(2.0 ** -53, **REFERENCE, label="unit round-off")
    axes.set_yscale("log")
    axes.set_xticks(range(max(map(len, histories.values()))))
    lay_out(axes, "sweeps of refinement", "normwise backward error")
    canvas.save(axes, "Refinement", "convergence")


def scaling(canvas, reports):
    groups = collections.defaultdict(dict)
    for report in reports:
        groups[subject(report)][report["ranks"]] = work_seconds(report)
    groups = {name: dict(sorted(points.items())) for name, points in groups.items()
              if len(points) > 1}
    if not groups:
        return
    style = Styles(groups)
    seconds, efficiency = canvas.axes(), canvas.axes()
    for label, points in groups.items():
        fewest, longest = next(iter(points.items()))
        ideal = [longest * fewest / ranks for ranks in points]
        seconds.plot(list(points), ideal, **dict(REFERENCE, color=style(label)["color"]))
        seconds.plot(list(points), list(points.values()), **style(label))
        efficiency.plot(list(points), [best / time for best, time in zip(ideal, points.values())],
                        **style(label))
    for axes in (seconds, efficiency):
        ticks_at(axes, [ranks for points in groups.values() for ranks in points])
    seconds.set_yscale("log")
    lay_out(seconds, "ranks (dashed: ideal)", "seconds")
    canvas.save(seconds, "Seconds by ranks", "scaling")
    efficiency.set_ylim(bottom=0)
    lay_out(efficiency, "ranks", "speed-up over the fewest ranks / ideal speed-up")
    canvas.save(efficiency, "Parallel efficiency", "efficiency")


def draw_reports(canvas, reports):
    for draw in (time_split, convergence, scaling):
        draw(canvas, reports)
