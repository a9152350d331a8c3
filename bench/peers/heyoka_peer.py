# SPDX-License-Identifier: Apache-2.0
"""heyoka on the problems of revode-bench-peers: Taylor's method, its coefficients by automatic
differentiation of the field's expression, compiled by LLVM. The compilation is in no time. Gradients
are forward: the variational equations by y0 and p, where these are few."""
import numpy as np

from contender import Contender


def pleiades(hy, y, p):
    rates = list(y[14:])
    force = [[0.0] * 7, [0.0] * 7]
    for i in range(7):
        for j in range(7):
            if i == j:
                continue
            dx, dz = y[j] - y[i], y[7 + j] - y[7 + i]
            g = p[j] * (dx * dx + dz * dz) ** -1.5
            force[0][i] += g * dx
            force[1][i] += g * dz
    return rates + force[0] + force[1]


def neural(hy, y, p):
    units = [hy.tanh(hy.sum([p[512 + k]] + [p[8 * k + i] * y[i] for i in range(8)])) for k in range(64)]
    return [hy.sum([p[1088 + i]] + [p[576 + 64 * i + k] * units[k] for k in range(64)]) for i in range(8)]


def lorenz(hy, y, p):
    return [p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]]


def kepler(hy, y, p):
    pull = p[0] * (y[0] * y[0] + y[1] * y[1]) ** -1.5
    return [y[2], y[3], -pull * y[0], -pull * y[1]]


def lorenz96(hy, y, p):
    n = len(y)
    return [(y[(i + 1) % n] - y[i - 2]) * y[i - 1] - y[i] + p[0] for i in range(n)]


FIELDS = {f.__name__: f for f in (lorenz, kepler, pleiades, lorenz96, neural)}
FEW = 8  # y0 and p at most, for the variational equations


class Heyoka:
    patience = 60  # seconds: compiling a tolerance's code is among them

    def __init__(self):
        import heyoka

        self.hy = heyoka

    def integrator(self, problem, rtol, variational):
        hy, n = self.hy, len(problem["y0"])
        y = hy.make_vars(*(f"y{i}" for i in range(n)))
        p = [hy.par[i] for i in range(len(problem["p"]))]
        system = list(zip(y, FIELDS[problem["name"].split(":")[0]](hy, y, p)))
        if variational:
            system = hy.var_ode_sys(system, hy.var_args.vars | hy.var_args.params, order=1)
        return hy.taylor_adaptive(system, problem["y0"], pars=problem["p"], tol=rtol, compact_mode=n > 30)

    def contender(self, problem, kind, solver, variational):
        made, n, np_ = {}, len(problem["y0"]), len(problem["p"])

        def run(rtol):
            if rtol not in made:
                ta = self.integrator(problem, rtol, variational)
                made[rtol] = ta, ta.state.copy()
            ta, start = made[rtol]
            ta.time = 0.0
            ta.state[:] = start
            steps = ta.propagate_until(problem["t1"])[3]
            if not variational:
                return ta.state.copy(), steps
            end = ta.state[:n]
            return end @ ta.state[n:].reshape(n, n + np_), steps

        return Contender(problem, kind, solver, run)

    def contenders(self, problem):
        if problem["name"].split(":")[0] not in FIELDS:
            return
        yield self.contender(problem, "solve", "heyoka Taylor", False)
        if len(problem["y0"]) + len(problem["p"]) <= FEW:
            yield self.contender(problem, "gradient", "heyoka Taylor, variational equations", True)
