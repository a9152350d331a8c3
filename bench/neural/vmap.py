# SPDX-License-Identifier: Apache-2.0
"""Diffrax by vmap on the training steps of bench/columns.cpp, whose table has revode's: a solve a sample, Adam included.

usage: bench/neural/vmap.py float32|float64 ROUNDS
"""
import sys
import time

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import optax

jax.config.update("jax_enable_x64", sys.argv[1] == "float64")


def case(widths, samples, tolerance, points):
    """(step, arguments): a compiled step of Adam on the mean square of the solutions at `points`, or at the end."""
    random = np.random.default_rng(1)
    layers = []
    for n, m in zip(widths, widths[1:]):
        layers += [random.uniform(-1, 1, (n, m)) * np.sqrt(6 / (n + m)), np.zeros(m)]
    p = [jnp.asarray(x.astype(sys.argv[1])) for x in layers]
    y0 = jnp.asarray(random.standard_normal((samples, widths[0])).astype(sys.argv[1]))
    saves = diffrax.SaveAt(ts=jnp.linspace(0.1, 1, points)) if points else diffrax.SaveAt(t1=True)

    def field(t, y, p):
        for k in range(0, len(p) - 2, 2):
            y = jnp.tanh(y @ p[k] + p[k + 1])
        return y @ p[-2] + p[-1]

    def loss(p, y0):
        solve = jax.vmap(lambda y: diffrax.diffeqsolve(
            diffrax.ODETerm(field), diffrax.Tsit5(), 0.0, 1.0, None, y, p, saveat=saves, max_steps=256,
            stepsize_controller=diffrax.PIDController(rtol=tolerance, atol=tolerance)))
        s = solve(y0)
        return jnp.mean(s.ys**2), s.stats["num_steps"]

    optimiser = optax.adam(1e-3)

    @jax.jit
    def step(p, state, y0):
        (_, steps), g = jax.value_and_grad(loss, has_aux=True)(p, y0)
        moves, state = optimiser.update(g, state)
        return optax.apply_updates(p, moves), state, steps

    return step, (p, optimiser.init(p), y0)


for name, of_case in [("a", ([2, 50, 2], 20, 1e-6, 10)), ("b", ([16, 128, 128, 16], 256, 1e-5, 0))]:
    step, arguments = case(*of_case)
    steps = np.asarray(jax.block_until_ready(step(*arguments))[2])
    least = 1e300
    for _ in range(int(sys.argv[2])):
        start = time.process_time()
        jax.block_until_ready(step(*arguments))
        least = min(least, time.process_time() - start)
    print(f"| {name}, {sys.argv[1]} | Diffrax, vmap | {1e3 * least:.3f} | {steps.max()} |", flush=True)
