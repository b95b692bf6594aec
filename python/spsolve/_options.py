"""Options of ``factor``, ``solve`` and ``analyse``, for type checkers, ``help`` and an IDE."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Union

from numpy.typing import NDArray

from ._report import Step

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

Path: TypeAlias = Union[str, "os.PathLike[str]"]
Method: TypeAlias = Literal["auto", "gauss", "gauss_jordan", "lu", "sparse_cholesky", "sparse_ldlt",
                            "sparse_lu", "cg", "minres", "gmres", "bicgstab", "idr", "block_cg",
                            "cocr"]
Pivoting: TypeAlias = Literal["auto", "none", "partial", "complete", "tournament"]
Precision: TypeAlias = Literal["float", "double", "mixed"]
Preconditioner: TypeAlias = Literal["auto", "none", "jacobi", "block_jacobi", "chebyshev", "ilu0",
                                    "ic0", "elimination", "multigrid", "shifted_laplacian"]
Device: TypeAlias = Literal["auto", "host", "cuda"]
Symmetry: TypeAlias = Literal["general", "symmetric", "skew_symmetric", "hermitian"]


class Options(TypedDict, total=False):
    """Keys of the section ``solve`` of a configuration, those of the device, and what is expected;
    None leaves one as it is."""

    method: Method | None
    # auto, nested_dissection, amd, rcm or natural; or an order of the unknowns: an array, counted
    # from 0, or a file, counted from 1
    ordering: NDArray[Any] | Path | None
    analysis_file: Path | None
    matching: bool | Literal["auto", "on", "off"] | None
    factors: Literal["auto", "memory", "disk"] | None
    factors_folder: Path | None
    pivoting: Pivoting | None
    precision: Precision | None
    block: int | None
    preconditioner: Preconditioner | None
    tolerance: float | Literal["auto"] | None
    iterations: int | None
    time_limit: float | Literal["auto"] | None
    initial_guess: NDArray[Any] | Path | None
    coordinates: NDArray[Any] | Path | None
    null_space: NDArray[Any] | Path | None  # or "none", or "constants"
    restart: int | None
    equilibrate: bool | Literal["auto", "on", "off"] | None
    refinement: int | None
    condition: bool | None
    accept: Literal["digits", "residual"] | None
    device: Device | None
    share_gpus: bool | None
    on_step: Callable[[Step], bool | None] | None
    right_hand_sides: int | None
    systems: int | None


F = TypeVar("F", bound=Callable[..., Any])


def shows_options(function: F) -> F:
    """Names the options one by one in what ``help`` and an IDE show of a function with them."""
    shown = inspect.signature(function)
    taken = [each for each in shown.parameters.values()
             if each.kind != inspect.Parameter.VAR_KEYWORD]
    annotations = {name: getattr(kind, "__forward_arg__", kind)
                   for name, kind in Options.__annotations__.items()}
    taken += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None,
                                annotation=kind)
              for name, kind in annotations.items() if name not in shown.parameters]
    function.__signature__ = shown.replace(parameters=taken)  # type: ignore[attr-defined]
    return function
