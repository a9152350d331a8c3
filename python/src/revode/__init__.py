# SPDX-License-Identifier: Apache-2.0
"""Ordinary differential equations and exact gradients, in the memory you choose.

    import revode
    q = revode.Problem(lambda t, y, p: -p * y, y0=[1.0], t0=0, t1=2, p=[0.5])
    revode.solve(q, rtol=1e-8).y
"""

from revode._core import (
    DenseSolution,
    DifferentiableSolution,
    Event,
    Gradient,
    Problem,
    Solution,
    __version__,
    adjoints,
    algebras,
    methods,
    problems,
    schedules,
)
from revode._scipy import scipy_method
from revode._solve import solve, solve_each

__all__ = [
    "DenseSolution",
    "DifferentiableSolution",
    "Event",
    "Gradient",
    "Problem",
    "Solution",
    "__version__",
    "adjoints",
    "algebras",
    "methods",
    "problems",
    "schedules",
    "scipy_method",
    "solve",
    "solve_each",
]
