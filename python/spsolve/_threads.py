"""Threads that are computed with, for a while."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator

from . import _core
from ._errors import InputError


def number_of(threads: int | None) -> int | None:
    """`threads` where it is a number of threads, or None."""
    try:
        number = None if threads is None else operator.index(threads)
    except TypeError:
        number = 0
    if number is not None and number < 1:
        raise InputError(f"threads must be a whole number from 1 on, not {threads!r}")
    return number


def using(threads: int | None) -> contextlib.AbstractContextManager[None]:
    """Computes with so many of them meanwhile; with None, as before."""
    return _AS_BEFORE if threads is None else _using(threads)


_AS_BEFORE = contextlib.nullcontext()


@contextlib.contextmanager
def _using(threads: int) -> Iterator[None]:
    before = _core.threads()
    _core.set_threads(threads)
    try:
        yield
    finally:
        _core.set_threads(before)
