"""Solvers of A x = b."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from . import _arrays, _core, _ranks, _threads
from ._errors import InputError, ResourcesError
from ._given import GivenMatrix
from ._notes import not_trustworthy, tell
from ._options import Options, Symmetry, shows_options
from ._report import Inertia, Plan, Report, Step

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _words(options: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Options as the words of a configuration, and those that are arrays, not files, or functions."""
    arrays: dict[str, Any] = {}
    on_step = options.get("on_step")
    if on_step is not None:
        if not callable(on_step):
            raise InputError(f"on_step must be a function of a Step, not {on_step!r}")
        arrays["on_step"] = lambda *step: on_step(Step(*step))
    for key in ("coordinates", "null_space", "initial_guess"):
        value = options.get(key)
        if value is not None and not isinstance(value, (str, os.PathLike)):
            arrays[key] = _arrays.as_columns(value, key)
    order = options.get("ordering")
    if order is not None and not isinstance(order, (str, os.PathLike)):
        order = np.asarray(order)
        if order.ndim != 1 or order.dtype.kind not in "iu":
            raise InputError("ordering must be whole numbers of one dimension, or a word or a file")
        arrays["ordering"] = np.ascontiguousarray(order, dtype=np.int64)
    options = {key: value for key, value in options.items() if key not in arrays}

    def word(value: Any) -> str:
        if isinstance(value, bool):
            return "on" if value else "off"
        return str(value)

    return {key: word(value) for key, value in options.items() if value is not None}, arrays


def _number_of(transposed: bool, adjoint: bool) -> int:
    """0 for A, 1 for A^T, 2 for A^H, as solves of complex numbers have it."""
    if transposed and adjoint:
        raise InputError("transposed is A^T, and adjoint A^H: name one of them")
    return 2 if adjoint else 1 if transposed else 0


class Factors(LinearOperator):
    """A square matrix that was factored: solves with it, as often as wanted. See :func:`factor`.

    As a LinearOperator of scipy it is A^-1: ``factors @ b`` solves, ``factors.H @ b`` solves with
    A^H, and ``eigsh(a, sigma=0, OPinv=factors)`` and preconditioned methods take it.
    """

    @shows_options
    def __init__(self, a: Any, *, comm: Any = None, own_rows: bool | tuple[int, int] = False,
                 symmetry: Symmetry = "general", threads: int | None = None, strict: bool = False,
                 **options: Unpack[Options]):
        self._make(GivenMatrix(a, comm, own_rows, symmetry), comm, threads, strict, options, False)
        self._tell_of_factoring()

    def _make(self, a: GivenMatrix, comm: Any, threads: int | None, strict: bool, options: Any,
              analyses: bool) -> None:
        self._comm = comm
        self._threads = _threads.number_of(threads)
        self._strict = strict
        self._a = a
        self._lock = threading.Lock()  # the interpreter's own is released while it computes
        words, arrays = _ranks.on_every(comm, lambda: _words(options))
        number = None if comm is None else comm.py2f()
        with _threads.using(self._threads):
            self._factors = _core.Factors(self._a.matrix, words, arrays, number, analyses)
        self._last: dict[str, Any] = {}
        dtype = np.dtype(np.complex128 if self.is_complex else np.float64)
        super().__init__(dtype, (self.order, self.order))  # type: ignore[call-arg, unused-ignore]

    def _tell_of_factoring(self) -> None:
        tell(self._factors.report()["notes"], self._strict)

    @property
    def order(self) -> int:
        """The number of unknowns."""
        return self._factors.order

    @property
    def own(self) -> tuple[int, int]:
        """This process' rows of b and x, from the first to before the last: all, without comm."""
        return self._factors.own

    @property
    def report(self) -> Report:
        """How the matrix was factored, and how far the last solution can be trusted."""
        made = self._factors.report()
        last = dict(self._last)
        notes = made.pop("notes") + last.pop("notes", [])
        return Report(**made, **last, notes=notes)

    @property
    def inertia(self) -> Inertia | None:
        """How many eigenvalues are positive, negative and zero, and how sure that is.

        Of a symmetric or Hermitian matrix that is factored as L L^T or L D L^T
        (``method="sparse_ldlt"``); None of other methods. Also where :meth:`refactor` has raised
        NotTrustworthyError, as the matrix is singular. Over the processes of a communicator all of
        them ask. Costs a solution of two columns for new values, and where pivots were made larger,
        another elimination.
        """
        with self._lock, _threads.using(self._threads):
            told = self._factors.inertia()
        return None if told is None else Inertia(**told)

    @property
    def is_complex(self) -> bool:
        """Whether the matrix is."""
        return self._factors.is_complex

    def solve(self, b: Any, *, transposed: bool = False, adjoint: bool = False,
              out: Any = None) -> NDArray[Any]:
        """x of A x = b, of A^T x = b, or, ``adjoint``, of A^H x = b.

        Where A or b is complex, so is x: complex128, of arrays in host memory.

        ``b``: n numbers, or n x K for K right-hand sides at once. Over the processes of a
        communicator these are the rows of this one, those of ``own``. float64 by rows is taken as
        it is. Factors on a GPU also take an array there (cupy, torch), whose result lies there too.
        The result has the shape of b, and is written to ``out`` where that is given.

        Warns by TrustWarning of what to know before x is used. Raises NotTrustworthyError, which
        has x, where it cannot be trusted.
        """
        of = _number_of(transposed, adjoint)
        is_complex, columns, result, x = self._columns_for(b, out)
        with self._lock, _threads.using(self._threads):
            facts = self._last = self._factors.solve(columns, x, of, is_complex)
        if not facts["solved"]:
            raise not_trustworthy(facts["notes"], result, facts)
        tell(facts["notes"], self._strict, result, facts)
        return result

    def precondition(self, b: Any, *, transposed: bool = False, adjoint: bool = False,
                     out: Any = None) -> NDArray[Any]:
        """M^-1 b, M^-T b or, ``adjoint``, M^-H b, by one application of a preconditioner.

        That is of an iteration, which ``method`` names, and ``preconditioner`` what is applied: of
        "multigrid" it is one cycle. The result is near A^-1 b, and nothing judges it. ``b`` and
        ``out`` as those of :meth:`solve`.

        For iterations of scipy's: ``M=LinearOperator(A.shape, factors.precondition, dtype=A.dtype)``.
        """
        of = _number_of(transposed, adjoint)
        is_complex, columns, result, x = self._columns_for(b, out)
        with self._lock, _threads.using(self._threads):
            self._factors.precondition(columns, x, of, is_complex)
        return result

    def substitute(self, step: Literal["forward", "diagonal", "backward"], b: Any, *,
                   transposed: bool = False, adjoint: bool = False, out: Any = None) -> NDArray[Any]:
        """One part of A^-1 b by sparse factors L L^T, L D L^T or P L U.

        "forward" is by L, "diagonal" by D, where there is one, and "backward" by L^T or U. The three
        in turn are the x of :meth:`solve` before it is refined; nothing judges it. Of L L^T
        (``method="sparse_cholesky"``) ``y = substitute("forward", b)`` has y^T y = b^T A^-1 b, and
        ``substitute("backward", z)`` of standard normal z has the covariance A^-1. The other
        arguments are those of :meth:`solve`.

        Raises InputError of factors that have no such parts: over processes, on a GPU, of a block
        triangular form, or if GMRES makes up for small pivots.
        """
        steps = ("forward", "diagonal", "backward")
        if step not in steps:
            raise InputError(f"a substitution is one of {', '.join(steps)}, and not {step!r}")
        of = _number_of(transposed, adjoint)
        is_complex, columns, result, x = self._columns_for(b, out)
        with self._lock, _threads.using(self._threads):
            self._factors.substitute(columns, x, steps.index(step), of, is_complex)
        return result

    def _columns_for(self, b: Any, out: Any) -> tuple[bool, Any, NDArray[Any], Any]:
        """Whether the result is complex; b by columns, and room for a result of its shape, which is
        checked: as what is handed back, and by columns."""
        gpu = _arrays.lies_on_gpu(b)
        is_complex = self.is_complex or (not gpu and np.iscomplexobj(b))
        if gpu and is_complex:
            raise InputError("b lies on a GPU, and complex systems take arrays in host memory")
        dtype = np.complex128 if is_complex else np.float64
        columns = _arrays.on_gpu(b) if gpu else _arrays.as_columns(b, "b", dtype)
        shape = _arrays.shape_on_gpu(b, "b") if gpu else np.shape(b)
        first, last = self.own
        if self._comm is None and shape[0] != self.order:
            raise InputError(f"b has {shape[0]} rows, and the matrix has {self.order}")
        result, x = _arrays.for_result(b, out, shape, "out", dtype)

        def check() -> None:
            if shape[0] != last - first:
                raise InputError(f"b has {shape[0]} rows, and this process has "
                                 f"{last - first} of the matrix: {first} to {last}")
        _ranks.on_every(self._comm, check)
        return is_complex, columns, result, x

    def _matvec(self, x: NDArray[Any]) -> NDArray[Any]:
        return self.solve(np.asarray(x).reshape(-1))

    def _matmat(self, x: NDArray[Any]) -> NDArray[Any]:
        return self.solve(x)

    def _rmatvec(self, x: NDArray[Any]) -> NDArray[Any]:
        return self.solve(np.asarray(x).reshape(-1), adjoint=True)

    def _rmatmat(self, x: NDArray[Any]) -> NDArray[Any]:
        return self.solve(x, adjoint=True)

    def __reduce__(self) -> NoReturn:
        raise TypeError("factors are memory of this process and cannot be pickled: pickle the "
                        "matrix, and factor it where they are wanted; threads may share them")

    def refactor(self, values: Any = None, *, shift: Any = None, rows: Any = None) -> Factors:
        """Factors the matrix with new values of the same pattern, which is analysed once only.

        - ``values``: a sparse matrix of the same pattern; or new ``data`` in the order of those of
          the matrix that was factored. Without, those before, less what was added to them.
        - ``shift``: what is added to the diagonal, a number or n of them, or to elements ``rows`` of
          it, counted from 0. An element to shift must be an entry, such as a stored zero.

        Raises NotTrustworthyError where the matrix is singular. ``inertia`` then has the rows that
        no pivot was left for, and solves raise InputError until the next refactor.
        """
        self._eliminate(*self._a.changes(values, shift, rows, self.own))
        return self

    def _eliminate(self, numbers: np.ndarray | None, shifts: np.ndarray | None) -> None:
        with self._lock, _threads.using(self._threads):
            self._last = {}
            self._factors.refactor(numbers, shifts)
        self._tell_of_factoring()

    @classmethod
    def _analysed(cls, a: GivenMatrix, comm: Any, threads: int | None, options: Any) -> Factors:
        """Factors that are not there before the first :meth:`_eliminate`."""
        made = cls.__new__(cls)
        made._make(a, comm, threads, False, options, True)
        return made

    def _factor(self, values: Any) -> Factors:
        """Eliminates what was analysed: the matrix, or new values of it."""
        if values is not None:
            return self.refactor(values)
        self._eliminate(self._a.own_values(self.own), None)
        return self

    def __repr__(self) -> str:
        report = self.report
        return f"<spsolve.Factors of order {self.order}: {report.method} on {report.device}>"


@shows_options
def factor(a: Any, *, comm: Any = None, own_rows: bool | tuple[int, int] = False,
           symmetry: Symmetry = "general", threads: int | None = None, strict: bool = False,
           **options: Unpack[Options]) -> Factors:
    """Factors a square matrix, to solve with it as often as wanted.

    - ``a``: a sparse matrix of scipy or petsc4py, a dense array, or the name of a file or
      generator, such as "grid2d:100". Its numbers are real or complex. Of scipy's formats csr, csc
      and coo are taken as they are, with indices of 32 or 64 bits; others become csr.
    - ``options``: keys of the section ``solve`` of a configuration, with its words: ``method``
      ("auto", "sparse_lu", "cg", ...), ``precision``, ``ordering`` and so on; and ``device``.
    - ``coordinates``: an array or a file, for multigrid of linear elasticity: nodes x 2 or 3.
    - ``null_space``: of a singular matrix: n numbers, n x its dimension, a file, or "constants".
    - ``initial_guess``: an array or a file, of the first x by a Krylov method.
    - ``right_hand_sides`` and ``systems``: those expected, which ``method="auto"`` and the plan of
      memory go by. They are columns of b at once, and systems in turn, with other b or by
      ``refactor``. By themselves they are 1 and 2, so that there are factors, unless A is a graph
      with hubs, whose factors are nearly full. Of one system, as ``solve`` and the program
      ``spsolve`` have it, ``auto`` may iterate.
    - ``on_step``: a function that is called with a :class:`Step` at the beginning of an analysis or
      elimination, at every iteration, and for every thousandth of other work, by any thread, also
      in later solves; of an analysis on rank 0 alone. False ends the call by StoppedError, on all
      processes; what it raises ends it as well. Where an elimination was ended so, or the first
      iteration, solves are refused until the next ``refactor``.
    - ``threads``: those computed with, here and in every solve; without, as ``set_threads`` and
      OMP_NUM_THREADS say.
    - ``strict``: what to know before x is used is raised as NotTrustworthyError, which has x where
      there is one. Without, it is a TrustWarning.
    - ``comm``: a communicator of mpi4py, whose processes factor and solve together. Every call is
      then theirs. ``a`` counts on rank 0 alone, as do new values; others may give None. Each
      process has the rows ``own`` of right-hand sides and solutions.
    - ``own_rows``: of processes of ``comm`` that each give their own rows, also of new values and
      shifts. ``a`` is own rows x all columns; the rows follow those of the ranks before. A pair
      (first, last) names them, from 0 and before the last, and is checked. ``own`` are these rows.
      Matrices of petsc4py that lie on several processes are taken so by themselves.
    - ``symmetry``: that of a matrix of which ``a`` is one triangle, lower or upper: "symmetric",
      "skew_symmetric" or "hermitian". New values are given as a matrix, not as its data then.

    Raises InputError, ResourcesError, and NotTrustworthyError where the matrix is singular. Other
    threads of Python run meanwhile, and Ctrl-C stops it.
    """
    expected: Options = {"systems": 2}
    expected.update(options)
    return Factors(a, comm=comm, own_rows=own_rows, symmetry=symmetry, threads=threads,
                   strict=strict, **expected)


@shows_options
def solve(a: Any, b: Any, *, transposed: bool = False, adjoint: bool = False, comm: Any = None,
          own_rows: bool | tuple[int, int] = False, symmetry: Symmetry = "general",
          threads: int | None = None, strict: bool = False,
          **options: Unpack[Options]) -> NDArray[Any]:
    """x of A x = b, of A^T x = b, or, ``adjoint``, of A^H x = b.

    That is ``factor(a, systems=1, **options).solve(b)``, as the program ``spsolve`` does. With a
    communicator of mpi4py ``a`` and ``b`` count on rank 0, and every process gets the whole x;
    with ``own_rows`` every process gives its rows of ``a`` and ``b``, and gets those of x.
    """
    columns = np.shape(b)[1] if b is not None and len(np.shape(b)) == 2 else 1
    expected: Options = {"right_hand_sides": max(1, columns)}
    expected.update(options)
    factors = Factors(a, comm=comm, own_rows=own_rows, symmetry=symmetry, threads=threads,
                      strict=strict, **expected)
    if comm is None or factors._a.has_own_rows:
        return factors.solve(b, transposed=transposed, adjoint=adjoint)

    def whole() -> np.ndarray:
        array = np.asarray(b, dtype=np.complex128 if np.iscomplexobj(b) else np.float64)
        if array.shape[:1] != (factors.order,):
            raise InputError(f"b has shape {array.shape}, and the matrix has {factors.order} rows")
        return array
    array = comm.bcast(_ranks.on_first(comm, whole), 0)
    first, last = factors.own
    own = factors.solve(array[first:last], transposed=transposed, adjoint=adjoint)
    return np.concatenate(comm.allgather(own))


@shows_options
def analyse(a: Any, *, columns: int = 1, comm: Any = None, own_rows: bool | tuple[int, int] = False,
            symmetry: Symmetry = "general", threads: int | None = None,
            **options: Unpack[Options]) -> Plan:
    """What ``factor`` would do with a matrix and K = ``columns`` right-hand sides.

    Analyses the pattern, chooses method and device, and plans memory, but takes none for factors.
    The plan tells the ordering and entries of factors of a sparse method, and flops and predicted
    seconds of the elimination. It tells bytes of host memory, whether they fit, and what would do
    where they do not. Its ``factor()`` goes on from there. Arguments are those of :func:`factor`.
    """
    expected = {"systems": 2, "right_hand_sides": columns, **options}
    given = GivenMatrix(a, comm, own_rows, symmetry)
    factors = None
    try:
        factors = Factors._analysed(given, comm, threads, expected)
        told = factors._factors.plan()
    except ResourcesError:  # a plan that does not fit tells what would
        words, arrays = _words(expected)
        with _threads.using(_threads.number_of(threads)):
            told = _core.plan(given.matrix, words, arrays, None if comm is None else comm.py2f())
    plan = Plan(**told)
    plan._factors = factors
    return plan
