"""Arrays and sparse matrices of the caller, as the library takes them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._errors import InputError


def _real(values: np.ndarray, what: str) -> np.ndarray:
    """One dimension, contiguous, of real numbers."""
    if np.iscomplexobj(values):
        raise InputError(f"{what} is complex, and real matrices and vectors are solved")
    return np.ascontiguousarray(values)


def as_matrix(a: Any) -> _core.Matrix:
    """A sparse matrix of scipy (csr, csc, coo; others by tocsr()), a dense array, or the name of a
    file or generator. The numbers of csr are taken in one pass over its arrays."""
    if isinstance(a, _core.Matrix):
        return a
    if isinstance(a, (str, os.PathLike)):
        return _core.Matrix.load(os.fspath(a))
    kind = getattr(a, "format", None)
    if kind is None:
        dense = np.asarray(a)
        if dense.ndim != 2:
            raise InputError("A must be a sparse matrix of scipy, an array of two dimensions, or "
                             "the name of a file or generator")
        row, column = np.nonzero(dense)
        return _core.Matrix.entries(*dense.shape, row, column, _real(dense[row, column], "A"))
    if kind not in ("csr", "csc", "coo"):
        a, kind = a.tocsr(), "csr"
    rows, columns = a.shape
    data = _real(a.data, "A")
    if kind == "coo":
        return _core.Matrix.entries(rows, columns, np.ascontiguousarray(a.row),
                                    np.ascontiguousarray(a.col), data)
    return _core.Matrix.compressed(rows, columns, np.ascontiguousarray(a.indptr),
                                   np.ascontiguousarray(a.indices), data, kind == "csc")


class _OnGpu:
    """An array that shows itself by __cuda_array_interface__ alone, by DLPack."""

    def __init__(self, array: Any):
        import cupy  # it understands both

        self.array = cupy.asarray(array)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def lies_on_gpu(array: Any) -> bool:
    """Whether the array shows that it lies in the memory of a GPU."""
    if hasattr(array, "__cuda_array_interface__"):
        return True
    if hasattr(array, "__dlpack_device__") and not isinstance(array, np.ndarray):
        cuda = 2
        return array.__dlpack_device__()[0] == cuda
    return False


def on_gpu(array: Any) -> Any:
    """What the library takes of such an array: float64, by rows, two dimensions."""
    if not hasattr(array, "__dlpack__"):
        array = _OnGpu(array).array
    if array.ndim not in (1, 2):
        raise InputError("b must have one or two dimensions")
    if str(array.dtype).split(".")[-1] != "float64":
        raise InputError(f"arrays on a GPU must be float64, not {array.dtype}")
    if array.ndim == 1:
        array = array.reshape((array.shape[0], 1))
    # cupy's flags, or torch's method
    contiguous = array.is_contiguous() if hasattr(array, "is_contiguous") \
        else array.flags.c_contiguous
    if not contiguous:
        array = array.contiguous() if hasattr(array, "contiguous") else array.copy(order="C")
    return array


def like(array: Any, shape: tuple[int, int]) -> Any:
    """An array of that shape where `array` is, on the same GPU."""
    if hasattr(array, "new_empty"):  # torch
        return array.new_empty(shape)
    import cupy

    with cupy.cuda.Device(array.device.id):
        return cupy.empty(shape, dtype=array.dtype)


def as_columns(b: Any, what: str = "b") -> np.ndarray:
    """A multivector in host memory: float64, two dimensions, by rows; without a copy where it is."""
    array = np.asarray(b)
    if array.ndim not in (1, 2):
        raise InputError(f"{what} must have one or two dimensions, not {array.ndim}")
    if np.iscomplexobj(array):
        raise InputError(f"{what} is complex, and real matrices and vectors are solved")
    array = np.ascontiguousarray(array, dtype=np.float64)
    return array.reshape(-1, 1) if array.ndim == 1 else array
