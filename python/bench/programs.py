# SPDX-License-Identifier: Apache-2.0
"""What a call from a program of JAX's costs, and 10^4 Lorenz systems by vmap beside Diffrax.

    python python/bench/programs.py [COUNT]     # jax and diffrax installed; contestants in turn, least times
"""

import sys
import time

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

import revode
import revode.jax

jax.config.update("jax_enable_x64", True)


def least(runs, rounds, repetitions=1):
    """(processor time, wall time) of each run, in seconds."""
    found = [(1e300, 1e300)] * len(runs)
    for run in runs:
        jax.block_until_ready(run())
    for _ in range(rounds):
        for k, run in enumerate(runs):
            start = time.process_time(), time.perf_counter()
            for _ in range(repetitions):
                jax.block_until_ready(run())
            took = time.process_time() - start[0], time.perf_counter() - start[1]
            found[k] = tuple(min(a, b / repetitions) for a, b in zip(found[k], took))
    return found


def calls():
    q = revode.Problem.named("decay")
    y0, p = jnp.array(q.y0), jnp.array(q.p)
    rows = {"revode.solve": lambda: revode.solve(q), "a program that adds": (jax.jit(lambda p: p + 1), p)}
    compiled = revode.jax.compiled_calls
    for route in (True, False) if compiled else (False,):
        revode.jax.compiled_calls = route
        revode.jax._programs.clear()
        value = lambda p: revode.jax.solve(q, y0, p)[0]  # noqa: E731
        name = "typed foreign functions" if route else "the interpreter"
        for what, f in (("jit", jax.jit(value)), ("jit of value_and_grad", jax.jit(jax.value_and_grad(value)))):
            f(p)
            rows[f"{what}, by {name}"] = (f, p)
    revode.jax.compiled_calls = compiled
    runs = [(lambda of=of: of[0](of[1])) if isinstance(of, tuple) else of for of in rows.values()]
    print("| a whole solve of decay | µs |\n|---|---|")
    for name, (cpu, _) in zip(rows, least(runs, 7, 1000)):
        print(f"| {name} | {1e6 * cpu:.1f} |")


def lorenz(t, y, p):
    return jnp.stack([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]])


def ensemble(count):
    q = revode.Problem.named("lorenz")
    y0 = jnp.array(q.y0)
    ps = jnp.asarray(q.p * np.random.default_rng(1).uniform(0.9, 1.1, (count, 3)))

    def ours(p):
        return revode.jax.solve(q, y0, p, t1=10.0, rtol=1e-6, atol=1e-9)

    def theirs(p):
        s = diffrax.diffeqsolve(diffrax.ODETerm(lorenz), diffrax.Tsit5(), 0.0, 10.0, None, y0, p, max_steps=4096,
                                stepsize_controller=diffrax.PIDController(rtol=1e-6, atol=1e-9))
        return s.ys[-1]

    gradient = lambda solve: jax.grad(lambda p: solve(p).sum())  # noqa: E731
    print(f"\n| {count} systems of Lorenz to t = 10 | revode, wall | processor | Diffrax, wall | processor | ratio of wall | of processor |")
    print("|---|---|---|---|---|---|---|")
    for what, of in (("solves", lambda s: s), ("gradients", gradient)):
        both = [jax.jit(jax.vmap(of(solve))) for solve in (ours, theirs)]
        (a, b), (c, d) = least([lambda f=f: f(ps) for f in both], 3)
        print(f"| {what} | {b:.3f} s | {a:.3f} s | {d:.3f} s | {c:.3f} s | {d / b:.1f} | {c / a:.1f} |")


calls()
ensemble(int(sys.argv[1]) if len(sys.argv) > 1 else 10000)
