"""Products with a sparse matrix."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from . import _arrays, _core
from ._errors import InputError


class Product(LinearOperator):
    """Y = A X for one sparse matrix, prepared once: ``Product(a) @ x``.

    A LinearOperator of scipy, to be handed to its iterative methods. ``kernel``: a name of
    ``spbench --list-kernels``; ``columns``: the K that is expected; ``products``: how many are
    expected, for what it may take to choose a kernel, 0 for many; ``device``: "auto", "host" or
    "cuda". X of float64 by rows is taken as it is, and arrays on a GPU (cupy, torch) are taken by a
    product on a GPU, whose Y lies there too.
    """

    def __init__(self, a: Any, *, kernel: str = "auto", columns: int = 1, device: str = "auto",
                 products: int = 0):
        matrix = _arrays.as_matrix(a)
        self._lock = threading.Lock()  # the interpreter's own is released while it computes
        if products < 0:
            raise InputError(f"products is a number of products, 0 for many, not {products}")
        self._product = _core.Product(matrix, kernel, columns, device, products)
        super().__init__(np.dtype(np.float64), (matrix.rows, matrix.columns))

    @property
    def kernel(self) -> str:
        """The kernel that was chosen, in words."""
        return self._product.kernel

    def apply(self, x: Any, out: np.ndarray | None = None) -> Any:
        """Y = A X for X of n numbers or n x K; ``out`` is an array of float64 by rows for Y."""
        if _arrays.lies_on_gpu(x):
            columns = _arrays.on_gpu(x)
            y = _arrays.like(columns, (self.shape[0], columns.shape[1]))
        else:
            columns = _arrays.as_columns(x, "X")
            if out is None:
                y = np.empty((self.shape[0], columns.shape[1]))
            else:
                y = out.reshape(self.shape[0], -1)
                if not np.shares_memory(y, out) or y.dtype != np.float64:
                    raise InputError("out must be float64, by rows")
        if columns.shape[0] != self.shape[1]:
            raise InputError(f"X has {columns.shape[0]} rows, and A has {self.shape[1]} columns")
        with self._lock:
            self._product.apply(columns, y)
        shape = (self.shape[0], *np.shape(x)[1:])
        return out if out is not None else y.reshape(shape)

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self.apply(np.asarray(x).reshape(-1))

    def _matmat(self, x: np.ndarray) -> np.ndarray:
        return self.apply(x)
