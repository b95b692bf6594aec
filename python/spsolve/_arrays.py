"""Arrays and sparse matrices of the caller, as the library takes them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._errors import InputError


def _numbers(values: np.ndarray) -> np.ndarray:
    """One dimension, contiguous, real or complex128."""
    if np.iscomplexobj(values):
        values = values.astype(np.complex128, copy=False)
    return np.ascontiguousarray(values)


_SYMMETRIES = ("general", "symmetric", "skew_symmetric", "hermitian")


def number_of(symmetry: str) -> int:
    """A symmetry as the library numbers it."""
    if symmetry not in _SYMMETRIES:
        raise InputError(f"symmetry is one of {', '.join(_SYMMETRIES)}, and not {symmetry!r}")
    return _SYMMETRIES.index(symmetry)


def as_matrix(a: Any, symmetry: str = "general") -> _core.Matrix:
    """A sparse matrix of scipy (csr, csc, coo; others by tocsr()) or of petsc4py, a dense array, or
    the name of a file or generator. The numbers of csr are taken in one pass over its arrays.
    ``symmetry`` other than general: they are those of one triangle."""
    kind, number = getattr(a, "format", None), number_of(symmetry)
    if isinstance(a, (_core.Matrix, str, os.PathLike)):
        if number > 0:
            raise InputError("symmetry is of arrays: files and generators tell theirs")
        return a if isinstance(a, _core.Matrix) else _core.Matrix.load(os.fspath(a))
    if hasattr(a, "getValuesCSR"):
        return _of_petsc(a, number)
    if kind is None:
        dense = np.asarray(a)
        if dense.ndim != 2:
            raise InputError("A must be a sparse matrix of scipy, an array of two dimensions, or "
                             "the name of a file or generator")
        row, column = np.nonzero(dense)
        rows, columns = dense.shape
        return _core.Matrix.entries(rows, columns, row, column, _numbers(dense[row, column]), number)
    if kind not in ("csr", "csc", "coo"):
        a, kind = a.tocsr(), "csr"
    rows, columns = a.shape
    data = _numbers(a.data)
    if kind == "coo":
        return _core.Matrix.entries(rows, columns, np.ascontiguousarray(a.row),
                                    np.ascontiguousarray(a.col), data, number)
    return _core.Matrix.compressed(rows, columns, np.ascontiguousarray(a.indptr),
                                   np.ascontiguousarray(a.indices), data, kind == "csc", number)


def _of_petsc(a: Any, symmetry: int) -> _core.Matrix:
    if a.getComm().getSize() != 1:
        raise InputError("A is a matrix of PETSc that lies on several processes: name them by comm, "
                         "give one that lies on one, of PETSc.COMM_SELF, or the name of a file of it")
    rows, columns = a.getSize()
    offsets, indices, values = a.getValuesCSR()
    return _core.Matrix.compressed(rows, columns, offsets, indices, _numbers(values), False, symmetry)


def lies_on_several(a: Any) -> bool:
    """Whether this is a matrix of petsc4py of several processes."""
    return hasattr(a, "getValuesCSR") and a.getComm().getSize() > 1


class OwnRows:
    """What a process gives of a matrix of which each has its own rows: a sparse matrix of scipy
    (others than csr by tocsr()), own rows x all columns, or a matrix of petsc4py that lies on all."""

    def __init__(self, a: Any, symmetry: str):
        self.symmetry = number_of(symmetry)
        if hasattr(a, "getValuesCSR"):
            self.columns = a.getSize()[1]
            self.offsets, self.indices, values = a.getValuesCSR()
            self.rows = len(self.offsets) - 1
        elif not hasattr(a, "tocsr"):
            raise InputError("own rows of A must be a sparse matrix of scipy, own rows x all columns")
        else:
            a = a.tocsr()
            self.rows, self.columns = a.shape
            self.offsets, self.indices, values = a.indptr, a.indices, a.data
        self.values = _numbers(values)

    def made(self, comm: Any, own: tuple[int, int] | None) -> _core.Matrix:
        """The matrix; ``own``: the rows, or None where they follow those of the ranks before."""
        heights = comm.allgather((self.rows, self.values.dtype.kind == "c"))
        # A rank without rows may not know of which kind the others' values are.
        if any(is_complex for _, is_complex in heights):
            self.values = self.values.astype(np.complex128, copy=False)
        first = sum(height for height, _ in heights[:comm.rank])
        first, last = (first, first + self.rows) if own is None else own
        return _core.Matrix.own_rows(comm.py2f(), first, last, self.columns,
                                     np.ascontiguousarray(self.offsets),
                                     np.ascontiguousarray(self.indices), self.values, self.symmetry)


def transposed(a: Any) -> Any:
    """A^T of what as_matrix() takes."""
    if isinstance(a, (_core.Matrix, str, os.PathLike)) or hasattr(a, "getValuesCSR"):
        matrix = as_matrix(a)
        offsets, indices, values = matrix.arrays()
        return _core.Matrix.compressed(matrix.columns, matrix.rows, offsets, indices, values, True)
    return a.T if hasattr(a, "T") else np.asarray(a).T


def lies_on_gpu(array: Any) -> bool:
    """Whether the array shows that it lies in the memory of a GPU."""
    if hasattr(array, "__cuda_array_interface__"):
        return True
    if hasattr(array, "__dlpack_device__") and not isinstance(array, np.ndarray):
        cuda = 2
        return bool(array.__dlpack_device__()[0] == cuda)
    return False


def shape_on_gpu(array: Any, what: str) -> tuple[int, ...]:
    """The shape of an array on a GPU, of one or two dimensions."""
    shape = tuple(array.shape) if hasattr(array, "shape") \
        else tuple(array.__cuda_array_interface__["shape"])
    if len(shape) not in (1, 2):
        raise InputError(f"{what} must have one or two dimensions, not {len(shape)}")
    return shape


def on_gpu(array: Any, what: str = "b", writes: bool = False) -> Any:
    """What the library takes of such an array: float64, by rows, n or n x K, by DLPack. One that
    shows itself by __cuda_array_interface__ alone is taken by its address. A copy where it lies
    otherwise, unless what is written goes to it."""
    shape = shape_on_gpu(array, what)
    if not hasattr(array, "__dlpack__"):
        return _by_address(array.__cuda_array_interface__, shape, what)
    if str(array.dtype).split(".")[-1] != "float64":
        raise InputError(f"{what} on a GPU must be float64, not {array.dtype}")
    # torch's method, or cupy's flags
    if hasattr(array, "is_contiguous"):
        contiguous = array.is_contiguous()
    else:
        contiguous = not hasattr(array, "flags") or array.flags.c_contiguous
    if contiguous:
        return array
    if writes:
        raise InputError(f"{what} on a GPU must lie by rows, without gaps")
    return array.contiguous() if hasattr(array, "contiguous") else array.copy(order="C")


def _by_address(shown: dict[str, Any], shape: tuple[int, ...], what: str) -> Any:
    if shown["typestr"] not in ("<f8", "=f8"):
        raise InputError(f"{what} on a GPU must be float64, not '{shown['typestr']}'")
    strides, step = shown.get("strides"), 8
    for length, stride in zip(reversed(shape), reversed(strides or ())):
        if length > 1 and stride != step:
            raise InputError(f"{what} on a GPU must lie by rows, without gaps")
        step *= length
    return _core.on_gpu(shown["data"][0], list(shape))


def like(array: Any, shape: tuple[int, ...]) -> Any:
    """A new array of that shape where `array` is, on the same GPU."""
    if hasattr(array, "new_empty"):  # torch
        return array.new_empty(shape)
    try:
        import cupy  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InputError("an array for the result is made by torch or cupy: neither is at hand "
                         "here, so give one on the GPU, by out=") from None
    if hasattr(array, "device") and hasattr(array.device, "id"):
        with cupy.cuda.Device(array.device.id):
            return cupy.empty(shape)
    return cupy.empty(shape)


def for_result(given: Any, out: Any, shape: tuple[int, ...], what: str,
               dtype: Any = np.float64) -> tuple[Any, Any]:
    """The array for a result of that shape, and what the library takes of it: `out`, where it is
    one, or a new array where `given` is."""
    if out is None:
        out = like(given, shape) if lies_on_gpu(given) else np.empty(shape, dtype)
    elif lies_on_gpu(out):
        if shape_on_gpu(out, what) != shape:
            raise InputError(f"{what} has shape {shape_on_gpu(out, what)}, and the result {shape}")
    elif not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != shape \
            or not out.flags.c_contiguous or not out.flags.writeable:
        raise InputError(f"{what} must be an array of {np.dtype(dtype).name}, by rows, of shape "
                         f"{shape}")
    if lies_on_gpu(out):
        return out, on_gpu(out, what, True)
    return out, as_columns(out, what, dtype)


def as_columns(b: Any, what: str = "b", dtype: Any = np.float64) -> np.ndarray:
    """A multivector in host memory: float64, two dimensions, by rows; without a copy where it is.
    Complex numbers, where dtype is complex128, as columns of their parts in turn."""
    array = np.asarray(b)
    if array.ndim not in (1, 2):
        raise InputError(f"{what} must have one or two dimensions, not {array.ndim}")
    if np.iscomplexobj(array) and dtype != np.complex128:
        raise InputError(f"{what} is complex, and real numbers are wanted here")
    array = np.ascontiguousarray(array, dtype=dtype)
    array = array.reshape(-1, 1) if array.ndim == 1 else array
    return array.view(np.float64) if dtype == np.complex128 else array
