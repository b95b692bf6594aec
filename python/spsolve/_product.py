"""Products with a sparse matrix."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from . import _arrays, _core, _threads
from ._errors import InputError
from ._options import Device, Symmetry


class Product(LinearOperator):
    """Y = A X for one sparse matrix, prepared once: ``Product(a) @ x``.

    A LinearOperator of scipy, to be handed to its iterative methods. A^T is one as well, prepared
    where it is first asked for, of ``a`` as it is then.

    - ``kernel``: a name of ``spbench --list-kernels``.
    - ``columns``: the K that is expected.
    - ``products``: how many are expected, for what it may take to choose a kernel; 0 for many.
    - ``device``: "auto", "host" or "cuda".
    - ``threads``: those computed with.
    - ``symmetry``: that of a matrix of which ``a`` is one triangle, as :func:`factor` has it.

    X of float64 by rows is taken as it is. Arrays on a GPU (cupy, torch) are taken by a product on
    a GPU, whose Y lies there too. Pickled, it is ``a`` and these words, and it is prepared again
    where it is unpickled.
    """

    def __init__(self, a: Any, *, kernel: str = "auto", columns: int = 1, device: Device = "auto",
                 products: int = 0, threads: int | None = None, symmetry: Symmetry = "general"):
        matrix = _arrays.as_matrix(a, symmetry)
        if matrix.is_complex:
            raise InputError("A is complex, and a Product takes real ones")
        self._lock = threading.Lock()  # the interpreter's own is released while it computes
        if products < 0:
            raise InputError(f"products is a number of products, 0 for many, not {products}")
        self._threads = _threads.number_of(threads)
        with _threads.using(self._threads):
            self._product = _core.Product(matrix, kernel, columns, device, products)
        self._given = a
        self._words: dict[str, Any] = {"kernel": kernel, "columns": columns, "device": device,
                                       "products": products, "threads": threads,
                                       "symmetry": symmetry}
        self._transposed: Product | None = None
        self._on_host = self._product.device == "host"
        super().__init__(  # type: ignore[call-arg, unused-ignore]
            np.dtype(np.float64), (matrix.rows, matrix.columns))

    @property
    def kernel(self) -> str:
        """The kernel that was chosen, in words."""
        return self._product.kernel

    def apply(self, x: Any, out: Any = None) -> Any:
        """Y = A X for X of n numbers or n x K; ``out`` is an array of float64 by rows for Y, where
        X is: on the host or on the GPU."""
        if self._threads is not None and self._threads != _core.threads():
            with _threads.using(self._threads):
                return self.apply(x, out)
        y = out
        if out is None and self._on_host and type(x) is np.ndarray and x.shape[:1] == self.shape[1:]:
            y = np.empty((self.shape[0], *x.shape[1:]))
        if y is not None and self._on_host:
            with self._lock:
                if self._product.apply_plain(x, y):
                    return y
        gpu = _arrays.lies_on_gpu(x)
        columns = _arrays.on_gpu(x, "X") if gpu else _arrays.as_columns(x, "X")
        given = _arrays.shape_on_gpu(x, "X") if gpu else np.shape(x)
        if given[0] != self.shape[1]:
            raise InputError(f"X has {given[0]} rows, and A has {self.shape[1]} columns")
        result, y = _arrays.for_result(x, out, (self.shape[0], *given[1:]), "out")
        with self._lock:
            self._product.apply(columns, y)
        return result

    def dot(self, x: Any) -> Any:
        """A X as ``@`` has it; another LinearOperator is chained, a number scales."""
        # scipy looks into what it is given in ways that arrays on a GPU do not all know.
        return self.apply(x) if _arrays.lies_on_gpu(x) else super().dot(x)

    def __matmul__(self, x: Any) -> Any:
        return self.apply(x) if _arrays.lies_on_gpu(x) else super().__matmul__(x)

    def _matvec(self, x: NDArray[Any]) -> Any:
        return self.apply(np.asarray(x).reshape(-1))

    def _matmat(self, x: NDArray[Any]) -> Any:
        return self.apply(x)

    def _rmatvec(self, x: NDArray[Any]) -> Any:
        return self._of_transposed().apply(np.asarray(x).reshape(-1))

    def _rmatmat(self, x: NDArray[Any]) -> Any:
        return self._of_transposed().apply(x)

    def _of_transposed(self) -> Product:
        if self._transposed is None:
            self._transposed = Product(_arrays.transposed(self._given), **self._words)
        return self._transposed

    def __reduce__(self) -> tuple[Any, ...]:
        return _prepared, (self._given, self._words)


def _prepared(a: Any, words: dict[str, Any]) -> Product:
    return Product(a, **words)
