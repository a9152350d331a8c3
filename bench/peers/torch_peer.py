# SPDX-License-Identifier: Apache-2.0
"""torchdiffeq on the problems of revode-bench-peers."""
from contender import Contender


class TorchDiffEq:
    patience = 20  # seconds

    def __init__(self):
        import torch
        import torchdiffeq

        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
        self.torch, self.odeint, self.adjoint = torch, torchdiffeq.odeint, torchdiffeq.odeint_adjoint

    def field(self, problem):
        torch = self.torch
        eye = torch.eye(7)

        def lorenz(y, p):
            return torch.stack([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]])

        def kepler(y, p):
            r2 = y[0] * y[0] + y[1] * y[1]
            pull = p[0] / (r2 * torch.sqrt(r2))
            return torch.cat([y[2:], -pull * y[:2]])

        def pleiades(y, p):
            x, z = y[:7], y[7:14]
            dx, dz = x[None, :] - x[:, None], z[None, :] - z[:, None]
            r2 = dx * dx + dz * dz + eye
            g = (1 - eye) / (r2 * torch.sqrt(r2))
            return torch.cat([y[14:], (g * dx) @ p, (g * dz) @ p])

        def lorenz96(y, p):
            return (torch.roll(y, -1) - torch.roll(y, 2)) * torch.roll(y, 1) - y + p[0]

        def neural(y, p):
            unit = torch.tanh(p[:512].reshape(64, 8) @ y + p[512:576])
            return p[576:1088].reshape(8, 64) @ unit + p[1088:]

        formula = locals()[problem["name"].split(":")[0]]

        class Field(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.p = torch.nn.Parameter(torch.tensor(problem["p"]))
                self.calls = 0

            def forward(self, t, y):
                self.calls += 1
                return formula(y, self.p)

        return Field()

    def contenders(self, problem):
        torch, field = self.torch, self.field(problem)
        times = torch.tensor([0.0, problem["t1"]])
        stages = {"dopri5": 6, "dopri8": 13}

        def solve(method, rtol):
            field.calls = 0
            with torch.no_grad():
                y = self.odeint(field, torch.tensor(problem["y0"]), times, rtol=rtol, atol=rtol, method=method)[-1]
            return y.numpy(), field.calls // stages[method]

        def gradient(method, library, rtol, **more):
            field.calls = 0
            field.p.grad = None
            y0 = torch.tensor(problem["y0"], requires_grad=True)
            y = library(field, y0, times, rtol=rtol, atol=rtol, method=method, **more)[-1]
            steps = field.calls // stages[method]
            (0.5 * (y * y).sum()).backward()
            return torch.cat([y0.grad, field.p.grad]).numpy(), steps

        for method in stages:
            yield Contender(problem, "solve", f"torchdiffeq {method}", lambda rtol, m=method: solve(m, rtol))
            yield Contender(problem, "gradient", f"torchdiffeq {method}, odeint",
                            lambda rtol, m=method: gradient(m, self.odeint, rtol))
        yield Contender(problem, "gradient", "torchdiffeq dopri5, odeint_adjoint",
                        lambda rtol: gradient("dopri5", self.adjoint, rtol))
        yield Contender(problem, "gradient", "torchdiffeq dopri5, odeint_adjoint, seminorm",
                        lambda rtol: gradient("dopri5", self.adjoint, rtol, adjoint_options={"norm": "seminorm"}))
