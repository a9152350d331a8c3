# SPDX-License-Identifier: Apache-2.0
"""Diffrax on the problems of revode-bench-peers."""
import os
import sys
import time

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

    def ensemble(self, order):
        """A sweep of rho over Lorenz attractors at 1e-8, by vmap over chunks of several sizes: the
        fastest size, the times of all lanes, and the errors of some."""
        jax, jnp = self.jax, self.jax.numpy
        lanes, problem = order["lanes"], {"name": "lorenz", "t1": 10.0}
        rho = 20 + 10 * jnp.arange(lanes) / lanes
        y0, adjoint = jnp.array([1.0, 0.0, 0.0]), self.dfx.RecursiveCheckpointAdjoint()
        sample = np.array([r["lane"] for r in order["reference"]])
        expected = np.array([r["y"] for r in order["reference"]])
        gradients = np.array([r["gradient"] for r in order["reference"]])

        def end(y0, p):
            return self.solve(problem, self.dfx.Tsit5(), adjoint, 1024, y0, p, 1e-8)[0]

        def loss(y0, p):
            y = end(y0, p)
            return 0.5 * jnp.sum(y * y)

        def parameters(rho):
            return jnp.array([10.0, rho, 8 / 3])

        def by_both(rho):
            return jnp.concatenate(jax.grad(loss, argnums=(0, 1))(y0, parameters(rho)))

        best = {}
        for chunk in sorted({c for c in (64, 512, 4096) if c < lanes} | {lanes}):
            parts = [jnp.resize(rho[k:k + chunk], chunk) for k in range(0, lanes, chunk)]
            for name, function, target in (("", lambda rho: end(y0, parameters(rho)), expected),
                                           ("gradient_", by_both, gradients)):
                run = self.compiled(("ensemble", name, chunk), jax.vmap(function), parts[0])
                times = []
                while len(times) < 3 and sum(times) < 1:
                    start = time.process_time()
                    answers = jax.block_until_ready([run(part) for part in parts])
                    times.append(time.process_time() - start)
                found = np.concatenate(answers)[:lanes][sample]
                error = np.max(np.linalg.norm(found - target, axis=1) / np.linalg.norm(target, axis=1))
                if min(times) < best.get(name + "seconds", 1e300):
                    best |= {name + "seconds": min(times), name + "chunk": chunk, name + "error": float(error)}
        return best
