# SPDX-License-Identifier: Apache-2.0
"""revode's methods in scipy: solve_ivp(f, (t0, t1), y0, method=revode.scipy_method("dop853"))."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revode import _core
from revode._solve import solve


@lru_cache(maxsize=None)
def scipy_method(name: str) -> type:
    """The class that scipy.integrate.solve_ivp takes as `method`, for a method of methods() with dense output.

    The whole interval is solved when solve_ivp begins, without scipy between the steps; its events, t_eval
    and dense_output then read the solution. rtol, atol (numbers), first_step, max_step and, for implicit
    methods, jac (a function, or none: differences) are as in scipy.
    """
    from scipy.integrate import DenseOutput, OdeSolver

    if name not in _core.methods():
        raise ValueError(f"unknown method {name!r} (it is not among revode.methods()) misspelt?")

    class Step(DenseOutput):  # type: ignore[misc]
        def __init__(self, t_old: float, t: float, path: _core.DenseSolution):
            super().__init__(t_old, t)
            self.path = path

        def _call_impl(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
            return self.path(t) if np.ndim(t) == 0 else self.path(t).T

    class Method(OdeSolver):  # type: ignore[misc]
        def __init__(
            self,
            fun: Any,
            t0: float,
            y0: Any,
            t_bound: float,
            vectorized: bool = False,
            rtol: float = 1e-3,
            atol: float = 1e-6,
            first_step: float | None = None,
            max_step: float = np.inf,
            jac: Any = None,
        ):
            super().__init__(fun, t0, y0, t_bound, vectorized)
            if np.ndim(rtol) or np.ndim(atol):
                raise ValueError("tolerances by component (revode.scipy_method takes numbers) give one of each?")
            jacobian = None
            if callable(jac):
                self.njev = 0

                def jacobian(t: float, y: NDArray[np.float64], p: Any) -> Any:
                    self.njev += 1
                    return jac(t, y)

            field = self.fun_single if vectorized else fun
            problem = _core.Problem(
                lambda t, y, p: field(t, y),
                self.y,
                float(t0),
                float(t_bound),
                jacobian=jacobian,
                by_finite_differences=True,
            )
            more = {} if first_step is None else {"first_step": first_step * self.direction}
            if np.isfinite(max_step):
                more["max_step"] = max_step
            self.path = solve(problem, name, dense=True, rtol=rtol, atol=atol, every=1, **more)
            self.nfev = self.path.statistics["field_evaluations"]
            self.ends = iter(zip(self.path.ts, self.path.ys))

        def _step_impl(self) -> tuple[bool, str | None]:
            end = next(self.ends, None)
            if end is None:
                return False, self.path.message
            self.t, self.y = end
            return True, None

        def _dense_output_impl(self) -> Step:
            return Step(self.t_old, self.t, self.path)

    Method.__name__ = Method.__qualname__ = name
    return Method
