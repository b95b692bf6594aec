"""What the processes of a communicator of mpi4py do together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ._errors import InputError

T = TypeVar("T")


def on_first(comm: Any, work: Callable[[], T]) -> T | None:
    """What `work` makes on rank 0, and None on others; what it raises is raised on every rank."""
    result, error = None, None
    if comm is None or comm.rank == 0:
        try:
            result = work()
        except Exception as raised:
            error = raised
    if comm is not None and comm.size > 1:
        error = comm.bcast(error, 0)
    if error is not None:
        raise error
    return result


def on_every(comm: Any, work: Callable[[], T]) -> T:
    """What `work` makes on this rank; what it raises on one is raised on every rank."""
    result, error = None, None
    try:
        result = work()
    except Exception as raised:
        error = raised
    if comm is not None and comm.size > 1:
        error = next((each for each in comm.allgather(error) if each is not None), None)
    if error is not None:
        raise error
    return result  # type: ignore[return-value]


def dealt(comm: Any, arrays: tuple[np.ndarray, ...], by: int,
          own: tuple[int, int]) -> tuple[np.ndarray, ...]:
    """Elements of arrays of one length, each for the rank that has its number in array ``by``.
    ``own``: the numbers that this rank has, which follow those of the ranks before."""
    order = np.argsort(arrays[by], kind="stable")
    ordered = [array[order] for array in arrays]
    places = np.searchsorted(ordered[by], [0] + [last for _, last in comm.allgather(own)])
    got = comm.alltoall([[array[begin:end] for array in ordered]
                         for begin, end in zip(places, places[1:])])
    return tuple(np.concatenate(parts) for parts in zip(*got))


def moved(comm: Any, x: Any, own: tuple[int, int], wanted: tuple[int, int]) -> Any:
    """The rows ``wanted`` of what each rank has its ``own`` rows of, as it is where they agree."""
    if all(comm.allgather(own == wanted)):
        return x

    def rows() -> np.ndarray:
        array = np.asarray(x)
        if array.shape[:1] != (own[1] - own[0],):
            raise InputError(f"X has shape {array.shape}, and this process has {own[1] - own[0]} of "
                             f"its rows: {own[0]} to {own[1]}")
        return array
    array = on_every(comm, rows)
    parts = [array[max(first - own[0], 0):max(last - own[0], 0)]
             for first, last in comm.allgather(wanted)]
    return np.concatenate(comm.alltoall(parts))
