# SPDX-License-Identifier: Apache-2.0
"""Training steps of neural differential equations, the same in revode and in Diffrax: weights, data, loss, Adam."""
import functools

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import optax

import revode
import revode.jax


def field_of(net, t, y, p):
    layers = list(net.named(p).values())
    for k in range(0, len(layers) - 2, 2):
        y = jnp.tanh(y @ layers[k].T + layers[k + 1])
    return y @ layers[-2].T + layers[-1]


def revode_solve(case, net, **memory):
    how = {"fixed_step": 1 / case.steps} if case.steps else {"rtol": case.rtol, "atol": case.rtol}
    if case.ts is not None:
        how["ts"] = case.ts

    def solve(p, y0):
        return revode.jax.solve(net, y0, p, t0=0.0, t1=1.0, **memory, **how), 0

    return solve


def diffrax_solve(case, net):
    control = diffrax.ConstantStepSize() if case.steps else diffrax.PIDController(rtol=case.rtol, atol=case.rtol)
    saves = diffrax.SaveAt(t1=True) if case.ts is None else diffrax.SaveAt(ts=jnp.asarray(case.ts))

    def solve(p, y0):
        s = diffrax.diffeqsolve(diffrax.ODETerm(functools.partial(field_of, net)), diffrax.Tsit5(), 0.0, 1.0,
                                1 / case.steps if case.steps else None, y0, p, saveat=saves,
                                stepsize_controller=control, max_steps=case.steps or 256)
        return (s.ys[-1] if case.ts is None else s.ys), s.stats["num_steps"]

    return solve


def each_alone(solve):
    """A solve for each sample, by vmap."""

    def of_all(p, y0):
        ys, steps = jax.vmap(lambda y: solve(p, y))(y0)
        return (jnp.swapaxes(ys, 0, 1) if ys.ndim == 3 else ys), jnp.max(steps)

    return of_all


def training(solve, data, rate=1e-3):
    """(gradient, step): the gradient of the loss, and one step of Adam, both compiled."""
    optimiser = optax.adam(rate)

    def loss(p, y0):
        ys, steps = solve(p, y0)
        return jnp.mean((ys - data) ** 2), steps

    gradient = jax.value_and_grad(loss, has_aux=True)

    def step(p, state, y0):
        (value, steps), g = gradient(p, y0)
        moves, state = optimiser.update(g, state)
        return optax.apply_updates(p, moves), state, value

    return jax.jit(gradient), jax.jit(step), optimiser.init


def statistics(case, net, p, y0, memory):
    """Steps and bytes that revode counts, of a gradient in double precision."""
    how = {"fixed_step": 1 / case.steps} if case.steps else {"rtol": case.rtol, "atol": case.rtol}
    s = revode.solve(net.problem(y0, 0.0, 1.0, p), adjoint="recursive_checkpoint", **memory, **how)
    g = s.pullback(np.ones(y0.size))
    return s.statistics["accepted"] + s.statistics["rejected"], g.statistics["peak_bytes"]
