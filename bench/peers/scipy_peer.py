# SPDX-License-Identifier: Apache-2.0
"""scipy's solve_ivp on the problems of revode-bench-peers and revode-bench-wpd: LSODA, DOP853, and on
stiff problems Radau and BDF, with fields compiled by numba. Its loops, and DOP853, Radau and BDF
themselves, are Python."""
import numpy as np

from contender import Contender, tolerances_of
from numba_fields import jitted


class SciPy:
    patience = 20  # seconds

    def __init__(self):
        import scipy.integrate

        self.solve_ivp = scipy.integrate.solve_ivp

    def contenders(self, problem):
        field = jitted(problem)
        if field is None:
            return
        y0, p = np.array(problem["y0"], dtype=float), np.array(problem["p"], dtype=float)
        span, atol_of = (problem.get("t0", 0.0), problem["t1"]), dict(tolerances_of(problem))

        def fun(t, y):
            dy = np.empty(len(y))
            field(t, y, dy, p)
            return dy

        def solve(method, rtol):
            s = self.solve_ivp(fun, span, y0, method=method, rtol=rtol, atol=atol_of[rtol])
            return (s.y[:, -1] if s.success else np.full(len(y0), np.nan)), len(s.t) - 1

        for method in ("LSODA", "Radau", "BDF") if "atols" in problem else ("LSODA", "DOP853"):
            yield Contender(problem, "solve", f"scipy {method}", lambda rtol, m=method: solve(m, rtol))
