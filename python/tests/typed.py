# SPDX-License-Identifier: Apache-2.0
"""What a type checker is to accept: mypy --strict."""

import numpy as np
from numpy.typing import NDArray

import revode
import revode.jax
import revode.nn


def decay(t: float, y: NDArray[np.float64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    return -p * y


def final(rate: float) -> float:
    q = revode.Problem(decay, [1.0], 0.0, 2.0, [rate])
    s: revode.Solution = revode.solve(q, "tsit5", rtol=1e-8, ts=[0.5, 1.0])
    return float(s.y[0])


def path() -> revode.DenseSolution:
    return revode.solve("lorenz", dense=True, atol=1e-9)


def gradient() -> revode.Gradient:
    return revode.solve("lorenz", adjoint="recursive_checkpoint", slots=10).pullback([1.0, 0.0, 0.0])


def running_cost(cost: float) -> NDArray[np.float64]:
    q = revode.Problem(decay, [1.0], 0.0, 2.0, [cost], vjp=lambda t, y, p, w: (0.0, -p * w, -y * w))
    q = q.with_quadrature(lambda t, y, p: y, 0.0, vjp=lambda t, y, p, w: (0.0, w, 0 * p)).replace(q0=1.0)
    s = revode.solve(q, adjoint="recursive_checkpoint", ts=[1.0])
    g: revode.Gradient = s.pullback(q=1.0, qs=s.qs)
    path = revode.solve(q, dense=True)
    return np.concatenate([s.q, g.q0, path.integral(1.0)])


def ensemble() -> list[revode.Solution]:
    large = revode.solve_each("heat_1d:40", "bdf5", p=np.ones((2, 1)), algebra="banded", banded=(1, 1))
    return large + revode.solve_each("lorenz", y0=np.ones((10, 3)), threads=2)


def network(batch: NDArray[np.float64]) -> revode.Gradient:
    net = revode.nn.Mlp([2, 8, 2], "silu")
    q: revode.Problem = net.problem(batch, 0.0, 1.0, net.initial(1))
    return revode.solve(q, adjoint="recursive_checkpoint").pullback(np.ones(batch.size))


def in_jax(rate: float) -> float:
    return float(revode.jax.solve("lorenz", p=np.full(3, rate), rtol=1e-8)[0])
