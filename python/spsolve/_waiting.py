"""How threads wait for their next loop. GNU's OpenMP has them spin for some 20 ms unless its
environment says otherwise when it is loaded: where other processes want the processors, each loop
then waits for a thread that has to wait for one that does nothing."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_TOLD_BY_USERS = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


@contextlib.contextmanager
def sleeping_soon() -> Iterator[None]:
    """While it lasts, an OpenMP that is loaded has waiting threads sleep after some 50 us, unless
    the user has said how they are to wait. One that is there already stays as it is."""
    if any(name in os.environ for name in _TOLD_BY_USERS):
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]
