"""Matrices as users give them, and what they change of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _arrays, _core, _ranks
from ._errors import InputError
from ._options import Symmetry


class GivenMatrix:
    """A matrix of one process, of rank 0 of several, or of which each has its own rows."""

    def __init__(self, a: Any, comm: Any, own_rows: bool | tuple[int, int], symmetry: Symmetry):
        self._comm = comm
        self._symmetry = symmetry
        self.has_own_rows = _has_own_rows(a, comm, own_rows)
        self._own_rows = own_rows if isinstance(own_rows, tuple) else None
        self.matrix = self._matrix_of(a)
        # Whose data may be given anew.
        self._given = a if getattr(a, "format", None) in ("csr", "csc", "coo") else None

    def _matrix_of(self, a: Any) -> _core.Matrix:
        """The matrix of a user's; of own rows on every process."""
        if self.has_own_rows:
            rows = _ranks.on_every(self._comm, lambda: _arrays.OwnRows(a, self._symmetry))
            return rows.made(self._comm, self._own_rows)
        return _ranks.on_first(
            self._comm, lambda: _arrays.as_matrix(a, self._symmetry)) or _nothing()

    def changes(self, values: Any, shift: Any, rows: Any,
                own: tuple[int, int]) -> tuple[np.ndarray | None, np.ndarray | None]:
        """New values and shifts of the rows ``own``, of a refactor."""
        self._own = own
        work = self._own_changes if self.has_own_rows else self._dealt_changes
        return work(values, shift, rows)

    def own_values(self, own: tuple[int, int]) -> np.ndarray:
        """The values of the rows ``own`` as they were given, of complex ones their parts in turn."""
        self._own = own
        if self.has_own_rows:
            return self.matrix.arrays()[2]
        return self._own_part(lambda: self.matrix.arrays()[2], self._first_numbers)

    def _dealt_changes(self, values: Any, shift: Any,
                       rows: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Own parts of what rank 0 gives."""
        given = _ranks.on_first(self._comm, lambda: _given(values, shift, rows))
        if self._comm is not None:
            given = self._comm.bcast(given, 0)
        assert given is not None  # as the first rank's is
        has_values, has_shift = given
        a = _ranks.on_first(self._comm, lambda: _arrays.as_matrix(self._typed(values), self._symmetry)
                            if _is_matrix(values) else None)
        numbers = self._own_part(lambda: self._numbers_of(values, a),
                                 self._first_numbers) if has_values else None
        shifts = self._own_part(lambda: self._shifts_of(shift, rows),
                                lambda: np.arange(self.matrix.rows + 1)) if has_shift else None
        return numbers, shifts

    def _own_changes(self, values: Any, shift: Any,
                     rows: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
        """What each process gives for its own rows."""
        kinds = self._comm.allgather((_ranks.on_every(self._comm, lambda: _given(
            values, shift, rows)), _is_matrix(values)))
        if any(kind != kinds[0] for kind in kinds):
            raise InputError("all processes give new values of their own rows, as a matrix or as "
                             "data, or none; likewise shifts")
        (has_values, has_shift), by_matrix = kinds[0]
        a = self._matrix_of(self._typed(values)) if by_matrix else None
        return _ranks.on_every(self._comm, lambda: (
            self._numbers_of(values, a) if has_values else None,
            self._shifts_of(shift, rows) if has_shift else None))

    def _typed(self, values: Any) -> Any:
        """New values as complex numbers where the matrix has such."""
        becomes_complex = self.matrix.is_complex and hasattr(values, "astype")
        return values.astype(np.complex128) if becomes_complex else values

    def _first_numbers(self) -> np.ndarray:
        """Where the numbers of each row begin, and where the last one's end."""
        return self.matrix.arrays()[0] * (2 if self.matrix.is_complex else 1)

    def _shifts_of(self, shift: Any, rows: Any) -> np.ndarray:
        """A number for each row, of own rows for each of these."""
        first, last = self._own if self.has_own_rows else (0, self.matrix.rows)
        shifts = np.zeros(last - first)
        added = np.asarray(shift, dtype=np.float64)
        where = np.arange(first, last) if rows is None else np.asarray(rows)
        if where.ndim != 1 or where.size > 0 and (
                where.dtype.kind not in "iu" or where.min() < first or where.max() >= last):
            raise InputError(f"rows must be numbers of rows from {first} to {last - 1}")
        if added.ndim > 0 and added.shape != where.shape:
            raise InputError(f"there are {added.size} shifts for {where.size} rows")
        shifts[where.astype(np.int64) - first] = added
        return shifts

    def _numbers_of(self, values: Any, a: _core.Matrix | None) -> np.ndarray:
        """New values of all entries, row by row; of complex ones their parts in turn. ``a``: the
        matrix that they are, where they are one."""
        ours = self.matrix.arrays()
        if a is not None:
            if a.is_complex != self.matrix.is_complex:
                raise InputError("the new values are complex, and the matrix is real")
            theirs = a.arrays()
            if not (np.array_equal(theirs[0], ours[0]) and np.array_equal(theirs[1], ours[1])):
                raise InputError("the matrix has another pattern than the one that was factored")
            return theirs[2]
        if self._symmetry != "general":
            raise InputError("the matrix was given as one triangle: give a matrix, not its data")
        if np.iscomplexobj(values) and not self.matrix.is_complex:
            raise InputError("the new values are complex, and the matrix is real")
        dtype = np.complex128 if self.matrix.is_complex else np.float64
        numbers = self._by_rows(np.ascontiguousarray(values, dtype=dtype))
        if numbers.size != len(ours[1]):
            raise InputError(f"there are {numbers.size} values for {len(ours[1])} non-zeros")
        return numbers.view(np.float64)

    def _own_part(self, numbers_of: Callable[[], np.ndarray],
                  places_of: Callable[[], np.ndarray]) -> np.ndarray:
        """Rank 0's numbers, of which those of each row begin at its place, dealt out by rows."""
        numbers = _ranks.on_first(self._comm, numbers_of)
        if self._comm is None and numbers is not None:
            return numbers
        rows = self._comm.gather(self._own, 0)
        parts = None
        if rows is not None and numbers is not None:
            places = places_of()
            parts = [numbers[places[first]:places[last]] for first, last in rows]
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


def _has_own_rows(a: Any, comm: Any, own_rows: bool | tuple[int, int]) -> bool:
    """Whether each process gives its own rows; refuses those of one process alone."""
    has = own_rows is not False or (comm is not None and _arrays.lies_on_several(a))
    if has and comm is None:
        raise InputError("own_rows are those of the processes of a communicator: give comm")
    if comm is not None and comm.size > 1 and any(each != has for each in comm.allgather(has)):
        raise InputError("all processes give their own rows (own_rows), or none does")
    return has


def _is_matrix(values: Any) -> bool:
    """Whether new values are a sparse matrix, and not its data."""
    return hasattr(values, "tocsr") or hasattr(values, "getValuesCSR")


def _given(values: Any, shift: Any, rows: Any) -> tuple[bool, bool]:
    """Whether there are values, and a shift; refuses a refactor of neither."""
    if values is None and shift is None:
        raise InputError("give new values, a shift, or both")
    if rows is not None and shift is None:
        raise InputError("rows are those of a shift: give it, too")
    return values is not None, shift is not None


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
