# SPDX-License-Identifier: Apache-2.0
"""The cases, the same for every library: networks, starts, data and tolerances."""
import time

import numpy as np

import revode.nn

MEMORY = {"revode, all tapes": {"schedule": "store_all"}, "revode, 3 slots": {"slots": 3}}
STAGES = 6  # evaluations a step of tsit5, whose last is the first of the next


class Case:
    """y' = W tanh(… W tanh(W y + b) + b …) + b of a batch; the mean square of the difference to data at `ts` or the end."""

    def __init__(self, name, widths, batch, ts=None, rtol=None, steps=None):
        self.name, self.widths, self.batch = name, widths, batch
        self.ts, self.rtol, self.steps = ts, rtol, steps

    def numbers(self, dtype):
        """Weights, start and data, from counters: equal for all."""
        net = revode.nn.Mlp(self.widths)
        p = net.initial(1)
        random = np.random.default_rng(1)
        y0 = random.standard_normal((self.batch, self.widths[0]))
        times = len(self.ts) if self.ts is not None else 1
        turned = y0 @ np.linalg.qr(random.standard_normal((self.widths[0],) * 2))[0]
        data = np.stack([y0 + (turned - y0) * (k + 1) / times for k in range(times)])
        return net, p.astype(dtype), y0.astype(dtype), (data if self.ts is not None else data[0]).astype(dtype)

    def products(self):
        """Multiplications and additions of one pass of matrix products."""
        return 2 * self.batch * sum(a * b for a, b in zip(self.widths, self.widths[1:]))


CASES = [
    Case("a", [2, 50, 2], 20, ts=np.linspace(0.1, 1, 10), rtol=1e-6),
    Case("b", [16, 128, 128, 16], 256, rtol=1e-5),
    Case("c", [64, 512, 512, 64], 512, steps=8),
]


def processor_time(run):
    start = time.process_time(), time.perf_counter()
    run()
    return time.process_time() - start[0], time.perf_counter() - start[1]


def in_turn(runs, rounds):
    """Takes the least times of (row, run), a run of each in turn."""
    for row, _ in runs:
        row["seconds"] = row["wall"] = 1e300
    for _ in range(rounds):
        for row, run in runs:
            cpu, wall = processor_time(run)
            row["seconds"], row["wall"] = min(row["seconds"], cpu), min(row["wall"], wall)


def difference(a, b):
    """By the norm of the whole."""
    return float(np.linalg.norm(np.asarray(a, float) - b) / np.linalg.norm(np.asarray(b, float)))
