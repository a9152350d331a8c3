# SPDX-License-Identifier: Apache-2.0
"""Solves in programs of JAX: exact gradients by grad and vjp, inside jit; vmap is one ensemble on threads.

    import jax, revode.jax
    jax.config.update("jax_enable_x64", True)
    loss = lambda p: revode.jax.solve("lorenz", p=p, rtol=1e-8)[0]
    jax.jit(jax.grad(loss))(jax.numpy.array([10.0, 28.0, 8 / 3]))
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from typing_extensions import Unpack

from revode import _core
from revode._solve import Options, _in_float, _options, _way

_Program = Callable[[jax.Array, jax.Array], jax.Array]

#: Are calls typed foreign functions of XLA's? Otherwise, where revode was built without the headers of jaxlib, and from
#: programs of other devices, they go through the interpreter.
compiled_calls = hasattr(jax, "ffi") and bool(_core.xla_handlers())
for _name, _handler in _core.xla_handlers().items() if compiled_calls else ():
    jax.ffi.register_ffi_target(_name, _handler, platform="cpu")

_programs: dict[Any, _Program] = {}


def _program(prepared: Any, dtype: Any) -> _Program:
    """A prepared solve as a function of flat y0 and p that JAX transforms."""
    array: Any = jax.ShapeDtypeStruct
    result = array((prepared.rows, prepared.width) if prepared.rows else (prepared.width,), dtype)
    both = array((prepared.states,), dtype), array((prepared.parameters,), dtype)
    if compiled_calls and jax.default_backend() == "cpu":
        number = np.int64(_core.xla_number(prepared))
        values = jax.ffi.ffi_call("revode_values", result, vmap_method="expand_dims")
        gradients = jax.ffi.ffi_call("revode_gradients", both, vmap_method="expand_dims")

        def value(y0: jax.Array, p: jax.Array, keeps: bool = False) -> Any:
            return values(y0, p, number=number, keeps=keeps)

        def pull(of: tuple[jax.Array, jax.Array], w: jax.Array) -> Any:
            return gradients(*of, w, number=number)

    else:

        def value(y0: jax.Array, p: jax.Array, keeps: bool = False) -> Any:
            call = lambda *of: prepared.values(*map(np.asarray, of))  # noqa: E731
            return jax.pure_callback(call, result, y0, p, vmap_method="expand_dims")

        def pull(of: tuple[jax.Array, jax.Array], w: jax.Array) -> Any:
            call = lambda *of: prepared.gradients(*map(np.asarray, of))  # noqa: E731
            return jax.pure_callback(call, both, *of, w, vmap_method="expand_dims")

    run = jax.custom_vjp(lambda y0, p: value(y0, p))
    run.defvjp(lambda y0, p: (value(y0, p, keeps=True), (y0, p)), pull)
    compiled = jax.jit(run)

    def checked(y0: jax.Array, p: jax.Array) -> jax.Array:
        for name, given, wanted in (("y0", y0, both[0]), ("p", p, both[1])):
            if given.shape != wanted.shape:
                raise ValueError(f"{name} of shape {given.shape} (this solve has {wanted.shape}) give as many numbers?")
        return compiled(y0, p)

    return checked


def _key(options: Options) -> Any:
    arrays = {name: np.asarray(x, float) for name, x in sorted(options.items())}
    return tuple((name, x.shape, x.tobytes()) for name, x in arrays.items())


@lru_cache(maxsize=None)
def _named(problem: str) -> _core.Problem:
    return _core.Problem.named(problem)


def solve(
    problem: _core.Problem | _core.Network | str,
    y0: Any = None,
    p: Any = None,
    method: str = "tsit5",
    *,
    t0: float | None = None,
    t1: float | None = None,
    slots: int | None = None,
    budget: int | None = None,
    schedule: str | None = None,
    threads: int = 0,
    algebra: str = "dense",
    sparsity: Any | None = None,
    banded: tuple[int, int] | None = None,
    **options: Unpack[Options],
) -> jax.Array:
    """y(t1), or the states at `ts`, a row each: an array that JAX differentiates by y0 and p, in reverse mode.
    Of a problem with integrals, y and then q.

    The bits are those of revode.solve and of its pullback by recursive_checkpoint with slots, budget and schedule,
    algebra, sparsity and banded. A solve that fails gives NaN.
    problem  a network has samples by rows in y0, t0, t1, and in p its weights: what Mlp.flat takes. Starts in float32 are
             solved in float32, by tsit5
    cost     of each problem, method and options the solve that was made last is kept until its gradient is asked for or the
             next is made; the gradient of an ensemble solves again
    errors   ValueError: float64 is not enabled, for problems; and revode.solve's
    """
    if "every" in options:
        raise ValueError("revode.jax with every (an array's shape is known beforehand) give ts?")
    how = (_way(method, algebra, sparsity, banded), slots, budget, schedule, threads)
    if isinstance(problem, _core.Network):
        return _solve_network(problem, y0, p, t0, t1, how, options)
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise ValueError(
            "revode.jax in single precision (states are float64) jax.config.update('jax_enable_x64', True)?"
        )
    q = _named(problem) if isinstance(problem, str) else problem
    if t0 is not None or t1 is not None:
        q = q.replace(t0=t0, t1=t1)
    key = (q.identity, how, _key(options))
    if key not in _programs:
        _programs[key] = _program(_prepared(q, how, options), jnp.float64)
    start = jnp.asarray(q.y0 if y0 is None else y0, jnp.float64)
    return _programs[key](start, jnp.asarray(q.p if p is None else p, jnp.float64))


def _prepared(q: _core.Problem, how: Any, options: Options) -> Any:
    way, *memory = how
    if way[1] != "dense":  # misuse is told here, not from within a program
        _core.solve(q.replace(t1=q.t0), _core.Method(*way), _core.Options())
    return _core.prepare(q, _core.Method(*way), _options(options), *memory)


def _solve_network(net: Any, y0: Any, p: Any, t0: Any, t1: Any, how: Any, options: Options) -> jax.Array:
    if y0 is None or p is None or t0 is None or t1 is None:
        raise ValueError("a network without y0, p, t0 or t1 (it is a field and has none of its own) give all four?")
    start = jnp.asarray(y0)
    net.expect_samples(start.shape[-1] if start.ndim else 1)
    start = start.astype(jnp.promote_types(start.dtype, jnp.float32))
    weights = jnp.asarray(net.flat(p) if hasattr(net, "flat") else p, start.dtype)
    key = (net.description, start.size, float(t0), float(t1), str(start.dtype), how, _key(options))
    if key not in _programs:
        if start.dtype == jnp.float64:
            q = net.problem(np.zeros(start.size), t0, t1, np.zeros(net.parameters))
            prepared = _prepared(q, how, options)
        else:
            way, *memory = how
            prepared = _core.prepare_in_float(net, start.size, t0, t1, _in_float(way), _options(options), *memory)
        _programs[key] = _program(prepared, start.dtype)
    ended = _programs[key](start.reshape(-1), weights)
    return ended.reshape((*ended.shape[:-1], *start.shape))
