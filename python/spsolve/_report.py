"""What is told of solves: reports and plans."""

from __future__ import annotations

import dataclasses
import html
from typing import TYPE_CHECKING, Any

from ._errors import ResourcesError

if TYPE_CHECKING:
    from ._solver import Factors


class _Table:
    """A dataclass that shows itself as a table, in a terminal and in a notebook."""

    def to_dict(self) -> dict[str, Any]:
        """The fields by their names, of numbers, words and lists that JSON takes."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    def _rows(self) -> list[tuple[str, str]]:
        rows = []
        for name, value in self.to_dict().items():
            if isinstance(value, bool):
                value = "yes" if value else "no"
            elif isinstance(value, float):
                value = f"{value:.3g}"
            for each in value if isinstance(value, list) else [value]:
                if each not in (None, ""):
                    rows.append((name.rstrip("s") if isinstance(value, list) else name, str(each)))
        return [(name.replace("_", " "), value) for name, value in rows]

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {value}" for name, value in rows)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                       f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
                       for name, value in self._rows())
        return f"<table>{rows}</table>"


@dataclasses.dataclass(frozen=True)
class Step(_Table):
    """A step of a long task, as ``on_step`` is told of it.

    - ``task`` is "analysing", "eliminating", "iterating", "estimating" or the like.
    - ``step`` of ``steps``, at most, are done: vertices, fronts, columns or iterations; 0 is
      unknown.
    - ``fraction`` of the work is done, from 0 to 1, as far as is known.
    - ``seconds`` are those since the task began; ``backward_error`` is of iterations alone.
    """

    task: str
    step: int
    steps: int
    fraction: float
    seconds: float
    backward_error: float | None


@dataclasses.dataclass
class Report(_Table):
    """How a matrix was factored, and how far the last solution can be trusted.

    ``print`` and notebooks show it as a table; ``to_dict`` gives it as a dictionary.

    - ``pivot_growth``, ``smallest_pivot`` and ``largest_pivot`` are 0 of Krylov methods.
    - Fields from ``solved`` on are those of the last solve, and None before the first.
    - ``backward_error`` is normwise; ``sweeps`` are those of refinement.
    - ``forward_error_bound`` bounds the forward error ||x - x*|| / ||x||;
      ``forward_error_estimate`` is the same as the last corrections let expect it.
    - Condition numbers are estimated once for a matrix. From the second solve on
      ``componentwise_condition`` is a bound for any right-hand side, unless something is to be
      noted of this one.
    - ``ordering``, ``factor_entries``, ``flops`` and ``perturbed_pivots`` are of sparse methods,
      ``preconditioner`` and ``steps`` of Krylov methods. ``history`` has their backward errors,
      before the first step and after each.
    - ``negative_pivots`` are of L L^T and L D L^T. ``set_up_seconds`` are those of the analysis and
      of the last factoring.
    """

    method: str
    pivoting: str
    device: str
    equilibrated: bool
    pivot_growth: float
    smallest_pivot: float
    largest_pivot: float
    ordering: str
    preconditioner: str
    factor_entries: int
    flops: float
    perturbed_pivots: int
    negative_pivots: int | None
    set_up_seconds: float
    notes: list[str]
    solved: bool | None = None
    backward_error: float | None = None
    componentwise_error: float | None = None
    sweeps: int | None = None
    condition: float | None = None
    componentwise_condition: float | None = None
    forward_error_bound: float | None = None
    forward_error_estimate: float | None = None
    solve_seconds: float | None = None
    steps: int | None = None
    history: list[float] = dataclasses.field(default_factory=list)

    def _rows(self) -> list[tuple[str, str]]:
        return [row for row in super()._rows() if row[0] != "history"]


@dataclasses.dataclass
class Inertia(_Table):
    """The numbers of positive, negative and zero eigenvalues of a symmetric or Hermitian matrix.

    - ``certainty`` is "certain", "likely" or "unknown"; the numbers are None where it is unknown,
      and ``doubt`` says why it is not certain.
    - ``rows`` are those, from 0, that no pivot was left for, of a matrix that is singular to working
      precision, whose inertia is unknown. ``zero`` is their number then, n less a numerical rank.
    """

    certainty: str
    positive: int | None
    negative: int | None
    zero: int | None
    rows: list[int]
    doubt: str


@dataclasses.dataclass
class Plan(_Table):
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

    def __post_init__(self) -> None:
        self._factors: Factors | None = None  # of a plan that fits, analysed

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_factors": None}  # which are memory of this process

    def factor(self, values: Any = None) -> Factors:
        """The factors of the matrix that was analysed, whose analysis is not made again.

        ``values``: new ones of the same pattern, as :meth:`Factors.refactor` has them. It is the same
        object each time. Raises ResourcesError where the plan does not fit.
        """
        if self._factors is None:
            raise ResourcesError(f"this does not fit into memory; {self.remedy}")
        return self._factors._factor(values)

    def __str__(self) -> str:
        return self.text

    def _rows(self) -> list[tuple[str, str]]:
        return [row for row in super()._rows() if row[0] != "text"]
