# SPDX-License-Identifier: Apache-2.0
"""Solves with the options as keyword arguments."""

from __future__ import annotations

from typing import Any, Literal, overload

from numpy.typing import ArrayLike
from typing_extensions import Unpack, TypedDict

from revode import _core


class Options(TypedDict, total=False):
    """What steps are taken; 0 and absent ones are chosen. rtol, atol: a number, or one for each component. ts: times at which the solution is kept, or every so
    many steps."""

    rtol: ArrayLike
    atol: ArrayLike
    ts: ArrayLike
    fixed_step: float
    first_step: float
    max_step: float
    min_step: float
    max_steps: int
    every: int
    stops: ArrayLike
    discontinuities: ArrayLike


#: A method's name and what its linear algebra needs to know, which dictionaries can hold.
_Way = tuple[str, str, int, int, tuple[int, ...], tuple[int, ...]]


def _way(name: str, algebra: str, sparsity: Any | None, banded: tuple[int, int] | None) -> _Way:
    lower, upper = (-1, -1) if banded is None else banded
    if hasattr(sparsity, "tocsc"):
        columns = sparsity.tocsc()
        sparsity = (columns.indptr, columns.indices)
    starts, rows = ((), ()) if sparsity is None else sparsity
    return name, algebra, lower, upper, tuple(map(int, starts)), tuple(map(int, rows))


def _in_float(way: _Way) -> str:
    if way[1] != "dense":
        raise ValueError(f"algebra {way[1]!r} for a network in single precision (it is solved by tsit5) leave it out?")
    return way[0]


def _options(given: Options) -> _core.Options:
    known = Options.__annotations__
    o = _core.Options()
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"unknown option {name!r} (there are {', '.join(known)}) misspelt?")
        setattr(o, name, value)
    return o


@overload
def solve(
    problem: _core.Problem | str,
    method: str = ...,
    *,
    algebra: str = ...,
    sparsity: Any | None = ...,
    banded: tuple[int, int] | None = ...,
    **options: Unpack[Options],
) -> _core.Solution: ...
@overload
def solve(
    problem: _core.Problem | str,
    method: str = ...,
    *,
    dense: Literal[True],
    algebra: str = ...,
    sparsity: Any | None = ...,
    banded: tuple[int, int] | None = ...,
    **options: Unpack[Options],
) -> _core.DenseSolution: ...
@overload
def solve(
    problem: _core.Problem | str,
    method: str = ...,
    *,
    adjoint: str,
    slots: int | None = ...,
    budget: int | None = ...,
    schedule: str | None = ...,
    log: str = ...,
    spill: str = ...,
    interval: int = ...,
    slow_slots: int = ...,
    algebra: str = ...,
    sparsity: Any | None = ...,
    banded: tuple[int, int] | None = ...,
    **options: Unpack[Options],
) -> _core.DifferentiableSolution: ...
def solve(  # type: ignore[misc]
    problem: _core.Problem | str,
    method: str = "tsit5",
    *,
    dense: bool = False,
    adjoint: str | None = None,
    slots: int | None = None,
    budget: int | None = None,
    schedule: str | None = None,
    log: str = "automatic",
    spill: str = "",
    interval: int = 0,
    slow_slots: int = 0,
    algebra: str = "dense",
    sparsity: Any | None = None,
    banded: tuple[int, int] | None = None,
    **options: Unpack[Options],
) -> _core.Solution | _core.DenseSolution | _core.DifferentiableSolution:
    """Solves a problem, or a named one, by a method of methods().

    dense      the solution at every time: s(t), s.derivative(t)
    adjoint    one of adjoints(), whose gradients s.pullback(y) gives; of "recursive_checkpoint":
               slots (states kept) or budget (bytes), schedule (of schedules()), log, spill, interval,
               slow_slots
    algebra    how an implicit method solves its linear systems, one of algebras(): "banded" (banded: how
               many diagonals lie below the main one and above), "klu" and "gmres_ilu0" (sparsity:
               a sparse matrix of SciPy, or its (indptr, indices) by columns), "gmres"; of named
               problems bands and patterns are found
    options    rtol, atol, ts, fixed_step, first_step, max_step, min_step, max_steps, every,
               stops, discontinuities

    How it ended is s.status; misuse raises ValueError before any work.
    """
    q = _core.Problem.named(problem) if isinstance(problem, str) else problem
    m = _core.Method(*_way(method, algebra, sparsity, banded))
    o = _options(options)
    if dense and adjoint is not None:
        raise ValueError("dense with an adjoint (a solution keeps the one or the other) solve twice?")
    if dense:
        return _core.solve_dense(q, m, o)
    if adjoint is None:
        return _core.solve(q, m, o)
    if adjoint != "recursive_checkpoint":
        return _core.solve_adjoint(q, m, o, adjoint, interval)
    return _core.solve_checkpoint(q, m, o, slots, budget, schedule, log, spill, interval, slow_slots)


def solve_each(
    problem: _core.Problem | str,
    method: str = "tsit5",
    *,
    y0: ArrayLike | None = None,
    p: ArrayLike | None = None,
    threads: int = 0,
    algebra: str = "dense",
    sparsity: Any | None = None,
    banded: tuple[int, int] | None = None,
    **options: Unpack[Options],
) -> list[_core.Solution]:
    """A solve for each row of y0 and of p, on so many threads (0: all there are), with algebra, sparsity
    and banded as in solve."""
    q = _core.Problem.named(problem) if isinstance(problem, str) else problem
    m = _core.Method(*_way(method, algebra, sparsity, banded))
    return _core.solve_each(q, m, _options(options), y0, p, threads)
