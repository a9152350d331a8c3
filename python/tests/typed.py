# SPDX-License-Identifier: Apache-2.0
"""What a type checker is to accept: mypy --strict."""

import numpy as np
from numpy.typing import NDArray

import revode


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


def ensemble() -> list[revode.Solution]:
    return revode.solve_each("lorenz", y0=np.ones((10, 3)), threads=2)
