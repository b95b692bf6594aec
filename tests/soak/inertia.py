#!/usr/bin/env python3
"""Inertia of random KKT systems K = [H A^T; A C] beside exact inertia: none that is certain may be
wrong. Needs numpy, scipy and the Python module; above order 30 python-flint, too.

    PYTHONPATH=build/python tests/soak/inertia.py --systems 1000

With --mumps MUMPS counts, too, by mumps_inertia.c, which wants mpicc and Debian's libmumps-dev.

H is positive or indefinite with weights of 16 decades, sparse, of integers, or of low rank; A has
dependent, equal, badly scaled or plain rows; C is zero or small; rows and columns are then scaled
and permuted. Writes one line of what was found, and one for each wrong count.
"""

import argparse
import collections
import contextlib
import fractions
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import scipy.sparse

try:
    import flint
except ImportError:
    flint = None

PRIME = 4611686018427387847
LARGEST_BY_FRACTIONS = 30


def system(seed, largest):
    """The K of this seed, dense."""
    random = np.random.default_rng([77, seed])
    order = int(random.choice([n for n in (6, 12, 25, 40, 70, 100, 150, 200) if n <= largest]))
    rows = int(order * random.uniform(0.1, 0.45)) or 1
    size = order - rows
    few = random.random((size, size)) < 4 / size
    kind = int(random.integers(0, 5))
    if kind == 0:
        h = np.diag(10.0 ** random.uniform(-8, 8, size))
    elif kind == 1:
        h = np.diag(10.0 ** random.uniform(-8, 8, size) * random.choice([-1, 1], size))
    elif kind == 2:
        h = random.standard_normal((size, size)) * few
        h = h + h.T
    elif kind == 3:
        h = (random.integers(-2, 3, (size, size)) * few).astype(float)
        h = h + h.T
    else:
        low = (random.standard_normal((size, size)) * few)[:, : max(1, size // 2)]
        h = low @ low.T
        h = np.tril(h) + np.tril(h, -1).T
    a = (random.integers(-2, 3, (rows, size)) * (random.random((rows, size)) < max(0.05, 4 / size)))
    a = a.astype(float)
    constraints = int(random.integers(0, 5))
    if constraints == 0 and rows > 1:
        a[-1] = a[: max(1, min(3, rows - 1))].sum(0)
    elif constraints == 1 and rows > 2:
        a[rows // 2] = a[0]
    elif constraints == 2:
        a *= 10.0 ** random.uniform(-6, 6, (rows, 1))
    c = np.zeros((rows, rows))
    if random.random() > 0.7:
        c = -np.eye(rows) * 10.0 ** -random.uniform(4, 14)
    k = np.block([[h, a.T], [a, c]])
    scaled = int(random.integers(0, 3))
    if scaled == 1:
        s = 2.0 ** random.integers(-27, 28, order)
        k = s[:, None] * k * s
    elif scaled == 2:
        s = 10.0 ** random.uniform(-8, 8, order)
        k = np.triu(s[:, None] * k * s)
        k = k + np.triu(k, 1).T
    if random.random() < 0.5:
        p = random.permutation(order)
        k = k[p][:, p]
    return np.ascontiguousarray(k)


def exact_by_fractions(k):
    """(positive, negative, zero) by symmetric elimination of rational numbers."""
    rows = [[fractions.Fraction(value) for value in row] for row in k.tolist()]
    signs = [0, 0]

    def eliminate(pivots, block):
        """Takes `pivots` out of the rows, whose block has this inverse."""
        rest = [i for i in range(len(rows)) if i not in pivots]
        taken = [[sum(rows[i][p] * block[a][b] for a, p in enumerate(pivots))
                  for b in range(len(pivots))] for i in rest]
        return [[rows[i][j] - sum(t[b] * rows[q][j] for b, q in enumerate(pivots)) for j in rest]
                for i, t in zip(rest, taken)]

    while rows:
        one = next((i for i, row in enumerate(rows) if row[i]), None)
        if one is not None:
            pivot = rows[one][one]
            signs[pivot < 0] += 1
            rows = eliminate([one], [[1 / pivot]])
            continue
        pair = next(((i, j) for i, row in enumerate(rows) for j, value in enumerate(row) if value),
                    None)
        if pair is None:
            break
        signs[0] += 1
        signs[1] += 1
        inverse = 1 / rows[pair[0]][pair[1]]
        rows = eliminate(list(pair), [[0, inverse], [inverse, 0]])
    return signs[0], signs[1], len(rows)


def rank(k):
    """The rank modulo a prime of 62 bits: below the true one with a chance of order / 2^62."""
    def residue(value):
        above, below = float(value).as_integer_ratio()
        return above * pow(below, -1, PRIME) % PRIME
    entries = [residue(value) if value else 0 for value in k.ravel().tolist()]
    return flint.nmod_mat(len(k), len(k), entries, PRIME).rank()


def negatives(m):
    """Negative eigenvalues of a matrix of balls whose leading minors are regular."""
    n = m.nrows()
    if n == 1:
        if m[0, 0] < 0:
            return 1
        if m[0, 0] > 0:
            return 0
        raise ArithmeticError("the balls are too wide for a sign")

    def part(rows, columns):
        return flint.arb_mat(len(rows), len(columns), [m[i, j] for i in rows for j in columns])
    first, last = range(n // 2), range(n // 2, n)
    a, b = part(first, first), part(first, last)
    return negatives(a) + negatives(part(last, last) - b.transpose() * a.solve(b))


def exact(k):
    """(positive, negative, zero)"""
    if len(k) <= LARGEST_BY_FRACTIONS or flint is None:
        return exact_by_fractions(k)
    n, r = len(k), rank(k)
    # Of G^T K G with a random G, n x r, which has the same inertia without the zeros.
    g = np.random.default_rng(3).integers(-9, 10, (n, r)).tolist()
    for bits in (600, 1800, 5000, 15000):
        flint.ctx.prec = bits
        whole = flint.arb_mat(n, n, [flint.arb(value) for value in k.ravel().tolist()])
        some = flint.arb_mat(n, r, [flint.arb(value) for row in g for value in row])
        try:
            negative = negatives(some.transpose() * (whole * some)) if r else 0
            return r - negative, negative, n - r
        except (ArithmeticError, ZeroDivisionError):
            continue
    raise ArithmeticError("no number of bits was enough")


def scaled_distance(k):
    """min |eigenvalue| / (1000 n eps ||K||) of K with rows and columns scaled alike; above 1 a count
    should be certain."""
    scaled = k.copy()
    for _ in range(10):
        largest = np.abs(scaled).max(axis=1)
        s = 1 / np.sqrt(np.where(largest > 0, largest, 1))
        scaled = s[:, None] * scaled * s
    eigenvalues = np.abs(np.linalg.eigvalsh(scaled))
    return eigenvalues.min() / (1e3 * len(k) * np.finfo(float).eps * eigenvalues.max())


def told(k, **options):
    """What spsolve tells: (certainty, (positive, negative, zero), why not)."""
    import spsolve
    pattern = scipy.sparse.csr_matrix((k != 0) | np.eye(len(k), dtype=bool))
    rows, columns = pattern.nonzero()
    a = scipy.sparse.csr_matrix((k[rows, columns], pattern.indices, pattern.indptr), k.shape)
    options = {"method": "sparse_ldlt", "condition": False, "threads": 1, **options}
    try:
        factors = spsolve.factor(a, **options)
    except spsolve.NotTrustworthyError:
        regular = pattern + scipy.sparse.diags_array(np.full(len(k), 1e3))
        factors = spsolve.factor(regular.tocsr(), **options)
        with contextlib.suppress(spsolve.NotTrustworthyError):
            factors.refactor(a)
    inertia = factors.inertia
    return inertia.certainty, (inertia.positive, inertia.negative, inertia.zero), inertia.doubt


class Mumps:
    """MUMPS' counts of (positive, negative, zero), None where it ends by an error."""

    def __init__(self, folder):
        program = pathlib.Path(folder) / "mumps_inertia"
        source = pathlib.Path(__file__).with_name("mumps_inertia.c")
        subprocess.run(["mpicc", source, "-o", program, "-ldmumps"], check=True)
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def count(self, k):
        rows, columns = np.nonzero(np.tril(k))
        entries = "".join(f"{i + 1} {j + 1} {value!r}\n" for i, j, value in
                          zip(rows.tolist(), columns.tolist(), k[rows, columns].tolist()))
        self.process.stdin.write(f"{len(k)} {len(rows)}\n{entries}")
        self.process.stdin.flush()
        negative, zero = map(int, self.process.stdout.readline().split())
        return None if negative < 0 else (len(k) - negative - zero, negative, zero)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


WAYS = ({}, {"precision": "mixed"}, {"precision": "float"}, {"equilibrate": "off"},
        {"matching": "on"}, {"matching": "on", "equilibrate": "off"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--order", type=int, default=200, help="the largest order")
    parser.add_argument("--ways", type=int, default=len(WAYS), help="how many ways to factor")
    parser.add_argument("--mumps", action="store_true", help="count by MUMPS, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mumps = Mumps(folder) if arguments.mumps else None
        wrong = compare(arguments, mumps)
        if mumps:
            mumps.end()
    return 1 if wrong else 0


def compare(arguments, mumps):
    """Runs the systems; how many counts are wrong that are certain."""
    warnings.simplefilter("ignore")
    order = arguments.order if flint else min(arguments.order, LARGEST_BY_FRACTIONS)
    counts, peers, ranks, wrong = collections.Counter(), collections.Counter(), [0, 0], 0
    far = far_certain = 0
    for seed in range(arguments.first, arguments.first + arguments.systems):
        k = system(seed, order)
        truth = exact(k)
        if mumps:
            numbers = mumps.count(k)
            how = "refused" if numbers is None else "right" if numbers == truth else "wrong"
            peers[f"{'singular' if truth[2] else 'regular'} {how}"] += 1
        is_far = truth[2] == 0 and scaled_distance(k) > 1
        for options in WAYS[: arguments.ways]:
            certainty, numbers, doubt = told(k, **options)
            right = numbers is None or numbers[0] is None or numbers == truth
            kind = "singular" if truth[2] else "regular"
            if numbers[2] and truth[2]:
                ranks[numbers[2] == truth[2]] += 1
            counts[f"{kind} {certainty}{'' if right else ' but wrong'}"] += 1
            if certainty == "certain" and not right:
                wrong += 1
            if not right:
                print(f"seed {seed} {options}: {certainty} {numbers}, and exactly {truth}")
            if is_far and not options:
                far += 1
                far_certain += certainty == "certain"
                if certainty != "certain":
                    print(f"seed {seed}: only {certainty}: {doubt}")
    print(f"{arguments.systems} systems to order {order}: "
          + ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
          + f"; of singular ones whose rank is told {ranks[1]} right and {ranks[0]} wrong"
          + f"; certain {far_certain} of {far} whose scaled eigenvalues are far from zero")
    if mumps:
        print("MUMPS: " + ", ".join(f"{count} {what}" for what, count in sorted(peers.items())))
    return wrong


if __name__ == "__main__":
    sys.exit(main())
