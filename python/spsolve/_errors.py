"""What goes wrong, by the exit codes of the program spsolve."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """What spsolve refuses or cannot do; the text says what is wrong and what to do."""

    exit_code = 4


class NotTrustworthyError(Error, ArithmeticError):
    """The matrix is singular, no digit of x is certain, or the residual is too large (1).

    ``x`` is the solution all the same, where there is one, else None; ``facts`` are its figures.
    """

    exit_code = 1
    x: Any = None
    facts: dict[str, Any] | None = None


class InputError(Error, ValueError):
    """A file, an array or an option is wrong (2)."""

    exit_code = 2


class ResourcesError(Error, MemoryError):
    """Memory, disk or device is missing or too small (3)."""

    exit_code = 3


class StoppedError(Error):
    """``on_step`` asked to stop (5), of this process or of another one of the communicator."""

    exit_code = 5


class InternalError(Error, RuntimeError):
    """A defect of the library (4)."""


class TrustWarning(UserWarning):
    """What to know before a solution is used."""
