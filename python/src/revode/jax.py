# SPDX-License-Identifier: Apache-2.0
"""Solves in programs of JAX: exact gradients by grad and vjp, inside jit; vmap is one ensemble on threads.

    import jax, revode.jax
    jax.config.update("jax_enable_x64", True)
    loss = lambda p: revode.jax.solve("lorenz", p=p, rtol=1e-8)[0]
    jax.jit(jax.grad(loss))(jax.numpy.array([10.0, 28.0, 8 / 3]))
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

from revode import _core
from revode._solve import Options, _options

Array = NDArray[np.float64]


class _Callbacks:
    """What JAX calls on the host: of one start and its parameters, or of rows of them."""

    def __init__(
        self, problem: _core.Problem, method: str, options: _core.Options, saves: bool,
        slots: int | None, budget: int | None, schedule: str | None, threads: int,
    ) -> None:
        self.problem, self.method, self.options, self.saves = problem, method, options, saves
        self.memory, self.threads = (slots, budget, schedule, "automatic", "", 0, 0), threads

    def values(self, shape: tuple[int, ...], y0: ArrayLike, p: ArrayLike) -> Array:
        y0, p = np.asarray(y0), np.asarray(p)
        rows = (y0.reshape(-1, y0.shape[-1]), p.reshape(-1, p.shape[-1]) if p.shape[-1] else None)
        found = _core.solve_each(self.problem, self.method, self.options, *rows, self.threads)
        out = np.full((len(found), *shape), np.nan)
        for row, s in zip(out, found):
            if s.success and (not self.saves or len(s.ys) == len(row)):
                row[:] = s.ys if self.saves else s.y
        return out.reshape(y0.shape[:-1] + shape)

    def pull(self, y0: Array, p: Array, w: Array) -> tuple[Array, Array]:
        s = _core.solve_checkpoint(self.problem.replace(y0=y0, p=p), self.method, self.options, *self.memory)
        if not s.success or (self.saves and len(s.ys) != len(w)):
            return np.full_like(y0, np.nan), np.full_like(p, np.nan)
        g = s.pullback(ys=w) if self.saves else s.pullback(w)
        return g.y0, g.p

    def gradients(self, shape: tuple[int, ...], y0: ArrayLike, p: ArrayLike, w: ArrayLike) -> tuple[Array, Array]:
        y0, p, w = np.asarray(y0), np.asarray(p), np.asarray(w)
        lead = y0.shape[:-1]
        if not lead:
            return self.pull(y0, p, w)
        count = int(np.prod(lead))
        rows = y0.reshape(count, -1), p.reshape(count, -1), w.reshape(count, *shape)
        with ThreadPoolExecutor(self.threads or None) as pool:
            found = list(pool.map(self.pull, *rows))
        return tuple(np.stack(part).reshape(lead + part[0].shape) for part in zip(*found))  # type: ignore[return-value]


def solve(
    problem: _core.Problem | str,
    y0: Any = None,
    p: Any = None,
    method: str = "tsit5",
    *,
    slots: int | None = None,
    budget: int | None = None,
    schedule: str | None = None,
    threads: int = 0,
    **options: Unpack[Options],
) -> jax.Array:
    """y(t1), or the states at `ts`, a row each: an array that JAX differentiates by y0 and p, in reverse mode.

    The bits are those of revode.solve and of its pullback by recursive_checkpoint with slots, budget and schedule. A
    solve that fails gives NaN. A gradient solves again, so that nothing outlives a call.
    errors  ValueError: float64 is not enabled, and revode.solve's
    """
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise ValueError(
            "revode.jax in single precision (states are float64) jax.config.update('jax_enable_x64', True)?"
        )
    if "every" in options:
        raise ValueError("revode.jax with every (an array's shape is known beforehand) give ts?")
    q = _core.Problem.named(problem) if isinstance(problem, str) else problem
    start = jnp.asarray(q.y0 if y0 is None else y0, jnp.float64)
    parameters = jnp.asarray(q.p if p is None else p, jnp.float64)
    saves = "ts" in options
    shape = (*((len(np.asarray(options["ts"])),) if saves else ()), len(q.y0))
    host = _Callbacks(q, method, _options(options), saves, slots, budget, schedule, threads)

    def of(*shapes: tuple[int, ...]) -> Any:
        found = tuple(jax.ShapeDtypeStruct(s, jnp.float64) for s in shapes)
        return found if len(found) > 1 else found[0]

    @jax.custom_vjp
    def run(y0: jax.Array, p: jax.Array) -> jax.Array:
        call = lambda y0, p: host.values(shape, y0, p)  # noqa: E731
        return jax.pure_callback(call, of(shape), y0, p, vmap_method="broadcast_all")  # type: ignore[no-any-return]

    def pull(kept: tuple[jax.Array, jax.Array], w: jax.Array) -> Any:
        call = lambda y0, p, w: host.gradients(shape, y0, p, w)  # noqa: E731
        return jax.pure_callback(call, of(kept[0].shape, kept[1].shape), *kept, w, vmap_method="broadcast_all")

    run.defvjp(lambda y0, p: (run(y0, p), (y0, p)), pull)
    return run(start, parameters)
