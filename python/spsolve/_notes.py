"""What to know before a solution is used, told to whoever called."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from ._errors import NotTrustworthyError, TrustWarning


def tell(notes: list[str], strict: bool, x: Any = None,
         facts: dict[str, Any] | None = None) -> None:
    """Warns of each, at the line outside of this package that called; or, `strict`, raises."""
    if not notes:
        return
    if strict:
        raise not_trustworthy(notes, x, facts)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    for note in notes:
        warnings.warn(note, TrustWarning, stacklevel=level)


def not_trustworthy(notes: list[str], x: Any, facts: dict[str, Any] | None) -> NotTrustworthyError:
    """The error that has a solution all the same."""
    error = NotTrustworthyError("; ".join(notes) or "x cannot be trusted")
    error.x, error.facts = x, None if facts is None else dict(facts)
    return error
