# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs: Lorenz to t = 10 at rtol 1e-6, by scipy, in scipy, and by revode.

    python python/bench/calls.py       # scipy and numba installed; processor time, medians
"""

import time

import numba
import numpy as np
from scipy.integrate import solve_ivp

import revode

REFERENCE = np.array([-5.8576853824240908, -5.8310824864260979, 23.932132987027569])
TOLERANCES = {"rtol": 1e-6, "atol": 1e-9}


def lorenz(t, y):
    return [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def milliseconds(run, repetitions):
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1e3 * sorted(times)[repetitions // 2]


def row(name, run, final, repetitions):
    error = np.max(np.abs(final(run()) - REFERENCE)) / np.max(np.abs(REFERENCE))
    print(f"| {name} | {milliseconds(run, repetitions):.3f} | {error:.1e} |")


def main():
    number = numba.types.CPointer(numba.types.float64)

    @numba.cfunc(numba.types.int32(numba.types.float64, number, number, number, numba.types.voidptr))
    def compiled(t, y, p, dy, user):
        dy[0] = p[0] * (y[1] - y[0])
        dy[1] = y[0] * (p[1] - y[2]) - y[1]
        dy[2] = y[0] * y[1] - p[2] * y[2]
        return 0

    print("| | ms | relative error |\n|---|---|---|")
    for method in ("RK45", "DOP853", "tsit5", "dop853", "vern7"):
        ours = method.islower()
        row(
            f"scipy's solve_ivp, {'revode ' if ours else ''}{method}",
            lambda: solve_ivp(
                lorenz, (0, 10), [1.0, 0, 0], revode.scipy_method(method) if ours else method, **TOLERANCES
            ),
            lambda s: s.y[:, -1],
            9,
        )
    named = revode.Problem.named("lorenz")
    of_python = revode.Problem(lambda t, y, p: lorenz(t, y), [1.0, 0, 0], 0, 10)
    of_numba = revode.Problem(compiled, [1.0, 0, 0], 0, 10, named.p)
    for name, problem, repetitions in (
        ("a field of Python's", of_python, 25),
        ("a field of numba's", of_numba, 400),
        ("the named problem", named, 400),
    ):
        row(f"revode.solve, tsit5, {name}", lambda: revode.solve(problem, **TOLERANCES), lambda s: s.y, repetitions)
    decay = revode.Problem.named("decay")
    print(f"\na whole solve of decay: {1e3 * milliseconds(lambda: revode.solve(decay), 4000):.1f} µs")


main()
