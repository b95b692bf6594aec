"""scipy's direct solvers by this package: spsolve, splu and factorized with scipy's signatures, and a
context in which scipy, and whatever imported these functions from it, calls them.

    with spsolve.in_scipy():
        x = scipy.sparse.linalg.spsolve(A, b)
        w, v = scipy.sparse.linalg.eigsh(A, 6, sigma=0)   # its OPinv is factored here, too
"""

from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from typing import Any, Callable, Iterator

import numpy as np

from ._errors import NotTrustworthyError
from ._solver import Factors

_lock = threading.Lock()
_entered: list[dict[str, Any]] = []
"""Options of the contexts that are entered, the innermost last."""


def _options(permc_spec: str | None) -> dict[str, Any]:
    """The options of a factorization for scipy."""
    ordering = {"ordering": "natural"} if permc_spec == "NATURAL" else {}
    return {**ordering, **(_entered[-1] if _entered else {})}


def _square(a: Any) -> Any:
    """A sparse matrix of floating-point numbers, or ValueError, as scipy has it."""
    import scipy.sparse as sp

    a = a if sp.issparse(a) else sp.csc_matrix(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"matrix must be square (has shape {a.shape})")
    return a if np.issubdtype(a.dtype, np.inexact) else a.astype(np.float64)


class _Factors(Factors):
    """Factors that warn of what is to be known of x, but not of how A was factored, which callers of
    scipy did not ask for; ``report`` has it."""

    def _tell_of_factoring(self) -> None:
        pass


def spsolve(A: Any, b: Any, permc_spec: str | None = None, use_umfpack: bool = True) -> Any:
    """x of A x = b, as ``scipy.sparse.linalg.spsolve`` has it.

    A singular A warns by scipy's MatrixRankWarning, and x is nan; so does one of which no digit of x
    is certain. ``permc_spec`` "NATURAL" is the order that A has, others leave it to this package;
    ``use_umfpack`` says nothing.
    """
    import scipy.sparse as sp
    from scipy.sparse.linalg import MatrixRankWarning

    a = _square(A)
    is_sparse = sp.issparse(b)
    right = b.toarray() if is_sparse else np.asarray(b)
    if right.ndim not in (1, 2) or right.shape[0] != a.shape[0]:
        raise ValueError("matrix - rhs dimension mismatch "
                         f"({a.shape} - {right.shape[0] if right.ndim else 0})")
    dtype = np.promote_types(a.dtype, right.dtype)
    is_vector = right.ndim == 1 or right.shape[1] == 1
    try:
        columns = 1 if is_vector else right.shape[1]
        factors = _Factors(a, **{"right_hand_sides": max(1, columns), **_options(permc_spec)})
        x = factors.solve(right).astype(dtype, copy=False)
    except NotTrustworthyError as error:
        warnings.warn(f"Matrix is singular, or x cannot be trusted: {error}", MatrixRankWarning,
                      stacklevel=2)
        x = np.full(right.shape, np.nan, dtype)
    if is_vector:
        return x.ravel()
    return a.__class__(x) if is_sparse else x


class SuperLU:
    """The factors that :func:`splu` makes, with the ``solve`` of scipy's class of this name. There
    is no L, U, perm_r or perm_c: the factors are not always of that form."""

    def __init__(self, a: Any, factors: Factors):
        self._factors = factors
        self._dtype = a.dtype
        self.shape = a.shape

    @property
    def report(self) -> Any:
        """How A was factored, and how far the last solution can be trusted: spsolve.Report."""
        return self._factors.report

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """x of A x = rhs, with ``trans`` "T" of A^T x = rhs, with "H" of A^H x = rhs."""
        if trans not in ("N", "T", "H"):
            raise ValueError("trans must be N, T, or H")
        right = np.asarray(rhs)
        if right.ndim not in (1, 2) or right.shape[0] != self.shape[0]:
            raise ValueError("rhs is of incompatible size")
        try:
            x = self._factors.solve(right, transposed=trans == "T", adjoint=trans == "H")
        except NotTrustworthyError as error:
            raise RuntimeError(f"x cannot be trusted: {error}") from error
        return x.astype(np.promote_types(self._dtype, right.dtype), copy=False)


def splu(A: Any, permc_spec: str | None = None, diag_pivot_thresh: float | None = None,
         relax: int | None = None, panel_size: int | None = None,
         options: dict[str, Any] | None = None) -> SuperLU:
    """Factors of A, as ``scipy.sparse.linalg.splu`` has them: RuntimeError of a singular A.

    ``permc_spec``: see :func:`spsolve`. The other options of SuperLU say nothing.
    """
    a = _square(A)
    try:
        return SuperLU(a, _Factors(a, **{"systems": 2, **_options(permc_spec)}))
    except NotTrustworthyError as error:
        raise RuntimeError(f"Factor is exactly singular: {error}") from error


def factorized(A: Any) -> Callable[[Any], Any]:
    """A function that solves A x = b, as ``scipy.sparse.linalg.factorized`` has it."""
    return splu(A).solve


def _replace(by: dict[int, Any]) -> None:
    """Puts other functions where modules name those with these ids."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == __name__.split(".")[0]:
            continue
        try:
            names = list(vars(module).items())
        except TypeError:  # no module, whatever it does there
            continue
        for key, value in names:
            if id(value) in by:
                setattr(module, key, by[id(value)])


@contextlib.contextmanager
def in_scipy(**options: Any) -> Iterator[None]:
    """A context in which spsolve, splu and factorized of scipy.sparse.linalg are those of this
    package, for all threads: also in modules that imported them by name, as scipy's eigsh, and
    packages that stand on scipy, do.

    ``options`` are those of :func:`spsolve.factor`, such as ``device="cuda"`` or
    ``accept="residual"``. Contexts may be nested, and the innermost one's options count.
    """
    import scipy.sparse.linalg as linalg
    from scipy.sparse.linalg import _eigen  # noqa: F401 - names splu

    ours = {"spsolve": spsolve, "splu": splu, "factorized": factorized}
    with _lock:
        if not _entered:
            _theirs.update({name: getattr(linalg, name) for name in ours})
            _replace({id(_theirs[name]): ours[name] for name in ours})
        _entered.append(options)
    try:
        yield
    finally:
        with _lock:
            _entered.remove(options)
            if not _entered:
                # Modules that were imported meanwhile name ours, too.
                _replace({id(ours[name]): _theirs[name] for name in ours})


_theirs: dict[str, Any] = {}
"""scipy's own functions, while a context is entered."""
