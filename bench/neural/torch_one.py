# SPDX-License-Identifier: Apache-2.0
"""One case in one precision in torch, revode and torchdiffeq in turn: prints what it found as JSON.

usage: bench/neural/torch_one.py CASE float32|float64 ROUNDS
"""
import json
import sys

import torch
import torchdiffeq

import revode.torch
from case import CASES, MEMORY, STAGES, difference, in_turn


def module_of(net, p):
    layers = []
    for w, b in zip(*[iter(net.named(p).values())] * 2):
        layers += [torch.nn.Linear(w.shape[1], w.shape[0]).to(w.dtype), torch.nn.Tanh()]
        layers[-2].weight.data, layers[-2].bias.data = w.clone(), b.clone()
    return torch.nn.Sequential(*layers[:-1])


class Field(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers, self.calls = layers, 0

    def forward(self, t, y):
        self.calls += 1
        return self.layers(y)


def by_revode(case, net, memory):
    how = {"fixed_step": 1 / case.steps} if case.steps else {"rtol": case.rtol, "atol": case.rtol}
    if case.ts is not None:
        how["ts"] = case.ts
    return lambda field, y0: revode.torch.solve(net, y0, field.layers, t0=0.0, t1=1.0, **memory, **how)


def by_torchdiffeq(case, dtype):
    """Fixed steps are of rk4, twelve for eight of tsit5: as many evaluations."""
    times = torch.tensor([0.0, *(case.ts if case.ts is not None else [1.0])], dtype=dtype)
    how = {"method": "dopri5", "rtol": case.rtol, "atol": case.rtol}
    if case.steps:
        how = {"method": "rk4", "options": {"step_size": 1 / (1.5 * case.steps)}}

    def solve(field, y0):
        ys = torchdiffeq.odeint(field, y0, times, **how)[1:]
        return ys if case.ts is not None else ys[-1]

    return solve


def main():
    name, precision, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.set_num_threads(1)
    case, dtype = next(c for c in CASES if c.name == name), getattr(torch, precision)
    net, p, *arrays = case.numbers(precision)
    y0, data = (torch.from_numpy(x) for x in arrays)
    runs, gradients = [], []
    ours = {name.replace(",", " in torch,"): by_revode(case, net, memory) for name, memory in MEMORY.items()}
    for contestant, solve in (ours | {"torchdiffeq": by_torchdiffeq(case, dtype)}).items():
        field = Field(module_of(net, torch.from_numpy(p)))
        optimiser = torch.optim.Adam(field.parameters(), 1e-3)

        def gradient(field=field, optimiser=optimiser, solve=solve):
            optimiser.zero_grad()
            loss = (solve(field, y0) - data).square().mean()
            loss.backward()
            return loss.item()

        loss = gradient()
        gradients.append(torch.cat([x.grad.reshape(-1) for x in field.parameters()]).numpy().astype(float))
        row = {"contestant": contestant, "loss": loss, "difference": difference(gradients[-1], gradients[0])}
        if field.calls:
            row["steps"] = round(field.calls / STAGES)
        runs.append((row, lambda gradient=gradient, optimiser=optimiser: (gradient(), optimiser.step())))
    in_turn(runs, rounds)
    print(json.dumps([row for row, _ in runs]))


main()
