"""The figures that papers print, as the files beside this one have them; a part of reproduce.py.

Each file says its source, table, hardware and precision in lines that begin with "# ".
"""

import csv
import functools
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent


@functools.cache
def table(name, *keys):
    """The rows of a table by the columns `keys`."""
    with open(FOLDER / f"{name}.csv", newline="", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {tuple(row[key] for key in keys): row for row in rows}


def matrices(name):
    """The matrices of a table, in its order."""
    return [matrix for (matrix,) in table(name, "matrix")]


def cell(name, column, **at):
    """A figure as it is printed, or nothing: cell("fencel_3/01", "colours", matrix="ecology1")."""
    return table(name, *at).get(tuple(map(str, at.values())), {}).get(column, "")
