#!/usr/bin/env python3
"""Products Y = A X on the host from Python, compared with MKL's inspector-executor products,
Eigen's and scipy's.

Needs the Python module (pip install ., or PYTHONPATH=build/python), numpy and scipy; for MKL its
libmkl_rt.so, which MKL_RT may name (pip install mkl); for Eigen its headers (libeigen3-dev) and a
compiler. Threads are those of OMP_NUM_THREADS and MKL_NUM_THREADS. All take their turns in every
round, so that a machine that others use, too, is as slow for each of them.
"""

import ctypes
import functools
import glob
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import scipy.sparse

import spsolve

from runs import compete, script_parser

# Constants of mkl_spblas.h.
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


class Eigen:
    """The products of one matrix by Eigen, whose headers are compiled for them."""

    SOURCE = """
#include <Eigen/Sparse>
using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
extern "C" void multiply(int m, int n, int nonzeros, const int* starts, const int* columns,
                         const double* values, const double* x, double* y, int k) {
  const Eigen::Map<const Rows> a(m, n, nonzeros, starts, columns, values);
  if (k == 1) {
    Eigen::Map<Eigen::VectorXd>(y, m).noalias() = a * Eigen::Map<const Eigen::VectorXd>(x, n);
  } else {
    Eigen::Map<Columns>(y, m, k).noalias() = a * Eigen::Map<const Columns>(x, n, k);
  }
}
"""
    INCLUDE = "/usr/include/eigen3"
    library = None

    @classmethod
    def load(cls):
        """Why Eigen is not here, or None."""
        if not os.path.isdir(cls.INCLUDE):
            return f"no {cls.INCLUDE}"
        with tempfile.TemporaryDirectory() as folder:
            source, result = os.path.join(folder, "eigen.cpp"), os.path.join(folder, "eigen.so")
            with open(source, "w", encoding="utf-8") as file:
                file.write(cls.SOURCE)
            run = subprocess.run(["c++", "-O3", "-march=native", "-fopenmp", "-DNDEBUG", "-shared", "-fPIC",
                                  "-I", cls.INCLUDE, source, "-o", result], check=False,
                                 capture_output=True, text=True)
            if run.returncode != 0:
                return run.stderr.strip().splitlines()[-1]
            cls.library = ctypes.CDLL(result)
        return None

    def __init__(self, a, columns):
        self.a = a
        self.columns = columns

    def __call__(self, x, y):
        a = self.a
        self.library.multiply(*a.shape, a.nnz, *(ctypes.c_void_p(array.ctypes.data) for array in (
            a.indptr, a.indices, a.data, x, y)), self.columns)


def contenders(a, columns, others):
    product = spsolve.Product(a, columns=columns, device="host")

    def scipys(x, y):
        y[:] = a @ x

    return {"spsolve": lambda x, y: product.apply(x, out=y), "scipy": scipys,
            **{name: kind(a, columns) for name, kind in others.items()}}, product.kernel


def measure(a, columns, others, rounds, least):
    """Seconds of a product in each round, by contender, and the kernel that ours chose."""
    x = numpy.random.default_rng(1).standard_normal((a.shape[1], columns))
    all_of_them, kernel = contenders(a, columns, others)
    expected, scale = a @ x, abs(a) @ abs(x)
    y = numpy.empty((a.shape[0], columns))
    repeats = {}
    for name, multiply in all_of_them.items():
        y[:] = numpy.nan
        multiply(x, y)
        if not numpy.all(abs(y - expected) <= 1e-13 * scale):
            raise RuntimeError(f"{name} computed another product")
        start = time.perf_counter()
        multiply(x, y)
        repeats[name] = max(1, int(least / (time.perf_counter() - start)))

    def multiply_often(name):
        for _ in range(repeats[name]):
            all_of_them[name](x, y)

    # The product before brings a contender's own data back into the caches.
    times = compete({name: functools.partial(multiply_often, name) for name in all_of_them}, rounds,
                    before=lambda name: all_of_them[name](x, y))
    return {name: [seconds / repeats[name] for seconds in of] for name, of in times.items()}, kernel


def main():
    parser = script_parser(__doc__, csv_help="")
    parser.add_argument("matrices", nargs="+", help="files or generators, such as grid3d27:40:3")
    parser.add_argument("--columns", default="1,4,16", help="numbers K of columns of X")
    parser.add_argument("--rounds", type=int, default=9, help="in which all take their turns")
    parser.add_argument("--milliseconds", type=float, default=10, help="least time of a turn")
    arguments = parser.parse_args()
    others = {}
    for name, kind in (("mkl", Mkl), ("eigen", Eigen)):
        without = kind.load()
        if without:
            print(f"{name} is not here: {without}")
        else:
            others[name] = kind
    print(f"{'matrix':24s} {'K':>3s}  spsolve, us    scipy",
          *(f"{name:>8s}  / spsolve" for name in others), " kernel")
    ratios = {name: [] for name in others}
    for name in arguments.matrices:
        a = scipy.sparse.csr_matrix(spsolve.read(name))
        a.sort_indices()
        for columns in map(int, arguments.columns.split(",")):
            times, kernel = measure(a, columns, others, arguments.rounds,
                                    arguments.milliseconds * 1e-3)
            middle = {who: statistics.median(of) * 1e6 for who, of in times.items()}
            words = ""
            for other, of in ratios.items():
                of.append(statistics.median(m / s for m, s in zip(times[other], times["spsolve"])))
                words += f" {middle[other]:8.1f} {of[-1]:10.2f}"
            print(f"{os.path.basename(name):24s} {columns:3d}  {middle['spsolve']:11.1f} "
                  f"{middle['scipy']:8.1f}{words}   {kernel.split(' (')[0]}", flush=True)
    for other, of in ratios.items():
        print(f"geometric mean of {other} / spsolve {statistics.geometric_mean(of):.2f}, "
              f"least {min(of):.2f}")


if __name__ == "__main__":
    main()
