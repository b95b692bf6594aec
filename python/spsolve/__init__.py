"""Sparse and dense linear systems A x = b and products Y = A X, on threads and GPUs.

    import spsolve
    x = spsolve.solve(A, b)                  # A of scipy.sparse, b of numpy
    f = spsolve.factor(A, method="sparse_lu")
    x = f.solve(B)                           # as often as wanted
    print(f.report)                          # how far x can be trusted
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._waiting import sleeping_soon

with sleeping_soon():
    from . import _processor  # noqa: F401 - which decides what _core is
    from . import _core

from ._errors import (Error, InputError, InternalError, NotTrustworthyError, ResourcesError,
                      StoppedError, TrustWarning)
from ._product import Product
from ._report import Inertia, Plan, Report, Step
from ._solver import Factors, analyse, factor, solve
from .scipy_socket import factorized, in_scipy, splu, spsolve

__version__ = _core.version
__all__ = ["Error", "Factors", "Inertia", "InputError", "InternalError", "NotTrustworthyError", "Plan",
           "Product", "Report", "ResourcesError", "Step", "StoppedError", "TrustWarning", "analyse", "factor",
           "factorized", "has_cuda", "has_mpi", "in_scipy", "read", "set_threads", "solve", "splu",
           "spsolve", "threads"]

has_cuda: bool = _core.has_cuda
"""Whether this was built with a GPU part."""

has_mpi: bool = _core.has_mpi
"""Whether this was built with MPI, and takes communicators of mpi4py."""


def read(name: str | os.PathLike[str]) -> Any:
    """A matrix from a file (Matrix Market, .npz of scipy, PETSc) or a generator such as
    "grid2d:100", as a scipy.sparse.csr_matrix.

    Or the array that a file holds (.npy, Matrix Market's arrays, PETSc's vectors), as an array of
    numpy of two dimensions."""
    import scipy.sparse

    name = os.fspath(name)
    if _core.holds_array(name):
        array = _core.read_array(name)
        return array.view(np.complex128) if _core.holds_complex(name) else array
    matrix = _core.Matrix.load(name)
    offsets, indices, data = matrix.arrays()
    if matrix.is_complex:
        data = data.view(np.complex128)
    shape = (matrix.rows, matrix.columns)
    csr = scipy.sparse.csr_matrix((data.copy(), indices.copy(), offsets.copy()), shape=shape)
    csr.has_sorted_indices = True
    csr.has_canonical_format = True
    return csr


def set_threads(threads: int) -> None:
    """Threads that are computed with from now on, by the thread that calls this."""
    _core.set_threads(threads)


def threads() -> int:
    """Threads that are computed with."""
    return _core.threads()
