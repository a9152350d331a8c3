# SPDX-License-Identifier: Apache-2.0
"""Solves in programs of torch: exact gradients by backward(), in the memory you choose, without the interpreter's lock.

    net = revode.nn.Mlp([2, 50, 2])
    ys = revode.torch.solve(net, batch, module, t0=0.0, t1=1.0, rtol=1e-5)      # module: torch.nn.Sequential(…)
    loss = (ys - target).square().mean()
    loss.backward()                                                             # module's .grad
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from typing_extensions import Unpack

from revode import _core
from revode._solve import Options, _in_float, _options, _way


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, prepared: Any, y0: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        y, ctx.kept = prepared.keep(y0.detach(), p.detach())
        ctx.prepared = prepared
        return torch.from_numpy(y)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, w: torch.Tensor) -> Any:
        of_y0, of_p = ctx.kept.pull(ctx.prepared, w.contiguous())
        return None, torch.from_numpy(of_y0), torch.from_numpy(of_p)


class _Module:
    """f(t, y) of torch as callbacks: states and weights are seen where they lie, derivatives are autograd's. As with all of
    autograd's, weights stand still between a solve and its backward()."""

    def __init__(self, f: Any, shape: torch.Size) -> None:
        self.f, self.shape = f, shape
        self.parameters = tuple(f.parameters()) if isinstance(f, torch.nn.Module) else ()

    def values(self, t: float, y: Any, p: Any) -> Any:
        with torch.no_grad():
            return self.f(torch.tensor(t, dtype=torch.float64), torch.from_numpy(y).view(self.shape)).reshape(-1).numpy()

    def vjp(self, t: float, y: Any, p: Any, w: Any) -> Any:
        with torch.enable_grad():
            at = torch.tensor(t, dtype=torch.float64, requires_grad=True)
            state = torch.from_numpy(y).view(self.shape).requires_grad_()
            f = self.f(at, state).reshape(-1)
            if not f.requires_grad:
                return 0.0, torch.zeros_like(state).reshape(-1).numpy(), np.zeros(len(p))
            inputs = at, state, *self.parameters
            found = torch.autograd.grad(f, inputs, torch.from_numpy(w), allow_unused=True, materialize_grads=True)
        by_p = [g.reshape(-1) for g in found[2:]]
        return found[0].item(), found[1].reshape(-1).numpy(), torch.cat(by_p).numpy() if by_p else np.zeros(0)


def _callable(f: Any, y0: Any, t0: Any, t1: Any) -> tuple[_core.Problem, torch.Tensor]:
    """The problem of a function f(t, y) of torch's, and its parameters behind each other."""
    if y0 is None or t0 is None or t1 is None:
        raise ValueError("a function of torch's without y0, t0 or t1 (it has none of its own) give all three?")
    start = torch.as_tensor(y0)
    of = _Module(f, start.shape)
    if any(x.dtype != torch.float64 for x in (start, *of.parameters)):
        raise ValueError("a function of torch's in single precision (its states are float64) call .double()?")
    p = torch.cat([x.reshape(-1) for x in of.parameters]) if of.parameters else start.new_zeros(0)
    q = _core.Problem(of.values, start.detach().reshape(-1).numpy(), t0, t1, p.detach().numpy(), vjp=of.vjp)
    return q, p


def solve(
    problem: _core.Problem | _core.Network | str | Any,
    y0: Any = None,
    p: Any = None,
    method: str = "tsit5",
    *,
    t0: float | None = None,
    t1: float | None = None,
    slots: int | None = None,
    budget: int | None = None,
    schedule: str | None = None,
    algebra: str = "dense",
    sparsity: Any | None = None,
    banded: tuple[int, int] | None = None,
    **options: Unpack[Options],
) -> torch.Tensor:
    """y(t1), or the states at `ts`, a row each: a tensor whose backward() gives the exact gradients by y0 and p.
    Of a problem with integrals, flat rows of y and then q.

    The bits are those of revode.solve and its pullback by recursive_checkpoint with slots, budget and schedule, algebra,
    sparsity and banded. A solve that fails gives NaN. backward() replays the one solve that was made: nothing is solved twice.
    problem  a network has samples by rows in y0, t0, t1, and in p its weights: what Mlp.flat takes, a torch.nn.Module say.
             Starts in float32 are solved in float32, by tsit5; all else is float64. Any other function f(t, y) of
             torch's, a Module say, is called once an evaluation, with y of y0's shape, and differentiated by autograd: its
             parameters get their gradients, each by one more call
    errors   ValueError: every (give ts), a network without y0, p, t0 or t1, and revode.solve's
    """
    if "every" in options:
        raise ValueError("revode.torch with every (losses are of known times) give ts?")
    memory, way = (slots, budget, schedule, 0), _way(method, algebra, sparsity, banded)
    by = _core.Method(*way)
    if isinstance(problem, _core.Network):
        if y0 is None or p is None or t0 is None or t1 is None:
            raise ValueError("a network without y0, p, t0 or t1 (it is a field and has none of its own) give all four?")
        start = torch.as_tensor(y0)
        problem.expect_samples(start.shape[-1] if start.ndim else 1)
        weights = problem.flat(p) if hasattr(problem, "flat") else p
        if start.dtype == torch.float32:
            prepared: Any = _core.prepare_in_float(
                problem, start.numel(), t0, t1, _in_float(way), _options(options), *memory
            )
        else:
            q = problem.problem(np.zeros(start.numel()), t0, t1, np.zeros(problem.parameters))
            prepared = _core.prepare(q, by, _options(options), *memory)
    else:
        if isinstance(problem, (_core.Problem, str)):
            q = _core.Problem.named(problem) if isinstance(problem, str) else problem
            q, weights = q.replace(t0=t0, t1=t1), q.p if p is None else p
        elif p is None:
            q, weights = _callable(problem, y0, t0, t1)
        else:
            raise ValueError("p for a function of torch's (it has its own parameters) leave it out?")
        start = torch.as_tensor(q.y0 if y0 is None else y0)
        prepared = _core.prepare(q, by, _options(options), *memory)
    dtype = torch.float32 if isinstance(prepared, _core.PreparedFloat) else torch.float64
    flat = start.to(dtype).reshape(-1), torch.as_tensor(weights).to(dtype).reshape(-1)
    if torch.is_grad_enabled() and any(x.requires_grad for x in flat):
        ended = _Solve.apply(prepared, *flat)
    else:
        ended = torch.from_numpy(prepared.values(*(x.detach() for x in flat)))
    if prepared.width > prepared.states:
        return ended
    return ended.reshape((*ended.shape[:-1], *start.shape))


def share(net: Any, module: torch.nn.Module) -> torch.nn.Parameter:
    """The weights of a module as one flat parameter, of which the module's own become views: one copy of the weights.

    An optimiser takes it, solve(…, p=it) reads it where it lies, and the module sees each of its steps.
    """
    flat = torch.nn.Parameter(net.flat(module).detach().clone())
    with torch.no_grad():
        at = 0
        for own in module.parameters():  # weight, bias, layer by layer, as in a flat array
            own.data = flat.data[at : at + own.numel()].view(own.shape)
            at += own.numel()
    return flat
