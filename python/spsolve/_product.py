"""Products with a sparse matrix."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator

from . import _arrays, _core, _ranks, _threads
from ._errors import InputError
from ._given import GivenMatrix
from ._options import Device, Symmetry


class Product(LinearOperator):
    """Y = A X for one sparse matrix, prepared once: ``Product(a) @ x``.

    A LinearOperator of scipy, to be handed to its iterative methods. A^T is one as well, prepared
    where it is first asked for, of ``a`` as it is then.

    - ``kernel``: a name of ``spbench --list-kernels``.
    - ``columns``: the K that is expected.
    - ``products``: how many are expected, for what it may take to choose a kernel; 0 for many.
    - ``device``: "auto", "host" or "cuda"; ``share_gpus``: whether processes may share a GPU.
    - ``threads``: those computed with.
    - ``symmetry``: that of a matrix of which ``a`` is one triangle, as :func:`factor` has it.
    - ``comm``: a communicator of mpi4py, whose processes multiply together, and ``own_rows``: of
      those that each give their own rows of ``a``; both as :func:`factor` has them. Every call is
      then theirs. Each gives the rows ``own_x`` of X and gets the rows ``own`` of Y, by
      :meth:`apply` or ``@``.

    X of float64 by rows is taken as it is. Arrays on a GPU (cupy, torch) are taken by a product on
    a GPU, whose Y lies there too. Pickled, it is ``a`` and these words, and it is prepared again
    where it is unpickled; a product over processes is not.
    """

    def __init__(self, a: Any, *, comm: Any = None, own_rows: bool | tuple[int, int] = False,
                 kernel: str = "auto", columns: int = 1, device: Device = "auto",
                 products: int = 0, threads: int | None = None, symmetry: Symmetry = "general",
                 share_gpus: bool = False):
        given = GivenMatrix(a, comm, own_rows, symmetry)
        self._lock = threading.Lock()  # the interpreter's own is released while it computes
        self._threads = _ranks.on_every(comm, lambda: _checked(given.matrix, products, threads))
        with _threads.using(self._threads):
            self._product = _core.Product(given.matrix, kernel, columns, device, products, share_gpus,
                                          None if comm is None else comm.py2f())
        self._given, self._comm, self._has_own_rows = a, comm, given.has_own_rows
        self._words: dict[str, Any] = {"kernel": kernel, "columns": columns, "device": device,
                                       "products": products, "threads": threads,
                                       "symmetry": symmetry, "share_gpus": share_gpus}
        self._transposed: Product | None = None
        self._on_host = self._product.device == "host"
        shape = (given.matrix.rows, given.matrix.columns)
        super().__init__(  # type: ignore[call-arg, unused-ignore]
            np.dtype(np.float64), shape if comm is None else comm.bcast(shape, 0))

    @property
    def kernel(self) -> str:
        """The kernel that was chosen, in words."""
        return self._product.kernel

    @property
    def own(self) -> tuple[int, int]:
        """This process' rows of A and Y, from the first to before the last: all, without comm."""
        return self._product.own

    @property
    def own_x(self) -> tuple[int, int]:
        """This process' rows of X, likewise: those of ``own`` where A is square."""
        return self._product.own_x

    def apply(self, x: Any, out: Any = None, *, transposed: bool = False) -> Any:
        """Y = A X for X of n numbers or n x K; ``out`` is an array of float64 by rows for Y, where
        X is: on the host or on the GPU. ``transposed``: Y = A^T X. Over the processes of a
        communicator X and Y are the rows of this one: ``own_x`` and ``own``, of A^T in turn."""
        if transposed:
            return self._apply_transposed(x, out)
        if self._threads is not None and self._threads != _core.threads():
            with _threads.using(self._threads):
                return self.apply(x, out)
        y = out
        is_plain = self._on_host and self._comm is None
        if out is None and is_plain and type(x) is np.ndarray and x.shape[:1] == self.shape[1:]:
            y = np.empty((self.shape[0], *x.shape[1:]))
        if y is not None and is_plain:
            with self._lock:
                if self._product.apply_plain(x, y):
                    return y
        columns, result, y = _ranks.on_every(self._comm, lambda: self._columns_for(x, out))
        with self._lock:
            self._product.apply(columns, y)
        return result

    def _columns_for(self, x: Any, out: Any) -> tuple[Any, Any, Any]:
        """X by columns, and room for Y: as it is handed back, and by columns."""
        gpu = _arrays.lies_on_gpu(x)
        columns = _arrays.on_gpu(x, "X") if gpu else _arrays.as_columns(x, "X")
        given = _arrays.shape_on_gpu(x, "X") if gpu else np.shape(x)
        rows, (first, last) = given[0], self.own_x
        if rows != last - first:
            raise InputError(f"X has {rows} rows, and " + (
                f"A has {last} columns" if self._comm is None else
                f"this process has {last - first} of the matrix' columns: {first} to {last}"))
        of_y = self.own[1] - self.own[0]
        return columns, *_arrays.for_result(x, out, (of_y, *given[1:]), "out")

    def _apply_transposed(self, x: Any, out: Any) -> Any:
        product = self._of_transposed()
        if self._comm is None:
            return product.apply(x, out)
        return product.apply(_ranks.moved(self._comm, x, self.own, product.own_x), out)

    def dot(self, x: Any) -> Any:
        """A X as ``@`` has it; another LinearOperator is chained, a number scales."""
        # scipy looks into what it is given in ways that arrays on a GPU do not all know.
        return self.apply(x) if self._takes(x) else super().dot(x)

    def __matmul__(self, x: Any) -> Any:
        return self.apply(x) if self._takes(x) else super().__matmul__(x)

    def _takes(self, x: Any) -> bool:
        """Whether X is what only :meth:`apply` knows: on a GPU, or own rows of several processes."""
        return _arrays.lies_on_gpu(x) or (self._comm is not None and isinstance(x, np.ndarray))

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
            self._transposed = Product(self._given_transposed(), comm=self._comm,
                                       own_rows=self._has_own_rows, **self._words)
        return self._transposed

    def _given_transposed(self) -> Any:
        """A^T as A was given: whole, on rank 0, or own rows, those of ``own_x``."""
        if not self._has_own_rows:
            return _ranks.on_first(self._comm, lambda: _arrays.transposed(self._given))
        rows = _ranks.on_every(self._comm, lambda: _arrays.OwnRows(self._given, "general"))
        row = np.repeat(np.arange(*self.own), np.diff(rows.offsets))
        row, column, values = _ranks.dealt(self._comm, (row, rows.indices, rows.values), by=1,
                                           own=self.own_x)
        first, last = self.own_x
        return csr_matrix((values, (column - first, row)), shape=(last - first, self.shape[0]))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._comm is not None:
            raise TypeError("a product over processes cannot be pickled: pickle the matrix, and "
                            "prepare it where it is wanted")
        return _prepared, (self._given, self._words)


def _checked(matrix: _core.Matrix, products: int, threads: int | None) -> int | None:
    """The number of threads; refuses what no product is of."""
    if matrix.is_complex:
        raise InputError("A is complex, and a Product takes real ones")
    if products < 0:
        raise InputError(f"products is a number of products, 0 for many, not {products}")
    return _threads.number_of(threads)


def _prepared(a: Any, words: dict[str, Any]) -> Product:
    return Product(a, **words)
