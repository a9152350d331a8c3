# SPDX-License-Identifier: Apache-2.0
"""One case in one precision, all contestants in turn: prints what it found as JSON.

usage: bench/neural/one.py CASE float32|float64 ROUNDS [--no-vmap]
"""
import json
import sys
import time

import jax
import numpy as np

jax.config.update("jax_enable_x64", sys.argv[2] == "float64")

from case import CASES, MEMORY, STAGES, Case, difference, in_turn, processor_time  # noqa: E402
from training import diffrax_solve, each_alone, revode_solve, statistics, training  # noqa: E402


def products_at_their_rate(case, dtype):
    """Seconds of one pass of matrix products by NumPy's BLAS: what no field can do without."""
    random, seconds = np.random.default_rng(2), 0.0
    for a, b in zip(case.widths, case.widths[1:]):
        repeats = 1 + int(2e7 / (case.batch * a * b))
        x = random.standard_normal((repeats, case.batch, a)).astype(dtype)  # one call for many: of Python no time
        w, y = random.standard_normal((a, b)).astype(dtype), np.empty((repeats, case.batch, b), dtype)
        seconds += min(processor_time(lambda: np.matmul(x, w, out=y))[0] for _ in range(9)) / repeats
    return seconds


def contestants(case, net, vmaps):
    for name, memory in MEMORY.items():
        yield name, revode_solve(case, net, **memory), memory
    yield "Diffrax, one solve for the batch", diffrax_solve(case, net), None
    if vmaps:
        yield "Diffrax, vmap", each_alone(diffrax_solve(case, net)), None


def main():
    name, dtype, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    case = next(c for c in CASES if c.name == name)
    net, p, y0, data = case.numbers(dtype)
    runs, gradients = [], {}
    for contestant, solve, memory in contestants(case, net, case.name != "c" and "--no-vmap" not in sys.argv):
        gradient, step, start = training(solve, data)
        state = start(p)
        compiling = time.perf_counter()
        (value, steps), g = jax.block_until_ready(gradient(p, y0))
        jax.block_until_ready(step(p, state, y0))
        row = {"contestant": contestant, "compiled_in": time.perf_counter() - compiling, "loss": float(value)}
        gradients[contestant] = np.asarray(g)
        if contestant.startswith("revode"):
            row["steps"], row["bytes"] = statistics(case, net, p.astype(float), y0.astype(float), memory)
            row["bytes"] = row["bytes"] * np.dtype(dtype).itemsize // 8
        else:
            row["steps"] = int(steps)
            row["bytes"] = gradient.lower(p, y0).compile().memory_analysis().temp_size_in_bytes
        runs.append((row, lambda step=step, state=state: jax.block_until_ready(step(p, state, y0))))
    in_turn(runs, rounds)
    pass_seconds = products_at_their_rate(case, dtype)
    reference = gradients["Diffrax, one solve for the batch"]
    for row, _ in runs:
        stages = STAGES * row["steps"]
        row["difference"] = difference(gradients[row["contestant"]], reference)
        row["bound"] = 3 * stages * pass_seconds
        row["gflops"] = 3 * stages * case.products() / row["seconds"] / 1e9
    rows = [row for row, _ in runs]
    fixed = Case(case.name, case.widths, case.batch, ts=case.ts, steps=10 if case.ts is not None else 8)
    both = [np.asarray(training(make(fixed, net), data)[0](p, y0)[1]) for make in (revode_solve, diffrax_solve)]
    print(json.dumps({"case": name, "precision": dtype, "widths": case.widths, "batch": case.batch,
                      "parameters": int(p.size), "fixed_difference": difference(*both), "rows": rows}))


main()
