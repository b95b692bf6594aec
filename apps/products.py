#!/usr/bin/env python3
"""Products Y = A X on the host from Python, beside MKL's inspector-executor products and scipy's.

Needs the Python module (pip install ., or PYTHONPATH=build/python), numpy and scipy; and, for MKL, its
libmkl_rt.so, which MKL_RT may name (pip install mkl). All take their turns in every round, so that a
machine that others use, too, is as slow for each of them.
"""

import argparse
import ctypes
import glob
import os
import statistics
import sys
import time

import numpy
import scipy.sparse

import spsolve

# Of mkl_spblas.h.
NON_TRANSPOSE, GENERAL, ROW_MAJOR, NON_UNIT = 10, 20, 101, 50


class Description(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


class Mkl:
    """The products of one matrix by MKL, after its analysis for so many columns."""

    library = None

    @classmethod
    def load(cls):
        """Why MKL is not here, or None."""
        names = [os.environ["MKL_RT"]] if "MKL_RT" in os.environ else [
            "libmkl_rt.so", *sorted(glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so*")))]
        for name in names:
            try:
                cls.library = ctypes.CDLL(name)
                return None
            except OSError as error:
                reason = str(error)
        return reason

    def __init__(self, a, columns):
        self.a = a  # whose arrays MKL keeps pointers to
        self.columns = columns
        self.handle = ctypes.c_void_p()
        self.description = Description(GENERAL, 0, NON_UNIT)
        starts = a.indptr.ctypes.data
        self.check(self.library.mkl_sparse_d_create_csr(
            ctypes.byref(self.handle), 0, a.shape[0], a.shape[1], ctypes.c_void_p(starts),
            ctypes.c_void_p(starts + a.indptr.itemsize), ctypes.c_void_p(a.indices.ctypes.data),
            ctypes.c_void_p(a.data.ctypes.data)))
        if columns == 1:
            self.check(self.library.mkl_sparse_set_mv_hint(self.handle, NON_TRANSPOSE,
                                                           self.description, 10000))
        else:
            self.check(self.library.mkl_sparse_set_mm_hint(
                self.handle, NON_TRANSPOSE, self.description, ROW_MAJOR, columns, 10000))
        self.check(self.library.mkl_sparse_optimize(self.handle))

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError(f"MKL's sparse products ended with status {status}")

    def __call__(self, x, y):
        x_at, y_at = ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data)
        one, zero = ctypes.c_double(1), ctypes.c_double(0)
        if self.columns == 1:
            self.check(self.library.mkl_sparse_d_mv(NON_TRANSPOSE, one, self.handle,
                                                    self.description, x_at, zero, y_at))
        else:
            self.check(self.library.mkl_sparse_d_mm(
                NON_TRANSPOSE, one, self.handle, self.description, ROW_MAJOR, x_at, self.columns,
                self.columns, zero, y_at, self.columns))


def contenders(a, columns, with_mkl):
    product = spsolve.Product(a, columns=columns, device="host")

    def scipys(x, y):
        y[:] = a @ x

    return {"spsolve": lambda x, y: product.apply(x, out=y), "scipy": scipys,
            **({"mkl": Mkl(a, columns)} if with_mkl else {})}, product.kernel


def measure(a, columns, with_mkl, rounds, least):
    """Seconds of a product in each round, by contender, and the kernel that ours chose."""
    x = numpy.random.default_rng(1).standard_normal((a.shape[1], columns))
    all_of_them, kernel = contenders(a, columns, with_mkl)
    expected, scale = a @ x, abs(a) @ abs(x)
    repeats, times = {}, {name: [] for name in all_of_them}
    for name, multiply in all_of_them.items():
        y = numpy.full((a.shape[0], columns), numpy.nan)
        multiply(x, y)
        if not numpy.all(abs(y - expected) <= 1e-13 * scale):
            raise RuntimeError(f"{name} computed another product")
        start = time.perf_counter()
        multiply(x, y)
        repeats[name] = max(1, int(least / (time.perf_counter() - start)))
    for _ in range(rounds):
        for name, multiply in all_of_them.items():
            multiply(x, y)  # which brings its own data back into the caches
            start = time.perf_counter()
            for _ in range(repeats[name]):
                multiply(x, y)
            times[name].append((time.perf_counter() - start) / repeats[name])
    return times, kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("matrices", nargs="+", help="files or generators, such as grid3d27:40:3")
    parser.add_argument("--columns", default="1,4,16", help="numbers K of columns of X")
    parser.add_argument("--rounds", type=int, default=9, help="in which all take their turns")
    parser.add_argument("--milliseconds", type=float, default=10, help="least time of a turn")
    arguments = parser.parse_args()
    without = Mkl.load()
    if without:
        print(f"MKL is not here: {without}")
    print(f"{'matrix':24s} {'K':>3s}  spsolve, us      mkl    scipy  mkl / spsolve  kernel")
    ratios = []
    for name in arguments.matrices:
        a = scipy.sparse.csr_matrix(spsolve.read(name))
        a.sort_indices()
        for columns in map(int, arguments.columns.split(",")):
            times, kernel = measure(a, columns, not without, arguments.rounds,
                                    arguments.milliseconds * 1e-3)
            middle = {who: statistics.median(of) * 1e6 for who, of in times.items()}
            ratio = float("nan")
            if not without:
                ratio = statistics.median(m / s for m, s in zip(times["mkl"], times["spsolve"]))
                ratios.append(ratio)
            print(f"{os.path.basename(name):24s} {columns:3d}  {middle['spsolve']:11.1f} "
                  f"{middle.get('mkl', float('nan')):8.1f} {middle['scipy']:8.1f}  {ratio:13.2f}  "
                  f"{kernel.split(' (')[0]}", flush=True)
    if ratios:
        print(f"geometric mean of mkl / spsolve {statistics.geometric_mean(ratios):.2f}, "
              f"least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
