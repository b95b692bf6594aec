"""What the processes of a communicator of mpi4py do together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

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
