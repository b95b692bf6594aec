#!/usr/bin/env python3
"""Random systems and products, solved by spsolve in random ways, against numpy, for a given time.

    SPSOLVE_BIN=build/bin python3 tests/soak/soak.py --seconds 1800
    SPSOLVE_BIN=build/bin python3 tests/soak/soak.py --seed 4711

Each round has a seed that decides everything: the matrix, the form of its file, the method, ranks,
kernel and K. It stops at the first difference, with the seed to repeat it and the round's folder.
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SPSOLVE_BIN", ROOT / "build" / "bin"))
TIME_LIMIT = 300  # seconds for one run: a program that waits for ever is a difference, too


class Difference(Exception):
    """What spsolve did and should not have done."""


# --- matrices, and the files that hold them

def random_matrix(draw, rows, columns, solvable):
    """A dense array and the symmetry that it has."""
    values = numpy.random.default_rng(draw.getrandbits(63))
    density = draw.choice([0.02, 0.1, 0.5, 1.0])
    matrix = numpy.where(values.random((rows, columns)) < density,
                         values.uniform(-1, 1, (rows, columns)), 0.0)
    integral = draw.random() < 0.2
    if integral:
        matrix = numpy.round(10 * matrix)
    symmetry = "general"
    if rows == columns and draw.random() < 0.4:
        symmetry = draw.choice(["symmetric", "skew-symmetric"])
        if symmetry == "skew-symmetric" and solvable:
            symmetry = "symmetric"  # of odd order they are singular
        lower = numpy.tril(matrix, -1)
        matrix = lower + lower.T + numpy.diag(numpy.diag(matrix))
        if symmetry == "skew-symmetric":
            matrix = lower - lower.T
    if solvable:
        # Dominant by rows: every method and every pivoting solves it.
        numpy.fill_diagonal(matrix, 0)
        numpy.fill_diagonal(matrix, numpy.abs(matrix).sum(axis=1) + 1)
    elif not integral and draw.random() < 0.15:
        matrix = (matrix != 0).astype(float)
        symmetry = "general" if symmetry == "skew-symmetric" else symmetry
    return matrix, symmetry


def matrix_market(draw, matrix, symmetry, allow_array=True):
    """The bytes of a file in one of the forms that the format allows."""
    rows, columns = matrix.shape
    array = allow_array and draw.random() < 0.2
    pattern = not array and symmetry != "skew-symmetric" and set(numpy.unique(matrix)) <= {0.0, 1.0}
    integral = numpy.all(matrix == numpy.round(matrix)) and draw.random() < 0.5
    field = "pattern" if pattern else "integer" if integral else "real"
    first_below = {"general": None, "symmetric": 0, "skew-symmetric": 1}[symmetry]
    stored = [(i, j) for j in range(columns) for i in range(rows)
              if first_below is None or i >= j + first_below]
    number = (lambda v: str(int(v))) if integral else (lambda v: repr(float(v)))
    lines = []
    if array:
        lines = [number(matrix[i, j]) for i, j in stored]
    else:
        stored = [(i, j) for i, j in stored if matrix[i, j] != 0]
        draw.shuffle(stored)
        for i, j in stored:
            lines.append(f"{i + 1} {j + 1}" + ("" if pattern else f" {number(matrix[i, j])}"))
    size = f"{rows} {columns}" + ("" if array else f" {len(stored)}")
    for _ in range(draw.choice([0, 0, 2])):
        lines.insert(draw.randrange(len(lines) + 1), draw.choice(["% a comment", "", "   "]))
    front = f"%%MatrixMarket matrix {'array' if array else 'coordinate'} {field} {symmetry}"
    end = draw.choice(["\n", "\n", "\r\n"])
    text = (end.join([front, "% made by the soak", size, *lines]) + end).encode()
    return text


def read_array(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    rows, columns = map(int, lines[0].split())
    return numpy.array([float(line) for line in lines[1:]]).reshape(columns, rows).T


# --- a round

class Round:
    def __init__(self, seed, folder):
        self.draw = random.Random(seed)
        self.folder = folder
        self.kind = ""

    def write_matrix(self, matrix, symmetry, plain=False):
        text = matrix_market(self.draw, matrix, symmetry, allow_array=not plain)
        packed = not plain and self.draw.random() < 0.3
        name = "a.mtx.gz" if packed else "a.mtx"
        (self.folder / name).write_bytes(gzip.compress(text) if packed else text)
        return name

    def write_multivector(self, name, values):
        lines = [f"%%MatrixMarket matrix array real general\n{values.shape[0]} {values.shape[1]}"]
        lines += [repr(float(v)) for v in values.T.ravel()]
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def run(self, configuration, ranks, output):
        (self.folder / "c.yaml").write_text(json.dumps(configuration, indent=1))
        variables = dict(os.environ, OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1",
                         OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks),
                   str(BIN / "spsolve"), "c.yaml", "--quiet"]
        try:
            done = subprocess.run(command, cwd=self.folder, env=variables, timeout=TIME_LIMIT,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            raise Difference(f"no end within {TIME_LIMIT} s") from None
        if done.returncode != 0:
            raise Difference(f"exit code {done.returncode}: {done.stdout.strip()[-2000:]}")
        return (self.folder / output).read_bytes()

    def same_bits_again(self, configuration, ranks, output, first):
        if self.draw.random() < 0.2 and self.run(configuration, ranks, output) != first:
            raise Difference("the second run gives other bits than the first")

    def solve(self):
        draw = self.draw
        n = draw.choice([1, 2, 3, 7, 16, 33, 64, 100, 150])
        matrix, symmetry = random_matrix(draw, n, n, solvable=True)
        method = draw.choice(["auto", "gauss", "gauss_jordan", "lu"])
        pivotings = {"lu": ["auto", "none", "partial", "tournament"],
                     "auto": ["auto", "partial", "complete"]}
        pivoting = draw.choice(pivotings.get(method, ["auto", "none", "partial", "complete"]))
        precision = draw.choice(["float", "double", "double"])
        ranks, columns = draw.randint(1, 5), draw.choice([1, 1, 2, 5, 16])
        self.kind = f"solve {method} {pivoting} {precision} n={n} K={columns} ranks={ranks}"
        b = numpy.random.default_rng(draw.getrandbits(63)).uniform(-1, 1, (n, columns))
        self.write_multivector("b.mtx", b)
        configuration = {
            "matrix": {"file": self.write_matrix(matrix, symmetry)},
            "right_hand_side": {"file": "b.mtx"},
            "solve": {"method": method, "pivoting": pivoting, "precision": precision,
                      "block": draw.choice([0, 0, 1, 8, 32]),
                      "equilibrate": draw.choice(["auto", "on", "off"]),
                      "condition": draw.random() < 0.5},
            "output": {"solution": "x.mtx"}}
        first = self.run(configuration, ranks, "x.mtx")
        x = read_array(self.folder / "x.mtx")
        reference = numpy.linalg.solve(matrix, b)
        # Refined solutions are right to round-off times the condition, in either precision.
        bound = 100 * n * 2.0**-53 * numpy.linalg.cond(matrix, numpy.inf)
        error = numpy.abs(x - reference).max() / max(numpy.abs(reference).max(), 1e-300)
        if not error <= bound:
            raise Difference(f"x differs from numpy's by {error:.1e}, bound {bound:.1e}")
        self.same_bits_again(configuration, ranks, "x.mtx", first)

    def multiply(self):
        draw = self.draw
        rows = draw.choice([1, 2, 5, 17, 64, 130, 200])
        columns = rows if draw.random() < 0.6 else draw.choice([1, 3, 40, 150])
        matrix, symmetry = random_matrix(draw, rows, columns, solvable=False)
        k = draw.choice([1, 2, 3, 4, 7, 8, 12, 16, 32, 64])
        precision = draw.choice(["float", "double", "double"])
        kernel = draw.choice(["auto", "csr_serial", "csr_openmp", "csr_balanced", "csr_sorted", "csr_grouped",
                              "row_types", "sliced_rows", "ellpack_serial"])
        if kernel not in KERNELS:
            kernel = "auto"
        ranks, parallel = draw.randint(1, 5), draw.random() < 0.3
        self.kind = (f"multiply {kernel} {precision} {rows}x{columns} K={k} ranks={ranks}"
                     f"{' parallel' if parallel else ''}")
        x = numpy.random.default_rng(draw.getrandbits(63)).uniform(-1, 1, (columns, k))
        self.write_multivector("x.mtx", x)
        configuration = {
            "task": "multiply",
            "matrix": {"file": self.write_matrix(matrix, symmetry, plain=parallel),
                       "reader": "parallel" if parallel else "serial"},
            "multiply": {"kernel": kernel, "precision": precision, "x": "./x.mtx",
                         "bands": draw.choice(["auto", "rows", "nonzeros"])},
            "output": {"product": "y.mtx"}}
        first = self.run(configuration, ranks, "y.mtx")
        y = read_array(self.folder / "y.mtx")
        roundoff = 2.0**-24 if precision == "float" else 2.0**-53
        # Componentwise, with the rounding of A and X themselves in float.
        bound = (columns + 4) * roundoff * (numpy.abs(matrix) @ numpy.abs(x))
        excess = numpy.abs(y - matrix @ x) - bound
        if not excess.max() <= 0:
            raise Difference(f"Y differs from numpy's by more than rounding: {excess.max():.1e}")
        if kernel != "auto":  # which is chosen by time
            self.same_bits_again(configuration, ranks, "y.mtx", first)

    def play(self):
        (self.solve if self.draw.random() < 0.5 else self.multiply)()


def kernels():
    text = subprocess.run([BIN / "spbench", "--list-kernels"], check=True, capture_output=True,
                          text=True, timeout=60).stdout
    return set(text.split())


KERNELS = set()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1800, help="how long (default 1800)")
    parser.add_argument("--seed", type=int, help="only the round of this seed")
    parser.add_argument("--first", type=int, help="seed of the first round (default: by the clock)")
    arguments = parser.parse_args()
    KERNELS.update(kernels())
    first = arguments.first if arguments.first is not None else int(time.time())
    seed = arguments.seed if arguments.seed is not None else first
    start, played = time.monotonic(), collections.Counter()
    print(f"soak: rounds from seed {seed} on", flush=True)
    while True:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="spsolve-soak-"))
        one = Round(seed, folder)
        try:
            one.play()
        except Difference as difference:
            print(f"soak: seed {seed}: {one.kind}: {difference}\n"
                  f"repeat with: ./dev soak --seed {seed}; the round's files are in {folder}")
            return 1
        shutil.rmtree(folder)
        played[" ".join(one.kind.split()[:2])] += 1
        seed += 1
        if arguments.seed is not None:
            print(f"soak: {one.kind}: no difference")
            return 0
        if time.monotonic() - start >= arguments.seconds:
            break
    total = sum(played.values())
    print(f"soak: {total} rounds in {time.monotonic() - start:.0f} s, no difference: "
          + ", ".join(f"{count} {kind}" for kind, count in sorted(played.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
