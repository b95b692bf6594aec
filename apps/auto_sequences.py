#!/usr/bin/env python3
"""`auto` for sequences of 1, 10 and 100 systems of one pattern, compared with every method by name:

    PYTHONPATH=build/python apps/auto_sequences.py
    apps/auto_sequences.py --systems 1,10 grid2d:100 ipm_tree:5000:{}

A matrix is a generator; {} in it stands for the steps of an interior-point method, from 1 to 100 over
the sequence. Without, values are those of the matrix scaled a little. A row is the least of some
rounds, in which all take turns: seconds of the processor to factor, renew and solve, which other
work on the machine delays less than the clock. Rows where auto took more than 1.2 times as long as the
best and 10 ms at least are marked; the last line counts them.
"""

import argparse
import time
import warnings

import numpy
import scipy.sparse

import spsolve

FAMILIES = ("grid2d:120", "grid3d:18", "aniso2d:100", "convdiff3d:16", "laplacian:power_law:8000:4",
            "circuit:8000", "kkt:12000", "helmholtz2d:100", "elastic3d:9", "ipm_tree:8000:{}",
            "ipm_flow:4000:{}", "ipm_pde2d:50:{}", "ipm_pde3d:10:{}", "ipm_control:400:{}",
            "ipm_band:9000:{}", "power_law:6000:5")
METHODS = ("sparse_cholesky", "sparse_ldlt", "sparse_lu", "cg", "minres", "gmres")


def matrix(name):
    """The matrix of that name; laplacian:NAME is the Laplacian + identity of its graph."""
    is_laplacian = name.startswith("laplacian:")
    a = spsolve.read(name.removeprefix("laplacian:"))
    if not is_laplacian:
        return a
    graph = ((a != 0) + (a != 0).T).astype(float)
    graph.setdiag(0)
    graph.eliminate_zeros()
    return (scipy.sparse.diags_array(1 + numpy.asarray(graph.sum(1)).ravel()) - graph).tocsr()


def systems_of(name, count):
    """The matrices of a sequence."""
    if "{}" in name:
        steps = numpy.linspace(1, 100, count).astype(int) if count > 1 else [50]
        return [matrix(name.format(step)) for step in steps]
    a = matrix(name)
    d = [1 + 0.01 * ((numpy.arange(a.shape[0]) + k) % 7) for k in range(count)]
    return [a] + [(scipy.sparse.diags_array(s) @ a @ scipy.sparse.diags_array(s)).tocsr()
                  for s in d[1:]]


def seconds(sequence, method, threads, limit):
    """Of the whole sequence, and the method that did it; None where it does not do, or takes longer
    than the limit."""
    b = numpy.ones(sequence[0].shape[0])
    begin = time.process_time()
    try:
        factors = spsolve.factor(sequence[0], method=method, systems=len(sequence), threads=threads)
        factors.solve(b)
        for a in sequence[1:]:
            factors.refactor(a).solve(b)
            if time.process_time() - begin > limit:
                return None
    except spsolve.Error:
        return None
    return time.process_time() - begin, factors.report.method


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("matrices", nargs="*", default=FAMILIES)
    parser.add_argument("--systems", default="1,10,100")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'matrix':28} systems  auto took        auto, s  best             best, s  ratio")
    rows = slower = 0
    worst = 0
    for name in options.matrices:
        for count in map(int, options.systems.split(",")):
            sequence = systems_of(name, count)
            found = {}
            for _ in range(options.rounds):
                for method in ("auto", *METHODS):
                    if method != "auto" and found.get(method, ()) is None:
                        continue
                    limit = 3 * found["auto"][0] + 0.5 if found.get("auto") else 1e9
                    taken = seconds(sequence, method, options.threads, limit)
                    before = found.get(method)
                    found[method] = taken if before is None or taken is None else min(taken, before)
            took = found.pop("auto")
            rivals = {method: taken[0] for method, taken in found.items() if taken}
            if took is None or not rivals:
                continue
            best = min(rivals, key=rivals.get)
            ratio = took[0] / rivals[best]
            counts = took[0] > 0.01
            rows += counts
            slower += counts and ratio > 1.2
            worst = max(worst, ratio if counts else 0)
            print(f"{name:28} {count:7}  {took[1]:16} {took[0]:7.3f}  {best:16} {rivals[best]:7.3f} "
                  f"{ratio:5.2f}{' slower' if counts and ratio > 1.2 else ''}", flush=True)
    print(f"{slower} of {rows} rows above 10 ms are slower than 1.2 times the best; {worst:.2f} at most")


if __name__ == "__main__":
    main()
