"""Solvers of A x = b."""

from __future__ import annotations

import dataclasses
import os
import threading
import warnings
from typing import Any

import numpy as np

from . import _arrays, _core, _ranks
from ._errors import InputError, NotTrustworthyError, TrustWarning


@dataclasses.dataclass
class Report:
    """How a matrix was factored, and how far the last solution can be trusted.

    ``pivot_growth``, ``smallest_pivot`` and ``largest_pivot`` are 0 of Krylov methods. The fields
    from ``solved`` on are those of the last solve, and None before the first: normwise and
    componentwise backward error, sweeps of refinement, condition numbers, the bound on the forward
    error ||x - x*|| / ||x|| and the same as the last corrections let expect it. Condition numbers
    are estimated once for a matrix: from the second solve on ``componentwise_condition`` is a bound
    for any right-hand side, unless something is to be noted of this one.
    """

    method: str
    pivoting: str
    device: str
    equilibrated: bool
    pivot_growth: float
    smallest_pivot: float
    largest_pivot: float
    notes: list[str]
    solved: bool | None = None
    backward_error: float | None = None
    componentwise_error: float | None = None
    sweeps: int | None = None
    condition: float | None = None
    componentwise_condition: float | None = None
    forward_error_bound: float | None = None
    forward_error_estimate: float | None = None


@dataclasses.dataclass
class Plan:
    """What a solve would do, as far as the pattern tells: see :func:`analyse`."""

    method: str
    device: str
    ordering: str
    factor_entries: int
    flops: float
    seconds: float
    bytes: int
    fits: bool
    remedy: str
    text: str

    def __str__(self) -> str:
        return self.text


def _words(options: dict[str, Any]) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Options as the words of a configuration, and those that are arrays, not files."""
    arrays = {}
    for key in ("coordinates", "null_space", "initial_guess"):
        value = options.get(key)
        if value is not None and not isinstance(value, (str, os.PathLike)):
            arrays[key] = _arrays.as_columns(value, key)
    options = {key: value for key, value in options.items() if key not in arrays}

    def word(value: Any) -> str:
        if isinstance(value, bool):
            return "on" if value else "off"
        return str(value)

    return {key: word(value) for key, value in options.items() if value is not None}, arrays


class Factors:
    """A square matrix that was factored: solves with it, as often as wanted. See :func:`factor`."""

    def __init__(self, a: Any, *, comm: Any = None, **options: Any):
        self._comm = comm
        self._matrix = _ranks.on_first(comm, lambda: _arrays.as_matrix(a)) or _nothing()
        self._given = a if getattr(a, "format", None) in ("csr", "csc", "coo") else None
        self._lock = threading.Lock()  # the interpreter's own is released while it computes
        words, arrays = _ranks.on_every(comm, lambda: _words(options))
        number = None if comm is None else comm.py2f()
        self._factors = _core.Factors(self._matrix, words, arrays, number)
        self._last: dict[str, Any] = {}
        self._tell(self._factors.report()["notes"])

    @property
    def order(self) -> int:
        """The number of unknowns."""
        return self._factors.order

    @property
    def own(self) -> tuple[int, int]:
        """This process' rows of b and x, from the first to before the last: all, without comm."""
        return self._factors.own

    @property
    def report(self) -> Report:
        """How the matrix was factored, and how far the last solution can be trusted."""
        made = self._factors.report()
        last = dict(self._last)
        notes = made.pop("notes") + last.pop("notes", [])
        return Report(**made, **last, notes=notes)

    @property
    def is_complex(self) -> bool:
        """Whether the matrix is."""
        return self._factors.is_complex

    def solve(self, b: Any, *, transposed: bool = False, adjoint: bool = False,
              out: Any = None) -> Any:
        """x of A x = b, of A^T x = b, or, ``adjoint``, of A^H x = b.

        Where A or b is complex, so is x: complex128, of arrays in host memory.

        ``b``: n numbers - over the processes of a communicator this one's, those of ``own`` -, or n x K for K right-hand sides at once; float64 by rows is taken as it
        is. On a GPU also an array there (cupy, torch), whose result lies there too. The result has
        the shape of b. Warns by TrustWarning of what to know before x is used; raises
        NotTrustworthyError, which has x, where it cannot be trusted.
        """
        if transposed and adjoint:
            raise InputError("transposed is A^T, and adjoint A^H: name one of them")
        gpu = _arrays.lies_on_gpu(b)
        is_complex = self.is_complex or (not gpu and np.iscomplexobj(b))
        if gpu and is_complex:
            raise InputError("b lies on a GPU, and complex systems take arrays in host memory")
        dtype = np.complex128 if is_complex else np.float64
        columns = _arrays.on_gpu(b) if gpu else _arrays.as_columns(b, "b", dtype)
        shape = _arrays.shape_on_gpu(b, "b") if gpu else np.shape(b)
        first, last = self.own
        if self._comm is None and shape[0] != self.order:
            raise InputError(f"b has {shape[0]} rows, and the matrix has {self.order}")
        result, x = _arrays.for_result(b, out, shape, "out", dtype)

        def check() -> None:
            if shape[0] != last - first:
                raise InputError(f"b has {shape[0]} rows, and this process has "
                                 f"{last - first} of the matrix: {first} to {last}")
        _ranks.on_every(self._comm, check)
        with self._lock:
            if is_complex:
                of = 2 if adjoint else 1 if transposed else 0
                facts = self._last = self._factors.solve_complex(columns, x, of)
            else:
                facts = self._last = self._factors.solve(columns, x, transposed or adjoint)
        if not facts["solved"]:
            error = NotTrustworthyError("; ".join(facts["notes"]) or "x cannot be trusted")
            error.x, error.facts = result, dict(facts)
            raise error
        self._tell(facts["notes"])
        return result

    def refactor(self, values: Any) -> Factors:
        """Factors the matrix with new values of the same pattern, which is analysed once only.

        ``values``: a sparse matrix of the same pattern; or new ``data`` in the order of those of
        the matrix that was factored.
        """
        numbers = _ranks.on_first(self._comm, lambda: self._numbers_of(values))
        if self._comm is not None:
            numbers = self._own_numbers(numbers)
        with self._lock:
            self._last = {}
            if self.is_complex:
                self._factors.refactor_complex(numbers)
            else:
                self._factors.refactor(numbers, self._matrix.nonzeros if self._comm is None
                                       else numbers.size)
        self._tell(self._factors.report()["notes"])
        return self

    def _numbers_of(self, values: Any) -> np.ndarray:
        """New values of all entries, row by row; of complex ones their parts in turn."""
        if hasattr(values, "format"):
            if self.is_complex:
                values = values.astype(np.complex128)
            a = _arrays.as_matrix(values)
            if a.is_complex != self.is_complex:
                raise InputError("the new values are complex, and the matrix is real")
            theirs, ours = a.arrays(), self._matrix.arrays()
            if a.rows != self.order or not (np.array_equal(theirs[0], ours[0]) and
                                            np.array_equal(theirs[1], ours[1])):
                raise InputError("the matrix has another pattern than the one that was factored")
            return theirs[2]
        if np.iscomplexobj(values) and not self.is_complex:
            raise InputError("the new values are complex, and the matrix is real")
        dtype = np.complex128 if self.is_complex else np.float64
        numbers = self._by_rows(np.ascontiguousarray(values, dtype=dtype))
        if numbers.size != self._matrix.nonzeros:
            raise InputError(f"there are {numbers.size} values for {self._matrix.nonzeros} "
                             "non-zeros")
        return numbers.view(np.float64)

    def _own_numbers(self, numbers: np.ndarray | None) -> np.ndarray:
        """Rank 0's values of all entries, dealt out by rows."""
        rows = self._comm.gather(self.own, 0)
        parts = None
        if rows is not None:
            offsets = self._matrix.arrays()[0]
            step = 2 if self.is_complex else 1
            parts = [numbers[step * offsets[first]:step * offsets[last]] for first, last in rows]
        return np.ascontiguousarray(self._comm.scatter(parts, 0))

    def _by_rows(self, data: np.ndarray) -> np.ndarray:
        """New data of the matrix that was given, row by row with ascending columns."""
        given = self._given
        if given is None or (given.format == "csr" and given.has_canonical_format):
            return data
        places = _places(given)
        if places is None:
            raise InputError("the matrix that was factored names entries twice; give a matrix, "
                             "not its data")
        if data.shape != places.shape:
            raise InputError(f"there are {data.size} values for {places.size} entries")
        return np.ascontiguousarray(data[places])

    @staticmethod
    def _tell(notes: list[str]) -> None:
        for note in notes:
            warnings.warn(note, TrustWarning, stacklevel=3)

    def __repr__(self) -> str:
        report = self.report
        return f"<spsolve.Factors of order {self.order}: {report.method} on {report.device}>"


def _places(a: Any) -> np.ndarray | None:
    """Where the data of `a` lie among the values row by row, columns ascending; None where entries
    are named twice."""
    if a.format == "coo":
        row, column = np.asarray(a.row, dtype=np.int64), np.asarray(a.col, dtype=np.int64)
    else:
        line = np.repeat(np.arange(len(a.indptr) - 1, dtype=np.int64), np.diff(a.indptr))
        other = np.asarray(a.indices, dtype=np.int64)
        row, column = (line, other) if a.format == "csr" else (other, line)
    keys = row * a.shape[1] + column
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    return None if np.any(keys[1:] == keys[:-1]) else order


def _nothing() -> _core.Matrix:
    """What ranks other than 0 pass for the matrix."""
    none = np.zeros(0, dtype=np.int64)
    return _core.Matrix.compressed(0, 0, np.zeros(1, dtype=np.int64), none, np.zeros(0), False)


def factor(a: Any, *, comm: Any = None, **options: Any) -> Factors:
    """Factors a square matrix, to solve with it as often as wanted.

    ``a``: a sparse matrix of scipy (csr, csc or coo with indices of 32 or 64 bits; others become
    csr), a dense array, or the name of a file or generator, such as "grid2d:100"; of real or of
    complex numbers.

    ``options`` are the keys of the section ``solve`` of a configuration, with its words: ``method``
    ("auto", "sparse_lu", "cg", ...), ``precision`` ("double", "float", "mixed"), ``ordering``,
    ``pivoting``, ``preconditioner``, ``tolerance``, ``refinement``, ``condition``; and ``device``
    ("auto", "host", "cuda"). Arrays or files of one are ``coordinates`` of the nodes of linear
    elasticity for multigrid, nodes x 2 or 3; ``null_space`` of a singular matrix, n or n x its
    dimension, or "constants"; and ``initial_guess``, of the first x by a Krylov method. Raises
    InputError, ResourcesError, and NotTrustworthyError where the matrix is singular. Other threads of Python run meanwhile, and Ctrl-C stops it.

    ``right_hand_sides`` and ``systems`` are those expected, which ``method="auto"`` and the plan of
    memory go by: columns of b at once, and systems in turn, with other b or by ``refactor``. By
    themselves 1 and 2, so that there are factors; of one system, as ``solve`` and the program
    ``spsolve`` have it, ``auto`` may iterate.

    ``comm``: a communicator of mpi4py, whose processes factor and solve together; every call is
    then theirs. ``a`` counts on rank 0 alone, as do new values; others may give None. Each process
    has the rows ``own`` of right-hand sides and solutions.
    """
    return Factors(a, comm=comm, **{"systems": 2, **options})


def solve(a: Any, b: Any, *, transposed: bool = False, adjoint: bool = False, comm: Any = None,
          **options: Any) -> Any:
    """x of A x = b, of A^T x = b, or, ``adjoint``, of A^H x = b: ``factor(a, systems=1, **options).solve(b)``, as the program
    ``spsolve`` does. With a communicator of mpi4py ``a`` and ``b`` count on rank 0, and every
    process gets the whole x."""
    columns = np.shape(b)[1] if b is not None and len(np.shape(b)) == 2 else 1
    factors = Factors(a, comm=comm, **{"right_hand_sides": max(1, columns), **options})
    if comm is None:
        return factors.solve(b, transposed=transposed, adjoint=adjoint)

    def whole() -> np.ndarray:
        array = np.asarray(b, dtype=np.complex128 if np.iscomplexobj(b) else np.float64)
        if array.shape[:1] != (factors.order,):
            raise InputError(f"b has shape {array.shape}, and the matrix has {factors.order} rows")
        return array
    array = comm.bcast(_ranks.on_first(comm, whole), 0)
    first, last = factors.own
    own = factors.solve(array[first:last], transposed=transposed, adjoint=adjoint)
    return np.concatenate(comm.allgather(own))


def analyse(a: Any, *, columns: int = 1, **options: Any) -> Plan:
    """What ``factor`` would do with a matrix and K = ``columns`` right-hand sides.

    Analyses the pattern, chooses method and device, and plans memory, but takes none for factors:
    method, device, ordering and entries of factors of a sparse method, flops and predicted seconds
    of the elimination, bytes of host memory, whether they fit, and what would do where they do not.
    """
    words, arrays = _words({"systems": 2, "right_hand_sides": columns, **options})
    return Plan(**_core.plan(_arrays.as_matrix(a), words, arrays))
