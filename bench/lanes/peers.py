#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Diffrax by vmap, or torchdiffeq with all lanes in one state, on the ensembles of run.py.

usage: peers.py diffrax|torchdiffeq CASE.json --device cpu|cuda

CASE.json is one case of revode-bench-lanes. Compiles and runs everything once, says `ready`, then
answers each line of standard input with the rows of one more round, as JSON. float64. Times are of
the processor (one thread) or, on a card, of the clock on the wall; compiling is never in them.
"""
import argparse
import json
import os
import sys
import time

import numpy as np


def fields(name, xp):
    """dy = f(y, p) over the last axis, for jax.numpy and torch."""
    def lorenz(y, p):
        return xp.stack([p[..., 0] * (y[..., 1] - y[..., 0]), y[..., 0] * (p[..., 1] - y[..., 2]) - y[..., 1],
                         y[..., 0] * y[..., 1] - p[..., 2] * y[..., 2]], -1)

    def vdpol(y, p):
        return xp.stack([y[..., 1], p[..., 0] * ((1 - y[..., 0] * y[..., 0]) * y[..., 1]) - y[..., 0]], -1)

    def rober(y, p):
        slow, back = p[..., 0] * y[..., 0], p[..., 2] * (y[..., 1] * y[..., 2])
        fast = p[..., 1] * (y[..., 1] * y[..., 1])
        return xp.stack([back - slow, slow - back - fast, fast], -1)

    def hires(y, p):
        y1, y2, y3, y4, y5, y6, y7, y8 = (y[..., i] for i in range(8))
        k1, k2, k3, k4, k5, k6, kp, km, ks, o = (p[..., i] for i in range(10))
        bound = kp * (y6 * y8)
        return xp.stack([k2 * y2 - k1 * y1 + k6 * y3 + o, k1 * y1 - (k2 + k3) * y2, k2 * y4 - (k6 + k1) * y3 + k5 * y5,
                         k3 * y2 + k1 * y3 - (k4 + k2) * y4, k2 * (y6 + y7) - (k1 + k5) * y5,
                         k4 * y4 + k1 * y5 - k2 * y6 + km * y7 - bound, bound - (k2 + km + ks) * y7,
                         (k2 + km + ks) * y7 - bound], -1)

    def lorenz96(y, p):
        return (xp.roll(y, -1, -1) - xp.roll(y, 2, -1)) * xp.roll(y, 1, -1) - y + p

    return locals()[name.split(":")[0]]


def distance(x, r):
    """|x - r| / |r| of every row."""
    return np.linalg.norm(x - r, axis=1) / np.linalg.norm(r, axis=1)


class Contender:
    """One way of solving, or of gradients: run() gives (states or gradients by y0 and p, attempts)."""

    def __init__(self, case, who, kind, run, bytes=0):
        self.case, self.who, self.kind, self.run, self.bytes, self.least = case, who, kind, run, bytes, None

    def first(self, clock):
        start = clock()
        answer, attempts = self.run()
        self.least = clock() - start
        samples = self.case["samples"]
        picked = np.asarray(answer)[[s["lane"] for s in samples]]
        n = len(samples[0]["y"])
        if self.kind == "solve":
            errors = distance(picked, np.array([s["y"] for s in samples]))
        else:
            right = np.array([s["gradient"] for s in samples])
            errors = np.maximum(distance(picked[:, :n], right[:, :n]), distance(picked[:, n:], right[:, n:]))
        self.row = {"who": self.who, "kind": self.kind, "attempts": float(np.mean(attempts)), "together": 1,
                    "worst": float(np.max(errors)), "median": float(np.median(errors)), "bytes": self.bytes}

    def again(self, clock, longest):
        spent = 0
        while self.least < longest and spent < 1:
            start = clock()
            self.run()
            self.least = min(self.least, clock() - start)
            spent += max(clock() - start, 0.2)
        return self.row | {"seconds": self.least}


def diffrax_contenders(case, device):
    import diffrax as dfx
    import jax
    import jax.numpy as jnp

    lanes, field = case["lanes"], fields(case["case"], jnp)
    y0 = jnp.broadcast_to(jnp.array(case["y0"]), (lanes, len(case["y0"][0])))
    p = jnp.broadcast_to(jnp.array(case["p"]), (lanes, len(case["p"][0])))
    stiff, fixed = case["method"].startswith("rodas"), case["fixed_step"]
    solver = dfx.Kvaerno5() if stiff else dfx.Tsit5()
    how = dfx.RecursiveCheckpointAdjoint(checkpoints=case["slots"] or None)

    def end(y0, p, loose, bound):
        steps = dfx.ConstantStepSize() if fixed else dfx.PIDController(
            rtol=loose * case["rtol"], atol=loose * case["atol"], dtmax=case["max_step"] or None)
        s = dfx.diffeqsolve(dfx.ODETerm(lambda t, y, p: field(y, p)), solver, 0.0, case["t1"], fixed or None, y0, p,
                            saveat=dfx.SaveAt(t1=True), adjoint=how, max_steps=bound, throw=False,
                            stepsize_controller=steps)
        return s.ys[-1], s.stats["num_steps"]

    def loss(y0, p, loose, bound):
        y, steps = end(y0, p, loose, bound)
        return 0.5 * jnp.sum(y * y), steps

    def both(y0, p, loose, bound):
        by, steps = jax.grad(loss, argnums=(0, 1), has_aux=True)(y0, p, loose, bound)
        return jnp.concatenate(by), steps

    def contender(kind, chunk, *how_far):
        function = {"solve": end, "gradient": both}[kind]
        parts = [(jnp.resize(y0[k:k + chunk], (chunk, y0.shape[1])), jnp.resize(p[k:k + chunk], (chunk, p.shape[1])))
                 for k in range(0, lanes, chunk)]
        compiled = jax.jit(jax.vmap(lambda y0, p: function(y0, p, *how_far))).lower(*parts[0]).compile()
        memory = compiled.memory_analysis()

        def run():
            found = jax.block_until_ready([compiled(*part) for part in parts])
            return tuple(np.concatenate([np.asarray(f[i]) for f in found])[:lanes] for i in (0, 1))

        name = f"Diffrax {'Kvaerno5' if stiff else 'Tsit5'}" + (" at 10 times the tolerance" if how_far[0] > 1 else "")
        return Contender(case, f"{name}, vmap of {chunk}", kind, run,
                         memory.temp_size_in_bytes + memory.output_size_in_bytes)

    sizes = sorted({c for c in ((64, 512, 4096) if device == "cpu" else (16384, 131072)) if c < lanes} | {lanes})
    for loose in (1, 10) if stiff else (1,):  # its errors are the smaller ones there
        # the least bound that suffices: it says how many checkpoints there are
        most = int(np.max(contender("solve", lanes, loose, 1 << 20).run()[1]))
        bound = next(1 << k for k in range(4, 21) if most <= 1 << k)
        for chunk in sizes:
            yield contender("solve", chunk, loose, bound)
            if "gradient" in (row["kind"] for row in case["rows"]):
                yield contender("gradient", chunk, loose, bound)


def torch_contenders(case, device):
    import torch
    import torchdiffeq

    torch.set_default_dtype(torch.float64)
    torch.set_default_device(device)
    if case["method"].startswith("rodas") or case["fixed_step"] or case["max_step"]:
        return  # it has no implicit method of variable step, no tsit5, and no largest step
    lanes, formula = case["lanes"], fields(case["case"], torch)
    times = torch.tensor([0.0, case["t1"]])

    def worst_lane(v):  # else some lanes would hide behind the many
        return v.reshape(-1, len(case["y0"][0])).pow(2).mean(-1).sqrt().max()

    class Field(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.p = torch.nn.Parameter(torch.tensor(case["p"]).expand(lanes, -1).clone())
            self.calls = 0

        def forward(self, t, y):
            self.calls += 1
            return formula(y, self.p)

    field = Field()

    def solve(y0):
        field.calls = 0
        return torchdiffeq.odeint(field, y0, times, rtol=case["rtol"], atol=case["atol"], method="dopri5",
                                  options={"norm": worst_lane})[-1]

    def ends():
        with torch.no_grad():
            y = solve(torch.tensor(case["y0"]).expand(lanes, -1).clone())
        return y.cpu().numpy(), field.calls // 6

    def gradients():
        field.p.grad = None
        y0 = torch.tensor(case["y0"]).expand(lanes, -1).clone().requires_grad_()
        y = solve(y0)
        attempts = field.calls // 6
        (0.5 * (y * y).sum()).backward()
        return torch.cat([y0.grad, field.p.grad], -1).cpu().numpy(), attempts

    yield Contender(case, "torchdiffeq dopri5, one state", "solve", ends)
    yield Contender(case, "torchdiffeq dopri5, one state", "gradient", gradients)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=("diffrax", "torchdiffeq"))
    parser.add_argument("case")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--longest", type=float, default=3, help="seconds; what takes longer is run once")
    o = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = o.device
    os.environ["JAX_ENABLE_X64"] = "1"
    os.environ["EQX_ON_ERROR"] = "nan"
    if o.device == "cpu":
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        os.environ["OMP_NUM_THREADS"] = "1"
    clock = time.process_time if o.device == "cpu" else time.perf_counter
    with open(o.case) as file:
        case = json.load(file)
    contenders = []
    for who in (diffrax_contenders if o.library == "diffrax" else torch_contenders)(case, o.device):
        print(case["case"], who.kind, who.who, file=sys.stderr, flush=True)
        who.first(clock)
        contenders.append(who)
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps([who.again(clock, o.longest) for who in contenders]), flush=True)


if __name__ == "__main__":
    main()
