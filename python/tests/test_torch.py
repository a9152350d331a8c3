# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import revode  # noqa: E402
import revode.nn  # noqa: E402
import revode.torch  # noqa: E402


def module(dtype=torch.float64):
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).to(dtype)


def batch(dtype=torch.float64):
    torch.manual_seed(2)
    return torch.randn(5, 2, dtype=dtype)


def test_problems_have_the_bits_of_revode():
    q = revode.Problem.named("lorenz")
    s = revode.solve(q, rtol=1e-8, adjoint="recursive_checkpoint", slots=9)
    p = torch.tensor(q.p, requires_grad=True)
    y = revode.torch.solve("lorenz", p=p, rtol=1e-8, slots=9)
    assert np.array_equal(y.detach(), s.y)
    y[0].backward()
    assert np.array_equal(p.grad, s.pullback([1.0, 0.0, 0.0]).p)


def test_linear_algebras_are_those_of_revode():
    told = {"algebra": "banded", "banded": (1, 1)}
    q = revode.Problem.named("heat_1d:40")
    s = revode.solve(q, "bdf5", adjoint="recursive_checkpoint", slots=9, **told)
    y0 = torch.tensor(q.y0, requires_grad=True)
    y = revode.torch.solve(q, y0, method="bdf5", slots=9, **told)
    assert np.array_equal(y.detach(), s.y)
    y.sum().backward()
    assert np.array_equal(y0.grad, s.pullback(np.ones(40)).y0)
    with pytest.raises(ValueError, match="unknown algebra 'bandet'"):
        revode.torch.solve(q, method="bdf5", algebra="bandet")


def test_integrals_stand_behind_the_state():
    q = revode.Problem.named("lorenz").with_quadrature(
        lambda t, y, p: y[0] ** 2, vjp=lambda t, y, p, w: (0.0, w[0] * np.array([2 * y[0], 0.0, 0.0]), 0 * p)
    )
    s = revode.solve(q, adjoint="recursive_checkpoint", slots=9)
    p = torch.tensor(q.p, requires_grad=True)
    z = revode.torch.solve(q, p=p, slots=9)
    assert np.array_equal(z.detach(), [*s.y, *s.q])
    z[3].backward()
    assert np.array_equal(p.grad, s.pullback(q=1).p)


@pytest.mark.parametrize("ts", [None, [0.5, 1.0]])
def test_modules_get_the_gradients_of_revode(ts):
    net, own, y0 = revode.nn.Mlp([2, 8, 2]), module(), batch().requires_grad_()
    more = {} if ts is None else {"ts": ts}
    p = net.flat(own.state_dict()).numpy()
    s = revode.solve(net.problem(y0.detach(), 0, 1, p), rtol=1e-7, adjoint="recursive_checkpoint", **more)
    ys = revode.torch.solve(net, y0, own, t0=0.0, t1=1.0, rtol=1e-7, **more)
    assert np.array_equal(ys.detach().reshape(-1), np.ravel(s.y if ts is None else s.ys))
    ys.sum().backward()
    g = s.pullback(np.ones(y0.numel())) if ts is None else s.pullback(ys=np.ones((2, y0.numel())))
    assert np.array_equal(net.flat([{"weight": x.weight.grad, "bias": x.bias.grad} for x in (own[0], own[2])]), g.p)
    assert np.array_equal(y0.grad.reshape(-1), g.y0)


def test_a_field_is_what_the_module_computes():
    net, own, y0 = revode.nn.Mlp([2, 8, 2]), module(), batch()
    assert np.allclose(net.problem(y0, 0, 1, net.flat(own.state_dict()))(0.0, y0), own(y0).detach().reshape(-1), rtol=1e-13)


def test_single_precision():
    net, own, y0 = revode.nn.Mlp([2, 8, 2]), module(torch.float32), batch(torch.float32)
    ys = revode.torch.solve(net, y0, own, t0=0.0, t1=1.0)
    assert ys.dtype == torch.float32
    ys.square().sum().backward()
    in_double = module()
    in_double.load_state_dict(own.state_dict())
    revode.torch.solve(net, y0.double(), in_double, t0=0.0, t1=1.0).square().sum().backward()
    for a, b in zip(own.parameters(), in_double.parameters()):
        assert torch.allclose(a.grad.double(), b.grad, rtol=1e-4, atol=1e-4)


def test_a_training_shares_one_copy_of_the_weights():
    net, own, y0 = revode.nn.Mlp([2, 8, 2]), module(), batch()
    p = revode.torch.share(net, own)
    optimiser = torch.optim.Adam([p], 0.01)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = (revode.torch.solve(net, y0, p, t0=0.0, t1=1.0) - 2 * y0).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
    assert torch.equal(net.flat(own), p) and own[0].weight.data_ptr() == p.data_ptr()


@pytest.mark.parametrize("slots", [None, 3])
def test_functions_of_torch_are_fields(slots):
    own, y0 = module(), batch().requires_grad_()
    net = revode.nn.Mlp([2, 8, 2])
    want = torch.autograd.grad(
        revode.torch.solve(net, y0, own, t0=0.0, t1=1.0, fixed_step=0.1).square().sum(), [y0, *own.parameters()]
    )

    class Field(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = own

        def forward(self, t, y):
            return self.layers(y)

    loss = revode.torch.solve(Field(), y0, t0=0.0, t1=1.0, fixed_step=0.1, slots=slots).square().sum()
    for a, b in zip(torch.autograd.grad(loss, [y0, *own.parameters()]), want):
        assert torch.allclose(a, b, rtol=1e-11, atol=1e-13)
    turning = revode.torch.solve(lambda t, y: torch.stack([y[1], -y[0] * t]), torch.ones(2).double(), t0=0.0, t1=2.0, rtol=1e-10)
    airy = revode.solve(revode.Problem(lambda t, y, p: [y[1], -y[0] * t], [1.0, 1.0], 0, 2), "vern9", rtol=1e-12)
    assert np.allclose(turning, airy.y, rtol=1e-7)


def test_misuse_and_failure():
    with pytest.raises(ValueError, match="a function of torch's in single precision"):
        revode.torch.solve(lambda t, y: y, torch.ones(2), t0=0, t1=1)
    with pytest.raises(ValueError, match="p for a function of torch's"):
        revode.torch.solve(lambda t, y: y, torch.ones(2), [1.0], t0=0, t1=1)
    with pytest.raises(ValueError, match="give ts"):
        revode.torch.solve("lorenz", every=2)
    with pytest.raises(ValueError, match="a network without y0, p, t0 or t1"):
        revode.torch.solve(revode.nn.Mlp([2, 2]), batch())
    with pytest.raises(ValueError, match="samples of 4 numbers"):
        revode.torch.solve(revode.nn.Mlp([2, 2]), torch.ones(2, 4), torch.ones(6), t0=0.0, t1=1.0)
    assert revode.torch.solve("lorenz", max_steps=3).isnan().all()
