#!/usr/bin/env python3
"""Sequences from Python, beside SuperLU (scipy's splu): matrices of one pattern, each with a
right-hand side of its own, and right-hand sides one after another by the same factors.

Needs the Python module (pip install ., or PYTHONPATH=build/python), numpy and scipy. The matrices
are networks: each node is tied to the next two, and every twentieth to one of 600 nearby.
"""

import argparse
import time
import warnings

import numpy
import scipy.sparse
from scipy.sparse.linalg import splu

import spsolve


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


def seconds(work, clock, rounds):
    best = float("inf")
    for _ in range(rounds):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def one_pattern(a, systems, clock, rounds):
    random = numpy.random.default_rng(2)
    values = [a.data * random.uniform(0.9, 1.1, a.nnz) for _ in range(systems)]
    b = numpy.ones(a.shape[0])
    factors = spsolve.factor(a, method="sparse_lu", condition=False)

    def ours():
        for v in values:
            factors.refactor(v).solve(b)

    def theirs():
        for v in values:
            splu(scipy.sparse.csr_matrix((v, a.indices, a.indptr), shape=a.shape).tocsc()).solve(b)

    return {"refactor, solve": seconds(ours, clock, rounds), "splu": seconds(theirs, clock, rounds)}


def in_turn(a, count, clock, rounds):
    columns = list(numpy.random.default_rng(3).standard_normal((count, a.shape[0])))
    refined = spsolve.factor(a, method="sparse_lu")
    plain = spsolve.factor(a, method="sparse_lu", refinement=0)
    superlu = splu(a.tocsc())
    ways = {"refined": lambda b, t: refined.solve(b, transposed=t),
            "refinement=0": lambda b, t: plain.solve(b, transposed=t),
            "splu": lambda b, t: superlu.solve(b, "T" if t else "N")}
    return {f"{name}, {'A^T' if transposed else 'A'}":
            seconds(lambda: [way(b, transposed) for b in columns], clock, rounds)
            for name, way in ways.items() for transposed in (False, True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--orders", default="5000,200000", help="orders n of the networks")
    parser.add_argument("--systems", type=int, default=20, help="systems, and right-hand sides")
    parser.add_argument("--rounds", type=int, default=4, help="of which the best is told")
    parser.add_argument("--processor", action="store_true",
                        help="seconds of the processor and not of the clock, for one thread")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    clock = time.process_time if options.processor else time.perf_counter
    for n in (int(word) for word in options.orders.split(",")):
        a = network(n)
        print(f"n = {n}, {a.nnz} non-zeros, {options.systems} systems")
        for measure in (one_pattern, in_turn):
            for name, taken in measure(a, options.systems, clock, options.rounds).items():
                print(f"  {measure.__name__:12} {name:20} {taken:9.3g} s", flush=True)


if __name__ == "__main__":
    main()
