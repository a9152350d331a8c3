# SPDX-License-Identifier: Apache-2.0
"""diffsol (through pydiffsol): fields in its language DiffSL, compiled by LLVM; tsit45 where the
problem is not stiff, BDF, TR-BDF2 and ESDIRK34 where it is. Only fields of a few lines are written
here, and it tells no count of steps."""
import numpy as np

from contender import Contender, tolerances_of

# name: names of the states, rates; p stands as p0, p1, ...
FIELDS = {
    "lorenz": ("x y z", "p0*(y - x), x*(p1 - z) - y, x*y - p2*z"),
    "kepler": ("x y v w", "v, w, -p0*x/pow(x*x + y*y, 1.5), -p0*y/pow(x*x + y*y, 1.5)"),
    "rober": ("x y z", "p2*(y*z) - p0*x, p0*x - p2*(y*z) - p1*(y*y), p1*(y*y)"),
    "orego": ("x y z", "p0*(y + x*(1 - p1*x - y)), (z - (1 + x)*y)/p0, p2*(x - z)"),
    "hires": ("a b c d e f g h",
              "p1*b - p0*a + p5*c + p9, p0*a - (p1 + p2)*b, p1*d - (p5 + p0)*c + p4*e, p2*b + p0*c - (p3 + p1)*d, "
              "p1*(f + g) - (p0 + p4)*e, p3*d + p0*e - p1*f + p7*g - p6*(f*h), p6*(f*h) - (p1 + p7 + p8)*g, "
              "(p1 + p7 + p8)*g - p6*(f*h)"),
    "vdpol_stiff": ("x y", "y, ((1 - x*x)*y - x)/p0"),
    "vdpol_fast": ("x y", "y, p0*((1 - x*x)*y) - x"),
    "e5": ("a b c d", "-p0*a - p1*(a*c), p0*a - p3*(p2*(b*c)), (p0*a - p3*(p2*(b*c))) - (p1*(a*c) - p2*d), p1*(a*c) - p2*d"),
}


def program(problem):
    states, rates = FIELDS[problem["name"].split(":")[0]]
    lines = [f"p{i} {{ {value!r} }}" for i, value in enumerate(problem["p"])]
    start = ", ".join(f"{name} = {value!r}" for name, value in zip(states.split(), problem["y0"]))
    return "\n".join([*lines, f"u_i {{ {start} }}", f"F_i {{ {rates} }}"]) + "\n"


class Diffsol:
    patience = 20  # seconds

    def __init__(self):
        import pydiffsol

        self.ds = pydiffsol

    def contender(self, problem, method):
        ode = self.ds.Ode(program(problem), matrix_type=self.ds.nalgebra_dense, ode_solver=getattr(self.ds, method))
        none, times, atol_of = np.array([]), np.array([float(problem["t1"])]), dict(tolerances_of(problem))

        def run(rtol):
            ode.rtol, ode.atol = rtol, atol_of[rtol]
            try:
                return np.asarray(ode.solve_dense(none, times).ys)[:, -1], 0
            except Exception as trouble:  # its errors are of no type of their own
                if isinstance(trouble, TimeoutError):
                    raise
                return np.full(len(problem["y0"]), np.nan), 0

        return Contender(problem, "solve", f"diffsol {method}", run)

    def contenders(self, problem):
        if problem["name"].split(":")[0] not in FIELDS:
            return
        for method in ("bdf", "tr_bdf2", "esdirk34") if "atols" in problem else ("tsit45",):
            yield self.contender(problem, method)
