# SPDX-License-Identifier: Apache-2.0
"""numbalsoda: LSODA in C++, which chooses between Adams and BDF itself, and Hairer's DOP853, called
from compiled code with fields compiled by numba. It takes no Jacobian and tells no count of steps."""
import numpy as np

from contender import Contender, tolerances_of
from numba_fields import formula

MOST_STEPS = 2_000_000


class NumbaLsoda:
    patience = 20  # seconds

    def __init__(self):
        import numba
        import numbalsoda

        self.numba, self.library = numba, numbalsoda

    def contenders(self, problem):
        field = formula(problem)
        if field is None:
            return
        compiled, numba, library = self.numba.njit(field), self.numba, self.library
        n, count = len(problem["y0"]), len(problem["p"])

        @numba.cfunc(library.lsoda_sig)
        def called(t, y, dy, p):
            compiled(t, numba.carray(y, n), numba.carray(dy, n), numba.carray(p, count))

        y0, p = np.array(problem["y0"], dtype=float), np.array(problem["p"], dtype=float)
        times, atol_of = np.array([problem.get("t0", 0.0), problem["t1"]], dtype=float), dict(tolerances_of(problem))

        def solve(function, rtol):
            y, good = function(called.address, y0, times, data=p, rtol=rtol, atol=atol_of[rtol], mxstep=MOST_STEPS)
            return (y[-1] if good else np.full(n, np.nan)), 0

        yield Contender(problem, "solve", "numbalsoda LSODA", lambda rtol: solve(library.lsoda, rtol))
        if "atols" not in problem:
            yield Contender(problem, "solve", "numbalsoda DOP853", lambda rtol: solve(library.dop853, rtol))
