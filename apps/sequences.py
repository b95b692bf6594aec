#!/usr/bin/env python3
"""Sequences from Python, compared with SuperLU (scipy's splu) and UMFPACK, one thread each:
matrices of one pattern, each with a right-hand side of its own, and right-hand sides one after
another by the same factors, without the elimination and with it.

Needs the Python module (pip install ., or PYTHONPATH=build/python), numpy and scipy; UMFPACK is
left out where there is no libumfpack (Debian: libumfpack5). The matrices are networks - each node
is tied to the next two, and every twentieth to one of 600 nearby - or those of a generator.
"""

import ctypes
import ctypes.util
import functools
import time
import warnings

import numpy
import scipy.sparse
from scipy.sparse.linalg import splu

import spsolve

from runs import compete, script_parser


def network(n, seed=1):
    """A diagonally dominant, unsymmetric matrix of order n."""
    random = numpy.random.default_rng(seed)
    far = random.integers(0, n, n // 20)
    near = numpy.clip(far + random.integers(-300, 300, far.size), 0, n - 1)
    i = numpy.concatenate([numpy.arange(n - 1), numpy.arange(n - 2), far])
    j = numpy.concatenate([numpy.arange(1, n), numpy.arange(2, n), near])
    g = random.uniform(0.1, 1, i.size)
    both = (numpy.concatenate([-g, -g * random.uniform(0.5, 1.5, g.size)]),
            (numpy.concatenate([i, j]), numpy.concatenate([j, i])))
    a = scipy.sparse.coo_matrix(both, shape=(n, n)).tocsr()
    a = (a + scipy.sparse.diags(1e-3 + numpy.asarray(abs(a).sum(1)).ravel())).tocsr()
    a.sort_indices()
    return a


class Umfpack:
    """A = P^T L U Q^T of a csc matrix by UMFPACK, in its defaults: a solve is refined until its
    backward error by components (Arioli, Demmel and Duff, 1989) is small, twice at most."""

    A, A_TRANSPOSED, IRSTEP = 0, 1, 7  # of umfpack.h
    PLACES_OF_CONTROL, PLACES_OF_INFO = 20, 90

    def __init__(self, a, refined=True):
        name = ctypes.util.find_library("umfpack")
        if name is None:
            raise OSError("there is no libumfpack")
        self._library = ctypes.CDLL(name)
        self._arrays = a.indptr.astype(numpy.int32), a.indices.astype(numpy.int32)
        self._order = a.shape[0]
        self._control = (ctypes.c_double * self.PLACES_OF_CONTROL)()
        self._info = (ctypes.c_double * self.PLACES_OF_INFO)()
        self._library.umfpack_di_defaults(self._control)
        if not refined:
            self._control[self.IRSTEP] = 0
        self._symbolic, self._numeric = ctypes.c_void_p(), ctypes.c_void_p()
        self._values = numpy.array(a.data)
        self._call("symbolic", self._order, self._order, *self._matrix(),
                   ctypes.byref(self._symbolic))
        self.refactor(a.data)

    def _matrix(self):
        return [ctypes.c_void_p(each.ctypes.data) for each in (*self._arrays, self._values)]

    def _call(self, work, *arguments):
        status = self._library[f"umfpack_di_{work}"](*arguments, self._control, self._info)
        if status != 0:
            raise ArithmeticError(f"umfpack_di_{work}: status {status}")

    def refactor(self, data):
        """New values of the pattern, column by column."""
        self._values = numpy.array(data)
        self._library.umfpack_di_free_numeric(ctypes.byref(self._numeric))
        self._call("numeric", *self._matrix(), self._symbolic, ctypes.byref(self._numeric))
        return self

    def solve(self, b, transposed=False):
        x = numpy.empty_like(b)
        self._call("solve", self.A_TRANSPOSED if transposed else self.A, *self._matrix(),
                   ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(b.ctypes.data), self._numeric)
        return x

    def __del__(self):
        self._library.umfpack_di_free_numeric(ctypes.byref(self._numeric))
        self._library.umfpack_di_free_symbolic(ctypes.byref(self._symbolic))


def umfpack(a, **options):
    """The same, or None where there is no library."""
    try:
        return Umfpack(a.tocsc(), **options)
    except OSError:
        return None


def one_pattern(a, systems):
    random = numpy.random.default_rng(2)
    values = [a.data * random.uniform(0.9, 1.1, a.nnz) for _ in range(systems)]
    b = numpy.ones(a.shape[0])
    factors = spsolve.factor(a, method="sparse_lu", condition=False, accept="residual")

    def ours():
        for v in values:
            factors.refactor(v).solve(b)

    def theirs():
        for v in values:
            splu(scipy.sparse.csr_matrix((v, a.indices, a.indptr), shape=a.shape).tocsc()).solve(b)

    # The values row by row in the order of columns.
    places = scipy.sparse.csr_matrix((numpy.arange(1.0, a.nnz + 1), a.indices, a.indptr), a.shape)
    places = places.tocsc().data.astype(numpy.int64) - 1
    other = umfpack(a)

    def umfpacks():
        for v in values:
            other.refactor(v[places]).solve(b)

    ways = {"refactor, solve": ours, "splu": theirs}
    if other is not None:
        ways["UMFPACK"] = umfpacks
    return ways


def right_hand_sides(a, count):
    return list(numpy.random.default_rng(3).standard_normal((count, a.shape[0])))


def in_turn(a, count):
    columns = right_hand_sides(a, count)
    refined = spsolve.factor(a, method="sparse_lu")
    plain = spsolve.factor(a, method="sparse_lu", refinement=0)
    superlu = splu(a.tocsc())
    ways = {"refined": lambda b, t: refined.solve(b, transposed=t),
            "refinement=0": lambda b, t: plain.solve(b, transposed=t),
            "splu": lambda b, t: superlu.solve(b, "T" if t else "N")}
    for name, other in (("UMFPACK, refined", umfpack(a)),
                        ("UMFPACK, IRSTEP=0", umfpack(a, refined=False))):
        if other is not None:
            ways[name] = other.solve

    def solve_all(way, transposed):
        for b in columns:
            way(b, transposed)

    return {f"{name}, {'A^T' if transposed else 'A'}": functools.partial(solve_all, way, transposed)
            for name, way in ways.items() for transposed in (False, True)}


def from_matrix(a, count):
    """The elimination, and then the right-hand sides in turn."""
    columns, csc = right_hand_sides(a, count), a.tocsc()
    ways = {"refined": lambda: spsolve.factor(a, method="sparse_lu"),
            "refinement=0": lambda: spsolve.factor(a, method="sparse_lu", refinement=0),
            "splu": lambda: splu(csc)}
    if ctypes.util.find_library("umfpack"):
        ways["UMFPACK, refined"] = lambda: Umfpack(csc)
        ways["UMFPACK, IRSTEP=0"] = lambda: Umfpack(csc, refined=False)

    def solve_all(eliminate):
        factors = eliminate()
        for b in columns:
            factors.solve(b)

    return {name: functools.partial(solve_all, way) for name, way in ways.items()}


SEQUENCES = {"one_pattern": one_pattern, "in_turn": in_turn, "from_matrix": from_matrix}


def main():
    parser = script_parser(__doc__, csv_help="")
    parser.add_argument("--orders", default="5000,200000", help="orders n of the matrices")
    parser.add_argument("--generator", default="network",
                        help="network, or a generator of spsolve that takes n, such as circuit")
    parser.add_argument("--sequences", default="one_pattern,in_turn,from_matrix",
                        help="which of these three")
    parser.add_argument("--systems", type=int, default=20, help="systems, and right-hand sides")
    parser.add_argument("--rounds", type=int, default=4, help="of which the best is told")
    parser.add_argument("--processor", action="store_true",
                        help="seconds of the processor and not of the clock, for one thread")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    clock = time.process_time if options.processor else time.perf_counter
    for n in (int(word) for word in options.orders.split(",")):
        if options.generator == "network":
            a = network(n)
        else:
            a = spsolve.read(f"{options.generator}:{n}")
        print(f"n = {n}, {a.nnz} non-zeros, {options.systems} systems")
        for measure in (SEQUENCES[name] for name in options.sequences.split(",")):
            ways = measure(a, options.systems)
            for name, taken in compete(ways, options.rounds, clock).items():
                print(f"  {measure.__name__:12} {name:24} {min(taken):9.3g} s", flush=True)


if __name__ == "__main__":
    main()
