# SPDX-License-Identifier: Apache-2.0
"""Diffrax on the problems of revode-bench-peers."""
import os
import sys

import numpy as np

from contender import Contender


def jax_field(name):
    import jax.numpy as jnp

    def lorenz(t, y, p):
        return jnp.stack([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]])

    def kepler(t, y, p):
        r2 = y[0] * y[0] + y[1] * y[1]
        pull = p[0] / (r2 * jnp.sqrt(r2))
        return jnp.stack([y[2], y[3], -pull * y[0], -pull * y[1]])

    def pleiades(t, y, p):
        x, z = y[:7], y[7:14]
        dx, dz = x[None, :] - x[:, None], z[None, :] - z[:, None]
        r2 = dx * dx + dz * dz + jnp.eye(7)
        g = (1 - jnp.eye(7)) / (r2 * jnp.sqrt(r2))
        return jnp.concatenate([y[14:], (g * dx) @ p, (g * dz) @ p])

    def lorenz96(t, y, p):
        return (jnp.roll(y, -1) - jnp.roll(y, 2)) * jnp.roll(y, 1) - y + p[0]

    def neural(t, y, p):
        unit = jnp.tanh(p[:512].reshape(64, 8) @ y + p[512:576])
        return p[576:1088].reshape(8, 64) @ unit + p[1088:]

    return locals()[name.split(":")[0]]


class Diffrax:
    patience = 0  # no end: its loops are bounded, and compiling may take long
    adjoints = ("checkpoints", "20 checkpoints", "backsolve")

    def __init__(self):
        import diffrax
        import jax

        jax.config.update("jax_compilation_cache_dir", os.path.join(sys.prefix, "compiled"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        self.dfx, self.jax = diffrax, jax
        self.cache = {}

    def solve(self, problem, solver, adjoint, max_steps, y0, p, rtol):
        dfx = self.dfx
        s = dfx.diffeqsolve(dfx.ODETerm(jax_field(problem["name"])), solver, 0.0, problem["t1"], None, y0, p,
                            saveat=dfx.SaveAt(t1=True), adjoint=adjoint, max_steps=max_steps, throw=False,
                            stepsize_controller=dfx.PIDController(rtol=rtol, atol=rtol))
        return s.ys[-1], s.stats["num_steps"]

    def compiled(self, key, function, *arguments):
        if key not in self.cache:
            self.cache[key] = self.jax.jit(function).lower(*arguments).compile()
        return self.cache[key]

    def contenders(self, problem):
        jnp = self.jax.numpy
        y0, p = jnp.array(problem["y0"], dtype=float), jnp.array(problem["p"], dtype=float)
        for name, solver in (("tsit5", self.dfx.Tsit5()), ("dopri8", self.dfx.Dopri8())):
            yield self.forward(problem, name, solver, y0, p)
            for adjoint in self.adjoints if name == "tsit5" else self.adjoints[:1]:
                yield self.gradient(problem, name, solver, adjoint, y0, p)

    def forward(self, problem, name, solver, y0, p):
        key = (problem["name"], name)
        adjoint = self.dfx.RecursiveCheckpointAdjoint()

        def ends(y0, p, rtol):
            return self.solve(problem, solver, adjoint, 65536, y0, p, rtol)

        def run(rtol):
            y, steps = self.jax.block_until_ready(self.compiled(key, ends, y0, p, 1e-6)(y0, p, rtol))
            return y, int(steps)

        return Contender(problem, "solve", f"Diffrax {name}", run)

    def gradient(self, problem, name, solver, adjoint, y0, p):
        """The bound on the steps says how many checkpoints there are by default, about its root: 512,
        4096 or 32768, the least that suffices."""
        jax, dfx = self.jax, self.dfx
        forward = self.forward(problem, name, solver, y0, p)

        def program(rtol):
            steps = forward.run(rtol)[1] if adjoint == "checkpoints" else 65536
            bound = next((b for b in (512, 4096, 32768) if steps <= b), 65536)
            how = {"checkpoints": dfx.RecursiveCheckpointAdjoint,
                   "20 checkpoints": lambda: dfx.RecursiveCheckpointAdjoint(checkpoints=20),
                   "backsolve": dfx.BacksolveAdjoint}[adjoint]()

            def loss(y0, p, rtol):
                y, steps = self.solve(problem, solver, how, bound, y0, p, rtol)
                return 0.5 * jax.numpy.sum(y * y), steps

            differentiated = jax.value_and_grad(loss, argnums=(0, 1), has_aux=True)
            return self.compiled((problem["name"], name, adjoint, bound), differentiated, y0, p, rtol)

        programs = {}

        def at(rtol):
            if rtol not in programs:
                programs[rtol] = program(rtol)
            return programs[rtol]

        def run(rtol):
            (_, steps), (by_y0, by_p) = jax.block_until_ready(at(rtol)(y0, p, rtol))
            return np.concatenate([np.asarray(by_y0), np.asarray(by_p)]), int(steps)

        def planned(rtol):
            of = at(rtol).memory_analysis()
            return of.temp_size_in_bytes + of.output_size_in_bytes - of.alias_size_in_bytes

        return Contender(problem, "gradient", f"Diffrax {name}, {adjoint}", run, planned=planned)
